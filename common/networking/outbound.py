"""Requests to untrusted URLs, with protection against server-side request forgery (SSRF).

A host name is resolved once, every address is checked, and the connection goes to an address that was checked, so a
different second answer of the name server (DNS rebinding) has no effect. There are no redirects, proxies or cookies,
and the size of the response and the total time are limited. Callers of `request` see redirects as responses, and can
follow them with another request, which is checked in the same way.

An issuer configured by the owner is fetched in the same way, but may be in a private network: its `NetworkPolicy` says
which addresses and port are allowed.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import httpcore
import httpx

from common.networking.addresses import is_public
from common.texts import translatable

MAX_BYTES = 5 * 1024
DEADLINE_SECONDS = 5.0
HEADERS = (("Accept", "application/json"), ("Accept-Encoding", "identity"), ("User-Agent", "OwnSona"))
JSON_MEDIA_TYPE = re.compile(r"application/(?:[^/]+\+)?json\Z")
_ERROR_NUMBER = re.compile(r"\[Errno -?[0-9]+\] ")
_NO_ROUTE = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN})
_BROKEN_OFF = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})
TRANSIENT_STATUSES = frozenset({408, 429, *range(500, 600)})

# A look-up cannot be interrupted, only abandoned. During a flood of slow ones, further look-ups wait for a free thread
# and fail at their deadline.
_resolvers = ThreadPoolExecutor(4, thread_name_prefix="resolve")


class FetchError(Exception):
    """A failure to fetch a document.

    `str(error)` is one sentence. `is_transient` is True if a later attempt may succeed.
    """

    def __init__(self, problem: str, *, is_transient: bool = False) -> None:
        super().__init__(problem)
        self.is_transient = is_transient


class AddressNotAllowed(FetchError):
    """A failure because the network policy does not allow an address of the host."""


class ResponseTooLarge(FetchError):
    """A failure because the response is larger than the limit of the caller."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response with any status: its headers, with names in lower case, and its content."""

    status: int
    content: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document and its response headers, with names in lower case."""

    content: bytes
    headers: Mapping[str, str]


def look_up(host: str) -> list[str]:
    """Resolve `host` and return its addresses. Raises OSError."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """The rules of a fetch: the resolver, the allowed addresses, the port and the TLS settings.

    With `port` None, the port of the URL is used.
    """

    look_up: Callable[[str], Sequence[str]] = look_up
    is_allowed: Callable[[IPv4Address | IPv6Address], bool] = is_public
    port: int | None = 443
    tls: ssl.SSLContext = field(default_factory=httpx.create_ssl_context)


def fetch_json(url: str, network: NetworkPolicy) -> FetchedDocument:
    """Fetch the JSON document at `url`, an https URL without user name and port. Raises FetchError."""
    answer = fetch(url, network, time.monotonic() + DEADLINE_SECONDS, MAX_BYTES)
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not JSON_MEDIA_TYPE.match(media_type):
        raise FetchError(
            translatable(
                "The server responded with the content type %(media_type)s, not application/json.",
                media_type=repr(media_type[:100]),
            )
        )
    return answer


def fetch(url: str, network: NetworkPolicy, deadline: float, max_bytes: int) -> FetchedDocument:
    """Fetch `url` before `deadline` (by time.monotonic). Raises FetchError, and ValueError for an invalid URL."""
    response = request(url, network, deadline, max_bytes)
    if response.status != 200:
        is_transient = response.status in TRANSIENT_STATUSES
        raise FetchError(
            translatable("The server responded with HTTP status %(status)s, not 200.", status=response.status),
            is_transient=is_transient,
        )
    return FetchedDocument(response.content, response.headers)


def request(
    url: str,
    network: NetworkPolicy,
    deadline: float,
    max_bytes: int,
    *,
    headers: Iterable[tuple[str, str]] = HEADERS,
    max_error_bytes: int = 0,
    method: str = "GET",
    content: bytes = b"",
) -> HttpResponse:
    """Send one request with `headers` and `content`, and return the response, whatever its status.

    The content has at most `max_bytes` bytes with status 200. With any other status, it is the first `max_error_bytes`
    bytes. `deadline` is by time.monotonic. Raises FetchError, and ValueError for an invalid URL.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    backend = _PinnedBackend(allowed_addresses(host, network, deadline), network.port, deadline)
    try:
        with (
            httpcore.ConnectionPool(ssl_context=network.tls, network_backend=backend) as pool,
            pool.stream(method, url, headers=[("Host", parts.netloc), *headers], content=content or None) as response,
        ):
            return _read(response, max_bytes, max_error_bytes)
    except httpcore.TimeoutException:
        raise _too_slow(host) from None
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise FetchError(_problem_of(host, error), is_transient=True) from None


