"""Tests of the ASGI application: threads for views, the event loop for streams, clients that leave or never read."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from mcpapi.http.bodies import read_body
from mcpapi.methods.body_limits import largest_limit
from mcpapi.rpc.jsonrpc import RpcError
from ownsona_site.web import asgi_handler, request_bodies, request_threads
from ownsona_site.web.asgi_handler import AsgiHandler
from ownsona_site.web.asgi_types import Message

LARGE_BYTES = 8_000_000
LIMIT_SECONDS = 30
stream_ended = threading.Event()
released = threading.Event()
running: list[str] = []


def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.read(), headers={"Address": request.META["REMOTE_ADDR"]})


def who(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(threading.current_thread().name)


def fail(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the reason stays here")


def read(request: HttpRequest) -> HttpResponse:
    """Read the body as the API's views do."""
    try:
        return HttpResponse(str(len(read_body(request))))
    except RpcError as error:
        return HttpResponse(error.data["reason"], status=error.status)


def wait(request: HttpRequest) -> HttpResponse:
    running.append(request.path)
    released.wait(LIMIT_SECONDS)
    return HttpResponse()


class Ticks:
    """A stream that continues until it is closed."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await asyncio.sleep(0)
        return b"tick"

    def close(self) -> None:
        stream_ended.set()


def ticks(_request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(Ticks())


def pieces(_request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(iter([b"one ", b"two"]))


urlpatterns = [
    path("echo", echo),
    path("who", who),
    path("fail", fail),
    path("mcp", read),
    path("mcp/", ticks),
    path("ticks", ticks),
    path("pieces", pieces),
    path("wait", wait),
    path("login/", wait),
    path("tools/export_memories", wait),
    path("tools/sync_source", wait),
    path("admin/documents/source/7/preview/", wait),
    path("health", who),
]
HANGING = [path("health", wait)]


@pytest.fixture
def application(monkeypatch: pytest.MonkeyPatch) -> Iterator[AsgiHandler]:
    """The application, which accepts every request as having a valid token."""
    monkeypatch.setattr(asgi_handler, "has_valid_token", lambda _: True)
    stream_ended.clear()
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[], WEB_THREADS=2, ALLOWED_HOSTS=["*"]):
        yield AsgiHandler()


class Exchange:
    """A request in the form of an ASGI server, and its response."""

    def __init__(self, *body: bytes, stays: bool = True) -> None:
        self.left = asyncio.Event()
        self.sent: list[Message] = []
        self.received = 0
        self._body = list(body or [b""])
        self._stays = stays

    async def receive(self) -> Message:
        if self._body:
            part = self._body.pop(0)
            self.received += len(part)
            return {"type": "http.request", "body": part, "more_body": bool(self._body) or not self._stays}
        if self._stays:
            await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    async def ask(self, application: AsgiHandler, path: str, *headers: tuple[bytes, bytes], query: bytes = b"") -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": query,
            "headers": list(headers),
            "client": ("192.0.2.7", 1234),
            "server": ("127.0.0.1", 8000),
        }
        async with asyncio.timeout(LIMIT_SECONDS):
            await application(scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])

    @property
    def content(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])

    @property
    def is_whole(self) -> bool:
        return not self.sent[-1].get("more_body", False)


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        return await work()

    return asyncio.run(main())


def test_a_body_in_parts_reaches_the_view_whole_and_so_does_the_clients_address(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange(b"one ", b"two")
        await exchange.ask(application, "/echo")
        assert (exchange.status, exchange.content, exchange.is_whole) == (200, b"one two", True)
        assert exchange.headers[b"Address"] == b"192.0.2.7"

    run(work)


def test_views_run_in_no_more_threads_than_the_settings_say(application: AsgiHandler) -> None:
    async def work() -> None:
        exchanges = [Exchange() for _ in range(20)]
        await asyncio.gather(*(exchange.ask(application, "/who") for exchange in exchanges))
        names = {exchange.content for exchange in exchanges}
        assert 1 <= len(names) <= 2
        assert all(name.startswith(b"request") for name in names)

    run(work)


def test_a_failing_view_shows_no_reason(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange()
        await exchange.ask(application, "/fail")
        assert exchange.status == 500
        assert b"reason" not in exchange.content

    run(work)


def test_a_file_is_sent_in_its_pieces(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange()
        await exchange.ask(application, "/pieces")
        assert (exchange.content, exchange.is_whole) == (b"one two", True)

    run(work)


def test_a_request_that_is_not_whole_reaches_no_view(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange(b"half", stays=False)
        await exchange.ask(application, "/echo")
        assert (exchange.status, exchange.content) == (408, b"")
        assert application.active_requests == 0

    run(work)


@pytest.mark.parametrize("beginning", [b"half", b"x" * 1000])
def test_a_client_that_takes_too_long_over_its_request_is_given_up(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    monkeypatch.setattr(request_bodies, "BODY_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(request_bodies, "large_bytes", lambda: 100)

    class HeldBack(Exchange):
        async def receive(self) -> Message:
            if not self._body:
                await asyncio.Event().wait()
            return {**await super().receive(), "more_body": True}

    async def work() -> None:
        exchange = HeldBack(beginning)
        await exchange.ask(application, "/mcp")
        assert (exchange.status, exchange.content) == (408, b"")
        assert application.active_requests == 0

    run(work)


def test_a_stream_ends_when_its_client_leaves(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange()
        asked = asyncio.create_task(exchange.ask(application, "/ticks"))
        while len(exchange.sent) < 5:
            await asyncio.sleep(0.01)
        exchange.left.set()
        await asked
        assert await asyncio.to_thread(stream_ended.wait, LIMIT_SECONDS)
        assert application.active_requests == 0

    run(work)


def test_a_stream_keeps_no_body(application: AsgiHandler) -> None:
    async def work() -> None:
        tracemalloc.start()
        exchange = Exchange(bytes(LARGE_BYTES))
        asked = asyncio.create_task(exchange.ask(application, "/mcp/"))
        while len(exchange.sent) < 5:
            await asyncio.sleep(0.01)
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        exchange.left.set()
        await asked
        assert kept < LARGE_BYTES <= peak

    run(work)


def test_a_client_that_reads_nothing_is_cut_off(application: AsgiHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_handler, "UNREAD_LIMIT_SECONDS", 0.05)

    class Deaf(Exchange):
        async def send(self, message: Message) -> None:
            await super().send(message)
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

    async def work() -> None:
        exchange = Deaf()
        await exchange.ask(application, "/ticks")
        assert not exchange.is_whole
        assert await asyncio.to_thread(stream_ended.wait, LIMIT_SECONDS)

    run(work)


class Counted(Exchange):
    """An exchange that records how much of the body was read before the response."""

    def __init__(self, *body: bytes) -> None:
        super().__init__(*body)
        self.received_before_the_answer = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.received_before_the_answer = self.received
        await super().send(message)


def declared(size: int) -> tuple[bytes, bytes]:
    return b"content-length", b"%d" % size


@pytest.mark.parametrize(
    ("path", "limit"), [("/mcp", 24_100_000), ("/echo", 256_000), ("/tools/ping", 256_000), ("/oauth/token", 65_536)]
)
def test_of_a_body_that_is_too_long_no_more_is_read_than_is_allowed(
    application: AsgiHandler, path: str, limit: int
) -> None:
    async def work() -> None:
        exchange = Counted(*[b" " * 50_000] * (limit // 50_000 + 20))
        await exchange.ask(application, path)
        assert limit < exchange.received_before_the_answer <= limit + 50_000
        assert exchange.status in (400, 404, 413)

    run(work)


@pytest.mark.parametrize("size", [b"24100001", b"9" * 5_000])
def test_a_body_that_says_it_is_too_long_is_not_read(application: AsgiHandler, size: bytes) -> None:
    async def work() -> None:
        exchange = Counted(b"x" * 100)
        await exchange.ask(application, "/mcp", (b"content-length", size))
        assert (exchange.status, exchange.content) == (413, b"request_too_large")
        assert exchange.received_before_the_answer == 0

    run(work)


def test_the_rest_of_a_refused_body_is_read_away_so_that_the_answer_arrives(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange(*[b"x" * 100_000] * 30)
        await exchange.ask(application, "/mcp", declared(largest_limit().bytes + 1))
        assert (exchange.status, exchange.received) == (413, 3_000_000)

    run(work)


def test_a_large_body_without_a_valid_token_is_not_read(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi_handler, "has_valid_token", lambda _: False)

    async def work() -> None:
        exchange = Counted(*[b"x" * 100_000] * 30)
        await exchange.ask(application, "/mcp", declared(3_000_000))
        assert (exchange.content, exchange.received_before_the_answer) == (b"0", 0)
        in_chunks = Counted(*[b"x" * 100_000] * 30)
        await in_chunks.ask(application, "/mcp")
        assert (in_chunks.content, in_chunks.received_before_the_answer) == (b"0", 300_000)

    run(work)


def test_large_bodies_wait_for_each_other(application: AsgiHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "large_bytes", lambda: 10)
    reading, most = 0, 0

    class Slow(Exchange):
        async def receive(self) -> Message:
            nonlocal reading, most
            reading += self.received > 10
            most = max(most, reading)
            await asyncio.sleep(0)
            reading -= self.received > 10
            return await super().receive()

    async def work() -> None:
        exchanges = [Slow(*[b"12345"] * 10) for _ in range(8)]
        await asyncio.gather(*(exchange.ask(application, "/mcp") for exchange in exchanges))
        assert {exchange.content for exchange in exchanges} == {b"50"}

    run(work)
    assert most == 1


def test_a_large_body_whose_turn_does_not_come_is_told_to_come_again(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_bodies, "TURN_WITHIN_SECONDS", 0.05)

    async def work() -> None:
        first = Exchange(b"x" * 1_000_000, stays=False)
        held_up = asyncio.Event()
        begun, receive = asyncio.Event(), first.receive

        async def receive_late() -> Message:
            message = await receive()
            begun.set()
            await held_up.wait()
            return message

        first.receive = receive_late  # type: ignore[method-assign]
        asked = asyncio.create_task(first.ask(application, "/mcp", declared(1_000_000)))
        await begun.wait()
        second, small = Counted(b"x" * 1_000_000), Exchange(b"x")
        await second.ask(application, "/mcp", declared(1_000_000))
        assert (second.status, second.content) == (503, b"server_busy")
        assert second.received_before_the_answer == 0
        await small.ask(application, "/mcp")
        assert small.content == b"1"
        held_up.set()
        await asked
        third = Exchange(b"x" * 1_000_000)
        await third.ask(application, "/mcp", declared(1_000_000))
        assert third.content == b"1000000"

    run(work)


def test_the_turn_of_a_large_body_lasts_as_long_as_its_view_though_its_client_has_left(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_bodies, "TURN_WITHIN_SECONDS", 0.05)
    begun, go_on = threading.Event(), threading.Event()
    get_response = application.get_response

    def slowly(request: HttpRequest) -> Any:
        if request.GET:
            begun.set()
            assert go_on.wait(LIMIT_SECONDS)
        return get_response(request)

    monkeypatch.setattr(application, "get_response", slowly)

    async def work() -> None:
        large = declared(1_000_000)
        first = asyncio.create_task(Exchange(b"x" * 1_000_000).ask(application, "/mcp", large, query=b"slow=1"))
        assert await asyncio.to_thread(begun.wait, LIMIT_SECONDS)
        first.cancel()
        await asyncio.wait([first])
        second = Exchange(b"x" * 1_000_000)
        await second.ask(application, "/mcp", large)
        assert second.status == 503
        go_on.set()
        statuses = [503]
        while statuses[-1] == 503 and len(statuses) < 100:
            again = Exchange(b"x" * 1_000_000)
            await again.ask(application, "/mcp", large)
            statuses.append(again.status)
        assert statuses[-1] == 200

    run(work)


def test_nothing_of_a_large_body_is_kept_when_its_turn_is_over(application: AsgiHandler) -> None:
    async def work() -> None:
        await Exchange().ask(application, "/mcp")
        gc.disable()
        tracemalloc.start()
        try:
            for _ in range(3):
                exchange = Exchange(bytes(LARGE_BYTES))
                await exchange.ask(application, "/mcp")
                assert exchange.content == str(LARGE_BYTES).encode()
                del exchange
            kept, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            gc.enable()
        assert kept < LARGE_BYTES / 2 < peak

    run(work)


@contextmanager
def views_held() -> Iterator[None]:
    """Block the view `wait` until `released` is set, at the latest at the end of the block."""
    released.clear()
    running.clear()
    try:
        yield
    finally:
        released.set()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/wait", b"x" * 5000),
        ("/wait", b'{"params": {"name": "find_near_duplicates"}}'),
        ("/tools/export_memories", b""),
        ("/tools/sync_source", b'{"dry_run": true}'),
        ("/login/", b"password=x"),
        ("/admin/documents/source/7/preview/", b""),
    ],
)
def test_expensive_calls_leave_threads_to_the_others(application: AsgiHandler, path: str, body: bytes) -> None:
    async def work() -> None:
        with views_held():
            expensive = [Exchange(body) for _ in range(10)]
            asked = [asyncio.create_task(exchange.ask(application, path)) for exchange in expensive]
            for _ in range(5):
                cheap = Exchange()
                await cheap.ask(application, "/who")
                assert cheap.content.startswith(b"request")
            # Only one of the two threads.
            assert running == [path]
            released.set()
            await asyncio.gather(*asked)
            assert [exchange.status for exchange in expensive] == [200] * 10

    run(work)


def test_the_health_check_needs_no_request_thread(application: AsgiHandler) -> None:
    async def work() -> None:
        with views_held():
            busy = [asyncio.create_task(Exchange().ask(application, "/wait")) for _ in range(10)]
            exchange = Exchange()
            await exchange.ask(application, "/health")
            assert exchange.content.startswith(b"health")
            assert not any(each.done() for each in busy)
            released.set()
            await asyncio.gather(*busy)

    run(work)


def test_a_health_check_that_hangs_is_an_answer_all_the_same(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_threads, "HEALTH_LIMIT_SECONDS", 0.05)

    async def work() -> None:
        with views_held(), override_settings(ROOT_URLCONF=tuple(HANGING)):
            exchanges = [Exchange() for _ in range(5)]
            await asyncio.gather(*(exchange.ask(application, "/health") for exchange in exchanges))
            assert [exchange.status for exchange in exchanges] == [503] * 5
            assert json.loads(exchanges[0].content)["failing"] == "database"
            released.set()
        later = Exchange()
        await later.ask(application, "/health")
        assert later.status == 200
        # The abandoned requests were not run afterwards.
        assert running == ["/health"]

    run(work)


def test_a_client_behind_a_proxy_has_no_more_requests_at_once_than_the_settings_say() -> None:
    proxied = {
        "ROOT_URLCONF": __name__,
        "MIDDLEWARE": [],
        "ALLOWED_HOSTS": ["*"],
        "TRUSTED_PROXIES": (ip_network("192.0.2.7"),),
        "WEB_CONNECTIONS_PER_ADDRESS": 2,
    }

    async def work() -> None:
        application = AsgiHandler()
        here, there = (b"x-forwarded-for", b"198.51.100.1"), (b"x-forwarded-for", b"198.51.100.2")
        with views_held():
            waiting = [asyncio.create_task(Exchange().ask(application, "/wait", here)) for _ in range(2)]
            while len(running) < 2:
                await asyncio.sleep(0.01)
            refused, another, unnamed = Exchange(), Exchange(), Exchange()
            await refused.ask(application, "/who", here)
            await another.ask(application, "/who", there)
            await unnamed.ask(application, "/who")
            assert [each.status for each in (refused, another, unnamed)] == [503, 200, 200]
            assert b"Retry-After" in refused.headers
            released.set()
            await asyncio.gather(*waiting)
        again = Exchange()
        await again.ask(application, "/who", here)
        assert again.status == 200

    with override_settings(**proxied):
        run(work)


@pytest.mark.parametrize("path", ["/nowhere", "/echo/../who", "/\x00"])
def test_odd_paths_are_not_found(application: AsgiHandler, path: str) -> None:
    async def work() -> None:
        exchange = Exchange()
        await exchange.ask(application, path)
        assert exchange.status == 404

    run(work)


def test_there_are_no_websockets(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Exchange()
        await application({"type": "websocket"}, exchange.receive, exchange.send)
        assert exchange.sent == [{"type": "websocket.close"}]

    run(work)
