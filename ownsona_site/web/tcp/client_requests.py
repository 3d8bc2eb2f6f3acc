"""Concurrent requests per client behind a trusted proxy, where connections do not identify clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from common.networking.addresses import network_of, parse_address
from ownsona_site.web.asgi_types import Scope
from ownsona_site.web.trusted_proxies import client_address, is_within


class ClientRequests:
    """Counts the requests and open streams of each client address. Not thread-safe: it belongs to one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, scope: Scope) -> Iterator[bool]:
        """Count one request while the block runs. Yield whether its client is within the limit.

        Clients without a trusted proxy always are: their connections are limited instead.
        """
        client = proxied_client(scope)
        if not client:
            yield True
            return
        if self._open[client] >= self._limit:
            yield False
            return
        self._open[client] += 1
        try:
            yield True
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]


def proxied_client(scope: Scope) -> str:
    """Return the network of the client for which a trusted proxy forwards. Empty without such a proxy or its header."""
    trusted = settings.TRUSTED_PROXIES
    peer = parse_address((scope.get("client") or ("",))[0]) if trusted else None
    if peer is None or not is_within(peer, trusted):
        return ""
    # Django joins repeated headers with commas, too.
    hops = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
    return network_of(str(client_address(peer, hops, trusted))) or "" if hops else ""
