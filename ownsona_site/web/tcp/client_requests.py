"""How many requests each client behind a trusted proxy has at once: there, a connection says nothing of who asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from common.networking.addresses import network_of, parse_address
from ownsona_site.web.request_bodies import Scope
from ownsona_site.web.trusted_proxies import client_address, is_within


class ClientRequests:
    """Counts the requests and open streams of each client address. Not thread-safe: it belongs to one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, scope: Scope) -> Iterator[bool]:
        """The time of one request; whether its client may have it. Whoever comes without a proxy always may."""
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
    """Whom a trusted proxy asks for; empty when none does, or when it does not say."""
    trusted = settings.TRUSTED_PROXIES
    peer = parse_address((scope.get("client") or ("",))[0]) if trusted else None
    if peer is None or not is_within(peer, trusted):
        return ""
    # As Django reads a header that comes twice.
    hops = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
    return network_of(str(client_address(peer, hops, trusted))) or "" if hops else ""
