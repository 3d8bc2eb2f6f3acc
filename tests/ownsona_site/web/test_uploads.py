"""Tests of bodies with files: they are kept on disk, and only owners may send them."""

from __future__ import annotations

import asyncio
import errno
import tracemalloc
from collections.abc import Iterator
from typing import IO

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path, reverse
from pytest_django import Settings

from ownsona_site.web import asgi_handler, request_bodies, uploads
from ownsona_site.web.asgi_handler import AsgiHandler
from ownsona_site.web.asgi_types import Message
from ownsona_site.web.body_sizes import UPLOAD_PATH, UPLOAD_ROOM_BYTES, max_bytes
from ownsona_site.web.request_bodies import BodyReader
from tests.ownsona_site.web.test_asgi_handler import Counted, Exchange, declared, run

PART = b"x" * 100_000


def count(request: HttpRequest) -> HttpResponse:
    """Return the number of bytes in the body, read in parts."""
    return HttpResponse(str(sum(len(part) for part in iter(lambda: request.read(65_536), b""))))


urlpatterns = [path(UPLOAD_PATH[1:], count), path("admin/other/", count)]


@pytest.fixture
def application(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[AsgiHandler]:
    """The application, which accepts every request as having a session, and none as having a token."""
    settings.MAX_DOCUMENT_MB = 4
    monkeypatch.setattr(asgi_handler, "has_session", lambda _: True)
    monkeypatch.setattr(asgi_handler, "has_valid_token", lambda _: False)
    monkeypatch.setattr(request_bodies, "is_full", lambda: False)
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[], WEB_THREADS=2, ALLOWED_HOSTS=["*"]):
        yield AsgiHandler()


def test_the_path_is_that_of_the_upload_page() -> None:
    assert reverse("admin:documents_document_add") == UPLOAD_PATH
    assert max_bytes(UPLOAD_PATH) > 100_000_000
    for other in (
        "/admin/documents/document/",
        UPLOAD_PATH + "x",
        UPLOAD_PATH.replace("add", "forget"),
        UPLOAD_PATH[:-1],
        "/admin/memories/memory/add/",
    ):
        assert max_bytes(other) < 300_000


@pytest.mark.parametrize("headers", [[declared(4_000_000)], []])
def test_a_large_upload_reaches_the_view_and_stays_out_of_the_memory(
    application: AsgiHandler, headers: list[tuple[bytes, bytes]]
) -> None:
    async def work() -> int:
        exchange = Exchange(*[PART] * 40)
        tracemalloc.start()
        await exchange.ask(application, UPLOAD_PATH, *headers)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (exchange.status, exchange.content) == (200, b"4000000")
        return peak

    assert run(work) < 2_000_000


@pytest.mark.parametrize("is_declared", [True, False])
def test_without_a_session_no_large_upload_is_read(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch, *, is_declared: bool
) -> None:
    monkeypatch.setattr(asgi_handler, "has_session", lambda _: False)

    async def work() -> None:
        exchange = Counted(*[PART] * 40)
        await exchange.ask(application, UPLOAD_PATH, *([declared(4_000_000)] if is_declared else []))
        assert exchange.content == b"0"
        assert exchange.received_before_the_answer <= 300_000

    run(work)


def test_a_session_allows_large_bodies_at_the_upload_page_only(application: AsgiHandler) -> None:
    async def work() -> None:
        exchange = Counted(*[PART] * 40)
        await exchange.ask(application, "/admin/other/", declared(4_000_000))
        assert exchange.status in (400, 413)
        assert exchange.received_before_the_answer == 0

    run(work)


def test_no_more_is_read_than_a_document_may_have(application: AsgiHandler) -> None:
    limit = 4_000_000 + UPLOAD_ROOM_BYTES

    async def work() -> None:
        announced = Counted(*[PART] * 60)
        await announced.ask(application, UPLOAD_PATH, declared(limit + 1))
        assert announced.status in (400, 413)
        assert announced.received_before_the_answer == 0
        in_chunks = Counted(*[PART] * 60)
        await in_chunks.ask(application, UPLOAD_PATH)
        assert in_chunks.status in (400, 413)
        assert limit < in_chunks.received_before_the_answer <= limit + len(PART)

    run(work)