def _problem_of(host: str, error: Exception) -> str:
    """Return a sentence that pages can translate. Only rare errors are told in the words of the system."""
    # httpcore raises its errors anew, without their cause.
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = cause.verify_message
        return translatable("The certificate of %(host)s is not trusted: %(reason)s.", host=host, reason=reason)
    number = cause.errno if cause else None
    if number == errno.ECONNREFUSED:
        return translatable("%(host)s refused the connection.", host=host)
    if number in _NO_ROUTE:
        return translatable("There is no route to %(host)s.", host=host)
    if number in _BROKEN_OFF or isinstance(error, httpcore.RemoteProtocolError):
        return translatable("%(host)s closed the connection.", host=host)
    problem = _ERROR_NUMBER.sub("", str(error)) or type(error).__name__
    return translatable("%(host)s is not reachable: %(problem)s.", host=host, problem=problem)


def allowed_addresses(host: str, network: NetworkPolicy, deadline: float) -> list[str]:
    """Return the addresses of `host`, IPv4 first. Raises FetchError unless all of them are allowed."""
    try:
        found = _resolvers.submit(network.look_up, host).result(deadline - time.monotonic())
    except TimeoutError:
        raise _too_slow(host) from None
    except (OSError, UnicodeError):
        raise FetchError(translatable("There is no server named %(host)s.", host=host), is_transient=True) from None
    addresses = sorted(dict.fromkeys(map(ip_address, found)), key=lambda address: address.version)
    # A single forbidden address is enough to refuse: an honest name server does not mix public and private addresses.
    if not addresses or not all(map(network.is_allowed, addresses)):
        raise AddressNotAllowed(translatable("%(host)s is not a server on the public internet.", host=host))
    return [str(address) for address in addresses]


def _read(response: httpcore.Response, max_bytes: int, max_error_bytes: int) -> HttpResponse:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    if response.status == 200:
        return HttpResponse(200, b"".join(_limited(response, max_bytes)), headers)
    content = bytearray()
    if max_error_bytes:
        for chunk in response.iter_stream():
            content += chunk
            if len(content) >= max_error_bytes:
                break
    return HttpResponse(response.status, bytes(content[:max_error_bytes]), headers)


def _limited(response: httpcore.Response, max_bytes: int) -> Iterator[bytes]:
    size = 0
    for chunk in response.iter_stream():
        size += len(chunk)
        if size > max_bytes:
            raise ResponseTooLarge(translatable("The document has more than %(max_bytes)s bytes.", max_bytes=max_bytes))
        yield chunk


def _too_slow(host: str) -> FetchError:
    return FetchError(translatable("%(host)s did not respond in time.", host=host), is_transient=True)


class _PinnedBackend(httpcore.NetworkBackend):
    """A network backend that connects only to the checked addresses, without resolving again, before the deadline."""

    def __init__(self, addresses: Sequence[str], port: int | None, deadline: float) -> None:
        self._addresses = addresses
        self._port = port
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        error: Exception = httpcore.ConnectTimeout()
        for address in self._addresses:
            try:
                stream = httpcore.SyncBackend().connect_tcp(address, self._port or port, _left(self._deadline))
            except httpcore.ConnectError as refused:
                error = refused
            else:
                return _DeadlineStream(stream, self._deadline)
        raise error


class _DeadlineStream(httpcore.NetworkStream):
    """A stream with one deadline for all its operations: a server that sends byte by byte gains no time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline))
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    """Return the seconds until `deadline`. Raises httpcore.ReadTimeout if it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
