"""The one place that believes a proxy: what it says of the client's address and scheme, if it is one of the owner's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from common.networking.addresses import Address, parse_address

Network = IPv4Network | IPv6Network

ADDRESS_HEADER = "HTTP_X_FORWARDED_FOR"
SCHEME_HEADER = "HTTP_X_FORWARDED_PROTO"
# The public URL alone says by which name and port the server is reached.
IGNORED_HEADERS = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_SERVER",
    "HTTP_X_FORWARDED_SSL",
    "HTTP_X_REAL_IP",
)


def apply_proxy_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Make `REMOTE_ADDR` the client's address, and leave no forwarding header to anything that comes after.

    The headers of a peer outside `settings.TRUSTED_PROXIES` are dropped unread. The scheme that a trusted one names
    stays, where Django looks for it (`SECURE_PROXY_SSL_HEADER`).
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
    """Who `peer`, a trusted proxy, speaks for: the nearest in `hops`, read from the right, that is no trusted proxy.

    Whatever stands to the left of that one is its own claim. An unreadable hop ends the chain at the proxy that
    wrote it down.
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
    """Whether one of `networks` holds `address`."""
    return any(address in network for network in networks)
