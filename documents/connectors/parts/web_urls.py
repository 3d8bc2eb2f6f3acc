"""URLs of pages in one normal form, which is also their key."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from common.texts import translatable
from documents.connectors.parts.keys import display_name

MAX_URL_CHARS = 2000
DEFAULT_PORTS = {"http": 80, "https": 443}
# RFC 3986, section 2: reserved characters, and the percent sign of what is encoded already.
URL_SAFE = "!#$%&'()*+,/:;=?@[]~"
HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*)|[0-9a-f:.]+")


def normalized(url: str, base: str = "") -> str:
    """Return an absolute URL in its normal form, without a fragment. It is resolved against `base`.

    Raises ValueError unless it is an http or https URL without user name, or if it is too long.
    """
    parts = urlsplit(urljoin(base, url.strip()))
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError(translatable("must be an http or https URL"))
    if parts.username is not None or parts.password is not None:
        raise ValueError(translatable("must not contain a user name or password"))
    host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode("ascii")
    if not HOST.fullmatch(host):
        raise ValueError(translatable("must contain a valid host name"))
    server = f"[{host}]" if ":" in host else host
    if parts.port is not None and parts.port != DEFAULT_PORTS[parts.scheme]:
        server += f":{parts.port}"
    path, query = quote(parts.path or "/", safe=URL_SAFE), quote(parts.query, safe=URL_SAFE)
    found = urlunsplit((parts.scheme, server, path, query, ""))
    if len(found) > MAX_URL_CHARS:
        raise ValueError(
            translatable("must have at most %(max_url_chars)s characters", max_url_chars=f"{MAX_URL_CHARS:,}")
        )
    return found


def origin_of(url: str) -> str:
    """Return scheme, host and port of a normalized URL, such as `https://host:8443`."""
    return "/".join(url.split("/", 3)[:3])


def shown(url: str) -> str:
    """Return a normalized URL without its query, which contains a secret in the addresses of many private feeds."""
    return url.partition("?")[0]


def site_of(url: str) -> str:
    """Return the host of a normalized URL without `www.`."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def path_in_site(url: str) -> str:
    """Return the decoded path of a normalized URL without the first slash, for patterns. `index` if it is empty."""
    path = unquote(urlsplit(url).path).strip("/")
    return path or "index"


def page_name(url: str) -> str:
    """Return the file name of a page: the last part of its path, or its host."""
    name = PurePosixPath(path_in_site(url)).name if urlsplit(url).path.strip("/") else urlsplit(url).hostname or ""
    return display_name(name.replace("/", "_"))