def test_uploads_take_turns_and_large_calls_of_apps_do_not_wait_for_them(
    application: AsgiHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_bodies, "TURN_WITHIN_SECONDS", 0.05)
    monkeypatch.setattr(asgi_handler, "has_valid_token", lambda _: True)

    async def work() -> None:
        held_up = [Exchange(PART, stays=False) for _ in range(uploads.UPLOADS_AT_A_TIME)]
        released = asyncio.Event()
        for exchange in held_up:
            receive = exchange.receive

            async def receive_late(receive: object = receive, exchange: Exchange = exchange) -> object:
                if exchange.received:
                    await released.wait()
                return await receive()  # type: ignore[operator]

            exchange.receive = receive_late  # type: ignore[method-assign, assignment]
        first = [asyncio.create_task(one.ask(application, UPLOAD_PATH, declared(3_000_000))) for one in held_up]
        while not all(exchange.received for exchange in held_up):
            await asyncio.sleep(0.01)
        late, small = Exchange(*[PART] * 30), Exchange(b"small")
        await late.ask(application, UPLOAD_PATH, declared(3_000_000))
        assert (late.status, late.headers[b"Retry-After"]) == (503, b"10")
        assert b"Other files are being uploaded" in late.content
        await small.ask(application, UPLOAD_PATH, declared(5))
        assert small.content == b"5"
        released.set()
        await asyncio.gather(*first)
        assert [exchange.status for exchange in held_up] == [408, 408]
        again = Exchange(*[PART] * 30)
        await again.ask(application, UPLOAD_PATH, declared(3_000_000))
        assert again.content == b"3000000"

    run(work)


def test_a_client_that_stops_sending_is_given_up(application: AsgiHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "PART_TIMEOUT_SECONDS", 0.05)

    class Asleep(Exchange):
        async def receive(self) -> Message:
            if not self._body:
                await asyncio.Event().wait()
            return {**await super().receive(), "more_body": True}

    async def work() -> None:
        exchange = Asleep(*[PART] * 10)
        await exchange.ask(application, UPLOAD_PATH, declared(3_000_000))
        assert exchange.status == 408
        assert application.active_requests == 0

    run(work)


def test_a_full_disk_is_reported(application: AsgiHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, content: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            pass

    async def work() -> None:
        for _ in range(uploads.UPLOADS_AT_A_TIME + 1):
            exchange = Exchange(*[PART] * 30)
            await exchange.ask(application, UPLOAD_PATH, declared(3_000_000))
            assert exchange.status == 503
            assert b"disk of the server is full" in exchange.content

    with monkeypatch.context() as patched:
        patched.setattr(uploads, "TemporaryFile", Full)
        run(work)
    monkeypatch.setattr(request_bodies, "is_full", lambda: True)
    run(work)


def test_the_file_is_closed_when_the_view_is_done(application: AsgiHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[IO[bytes]] = []
    spool = uploads.spool

    async def remember(*arguments: object) -> IO[bytes] | None:
        file = await spool(*arguments)  # type: ignore[arg-type]
        assert file is not None
        files.append(file)
        return file

    monkeypatch.setattr(request_bodies, "spool", remember)

    async def work() -> None:
        await Exchange(*[PART] * 10).ask(application, UPLOAD_PATH, declared(1_000_000))

    run(work)
    assert [file.closed for file in files] == [True]


def test_a_reader_asks_for_the_session_only_for_large_uploads() -> None:
    asked: list[str] = []

    async def refuse(scope: object) -> bool:
        asked.append("session")
        return False

    async def work() -> None:
        reader = BodyReader(refuse, refuse)
        exchange = Exchange(b"small")
        async with reader.body_of({"path": UPLOAD_PATH, "headers": []}, exchange.receive) as body:
            assert body.content.read() == b"small"

    run(work)
    assert asked == []
