"""What oauthlib asks while it handles a request: who the client is, what was granted, what to store."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request

from oauthserver.backend import ARRIVED_AT
from oauthserver.client_secrets import secret_matches
from oauthserver.models import Application, RedeemedCode
from oauthserver.resources import audience
from oauthserver.tokens import mint


class Validator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """django-oauth-toolkit's validator, hardened. Token requests must run inside one transaction: rows are locked."""

    def _load_application(self, client_id: str | None, request: Request) -> Application | None:
        # The database raises at a NUL, which no client id has.
        if not client_id or "\0" in client_id:
            return None
        application: Application | None = super()._load_application(client_id, request)
        return application

    def _extract_basic_auth(self, request: Request) -> str | None:
        # Base64 is ASCII; the library's decoder raises at anything else.
        credentials: str | None = super()._extract_basic_auth(request)
        return credentials if credentials and credentials.isascii() else None

    def _check_secret(self, provided_secret: str, stored_secret: str) -> bool:
        return secret_matches(provided_secret, stored_secret)

    def is_origin_allowed(self, client_id: str, origin: str, request: Request) -> bool:
        # `cors` alone decides about origins.
        return False

    def validate_code(self, client_id: str, code: str, client: Application, request: Request) -> bool:
        grant = Grant.objects.select_for_update(of=("self",)).select_related("user").filter(code=code).first()
        if grant is None:
            self._revoke_what_the_code_bought(code, request)
            return False
        return grant.user.is_active and bool(super().validate_code(client_id, code, client, request))

    def _revoke_what_the_code_bought(self, code: str, request: Request) -> None:
        """RFC 6749, section 4.1.2: a code that comes a second time has leaked, and its tokens with it."""
        redeemed = RedeemedCode.objects.filter(code_sha256=_sha256(code)).first()
        if redeemed and not _is_race(request, redeemed.redeemed_at):
            RefreshToken.revoke_family(redeemed.token_family)

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request) -> None:
        super().invalidate_authorization_code(client_id, code, request)
        RedeemedCode.objects.create(code_sha256=_sha256(code), token_family=request.token_family)

    def validate_refresh_token(self, refresh_token: str, client: Application, request: Request) -> bool:
        # The lock makes concurrent refreshes wait for each other, so that exactly one finds the token unspent.
        tokens = RefreshToken.objects.select_for_update(of=("self",)).select_related("user", "access_token")
        row = tokens.filter(token_checksum=_sha256(refresh_token), application=client).first()
        if row is None:
            return False
        if row.revoked:
            if not _is_race(request, row.revoked):
                RefreshToken.revoke_family(row.token_family)
            return False
        unused_for = timezone.now() - row.created
        if unused_for.total_seconds() >= settings.REFRESH_TOKEN_LIFETIME_SECONDS or row.access_token is None:
            return False
        request.user, request.refresh_token_instance = row.user, row
        return bool(row.user.is_active)

    def _check_and_set_request_resource(self, request: Request) -> None:
        # `server.check_resource` has refused every other one.
        request.resource = [audience()]

    def _create_access_token(
        self,
        expires: datetime,
        request: Request,
        token: dict[str, str],
        source_refresh_token: RefreshToken | None = None,
    ) -> AccessToken:
        client = request.client
        token["access_token"] = mint(user_id=request.user.pk, client_id=client.client_id, scope=token["scope"])
        Application.objects.filter(pk=client.pk).update(last_used_at=timezone.now())
        return super()._create_access_token(expires, request, token, source_refresh_token)

    def _create_refresh_token(
        self, request: Request, refresh_token_code: str, access_token: AccessToken, previous: RefreshToken | None
    ) -> RefreshToken:
        refresh_token = super()._create_refresh_token(request, refresh_token_code, access_token, previous)
        request.token_family = refresh_token.token_family
        return refresh_token

    def introspect_token(self, token: str, token_type_hint: str | None, request: Request) -> dict[str, object] | None:
        """What `token` is (RFC 7662, section 2.2); None for one that is not live or not the calling client's."""
        own = {"token_checksum": _sha256(token), "application": request.client, "user__is_active": True}
        access_token = AccessToken.objects.filter(**own, expires__gt=timezone.now()).first()
        if access_token:
            expires_at = int(access_token.expires.timestamp())
            return {**_described(access_token, access_token.scope), "token_type": "Bearer", "exp": expires_at}
        refresh_token = RefreshToken.objects.filter(**own, revoked=None).select_related("access_token").first()
        if refresh_token and refresh_token.access_token:
            return _described(refresh_token, refresh_token.access_token.scope)
        return None


def _described(token: AccessToken | RefreshToken, scope: str) -> dict[str, object]:
    client_id = token.application.client_id
    return {"scope": scope, "client_id": client_id, "sub": str(token.user_id), "aud": audience()}


def _is_race(request: Request, spent_at: datetime) -> bool:
    """Whether `request` was already here when another one spent what it presents.

    Such a request lost a race, as a client with two windows does; one that comes later is a replay.
    """
    arrived_at: datetime = request.headers[ARRIVED_AT]
    return arrived_at <= spent_at


def _sha256(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
