"""Origins: the scheme, host and port of a server, as RFC 6454 compares them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from common.texts import translatable

PORTS: Final = {"http": 80, "https": 443}
MAX_HOST_CHARS: Final = 253


class InvalidOrigin(ValueError):
    """A URL without a usable origin. `str(error)` says what it must be."""


def origin_of_url(url: str) -> str:
    """Return the origin of a URL, such as http://192.168.1.5:8123. Raises InvalidOrigin."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidOrigin(translatable("is not a valid URL.")) from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in PORTS or not host:
        raise InvalidOrigin(translatable("must begin with https:// or http:// and the name of a server."))
    if parts.username is not None or parts.password is not None:
        raise InvalidOrigin(translatable("must not contain a user name or password."))
    if len(host) > MAX_HOST_CHARS or not all(part.isalnum() or part in "-_.:%" for part in host) or "\\" in url:
        raise InvalidOrigin(translatable("has an invalid server name."))
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            raise InvalidOrigin(translatable("has an invalid server name.")) from None
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port and port != PORTS[parts.scheme] else "")


def checked_origin(typed: str) -> str:
    """Return the origin that the owner has typed, with or without a slash at the end. Raises InvalidOrigin."""
    typed = typed.strip()
    if urlsplit(typed).path.strip("/") or "?" in typed or "#" in typed:
        raise InvalidOrigin(
            translatable("must be only the scheme, the server and the port, such as https://api.example.com.")
        )
    return origin_of_url(typed)
