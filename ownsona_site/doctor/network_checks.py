"""Steps that check the network path: DNS, port, TLS, reachability, response time and clocks."""

from __future__ import annotations

import errno
import ipaddress
import socket
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
from django.utils.translation import gettext, gettext_noop

from common.networking.addresses import LOOPBACK_HOSTS, is_public
from ownsona_site.doctor.context import INITIALIZE, CheckContext
from ownsona_site.doctor.findings import CheckStopped, Finding, failed, passed, skipped, warning
from ownsona_site.doctor.http_client import NO_RESPONSE_FIX, NOT_OWNSONA_FIX, REQUEST_SECONDS

EXPIRES_SOON_DAYS = 14
SLOW_SECONDS = 2.0
CLOCK_TOLERANCE_SECONDS = 60
LOOPBACK_FIX = gettext_noop(
    "Claude Code, Cursor, VS Code and scripts on this machine can connect, and Claude Desktop with a local (stdio) "
    "connection. claude.ai and ChatGPT connect from the internet and cannot: for them, put a "
    "tunnel or a proxy in front and set OWNSONA_PUBLIC_URL to its https address."
)
# OpenSSL's verify codes (x509_vfy.h), each with advice for the owner.
CERTIFICATE_FIXES = {
    9: gettext_noop("The certificate is not valid yet: check the clock of the machine that serves it."),
    10: gettext_noop("The certificate has expired: renew it, and check why the automatic renewal failed."),
    18: gettext_noop(
        "The certificate is self-signed. Assistants trust only certificates of a public authority: let Caddy or "
        "certbot get one from Let's Encrypt, or use a tunnel, which has its own."
    ),
    19: gettext_noop(
        "The certificate is from a private authority, which assistants do not trust. Get one from Let's "
        "Encrypt (Caddy or certbot do), or use a tunnel."
    ),
    20: gettext_noop(
        "The chain is incomplete. Also serve the intermediate certificates: in nginx, ssl_certificate must be "
        "fullchain.pem, not cert.pem."
    ),
    21: gettext_noop(
        "The chain is incomplete. Also serve the intermediate certificates: in nginx, ssl_certificate must be "
        "fullchain.pem, not cert.pem."
    ),
    62: gettext_noop("The certificate is for another name. Get one for the host of OWNSONA_PUBLIC_URL."),
    64: gettext_noop("The certificate is for another address. Use the name in the certificate in OWNSONA_PUBLIC_URL."),
}


def name_resolves(context: CheckContext) -> Finding:
    """Check that the host name resolves."""
    addresses = addresses_of(context)
    return passed(gettext("%(host)s resolves to %(list)s.") % {"host": context.host, "list": ", ".join(addresses)})


def connection_opens(context: CheckContext) -> Finding:
    """Check that the port accepts connections."""
    try:
        with socket.create_connection((context.host, context.port), REQUEST_SECONDS):
            return passed(gettext("Port %(port)s is open.") % {"port": context.port})
    except OSError as error:
        return failed(
            gettext("Port %(port)s of %(host)s is not reachable: %(plain)s.")
            % {"port": context.port, "host": context.host, "plain": _plain(error)},
            NO_RESPONSE_FIX,
        )


def certificate_is_trusted(context: CheckContext) -> Finding:
    """Check that clients accept the TLS certificate, and that it does not expire soon."""
    if not context.is_https:
        return skipped(gettext("The address is http: there is no certificate."))
    try:
        with (
            socket.create_connection((context.host, context.port), REQUEST_SECONDS) as plain,
            httpx.create_ssl_context().wrap_socket(plain, server_hostname=context.host) as secure,
        ):
            certificate = secure.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        fix = CERTIFICATE_FIXES.get(
            error.verify_code, gettext("Get a certificate from Let's Encrypt, for example with Caddy or certbot.")
        )
        return failed(
            gettext("The certificate is not trusted: %(verify_message)s.") % {"verify_message": error.verify_message},
            fix,
        )
    except OSError as error:
        fix = gettext("Check that the proxy speaks TLS on this port: `listen 443 ssl` in nginx, a host name in Caddy.")
        return failed(gettext("TLS fails: %(plain)s.") % {"plain": _plain(error)}, fix)
    expires = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)
    days = (expires - datetime.now(UTC)).days
    if days < EXPIRES_SOON_DAYS:
        return warning(
            gettext("The certificate expires on %(expires)s, in %(days)s days.")
            % {"expires": f"{expires:%Y-%m-%d}", "days": days},
            gettext("Renew it now, and check that the automatic renewal works."),
        )
    return passed(gettext("The certificate is trusted until %(expires)s.") % {"expires": f"{expires:%Y-%m-%d}"})


def clients_can_reach_it(context: CheckContext) -> Finding:
    """Check that clients on other machines can call the address."""
    if context.host in LOOPBACK_HOSTS:
        return warning(gettext("%(origin)s works on this machine only.") % {"origin": context.origin}, LOOPBACK_FIX)
    if not context.is_https:
        return warning(
            gettext("%(origin)s is not encrypted.") % {"origin": context.origin},
            gettext(
                "claude.ai and ChatGPT accept https only, and passwords and tokens can be read on the "
                "way. Put a tunnel or a TLS proxy in front and set OWNSONA_PUBLIC_URL to its address."
            ),
        )
    addresses = addresses_of(context)
    if not any(is_public(ipaddress.ip_address(address.partition("%")[0])) for address in addresses):
        return warning(
            gettext("%(host)s resolves to %(list)s, an address of your own network.")
            % {"host": context.host, "list": ", ".join(addresses)},
            gettext(
                "Apps in this network can connect. claude.ai and ChatGPT connect from the internet and "
                "cannot, unless the name leads to a public address for them."
            ),
        )
    return passed(gettext("%(host)s has a public address, and the address is https.") % {"host": context.host})


