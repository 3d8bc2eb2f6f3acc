"""ASGI application that runs Django's views in a few long-lived threads, and event streams on the event loop.

Django's own ASGI handler runs each request in a new thread, so every request would open a new database connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.http import HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from mcpapi.http.bodies import TURN
from mcpapi.http.entry import has_valid_token
from mcpapi.subscriptions.hub import hub
from ownsona_site.monitoring.health_view import health_timed_out
from ownsona_site.web.asgi_types import ClientDisconnected, Receive, Scope, Send
from ownsona_site.web.request_bodies import Body, BodyReader, discard_rest
from ownsona_site.web.request_threads import HEALTH_PATH, RequestThreads, expensive_at_once, is_expensive
from ownsona_site.web.tcp.client_requests import ClientRequests
from ownsona_site.web.uploads import UploadRefused, has_session

UNREAD_LIMIT_SECONDS = 60.0
"""Time after which a client that reads nothing is disconnected."""


class AsgiHandler(BaseHandler):
    """The site as an ASGI application (https://asgi.readthedocs.io/en/latest/specs/www.html)."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()
        self._threads = RequestThreads(settings.WEB_THREADS, expensive_at_once())
        self._clients = ClientRequests(settings.WEB_CONNECTIONS_PER_ADDRESS)
        self._bodies = BodyReader(
            lambda scope: self._threads.run(_is_from_app, scope), lambda scope: self._threads.run(has_session, scope)
        )
        self.active_requests = 0
        """Number of requests that are being processed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Close WebSockets at once. Raises ValueError for other scopes, such as `lifespan`."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        elif scope["type"] == "http":
            self.active_requests += 1
            try:
                with self._clients.one_more(scope) as is_within_limit:
                    if is_within_limit:
                        await self._serve(scope, receive, send)
                    else:
                        await self._send(too_many_requests(), receive, send)
            finally:
                self.active_requests -= 1
        else:
            raise ValueError(f"{scope['type']} is not supported.")

    def end_streams(self) -> None:
        """End all event streams, because the server is about to stop."""
        hub.stop()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            # A large body keeps its turn only within this block: until it is processed, not until the client has read
            # the response.
            async with self._bodies.body_of(scope, receive) as body:
                response = await self._answer(scope, body)
                is_unread = body.is_unread
                # Free the body now: a streaming response may last for days.
                del body
        except ClientDisconnected:
            # The client may still be connected (a body that took too long), and without a response gunicorn would send
            # a 500.
            await self._send(HttpResponse(status=408, headers={"Connection": "close"}), receive, send)
            return
        except UploadRefused as refusal:
            await self._send(busy(f"{refusal}\n"), receive, send)
            await discard_rest(receive)
            return
        try:
            await self._send(response, receive, send)
        finally:
            if response.streaming:
                self._threads.submit(response.close)
        if is_unread:
            await discard_rest(receive)

    async def _answer(self, scope: Scope, body: Body) -> HttpResponseBase:
        """Return the response of the view, run in the threads for this kind of request."""
        if scope["path"] == HEALTH_PATH:
            try:
                return await self._threads.run_health(self._respond, scope, body)
            except TimeoutError:
                return health_timed_out()
        end_expensive = await self._threads.enter_expensive() if is_expensive(scope, body) else None
        active_requests = self._threads.submit(self._respond, scope, body)
        # Callbacks of the future, not of this task: a disconnect cancels the task while the thread works on.
        if end_expensive:
            active_requests.add_done_callback(lambda _: end_expensive())
        if turn := body.turn:
            turn.hold()
            active_requests.add_done_callback(lambda _: turn.release())
        return await asyncio.wrap_future(active_requests)

    def _respond(self, scope: Scope, body: Body) -> HttpResponseBase:
        """Return the response of the view. Runs in a thread."""
        set_script_prefix(scope.get("root_path", ""))
        # Instead of the signals at the beginning and end of requests, whose other receivers have nothing to do here.
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
        # Close the content as soon as the view is done: the response keeps a reference to the request.
        with body.content as content:
            try:
                request = ASGIRequest(scope, content)
                request.META[TURN] = body.turn
                response: HttpResponseBase = self.get_response(request)
                if not response.streaming:
                    request.close()
            except UnicodeDecodeError:
                response = HttpResponseBadRequest()
        return response

    async def _send(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
        cookies = [(b"Set-Cookie", morsel.OutputString().encode("ascii")) for morsel in response.cookies.values()]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers + cookies})
        if isinstance(response, HttpResponse):
            await send({"type": "http.response.body", "body": response.content})
        elif isinstance(response, StreamingHttpResponse) and response.is_async:
            await _while_connected(receive, _send_parts(aiter(response), send))
        elif isinstance(response, StreamingHttpResponse):
            await _send_parts(self._read_in_threads(iter(response)), send)

    async def _read_in_threads(self, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        while (part := await self._threads.run(next, parts, None)) is not None:
            yield part


def too_many_requests() -> HttpResponse:
    """Return the 503 response to a client behind a proxy that has too many concurrent requests."""
    return busy("Too many of your requests are being processed at once. Retry in a moment.\n")


def busy(reason: str) -> HttpResponse:
    """Return a 503 response that asks the client to retry."""
    return HttpResponse(reason, status=503, content_type="text/plain", headers={"Retry-After": "10"})


def _is_from_app(scope: Scope) -> bool:
    """Return whether the request has a valid token. Runs in a thread."""
    return has_valid_token(ASGIRequest(scope, BytesIO()))


async def _send_parts(parts: AsyncIterator[bytes], send: Send) -> None:
    """Send all parts. Stop early, with an incomplete response, if the client reads nothing for too long."""
    with suppress(TimeoutError):
        async for part in parts:
            async with asyncio.timeout(UNREAD_LIMIT_SECONDS):
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})


async def _while_connected(receive: Receive, sending: Coroutine[Any, Any, None]) -> None:
    """Run `sending` until it is done or the client disconnects.

    After a request the only message that matters is the disconnect.
    """
    sender, leaving = asyncio.create_task(sending), asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({sender, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        sender.cancel()
    with suppress(asyncio.CancelledError):
        await sender


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
