"""Steps: does a client that knows the address alone find out how to log in?"""

from __future__ import annotations

from urllib.parse import urlsplit

from jwt import PyJWKSet
from jwt.exceptions import PyJWTError

from oauthserver.connections.scopes import MEMORY_SCOPES
from ownsona_site.doctor.context import Visit
from ownsona_site.doctor.findings import Finding, failed, passed
from ownsona_site.doctor.http_client import NOT_OURS
from ownsona_site.doctor.network_checks import HOST_FIX

ENDPOINTS = ("authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "jwks_uri")
PRIVATE_PARTS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
"""The members of a JWK that only its owner may know (RFC 7518, section 6)."""

PUBLIC_URL_FIX = (
    "Set OWNSONA_PUBLIC_URL to exactly the address that clients use (https, host, and a port only if it is not 443), "
    "restart, and give clients that address with /mcp."
)


def bare_call_is_challenged(visit: Visit) -> Finding:
    """A call without a token gets the 401 from which a client learns where to go (RFC 9728, section 5.1)."""
    answer = visit.bare_call
    if answer.reason() == "unknown_host":
        return failed("The server does not know the host name that it is called by.", HOST_FIX)
    if answer.status in {301, 302, 303, 307, 308}:
        return failed(
            f"The address leads to {answer.headers.get('location', 'nowhere')!r}.",
            "A POST does not survive most redirects: give clients the address that it leads to, or stop the redirect. "
            "A login of the proxy or tunnel (Cloudflare Access, basic auth) must leave /mcp alone.",
        )
    if answer.status != 401:
        return failed(f"The answer is {answer.status} and not 401: {answer.excerpt}.", NOT_OURS)
    if "www-authenticate" not in answer.headers:
        return failed(
            "The 401 has no WWW-Authenticate header: the proxy drops it.",
            "Without it a client cannot find the login. Let the proxy pass it on: no `proxy_hide_header "
            "WWW-Authenticate` in nginx, no `header_down -WWW-Authenticate` in Caddy, no custom 401 page.",
        )
    if "resource_metadata" not in visit.challenge:
        return failed(
            "The WWW-Authenticate header is not OwnSona's: it names no resource_metadata.",
            "The proxy asks for a login of its own. Switch it off for this host.",
        )
    return passed("401, with the way to the login.")


def resource_document_is_right(visit: Visit) -> Finding:
    """The document of RFC 9728 that the 401 points to names the address letter by letter, as clients demand."""
    url, document = visit.challenge["resource_metadata"], visit.resource_document
    if document.get("resource") != visit.url:
        return failed(f"{url} is about {document.get('resource')!r}, not {visit.url!r}.", PUBLIC_URL_FIX)
    return passed(f"{url} names the address.")


def resource_document_is_found_by_path(visit: Visit) -> Finding:
    """The same document is where clients look that do not read the 401 (RFC 9728, section 3.1)."""
    url = f"{visit.origin}/.well-known/oauth-protected-resource{visit.parts.path}"
    if visit.fetch(url) != visit.resource_document:
        return failed(f"{url} is another document than the one that the 401 points to.", HOST_FIX)
    return passed(f"{url} is the same.")


def server_document_is_right(visit: Visit) -> Finding:
    """The document of RFC 8414 names the issuer under which it was looked for."""
    document = visit.server_document
    if document.get("issuer") != visit.issuer:
        return failed(
            f"It was looked for under {visit.issuer!r} and names {document.get('issuer')!r} as issuer.", PUBLIC_URL_FIX
        )
    return passed(f"The issuer is {visit.issuer}.")


def issuer_is_the_address(visit: Visit) -> Finding:
    """Logins happen at the origin that clients call, or on loopback at another name of it."""
    if visit.issuer != visit.origin and urlsplit(visit.resource_document["resource"]).netloc != visit.parts.netloc:
        return failed(f"Logins happen at {visit.issuer}, not at {visit.origin}.", PUBLIC_URL_FIX)
    if visit.is_https and not visit.issuer.startswith("https://"):
        return failed(f"The address is https, and logins happen at {visit.issuer}.", PUBLIC_URL_FIX)
    return passed("Calls and logins go to the same server.")


def endpoints_belong_together(visit: Visit) -> Finding:
    """Every endpoint that the document names is the issuer's own."""
    for name in ENDPOINTS:
        url = visit.endpoint(name)
        if not url.startswith(f"{visit.issuer}/"):
            return failed(f"{name} is {url!r}, elsewhere than the issuer {visit.issuer!r}.", PUBLIC_URL_FIX)
    return passed("All endpoints are the issuer's.")


def endpoints_answer(visit: Visit) -> Finding:
    """The endpoints that get forms can be reached by POST: an empty form is an error in their own words."""
    for name in ("token_endpoint", "revocation_endpoint"):
        answer = visit.wire.request("POST", visit.endpoint(name), data={"client_id": "connection-check"})
        if answer.status not in {400, 401} or "error" not in answer.document():
            return failed(f"{answer.url} answered {answer.status} to a POST: {answer.excerpt}.", NOT_OURS)
    return passed("The token and revocation endpoints answer.")


def pkce_is_offered(visit: Visit) -> Finding:
    """S256, without which clients of MCP must refuse to go on, and no weaker method."""
    methods = visit.server_document.get("code_challenge_methods_supported")
    if methods != ["S256"]:
        return failed(f"code_challenge_methods_supported is {methods!r} and should be ['S256'].", NOT_OURS)
    return passed("S256, and nothing weaker.")


def scopes_are_listed(visit: Visit) -> Finding:
    """The permissions that an app can ask for."""
    listed = visit.server_document.get("scopes_supported")
    missing = [scope for scope in MEMORY_SCOPES if not isinstance(listed, list) or scope not in listed]
    if missing:
        return failed(f"scopes_supported lacks {', '.join(missing)}.", NOT_OURS)
    return passed(", ".join(MEMORY_SCOPES) + ".")


def keys_are_published(visit: Visit) -> Finding:
    """The public keys can be read (RFC 7517), and are public."""
    document = visit.fetch(visit.endpoint("jwks_uri"))
    if not isinstance(document.get("keys"), list) or not all(isinstance(key, dict) for key in document["keys"]):
        return failed("It is no key set.", NOT_OURS)
    if any(PRIVATE_PARTS & member.keys() for member in document["keys"]):
        return failed(
            "The key set has private parts.",
            "Take the server off the network and replace its keys: whoever read them can make tokens.",
        )
    try:
        keys = PyJWKSet.from_dict(dict(document)).keys
    except PyJWTError:
        return failed("The key set cannot be read.", NOT_OURS)
    return passed(f"{len(keys)} public {'key' if len(keys) == 1 else 'keys'}.")


def app_can_register(visit: Visit) -> Finding:
    """A new app registers itself (RFC 7591), as most clients do."""
    return passed(f"A temporary app registered as {visit.app['client_id']}.")
