"""Kept connections to an embedding endpoint, directly or through the proxy that the environment names."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import httpx
from urllib3 import BaseHTTPResponse, ProxyManager, Timeout
from urllib3.exceptions import (
    ConnectTimeoutError,
    DecodeError,
    HTTPError,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.util import Url, make_headers, parse_url

from memories.embeddings.direct_connections import RECEIVED_BYTES, DirectConnections, ExchangeFailed

MAX_KEPT_CONNECTIONS = 32
"""Number of connections that are kept. More requests at once open further ones, which are closed afterwards."""


class Response(Protocol):
    """A response whose body is read piece by piece. Either `release` or `close` ends it."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def retry_after(self) -> str:
        """The header Retry-After; empty if it is absent."""
        ...

    def read(self) -> bytes:
        """Return the next piece of the body; nothing at its end. Raises ExchangeFailed, and urllib3's DecodeError."""
        ...

    def release(self) -> None:
        """Keep the connection, whose response has been read, for the next request."""
        ...

    def close(self) -> None:
        """Close the connection: the rest of the body is not wanted."""
        ...


class Connections(Protocol):
    """Connections to one URL. Thread-safe."""

    def post(self, body: bytes, timeout: Timeout) -> Response:
        """Send `body` and return the response, whose body is still to be read. Raises ExchangeFailed."""
        ...


def open_connections(url: Url, headers: dict[str, str]) -> Connections:
    """Return the connections to `url`, with the certificates that the environment names. Every request has `headers`.

    Honours HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR. Raises ValueError, OSError or
    urllib3's HTTPError if one of them is not valid.
    """
    context = httpx.create_ssl_context()
    proxy = _proxy_of(url)
    if proxy is None:
        return DirectConnections(url, headers, context, MAX_KEPT_CONNECTIONS)
    proxy_headers = make_headers(proxy_basic_auth=unquote(proxy.auth)) if proxy.auth else None
    pool = ProxyManager(
        proxy.url,
        maxsize=MAX_KEPT_CONNECTIONS,
        proxy_headers=proxy_headers,
        ssl_context=context,
        proxy_ssl_context=context,
    )
    return ProxyConnections(pool, url.url, headers)


class ProxyConnections:
    """Connections to one URL through a proxy."""

    def __init__(self, pool: ProxyManager, url: str, headers: dict[str, str]) -> None:
        self._pool = pool
        self._url = url
        self._headers = headers

    def post(self, body: bytes, timeout: Timeout) -> ProxyResponse:
        """See `Connections.post`."""
        try:
            # A redirect could carry the key to another host.
            response = self._pool.request(
                "POST",
                self._url,
                body=body,
                headers=self._headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except HTTPError as error:
            raise _failure(error) from error
        return ProxyResponse(response)


class ProxyResponse:
    """A response that came through a proxy."""

    def __init__(self, response: BaseHTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.retry_after = response.headers.get("Retry-After", "")

    def read(self) -> bytes:
        """See `Response.read`."""
        try:
            return self._response.read1(RECEIVED_BYTES, decode_content=True)
        except DecodeError:
            raise
        except HTTPError as error:
            raise _failure(error) from error

    def release(self) -> None:
        """See `Response.release`."""
        self._response.release_conn()

    def close(self) -> None:
        """See `Response.close`."""
        self._response.close()


def _failure(error: HTTPError) -> ExchangeFailed:
    # A refused connection counts as a timeout in urllib3.
    is_late = isinstance(error, ConnectTimeoutError | ReadTimeoutError) and not isinstance(error, NewConnectionError)
    return ExchangeFailed(error, is_late=is_late)


def _proxy_of(url: Url) -> Url | None:
    proxies = getproxies()
    address = proxies.get(url.scheme or "") or proxies.get("all")
    if not address or proxy_bypass(url.netloc or ""):
        return None
    return parse_url(address if "://" in address else f"http://{address}")