def http_redirects_to_https(context: CheckContext) -> Finding:
    """Check that the http variant of the address redirects to https without losing a POST."""
    if not context.is_https or context.parts.port:
        return skipped(gettext("There is no separate http address."))
    url = f"http://{context.parts.netloc}{context.parts.path}"
    try:
        response = context.http.request("POST", url, json=INITIALIZE)
    except CheckStopped:
        return passed(gettext("The http address does not respond, so no app can use it by mistake."))
    if response.status in {301, 302, 303}:
        return warning(
            gettext("The http address redirects with %(status)s, which makes apps turn a POST into a GET.")
            % {"status": response.status},
            gettext(
                "Give apps the https address, and let the proxy redirect with 308 (in nginx: `return 308 "
                "https://$host$request_uri;`)."
            ),
        )
    if response.status in {307, 308}:
        return passed(
            gettext("The http address redirects with %(status)s, which keeps a POST.") % {"status": response.status}
        )
    return warning(
        gettext("The http address returns %(status)s instead of a redirect to https.") % {"status": response.status},
        gettext("Configure the proxy to redirect it: apps that use the http address send tokens unencrypted."),
    )


def server_is_healthy(context: CheckContext) -> Finding:
    """Check the server's own health report at /health."""
    url = f"{context.origin}/health"
    response = context.http.request("GET", url)
    if response.status in {301, 302, 303, 307, 308}:
        return failed(
            gettext("%(url)s redirects to %(target)s.")
            % {"url": url, "target": repr(response.headers.get("location", "nowhere"))},
            gettext(
                "Use the target address as OWNSONA_PUBLIC_URL, or stop the proxy from redirecting or asking "
                "for a login of its own."
            ),
        )
    if response.status == 400:
        return failed(
            gettext("%(url)s returned 400: %(excerpt)s.") % {"url": url, "excerpt": response.excerpt}, HOST_FIX
        )
    status = response.document()
    if "status" not in status:
        return failed(
            gettext("%(url)s returned %(status)s: %(excerpt)s.")
            % {"url": url, "status": response.status, "excerpt": response.excerpt},
            NOT_OWNSONA_FIX,
        )
    if response.status != 200:
        return failed(
            gettext("Not working: %(part)s.") % {"part": status.get("failing", "unknown")},
            gettext("See the server's log for the reason."),
        )
    return passed(gettext("OwnSona %(version)s is healthy.") % {"version": status.get("version", "")})


def answers_in_time(context: CheckContext) -> Finding:
    """Check how long a small request takes on an open connection."""
    seconds = context.http.request("GET", f"{context.origin}/health").seconds
    if seconds > SLOW_SECONDS:
        return warning(
            gettext("A small request took %(seconds)s seconds.") % {"seconds": f"{seconds:.1f}"},
            gettext("Check the load of the machine and the network: some apps time out after a few seconds."),
        )
    return passed(gettext("A small request took %(number)s ms.") % {"number": f"{seconds * 1000:.0f}"})


def clocks_agree(context: CheckContext) -> Finding:
    """Compare the Date header of a response with the local clock."""
    try:
        date = parsedate_to_datetime(context.unauthenticated_call.headers.get("date", "")).replace(tzinfo=UTC)
    except ValueError:
        return skipped(gettext("The responses have no Date header."))
    seconds = abs((datetime.now(UTC) - date).total_seconds())
    if seconds > CLOCK_TOLERANCE_SECONDS:
        return warning(
            gettext("The server's clock and the one here are %(seconds)s seconds apart.")
            % {"seconds": f"{seconds:.0f}"},
            gettext(
                "Synchronize the clocks of both machines (NTP): otherwise tokens are not valid yet, or already expired."
            ),
        )
    return passed(gettext("The clocks agree."))


HOST_FIX = gettext_noop(
    "The proxy changes the Host header, or OWNSONA_PUBLIC_URL is not the address that apps use. Set "
    "OWNSONA_PUBLIC_URL to the address in the browser; in nginx add: `proxy_set_header Host $host;`."
)


def addresses_of(context: CheckContext) -> list[str]:
    """Return the IP addresses of the host. Raises CheckStopped if there are none."""
    try:
        found = socket.getaddrinfo(context.host, context.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CheckStopped(
            failed(
                gettext("The name %(host)s does not resolve.") % {"host": context.host},
                gettext(
                    "Check the spelling of OWNSONA_PUBLIC_URL, and create a DNS entry for the name. A new entry can "
                    "take an hour to be visible everywhere."
                ),
            )
        ) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _plain(error: OSError) -> str:
    """Return the reason of a failure, in the language of the reader if it is a usual one."""
    if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        return gettext("no response in time")
    if error.errno == errno.ECONNREFUSED:
        return gettext("the connection was refused")
    if error.errno in {errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE}:
        return gettext("the connection was closed")
    if error.errno in {errno.EHOSTUNREACH, errno.ENETUNREACH}:
        return gettext("there is no route to it")
    return str(error.strerror or error or type(error).__name__)
