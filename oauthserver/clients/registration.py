"""Dynamic client registration (RFC 7591) and its management by the app (RFC 7592)."""

from __future__ import annotations

import hmac
import json
import secrets
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from pydantic import ValidationError

from common.networking.addresses import network_of
from oauthserver.clients.client_metadata import GRANT_TYPES, ClientMetadata, problem_in
from oauthserver.clients.client_secrets import hash_secret, new_secret, secret_matches
from oauthserver.clients.registration_limits import MAX_REGISTRATIONS_PER_MINUTE, take_registration_slot
from oauthserver.connections.connection_changes import delete_application
from oauthserver.connections.failure_log import Step, record_failure
from oauthserver.models import Application
from oauthserver.tokens.access_tokens import token_checksum

MAX_BODY_BYTES = 32_768


class RegistrationError(Exception):
    """A refused registration: an error code of RFC 7591 section 3.2.2, a sentence and an HTTP status."""

    def __init__(self, code: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.code = code
        self.status = status


class RequestedMetadata(ClientMetadata):
    """Metadata of a registration, which also chooses the authentication method."""

    token_endpoint_auth_method: Application.AuthMethod = Application.AuthMethod.BASIC


class Replacement(RequestedMetadata):
    """Metadata of an update, which may repeat the id and the secret but not change them (RFC 7592, section 2.2)."""

    client_id: str | None = None
    client_secret: str | None = None


Metadata = TypeVar("Metadata", bound=RequestedMetadata)


@csrf_exempt
@never_cache
@require_http_methods(["POST"])
def register(request: HttpRequest) -> HttpResponse:
    """Register an app (POST /oauth/register). Return its id, its secret if it needs one, and its management token."""
    try:
        _check_flood(request)
        metadata = _read_metadata(request, RequestedMetadata)
    except RegistrationError as error:
        record_failure(request, Step.REGISTRATION, error.code, str(error), _claimed_name(request))
        return _refusal(error)
    application = Application(
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
        registered_from=_network(request),
    )
    return JsonResponse(_save(application, metadata), status=201)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "PUT", "DELETE"])
def manage(request: HttpRequest, client_id: str) -> HttpResponse:
    """Let an app read, replace or delete its own registration (/oauth/register/<client_id>)."""
    with transaction.atomic():
        application = _authenticated(request, client_id)
        if application is None:
            return _not_authenticated()
        if request.method == "DELETE":
            delete_application(application.pk)
            return HttpResponse(status=204)
        if request.method == "GET":
            return JsonResponse({**_description(application), "registration_access_token": _token(request)})
        try:
            replacement = _read_metadata(request, Replacement)
            _check_identity(application, replacement)
            return JsonResponse(_save(application, replacement))
        except RegistrationError as error:
            return _refusal(error)


def _claimed_name(request: HttpRequest) -> str:
    """Return the name in a refused registration; empty if it cannot be read."""
    try:
        return str(json.loads(request.body[:MAX_BODY_BYTES])["client_name"])
    except (ValueError, KeyError, TypeError, RecursionError, RequestDataTooBig, RawPostDataException):
        return ""


def _network(request: HttpRequest) -> str | None:
    return network_of(request.META.get("REMOTE_ADDR", ""))


def _check_flood(request: HttpRequest) -> None:
    if not take_registration_slot(_network(request)):
        description = f"More than {MAX_REGISTRATIONS_PER_MINUTE} registrations in a minute. Try again later."
        raise RegistrationError("too_many_requests", description, 429)


def _check_identity(application: Application, replacement: Replacement) -> None:
    """Check the repeated id and secret. Raises RegistrationError when one of them is not the app's own."""
    if replacement.client_id not in (None, application.client_id):
        raise RegistrationError("invalid_client_metadata", "client_id: must be the app's own.")
    secret = replacement.client_secret
    if secret is not None and not secret_matches(secret, application.client_secret):
        raise RegistrationError("invalid_client_metadata", "client_secret: must be the app's own; it cannot be chosen.")


def _read_metadata(request: HttpRequest, kind: type[Metadata]) -> Metadata:
    """Parse the metadata in the body. Raises RegistrationError."""
    try:
        body = request.body
    except RequestDataTooBig:
        body = None
    if body is None or len(body) > MAX_BODY_BYTES:
        raise RegistrationError("invalid_client_metadata", f"The body has more than {MAX_BODY_BYTES} bytes.", 413)
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        problem = problem_in(error)
        code = "invalid_redirect_uri" if problem.member == "redirect_uris" else "invalid_client_metadata"
        raise RegistrationError(code, problem.sentence) from None


def _save(application: Application, metadata: RequestedMetadata) -> dict[str, Any]:
    """Store the metadata, and return it with the new secrets, which cannot be read again."""
    is_public = metadata.token_endpoint_auth_method == Application.AuthMethod.NONE
    issued = {"registration_access_token": secrets.token_urlsafe(32)}
    application.name = metadata.client_name
    application.redirect_uris = " ".join(metadata.redirect_uris)
    application.client_type = Application.CLIENT_PUBLIC if is_public else Application.CLIENT_CONFIDENTIAL
    application.token_endpoint_auth_method = metadata.token_endpoint_auth_method.value
    application.registration_token_sha256 = token_checksum(issued["registration_access_token"])
    if is_public:
        application.client_secret = ""
    elif not application.client_secret:
        issued["client_secret"] = new_secret()
        application.client_secret = hash_secret(issued["client_secret"])
    application.full_clean()
    application.save()
    return {**_description(application), **issued}


def _description(application: Application) -> dict[str, Any]:
    """Describe the registration as in RFC 7591 section 3.2.1."""
    management_path = reverse("oauthserver:manage-registration", args=[application.client_id])
    description = {
        "client_id": application.client_id,
        "client_id_issued_at": int(application.created.timestamp()),
        "client_name": application.name,
        "redirect_uris": application.redirect_uris.split(),
        "grant_types": list(GRANT_TYPES),
        "response_types": ["code"],
        "token_endpoint_auth_method": application.token_endpoint_auth_method,
        "registration_client_uri": f"{settings.PUBLIC_URL}{management_path}",
    }
    if application.client_secret:
        description["client_secret_expires_at"] = 0
    return description


def _authenticated(request: HttpRequest, client_id: str) -> Application | None:
    """Lock and return the app with the id `client_id`; None unless the request has its registration access token.

    The lock keeps the token valid until the transaction ends.
    """
    if "\0" in client_id:
        return None
    application = Application.objects.select_for_update().filter(client_id=client_id).first()
    if application is None:
        return None
    is_right = hmac.compare_digest(token_checksum(_token(request)), application.registration_token_sha256)
    return application if is_right else None


def _token(request: HttpRequest) -> str:
    """Return the bearer token of the request (RFC 6750, section 2.1); empty if there is none."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _not_authenticated() -> HttpResponse:
    response = _refusal(RegistrationError("invalid_token", "Send the app's registration access token.", 401))
    response["WWW-Authenticate"] = 'Bearer error="invalid_token"'
    return response


def _refusal(error: RegistrationError) -> HttpResponse:
    return JsonResponse({"error": error.code, "error_description": str(error)}, status=error.status)
