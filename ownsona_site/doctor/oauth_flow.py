"""Steps that run the whole OAuth flow for a real account, from the code to the revocation of the token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import orjson
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext, gettext_noop
from jwt.exceptions import PyJWTError
from oauthlib.oauth2 import OAuth2Error

from common.scopes import READ
from oauthserver.authorization.oauthlib_backend import get_backend
from oauthserver.connections.connection_changes import save_consent
from oauthserver.connections.scopes import OFFLINE
from oauthserver.models import Application, User
from oauthserver.tokens.signing_keys import ALGORITHM
from ownsona_site.doctor.context import INITIALIZE, REDIRECT_URI, CheckContext
from ownsona_site.doctor.findings import CheckStopped, Finding, failed, passed
from ownsona_site.doctor.http_client import NOT_OWNSONA_FIX, ProbeResponse
from ownsona_site.doctor.proxy_checks import AUTHORIZATION_FIX, authorization_request
from ownsona_site.doctor.temporary_apps import delete_temporary_app

SCOPES = (READ, OFFLINE)
SERVER_FAULT = gettext_noop("This is a bug in OwnSona: report it with this line and the server's log.")


@dataclass(frozen=True)
class OwnServerContext(CheckContext):
    """A run against this server itself, with access to its database. `person` is the user who allows the app."""

    person: User | None = field(default=None, kw_only=True)

    @cached_property
    def code(self) -> str:
        """An authorization code, issued as by Allow on the consent page, but without a browser. Raises CheckStopped."""
        assert self.person is not None, "the step that looks for the owner comes first"
        app = Application.objects.get(client_id=self.app["client_id"])
        try:
            save_consent(self.person, app, asked=SCOPES, granted=SCOPES, tags=())
            uri = get_backend().issue_code(self.consent_request(), SCOPES)
        except OAuth2Error as error:
            raise CheckStopped(
                failed(
                    gettext("No code was issued: %(value)s.") % {"value": error.description or error.error},
                    SERVER_FAULT,
                )
            ) from None
        return parse_qs(urlsplit(uri).query)["code"][0]

    @cached_property
    def tokens(self) -> Mapping[str, Any]:
        """The tokens issued for the code. Raises CheckStopped."""
        return self._tokens(
            grant_type="authorization_code", code=self.code, redirect_uri=REDIRECT_URI, code_verifier=self.verifier
        )

    @cached_property
    def session(self) -> ProbeResponse:
        """The response to `initialize` with the access token."""
        return self.call(INITIALIZE, token=str(self.tokens["access_token"]))

    @cached_property
    def renewed_tokens(self) -> Mapping[str, Any]:
        """The tokens issued for the refresh token. Raises CheckStopped."""
        return self._tokens(grant_type="refresh_token", refresh_token=str(self.tokens["refresh_token"]))

    def consent_request(self, **changes: str) -> HttpRequest:
        """Build the browser's request from the consent page, with `changes` to its parameters."""
        request = HttpRequest()
        request.method = "GET"
        request.path = urlsplit(self.endpoint("authorization_endpoint")).path
        request.GET = QueryDict(urlencode(authorization_request(self, **changes)))
        request.META["HTTP_HOST"] = self.parts.netloc
        if self.person is not None:
            request.user = self.person
        return request

    def send_form(self, endpoint: str, **form: str) -> ProbeResponse:
        """POST a form as the temporary app to an endpoint named in the metadata."""
        return self.http.request("POST", self.endpoint(endpoint), data={"client_id": self.app["client_id"], **form})

    def tool_call(self, method: str, **params: object) -> Mapping[str, Any]:
        """Call an MCP method within the session and return its result. Raises CheckStopped."""
        headers = {"Mcp-Session-Id": self.session.headers.get("mcp-session-id", "")}
        message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
        return result_of(self.call(message, str(self.tokens["access_token"]), headers))

    def delete_temporary_app(self, app: Mapping[str, Any]) -> None:
        """Delete the temporary app through its registration, then whatever remains of it in the database."""
        try:
            super().delete_temporary_app(app)
        finally:
            delete_temporary_app(str(app["client_id"]), self.__dict__.get("code"))

    def _tokens(self, **form: str) -> Mapping[str, Any]:
        response = self.send_form("token_endpoint", **form)
        tokens = response.document()
        if response.status != 200 or not {"access_token", "refresh_token"} <= tokens.keys():
            raise CheckStopped(
                failed(
                    gettext("The token request got the response %(status)s: %(excerpt)s.")
                    % {"status": response.status, "excerpt": response.excerpt},
                    SERVER_FAULT,
                )
            )
        return tokens


def code_is_issued(context: OwnServerContext) -> Finding:
    """Check that Allow on the consent page issues a code."""
    assert context.code
    return passed(gettext("The temporary app was authorized and got a code."))


def weak_challenge_is_refused(context: OwnServerContext) -> Finding:
    """Check that authorization requests with `plain` or without a challenge are refused before the consent page."""
    for changes in ({"code_challenge_method": "plain"}, {"code_challenge": "", "code_challenge_method": ""}):
        try:
            get_backend().read_authorization_request(context.consent_request(**changes))
        except OAuth2Error:
            continue
        return failed(gettext("A request without an S256 challenge was accepted."), SERVER_FAULT)
    return passed(gettext("Requests without an S256 challenge are refused."))


