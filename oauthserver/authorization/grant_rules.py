"""Validator that oauthlib calls to authenticate clients, check grants and store tokens."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2 import InvalidGrantError

from common.clock import TOLERANCE
from oauthserver.authorization.error_reasons import GrantRefusal
from oauthserver.authorization.introspection import describe_token
from oauthserver.authorization.oauthlib_backend import ARRIVED_AT
from oauthserver.clients.client_secrets import secret_matches
from oauthserver.connections.connection_changes import lock_connection, revoke_token_family
from oauthserver.models import Application, RedeemedCode
from oauthserver.tokens.access_tokens import mint, token_checksum
from oauthserver.tokens.granted_scopes import effective_scopes, keep_granted_scope, oldest_active, with_granted_scope
from oauthserver.tokens.resources import audience


class Validator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """A stricter version of django-oauth-toolkit's validator.

    Each token request must run inside a transaction, because rows are locked.
    """

    def _load_application(self, client_id: str | None, request: Request) -> Application | None:
        # PostgreSQL refuses a NUL character. No client id contains one.
        if not client_id or "\0" in client_id:
            return None
        application: Application | None = super()._load_application(client_id, request)
        return application

    def _extract_basic_auth(self, request: Request) -> str | None:
        # Unlike the library's version, this ignores the scheme's case (RFC 9110, section 11.1). It accepts ASCII only,
        # because the library's Base64 decoder raises at anything else.
        scheme, _, credentials = request.headers.get("HTTP_AUTHORIZATION", "").partition(" ")
        return credentials if scheme.lower() == "basic" and credentials.isascii() else None

    def _check_secret(self, provided_secret: str, stored_secret: str) -> bool:
        return secret_matches(provided_secret, stored_secret)

    def authenticate_client(self, request: Request, *args: object, **kwargs: object) -> bool:
        # RFC 6749, section 2.3, allows one authentication method per request. Some clients use both, which is accepted
        # if both are valid.
        if request.client_secret and self._extract_basic_auth(request):
            return self._authenticate_basic_auth(request) and self._authenticate_request_body(request)  # type: ignore[no-any-return]
        return bool(super().authenticate_client(request, *args, **kwargs))

    def is_origin_allowed(self, client_id: str, origin: str, request: Request) -> bool:
        # cors.py decides about origins.
        return False

    def validate_code(self, client_id: str, code: str, client: Application, request: Request) -> bool:
        grants = Grant.objects.filter(code=code, application=client, user__is_active=True)
        user_id, request.granted_redirect_uri = grants.values_list("user_id", "redirect_uri").first() or (None, None)
        # Concurrent requests with the same code wait here. Exactly one of them finds it unused.
        is_locked = user_id is not None and lock_connection(user_id, client) is not None
        if is_locked and super().validate_code(client_id, code, client, request):
            return True
        raise InvalidGrantError(self._revoke_tokens_of_code(code, request), request=request)

    def get_default_redirect_uri(self, client_id: str, request: Request) -> str | None:
        # OAuth 2.1 clients do not repeat the redirect URI at the token endpoint: the code verifier protects the code.
        granted: str | None = getattr(request, "granted_redirect_uri", None)
        return granted or super().get_default_redirect_uri(client_id, request)

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Application, request: Request
    ) -> bool:
        if redirect_uri != request.granted_redirect_uri:
            # RFC 6749, section 5.2. If this returned False, the library would respond with invalid_request.
            raise InvalidGrantError(GrantRefusal.REDIRECT_URI_MISMATCH, request=request)
        return True

    def _revoke_tokens_of_code(self, code: str, request: Request) -> GrantRefusal:
        """Revoke the tokens issued for `code` if this is a replay, and return why the code is refused.

        A code that is used twice may have leaked, and its tokens with it (RFC 6749, section 4.1.2).
        """
        redeemed = RedeemedCode.objects.filter(code_sha256=token_checksum(code)).first()
        if redeemed is None:
            return GrantRefusal.CODE_UNKNOWN
        if _is_race(request, redeemed.redeemed_at):
            return GrantRefusal.LOST_RACE
        revoke_token_family(redeemed.token_family)
        return GrantRefusal.CODE_REPLAYED

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request) -> None:
        super().invalidate_authorization_code(client_id, code, request)
        RedeemedCode.objects.create(code_sha256=token_checksum(code), token_family=request.token_family)

    def validate_refresh_token(self, refresh_token: str, client: Application, request: Request) -> bool:
        tokens = RefreshToken.objects.filter(token_checksum=token_checksum(refresh_token), application=client)
        user_id = tokens.values_list("user_id", flat=True).first()
        # Concurrent refreshes and revocations wait here. Exactly one refresh finds the token unused.
        connection = None if user_id is None else lock_connection(user_id, client)
        row = with_granted_scope(tokens).select_related("user", "access_token").first()
        if connection is None or row is None:
            raise InvalidGrantError(GrantRefusal.REFRESH_UNKNOWN, request=request)
        if row.revoked:
            if _is_race(request, row.revoked):
                raise InvalidGrantError(GrantRefusal.LOST_RACE, request=request)
            revoke_token_family(row.token_family)
            was_used = RefreshToken.objects.filter(token_family=row.token_family, pk__gt=row.pk).exists()
            raise InvalidGrantError(
                GrantRefusal.REFRESH_REPLAYED if was_used else GrantRefusal.REFRESH_REVOKED, request=request
            )
        if row.created <= oldest_active():
            raise InvalidGrantError(GrantRefusal.REFRESH_EXPIRED, request=request)
        if row.access_token is None or not row.user.is_active:
            raise InvalidGrantError(GrantRefusal.REFRESH_UNKNOWN, request=request)
        request.user, request.refresh_token_instance, request.connection = row.user, row, connection
        return True

    def revoke_token(self, token: str, token_type_hint: str | None, request: Request) -> None:
        """Revoke all tokens of the consent that `token` came from (RFC 7009), so that an app's logout misses none.

        A used refresh token is accepted, too: its replacement may be on its way to an app that has logged out.
        """
        checksum = token_checksum(token)
        named = Q(token_checksum=checksum) | Q(access_token__token_checksum=checksum)
        refresh_token = RefreshToken.objects.filter(named, application=request.client).first()
        if refresh_token:
            revoke_token_family(refresh_token.token_family)

    def get_original_scopes(self, refresh_token: str, request: Request) -> list[str]:
        # Scopes that the owner has removed are not renewed. Scopes that an earlier refresh left out can be requested
        # again.
        return effective_scopes(request.refresh_token_instance.granted_scope, request.connection)

    def _check_and_set_request_resource(self, request: Request) -> None:
        # `request_rules.check_resource` has refused every other resource.
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
        return super()._create_access_token(expires, request, token, source_refresh_token)

    def _create_refresh_token(
        self, request: Request, refresh_token_code: str, access_token: AccessToken, previous: RefreshToken | None
    ) -> RefreshToken:
        refresh_token = super()._create_refresh_token(request, refresh_token_code, access_token, previous)
        if previous is None:
            keep_granted_scope(refresh_token, access_token)
        request.token_family = refresh_token.token_family
        return refresh_token

    def introspect_token(self, token: str, token_type_hint: str | None, request: Request) -> dict[str, object] | None:
        return describe_token(token, request.client)


def _is_race(request: Request, spent_at: datetime) -> bool:
    """Return whether `request` arrived before the code or token that it presents was used, at `spent_at`.

    Such a request lost a race, for example between two windows of a client. A request that arrives later is a replay.
    A time in the future means that the clock was set back, and is not treated as a race.
    """
    arrived_at: datetime = request.headers[ARRIVED_AT]
    return arrived_at <= spent_at <= timezone.now() + TOLERANCE
