"""Tests of a server that is backed up while apps write, restored, and started: it continues from the backup."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ownsona_site.backup.connected_app import ConnectedApp, call_tool
from tests.ownsona_site.backup.installation import Installation, manifest_of, temporary_place
from tests.support.live_server import free_port, live_server

WRITERS = 3
WRITTEN_BEFORE = 5
QUESTION = "What does Robin drink in the morning?"
PERSONAL_TOKEN = """
from oauthserver.models import User
from tests.support.factories import make_personal_token
print(make_personal_token(User.objects.get()))
"""
AGREEMENT = """
SELECT (SELECT count(*) FROM memories_memory),
       (SELECT count(DISTINCT memory_id) FROM memories_journalentry WHERE operation = 'remember'
           AND memory_id NOT IN (SELECT memory_id FROM memories_journalentry WHERE operation = 'hard_delete')),
       (SELECT count(*) FROM memories_memory WHERE deleted_at IS NOT NULL),
       (SELECT count(*) FROM memories_journalentry WHERE operation = 'forget'),
       (SELECT count(*) FROM memories_memory WHERE id NOT IN (SELECT memory_id FROM memories_memoryvector)),
       (SELECT count(*) FROM memories_memory WHERE id NOT IN (SELECT memory_id FROM memories_posting))
"""


@dataclass
class Lived:
    """The state of the server at the time of the backup."""

    archive: Path
    port: int
    login: tuple[str, str]
    app: ConnectedApp
    personal_token: str
    best_match: dict[str, Any]
    hard_deleted: int
    acknowledged_before: int
    written_after: int


def best_match(app: ConnectedApp) -> dict[str, Any]:
    """Return the first match of a recall."""
    matches: list[dict[str, Any]] = app.call("recall", query=QUESTION)["matches"]
    return {name: matches[0][name] for name in ("id", "text", "created_at", "score")}


@contextmanager
def writing(app: ConnectedApp) -> Iterator[list[int]]:
    """Store and forget memories in several threads during the block. Yield the ids of the acknowledged memories."""
    acknowledged: list[int] = []
    ends = threading.Event()
    numbers = itertools.count(1)

    def write() -> None:
        while not ends.is_set():
            stored = app.call("remember", text=f"Number {next(numbers)} came by", dedup_policy="insert")["memory_id"]
            if stored % 3 == 0:
                app.call("forget", id=stored)
            acknowledged.append(stored)

    threads = [threading.Thread(target=write) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        ends.set()
        for thread in threads:
            thread.join()


@pytest.fixture(scope="module")
def lived() -> Iterator[Lived]:
    with temporary_place() as place:
        folder = place / "data"
        folder.mkdir()
        port = free_port()
        archive = place / "archive.zip"
        with live_server(folder, PORT=str(port), MCP_RATE_LIMIT_PER_MINUTE="0") as server:
            app = ConnectedApp.connect(server.url, server.login)
            for text in ("Robin drinks coffee in the morning", "Robin plays the cello", "Ada lives in Porto"):
                app.call("remember", text=text)
            personal_token = server.run(PERSONAL_TOKEN).strip()
            hard_deleted = app.call("remember", text="Nobody should know this")["memory_id"]
            app.call("forget", id=hard_deleted, hard_delete=True)
            with writing(app) as acknowledged:
                while len(acknowledged) < WRITTEN_BEFORE:
                    time.sleep(0.05)
                before = len(acknowledged)
                server.manage("backup", str(archive))
                during = len(acknowledged)
                while len(acknowledged) == during:
                    time.sleep(0.05)
            state = Lived(
                archive=archive,
                port=port,
                login=server.login,
                app=app,
                personal_token=personal_token,
                best_match=best_match(app),
                hard_deleted=hard_deleted,
                acknowledged_before=before,
                written_after=len(acknowledged),
            )
        yield state


@pytest.fixture(scope="module")
def restored(lived: Lived) -> Iterator[Installation]:
    with temporary_place() as place:
        installation = Installation(place / "data", {"PORT": str(lived.port)})
        installation.manage("restore", lived.archive)
        yield installation


def test_what_was_written_meanwhile_is_inside_or_not_but_never_in_part(lived: Lived, restored: Installation) -> None:
    memories, journalled, forgotten, journalled_as_forgotten, no_vector, no_words = map(
        int, restored.sql(AGREEMENT).split("|")
    )
    assert memories == journalled == manifest_of(lived.archive)["rows"]["memories_memory"]
    assert forgotten == journalled_as_forgotten
    assert (no_vector, no_words) == (0, 0)
    assert lived.acknowledged_before + 3 <= memories < lived.written_after + 3


def test_apps_logins_searches_and_ids_go_on(lived: Lived, restored: Installation) -> None:
    with live_server(restored.folder, PORT=str(lived.port), MCP_RATE_LIMIT_PER_MINUTE="0") as server:
        assert "password" not in "".join(server.output)
        assert best_match(lived.app) == lived.best_match
        lived.app.refresh()
        assert lived.app.call("ping")
        assert call_tool(server.url, lived.personal_token, "count_memories")["count"] > 0
        assert best_match(ConnectedApp.connect(server.url, lived.login)) == lived.best_match
        assert lived.app.call("remember", text="Robin moved to Lisbon")["memory_id"] > lived.hard_deleted