def code_is_exchanged(context: OwnServerContext) -> Finding:
    """Check that the token endpoint exchanges the code and the verifier for tokens."""
    return passed(
        gettext("The code was exchanged for an access token, valid for %(seconds)s seconds, and a refresh token.")
        % {"seconds": context.tokens.get("expires_in")}
    )


def token_claims_are_correct(context: OwnServerContext) -> Finding:
    """Check the access token with the published keys: issuer, audience and scopes (RFC 9068, section 4)."""
    token = str(context.tokens["access_token"])
    try:
        keys = jwt.PyJWKSet.from_dict(dict(context.fetch(context.endpoint("jwks_uri"))))
        key = keys[jwt.get_unverified_header(token)["kid"]]
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], options={"verify_aud": False})
    except (PyJWTError, KeyError) as error:
        return failed(
            gettext("The token does not match the published keys: %(error)s.") % {"error": error}, SERVER_FAULT
        )
    if claims["iss"] != context.issuer or claims["aud"] != f"{context.issuer}/mcp":
        return failed(
            gettext("The token is from %(issuer)s for %(audience)s.")
            % {"issuer": repr(claims["iss"]), "audience": repr(claims["aud"])},
            SERVER_FAULT,
        )
    if claims["scope"].split() != list(SCOPES):
        return failed(
            gettext("The token is for the scopes %(scopes)s.") % {"scopes": repr(claims["scope"])}, SERVER_FAULT
        )
    return passed(gettext("From %(issuer)s, for %(audience)s.") % {"issuer": claims["iss"], "audience": claims["aud"]})


def session_begins(context: OwnServerContext) -> Finding:
    """Check that `initialize` succeeds with the token and that the session id arrives."""
    response = context.session
    if response.reason() == "missing_token":
        return failed(gettext("The token did not reach the server."), AUTHORIZATION_FIX)
    name = result_of(response).get("serverInfo", {}).get("name")
    if "mcp-session-id" not in response.headers:
        return failed(
            gettext("The response has no Mcp-Session-Id header: the proxy removes it."),
            gettext("Configure the proxy to forward Mcp-Session-Id in requests and responses."),
        )
    return passed(gettext("%(name)s responded, and the session id arrived.") % {"name": name})


def tools_are_listed(context: OwnServerContext) -> Finding:
    """Check that `tools/list` returns tools."""
    tools = context.tool_call("tools/list").get("tools", [])
    return passed(f"{len(tools)} tools.") if tools else failed(gettext("No tool is listed."), SERVER_FAULT)


def tool_answers(context: OwnServerContext) -> Finding:
    """Check that the tool `ping` returns the message that it was sent."""
    result = context.tool_call("tools/call", name="ping", arguments={"message": "connection-check"})
    if result.get("structuredContent", {}).get("message") != "connection-check":
        return failed(gettext("The tool ping returned %(result)s.") % {"result": f"{result!r:.200}"}, SERVER_FAULT)
    return passed(gettext("The tool ping works."))


def token_is_renewed(context: OwnServerContext) -> Finding:
    """Check that the refresh token yields new tokens and that the new access token works."""
    result_of(context.call(INITIALIZE, token=str(context.renewed_tokens["access_token"])))
    return passed(gettext("The refresh token was exchanged for a new token, which works."))


def revoked_token_is_refused(context: OwnServerContext) -> Finding:
    """Check that a revoked access token is refused at the next call (RFC 7009)."""
    token = str(context.renewed_tokens["access_token"])
    revoked = context.send_form("revocation_endpoint", token=token)
    response = context.call(INITIALIZE, token=token)
    if revoked.status != 200 or response.status != 401:
        return failed(
            gettext("The revocation returned %(status)s, and a call after it %(status2)s.")
            % {"status": revoked.status, "status2": response.status},
            SERVER_FAULT,
        )
    return passed(gettext("A revoked token is refused at the next call."))


def spent_token_is_refused(context: OwnServerContext) -> Finding:
    """Check that a used refresh token cannot be used again (RFC 9700, section 4.14.2)."""
    response = context.send_form(
        "token_endpoint", grant_type="refresh_token", refresh_token=str(context.tokens["refresh_token"])
    )
    if response.status != 400 or response.document().get("error") != "invalid_grant":
        return failed(
            gettext("A used refresh token got the response %(status)s: %(excerpt)s.")
            % {"status": response.status, "excerpt": response.excerpt},
            SERVER_FAULT,
        )
    return passed(gettext("A used refresh token is refused."))


def result_of(response: ProbeResponse) -> Mapping[str, Any]:
    """Return the result of a JSON-RPC response, sent as JSON or as an event stream. Raises CheckStopped."""
    body = response.body
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        lines = [line for line in body.splitlines() if line.startswith(b"data:")]
        body = lines[-1].removeprefix(b"data:") if lines else b""
    try:
        result: Mapping[str, Any] = orjson.loads(body)["result"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise CheckStopped(
            failed(
                gettext("The call got the response %(status)s: %(excerpt)s.")
                % {"status": response.status, "excerpt": response.excerpt},
                NOT_OWNSONA_FIX,
            )
        ) from None
    return result
