"""Steps that check the discovery of the login by a client that only knows the address."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.utils.translation import gettext, gettext_noop, ngettext
from jwt import PyJWKSet
from jwt.exceptions import PyJWTError

from oauthserver.connections.scopes import MEMORY_SCOPES
from ownsona_site.doctor.context import CheckContext
from ownsona_site.doctor.findings import Finding, failed, passed
from ownsona_site.doctor.http_client import NOT_OWNSONA_FIX
from ownsona_site.doctor.network_checks import HOST_FIX

ENDPOINTS = ("authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "jwks_uri")
PRIVATE_PARTS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
"""The private members of a JWK (RFC 7518, section 6)."""

PUBLIC_URL_FIX = gettext_noop(
    "Set OWNSONA_PUBLIC_URL to exactly the address that apps use (https, host, and a port only if it is not 443), "
    "restart, and give apps that address with /mcp."
)


def unauthenticated_call_is_challenged(context: CheckContext) -> Finding:
    """Check that a call without a token gets a 401 that points to the metadata (RFC 9728, section 5.1)."""
    response = context.unauthenticated_call
    if response.reason() == "unknown_host":
        return failed(gettext("The server does not accept the host name of the request."), HOST_FIX)
    if response.status in {301, 302, 303, 307, 308}:
        return failed(
            gettext("The address redirects to %(target)s.")
            % {"target": repr(response.headers.get("location", "nowhere"))},
            gettext(
                "A POST does not survive most redirects: give apps the target address, or turn off the redirect. "
                "A login of the proxy or tunnel (Cloudflare Access, basic auth) must exclude /mcp."
            ),
        )
    if response.status != 401:
        return failed(
            gettext("The response is %(status)s, not 401: %(excerpt)s.")
            % {"status": response.status, "excerpt": response.excerpt},
            NOT_OWNSONA_FIX,
        )
    if "www-authenticate" not in response.headers:
        return failed(
            gettext("The 401 response has no WWW-Authenticate header: the proxy removes it."),
            gettext(
                "Without it, an app cannot find the login. Configure the proxy to forward it: no `proxy_hide_header "
                "WWW-Authenticate` in nginx, no `header_down -WWW-Authenticate` in Caddy, no custom 401 page."
            ),
        )
    if "resource_metadata" not in context.challenge:
        return failed(
            gettext("The WWW-Authenticate header is not from OwnSona: it has no resource_metadata."),
            gettext("The proxy requires a login of its own. Turn it off for this host."),
        )
    return passed(gettext("The response is 401 and says where to log in."))


def resource_metadata_is_correct(context: CheckContext) -> Finding:
    """Check that the RFC 9728 document that the 401 points to names exactly the address, as clients require."""
    url, document = context.challenge["resource_metadata"], context.resource_metadata
    if document.get("resource") != context.url:
        return failed(
            gettext("%(url)s describes %(described)s, not %(expected)s.")
            % {"url": url, "described": repr(document.get("resource")), "expected": repr(context.url)},
            PUBLIC_URL_FIX,
        )
    return passed(gettext("%(url)s describes this address.") % {"url": url})


def resource_metadata_is_found_by_path(context: CheckContext) -> Finding:
    """Check that the resource metadata is also at the well-known path (RFC 9728, section 3.1).

    Clients that do not read the 401 look there.
    """
    url = f"{context.origin}/.well-known/oauth-protected-resource{context.parts.path}"
    if context.fetch(url) != context.resource_metadata:
        return failed(
            gettext("%(url)s differs from the document that the 401 response names.") % {"url": url}, HOST_FIX
        )
    return passed(gettext("%(url)s is the same document.") % {"url": url})


def server_metadata_is_correct(context: CheckContext) -> Finding:
    """Check that the RFC 8414 document names the issuer for which it was fetched."""
    document = context.server_metadata
    if document.get("issuer") != context.issuer:
        return failed(
            gettext("It was requested for %(issuer)s, but names %(named)s as the issuer.")
            % {"issuer": repr(context.issuer), "named": repr(document.get("issuer"))},
            PUBLIC_URL_FIX,
        )
    return passed(gettext("The issuer is %(issuer)s.") % {"issuer": context.issuer})


def issuer_matches_address(context: CheckContext) -> Finding:
    """Check that logins happen at the origin that clients call, or at another loopback name of it."""
    if (
        context.issuer != context.origin
        and urlsplit(context.resource_metadata["resource"]).netloc != context.parts.netloc
    ):
        return failed(
            gettext("Logins use %(issuer)s, not %(origin)s.") % {"issuer": context.issuer, "origin": context.origin},
            PUBLIC_URL_FIX,
        )
    if context.is_https and not context.issuer.startswith("https://"):
        return failed(
            gettext("The address is https, but logins use %(issuer)s.") % {"issuer": context.issuer}, PUBLIC_URL_FIX
        )
    return passed(gettext("Calls and logins use the same server."))


def endpoints_match_issuer(context: CheckContext) -> Finding:
    """Check that every endpoint in the metadata is below the issuer."""
    for name in ENDPOINTS:
        url = context.endpoint(name)
        if not url.startswith(f"{context.issuer}/"):
            return failed(
                gettext("%(name)s is %(url)s, which is not at the issuer %(issuer)s.")
                % {"name": name, "url": repr(url), "issuer": repr(context.issuer)},
                PUBLIC_URL_FIX,
            )
    return passed(gettext("All endpoints belong to the issuer."))


def endpoints_answer(context: CheckContext) -> Finding:
    """Check that POST reaches the endpoints that accept forms: they answer an incomplete form with an OAuth error."""
    for name in ("token_endpoint", "revocation_endpoint"):
        response = context.http.request("POST", context.endpoint(name), data={"client_id": "connection-check"})
        if response.status not in {400, 401} or "error" not in response.document():
            return failed(
                gettext("%(url)s returned %(status)s to a POST: %(excerpt)s.")
                % {"url": response.url, "status": response.status, "excerpt": response.excerpt},
                NOT_OWNSONA_FIX,
            )
    return passed(gettext("The token and revocation endpoints respond."))


def pkce_is_offered(context: CheckContext) -> Finding:
    """Check that PKCE is offered with S256 only. MCP clients must refuse to continue without it."""
    methods = context.server_metadata.get("code_challenge_methods_supported")
    if methods != ["S256"]:
        return failed(
            gettext("code_challenge_methods_supported is %(methods)s, but must be ['S256'].")
            % {"methods": repr(methods)},
            NOT_OWNSONA_FIX,
        )
    return passed(gettext("Only S256 is offered."))


def scopes_are_listed(context: CheckContext) -> Finding:
    """Check that the metadata lists the scopes that an app can ask for."""
    listed = context.server_metadata.get("scopes_supported")
    missing = [scope for scope in MEMORY_SCOPES if not isinstance(listed, list) or scope not in listed]
    if missing:
        return failed(gettext("scopes_supported lacks %(list)s.") % {"list": ", ".join(missing)}, NOT_OWNSONA_FIX)
    return passed(", ".join(MEMORY_SCOPES) + ".")


def keys_are_published(context: CheckContext) -> Finding:
    """Check that the key set can be read (RFC 7517) and has no private members."""
    document = context.fetch(context.endpoint("jwks_uri"))
    if not isinstance(document.get("keys"), list) or not all(isinstance(key, dict) for key in document["keys"]):
        return failed(gettext("It is not a key set."), NOT_OWNSONA_FIX)
    if any(PRIVATE_PARTS & member.keys() for member in document["keys"]):
        return failed(
            gettext("The key set contains private keys."),
            gettext(
                "Take the server off the network and replace its keys: anyone who has read them can create tokens."
            ),
        )
    try:
        keys = PyJWKSet.from_dict(dict(document)).keys
    except PyJWTError:
        return failed(gettext("The key set is not valid."), NOT_OWNSONA_FIX)
    return passed(ngettext("%(number)s public key.", "%(number)s public keys.", len(keys)) % {"number": len(keys)})


def app_can_register(context: CheckContext) -> Finding:
    """Check that a new app can register itself (RFC 7591), as most clients do."""
    return passed(gettext("A temporary app registered as %(name)s.") % {"name": context.app["client_id"]})
