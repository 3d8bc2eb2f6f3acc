"""Steps that check whether a proxy passes on requests and responses unchanged."""

from __future__ import annotations

import base64
import hashlib
from urllib.parse import urlencode, urljoin, urlsplit

from django.utils.translation import gettext, gettext_noop

from common.scopes import READ
from oauthserver.connections.scopes import OFFLINE
from ownsona_site.doctor.context import INITIALIZE, REDIRECT_URI, CheckContext
from ownsona_site.doctor.findings import Finding, failed, passed, warning
from ownsona_site.doctor.http_client import NOT_OWNSONA_FIX
from ownsona_site.doctor.network_checks import HOST_FIX

# `.invalid` never resolves (RFC 2606), so no proxy has a site of that name.
FOREIGN_HOST = "connection-check.invalid"
LARGE_BODY_BYTES = 65_536
AUTHORIZATION_FIX = gettext_noop(
    'The proxy removes the Authorization header. In nginx, remove any `proxy_set_header Authorization "";` '
    'and any basic auth for this host; in Apache, add `SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1` or use '
    "`CGIPassAuth On`; in a tunnel, turn off its own login for this host."
)


def authorization_header_arrives(context: CheckContext) -> Finding:
    """Check that a wrong token is refused as wrong. If it is refused as missing, the proxy dropped the header."""
    response = context.call(INITIALIZE, token="connection-check")  # noqa: S106 - wrong on purpose
    reason = response.reason()
    if reason == "missing_token":
        return failed(gettext("A call with a token is handled as one without a token."), AUTHORIZATION_FIX)
    if response.status != 401 or reason != "invalid_token":
        return failed(
            gettext("A wrong token got the response %(status)s %(excerpt)s.")
            % {"status": response.status, "excerpt": response.excerpt},
            NOT_OWNSONA_FIX,
        )
    return passed(gettext("A wrong token is refused as invalid."))


def foreign_host_is_refused(context: CheckContext) -> Finding:
    """Check that a request for another host name is refused (DNS rebinding) and that no challenge repeats the name."""
    response = context.call(INITIALIZE, headers={"Host": FOREIGN_HOST})
    if FOREIGN_HOST in response.headers.get("www-authenticate", ""):
        return failed(
            gettext("The server accepts any Host header."),
            gettext("Set OWNSONA_PUBLIC_URL to the address that apps use."),
        )
    if response.status == 401:
        return warning(
            gettext("A request for another host name reaches OwnSona: the proxy accepts every name."),
            gettext(
                "Configure the proxy to serve only the host of OWNSONA_PUBLIC_URL, and forward the name: in nginx, "
                "`proxy_set_header Host $host;` and a default server that answers 421."
            ),
        )
    return passed(gettext("Another host name is refused with %(status)s.") % {"status": response.status})


def large_request_passes(context: CheckContext) -> Finding:
    """Check that a body of 64 kB, the size of a batch of memories, reaches the server."""
    response = context.call({**INITIALIZE, "padding": "x" * LARGE_BODY_BYTES})
    if response.status == 413:
        return failed(
            gettext("A request of 64 kB is refused as too large."),
            gettext("In nginx, set `client_max_body_size 50m;`."),
        )
    if response.status != 401:
        return failed(
            gettext("A request of 64 kB got the response %(status)s: %(excerpt)s.")
            % {"status": response.status, "excerpt": response.excerpt},
            NOT_OWNSONA_FIX,
        )
    return passed(gettext("A request of 64 kB is accepted."))


def login_page_opens(context: CheckContext) -> Finding:
    """Check that an authorization request leads to the login page of this server, with Secure cookies under https."""
    url = f"{context.endpoint('authorization_endpoint')}?{urlencode(authorization_request(context))}"
    response = context.http.request("GET", url)
    if response.status == 400:
        return failed(
            gettext("The authorization request was refused: %(excerpt)s.") % {"excerpt": response.excerpt}, HOST_FIX
        )
    login = urljoin(url, response.headers.get("location", ""))
    if response.status != 302 or urlsplit(login).path != "/login/":
        return failed(
            gettext("The authorization request got the response %(status)s with the location %(login)s.")
            % {"status": response.status, "login": repr(login)},
            NOT_OWNSONA_FIX,
        )
    if not login.startswith(f"{context.issuer}/"):
        return failed(
            gettext("The location of the login page is %(name)s.") % {"name": repr(login.partition("?")[0])}, HOST_FIX
        )
    page = context.http.request("GET", login)
    if page.status != 200 or b"csrfmiddlewaretoken" not in page.body:
        return failed(gettext("The login page returned %(status)s.") % {"status": page.status}, NOT_OWNSONA_FIX)
    cookies = page.headers.get_list("set-cookie")
    if not cookies:
        return failed(
            gettext("The login page's cookie does not arrive."),
            gettext("Configure the proxy to forward Set-Cookie and to cache nothing."),
        )
    if context.is_https and any("secure" not in cookie.lower() for cookie in cookies):
        return warning(
            gettext("A cookie of the login page is not marked Secure."),
            gettext("OWNSONA_PUBLIC_URL must be the https address: restart OwnSona after changing it."),
        )
    return passed(gettext("The login page is on this server and opens."))


def authorization_request(context: CheckContext, **changes: str) -> dict[str, str]:
    """Return the authorization parameters of the temporary app (RFC 6749, section 4.1.1; RFC 7636; RFC 8707)."""
    digest = hashlib.sha256(context.verifier.encode()).digest()
    return {
        "response_type": "code",
        "client_id": str(context.app["client_id"]),
        "redirect_uri": REDIRECT_URI,
        "scope": f"{READ} {OFFLINE}",
        "state": "connection-check",
        "resource": context.url,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        **changes,
    }
