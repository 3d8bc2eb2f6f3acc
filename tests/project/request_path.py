"""Recording of the modules that one request passes through, from the ASGI application to the database."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ownsona_site.web.asgi_handler import AsgiHandler
from tests.project.test_architecture import ALLOWED, ROOT

Stack = tuple[str, ...]


@contextmanager
def recorded_stacks() -> Iterator[set[Stack]]:
    """Yield the stacks of modules at each database statement and each hand-over to a thread, outermost module first.

    Several calls within one module count as one entry. A module that calls back into an earlier one appears twice.
    """
    stacks: set[Stack] = set()
    execute, submit = psycopg.Cursor.execute, ThreadPoolExecutor.submit

    def recording_execute(*args: Any, **kwargs: Any) -> Any:
        stacks.add(_current_stack())
        return execute(*args, **kwargs)

    def recording_submit(*args: Any, **kwargs: Any) -> Any:
        stacks.add(_current_stack())
        return submit(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", recording_execute)
        patch.setattr(ThreadPoolExecutor, "submit", recording_submit)
        yield stacks


def _current_stack() -> Stack:
    modules: list[str] = []
    frame = sys._getframe(2)
    while frame:
        module = _project_module(frame.f_code.co_filename)
        if module and modules[-1:] != [module]:
            modules.append(module)
        frame = frame.f_back  # type: ignore[assignment] # None ends the loop
    return tuple(reversed(modules))


def _project_module(filename: str) -> str | None:
    """Return the path of a module of the project within the repository."""
    path = Path(filename)
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    return name if name.partition("/")[0] in ALLOWED else None


def post_to_mcp(application: AsgiHandler, headers: dict[str, str], message: dict[str, Any]) -> dict[str, str]:
    """Send one message to `/mcp` of `application` in this process. Return the headers of the response."""
    body = json.dumps(message).encode()
    named = {"host": "127.0.0.1:8000", "content-type": "application/json", "content-length": str(len(body)), **headers}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(part: Any) -> None:
        sent.append(part)

    asyncio.run(application(scope, receive, send))
    assert sent[0]["status"] == 200, sent
    assert b'"error"' not in sent[1]["body"], sent
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}
