"""Functions that validate, compare and describe redirect URIs."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.utils.translation import gettext

from common.networking.addresses import LOOPBACK_HOSTS

MAX_REDIRECT_URI_LENGTH = 2000
# Schemes that the browser or the operating system handles itself. Any other scheme is an app's (RFC 8252, section 7.1).
SCRIPTS_AND_PAGES = "data javascript jnlp jnlps livescript mhtml mocha res vbscript"
INSIDE_THE_BROWSER = "about blob brave devtools edge filesystem jar opera resource view-source vivaldi wyciwyg"
FILES_AND_SHARES = "afp cifs content dav davs file nfs smb"
OTHER_PROTOCOLS = "dict finger ftp ftps git gopher irc ircs ldap ldaps news nntp rtmp rtsp svn tftp ws wss"
OTHER_COMPUTERS = "rdp rlogin scp sftp ssh telnet tn3270 vnc"
PHONE_AND_MAIL = "callto facetime facetime-audio mailto mms sip sips sms smsto tel telprompt"
THE_SYSTEM = "android-app applescript help intent hcp market package search search-ms shell steam urn x-man-page"
REFUSED_SCHEMES = frozenset(
    f"{SCRIPTS_AND_PAGES} {INSIDE_THE_BROWSER} {FILES_AND_SHARES} {OTHER_PROTOCOLS} {OTHER_COMPUTERS}"
    f" {PHONE_AND_MAIL} {THE_SYSTEM}".split()
)
# Prefixes of vendor-specific schemes: Windows, macOS and iOS, browsers.
REFUSED_BEGINNINGS = ("ms-", "microsoft-", "microsoft.", "x-apple", "itms", "chrome", "moz-", "safari-")
# The characters of RFC 3986 without `#` (no fragments) and `*` (no patterns).
URI_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()+,;=%]+\Z")
LOOPBACK_PORT = re.compile(r"^(http://(?:127\.0\.0\.1|localhost|\[::1\]))(?::\d{1,5})?(?=[/?]|\Z)")


def redirect_uri_problem(uri: str) -> str | None:
    """Return why `uri` cannot be registered as a redirect URI, as the end of a sentence, or None if it can."""
    if len(uri) > MAX_REDIRECT_URI_LENGTH:
        return f"is longer than {MAX_REDIRECT_URI_LENGTH} characters"
    if "#" in uri:
        return "has a fragment (#), which RFC 6749 section 3.1.2 forbids"
    if "*" in uri:
        return "has a wildcard: register each redirect URI in full"
    if not URI_CHARACTERS.match(uri):
        return "has a character that is not allowed in a URI"
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a valid URI"
    if "@" in parts.netloc:
        return "contains a user name"
    if parts.scheme == "https":
        return None if host else "has no host"
    if parts.scheme == "http":
        return None if host in LOOPBACK_HOSTS else "uses http: only https, or http on loopback, is allowed"
    if not parts.scheme or parts.scheme in REFUSED_SCHEMES or parts.scheme.startswith(REFUSED_BEGINNINGS):
        return "has a scheme that is not allowed: use https, http on loopback, or your app's own scheme"
    # `app:code` has no slash, so it is not hierarchical and cannot take query parameters.
    return None if uri[len(parts.scheme) + 1 :].startswith("/") else "lacks a / after its scheme"


def redirect_uri_matches(registered: str, requested: str) -> bool:
    """Return whether `requested` equals `registered` exactly, except for a loopback port (RFC 8252, section 7.3)."""
    if requested == registered:
        return True
    without_port = LOOPBACK_PORT.sub(r"\1", registered)
    return (
        LOOPBACK_PORT.match(registered) is not None
        and LOOPBACK_PORT.sub(r"\1", requested) == without_port
        and redirect_uri_problem(requested) is None
    )


def leads_to_this_computer(uri: str) -> bool:
    """Return whether the allowed redirect URI `uri` is a loopback URI, which any program on the computer can serve."""
    return LOOPBACK_PORT.match(uri) is not None


def destination(uri: str) -> str:
    """Describe the destination of `uri` for the consent page."""
    parts = urlsplit(uri)
    if parts.scheme == "https":
        return parts.netloc
    if parts.scheme == "http":
        return gettext("a program on this computer")
    return gettext("the app on this device that opens %(scheme)s: links") % {"scheme": parts.scheme}
