"""Client address and scheme from the headers of trusted proxies. No other module reads these headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from common.networking.addresses import Address, parse_address

Network = IPv4Network | IPv6Network

ADDRESS_HEADER = "HTTP_X_FORWARDED_FOR"
SCHEME_HEADER = "HTTP_X_FORWARDED_PROTO"
# Dropped always: the host name and port come only from the public URL.
IGNORED_HEADERS = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_SERVER",
    "HTTP_X_FORWARDED_SSL",
    "HTTP_X_REAL_IP",
)


def apply_proxy_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Set `REMOTE_ADDR` to the client's address, and remove the forwarding headers from the request.

    The headers of a peer outside `settings.TRUSTED_PROXIES` are dropped unread. The scheme header of a trusted proxy is
    kept, because Django reads it (`SECURE_PROXY_SSL_HEADER`).
    """

    def resolve(request: HttpRequest) -> HttpResponse:
        meta = request.META
        for name in IGNORED_HEADERS:
            meta.pop(name, None)
        hops = meta.pop(ADDRESS_HEADER, "")
        peer = parse_address(meta.get("REMOTE_ADDR", ""))
        if peer is None or not is_within(peer, settings.TRUSTED_PROXIES):
            meta.pop(SCHEME_HEADER, None)
        elif hops:
            peer = client_address(peer, hops, settings.TRUSTED_PROXIES)
        meta["REMOTE_ADDR"] = str(peer or "")
        return get_response(request)

    return resolve


def client_address(peer: Address, hops: str, trusted: Sequence[Network]) -> Address:
    """Return the client for which `peer`, a trusted proxy, forwards: the last address in `hops` that is not trusted.

    Addresses to the left of it are ignored, since the client could have sent anything there. If a hop is unreadable,
    the result is the proxy that added it.
    """
    for hop in reversed(hops.split(",")):
        address = parse_address(hop)
        if address is None:
            break
        peer = address
        if not is_within(peer, trusted):
            break
    return peer


def is_within(address: Address, networks: Sequence[Network]) -> bool:
    """Return whether `address` is in one of `networks`."""
    return any(address in network for network in networks)
