"""Client documents: apps whose client id is the URL of their metadata (draft-ietf-oauth-client-id-metadata-document).

The document is fetched when a logged-in user is about to decide on the app, and cached according to its HTTP headers.
Existing connections do not depend on it: tokens can be refreshed while the document is not available.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated
from urllib.parse import unquote, urlsplit

from django.utils import timezone
from oauthlib.oauth2 import FatalClientError
from pydantic import Field, ValidationError, model_validator

from common.clock import TOLERANCE
from common.networking.limiter import FixedWindowLimiter
from common.networking.outbound import FetchedDocument, FetchError, NetworkPolicy, fetch_json
from oauthserver.clients.client_metadata import AppName, ClientMetadata, problem_in
from oauthserver.models import Application
from oauthserver.redirects import URI_CHARACTERS

MAX_URL_LENGTH = 255
# At least two labels, the last of which begins with a letter: excludes `localhost` and IP addresses in any notation.
HOST_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\Z", re.IGNORECASE)
MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
LIFETIME = timedelta(hours=1)
SHORTEST_LIFETIME = timedelta(minutes=5)
LONGEST_LIFETIME = timedelta(days=1)
# How long an expired document is still used while its server is down.
STALE_FOR = timedelta(days=7)
FETCHES_PER_MINUTE = 30

network_policy = NetworkPolicy()
_fetches = FixedWindowLimiter(FETCHES_PER_MINUTE, period_seconds=60)


class ClientDocumentError(FatalClientError):  # type: ignore[misc]  # the library has no types
    """An error for a client document that cannot be fetched or used. The user sees it, without being redirected."""

    error = "invalid_client"
    advice = "Try again later. If the problem persists, the developers of the app must fix it."


class ClientDocument(ClientMetadata):
    """A client document (section 4) with the members of a registration. Its URLs are never fetched."""

    client_id: str
    client_name: Annotated[AppName, Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _is_public(cls, members: object) -> object:
        """Refuse secrets, and authentication methods that need a secret or a key, unless `none` is offered as well.

        Raises ValueError.
        """
        if not isinstance(members, dict):
            return members
        if {"client_secret", "client_secret_expires_at"} & members.keys():
            raise ValueError("client_secret must not be in a public document")
        chosen = members.get("token_endpoint_auth_method")
        offered = members.get("token_endpoint_auth_methods_supported")
        if chosen not in (None, "none") and not (isinstance(offered, list) and "none" in offered):
            raise ValueError(f"token_endpoint_auth_method must be none, not {str(chosen)[:100]!r}")
        return members


def is_document_url(client_id: str) -> bool:
    """Return whether `client_id` is the https URL of a client document. It may still be an invalid one."""
    return client_id[:8].lower() == "https://"


def document_url_problem(url: str) -> str | None:
    """Return why `url` cannot be a client id (section 3), as the end of a sentence, or None if it can."""
    if len(url) > MAX_URL_LENGTH:
        return f"is longer than {MAX_URL_LENGTH} characters"
    if "#" in url:
        return "has a fragment (#)"
    if not URI_CHARACTERS.match(url):
        return "has a character that is not allowed in a URL"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is not a valid URL"
    if "@" in parts.netloc:
        return "contains a user name"
    if port is not None or parts.netloc.endswith(":"):
        return "has a port"
    if not HOST_NAME.match(parts.netloc) or parts.netloc.lower().endswith(".localhost"):
        return "is not the address of a server on the public internet"
    if not parts.path:
        return "has no path"
    if any(unquote(segment) in {".", ".."} for segment in parts.path.split("/")):
        return "has a dot segment in its path"
    return None


def update_client_from_document(client_id: str) -> None:
    """Create or update the app with the id `client_id` from its document, unless it is fresh enough.

    Leaves an app unchanged that the owner has entered by hand under a URL. Raises ClientDocumentError.
    """
    known = Application.objects.filter(client_id=client_id).first() if "\0" not in client_id else None
    now = timezone.now()
    if known and (known.cimd_expires_at is None or now < known.cimd_expires_at <= now + LONGEST_LIFETIME + TOLERANCE):
        return
    try:
        answer = _fetch(client_id)
    except FetchError as error:
        if known and error.is_transient and timezone.now() < known.cimd_expires_at + STALE_FOR:
            return
        raise ClientDocumentError(f"The document at {client_id} cannot be fetched. {error}") from None
    _store(_read(client_id, answer), _lifetime(answer))


def _fetch(client_id: str) -> FetchedDocument:
    if problem := document_url_problem(client_id):
        raise FetchError(f"The address {problem}.")
    if not _fetches.take():
        raise FetchError("Too many apps tried to connect at once. Wait a minute.", is_transient=True)
    return fetch_json(client_id, network_policy)


def _read(client_id: str, answer: FetchedDocument) -> ClientDocument:
    try:
        document = ClientDocument.model_validate_json(answer.content)
    except ValidationError as error:
        raise ClientDocumentError(f"The document at {client_id} cannot be used. {problem_in(error).sentence}") from None
    if document.client_id != client_id:
        named = document.client_id[:MAX_URL_LENGTH]
        raise ClientDocumentError(f"The document at {client_id} is about another app: its client_id is {named!r}.")
    return document


def _lifetime(answer: FetchedDocument) -> timedelta:
    """Return how long the document may be cached (RFC 9111, section 5.2.2), limited to 5 minutes to 1 day."""
    directives = answer.headers.get("cache-control", "")
    if re.search(r"no-(store|cache)", directives, re.IGNORECASE):
        return SHORTEST_LIFETIME
    named = MAX_AGE.search(directives)
    lifetime = timedelta(seconds=int(named[1])) if named else LIFETIME
    return min(max(lifetime, SHORTEST_LIFETIME), LONGEST_LIFETIME)


def _store(document: ClientDocument, lifetime: timedelta) -> None:
    """Insert or update the app's only row. Safe to run concurrently."""
    described = {
        "name": document.client_name,
        "redirect_uris": " ".join(document.redirect_uris),
        "cimd_expires_at": timezone.now() + lifetime,
    }
    fixed = {
        "client_type": Application.CLIENT_PUBLIC,
        "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
        "registration_source": Application.RegistrationSource.CIMD,
    }
    Application.objects.update_or_create(
        client_id=document.client_id, defaults=described, create_defaults={**described, **fixed}
    )
