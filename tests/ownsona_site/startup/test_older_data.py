"""A start on the data folder of an earlier version, without manual steps."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ownsona_site.backup.programs import load
from ownsona_site.embedded_postgres.cluster import DATABASE_NAME, SUPERUSER
from ownsona_site.embedded_postgres.server import Server
from tests.support.live_server import ROOT, LiveServer, live_server

OLDER = ROOT / "tests" / "fixtures" / "data_folder"
PERSONAL_TOKEN = "ownsona_XjvtBHexre58Ee6OO-WQ-25V5xH9OO22JswTQHu2m54"
SIGNING_KEY_ID = "bEre1Ysu878CtSVEwua89lUnSkVwU43yeuT0TC_Qcak"
LOGIN = {"username": "ada", "password": "a long password of 2026"}


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """The current version on the older data."""
    folder = Path(tempfile.mkdtemp(prefix="ownsona-older-"))
    folder.chmod(0o755)  # Under root, PostgreSQL runs as another user.
    shutil.copy(OLDER / "secret_key", folder)
    (folder / "secret_key").chmod(0o600)
    database = Server(folder)
    database.use()
    try:
        place = {"host": str(database.socket), "user": SUPERUSER, "dbname": DATABASE_NAME}
        load(place, [(OLDER / "database.dump").read_bytes()])
    finally:
        database.release()
    with live_server(folder) as running:
        yield running
    shutil.rmtree(folder)


def call(server: LiveServer, tool: str, **arguments: object) -> dict[str, Any]:
    """Return the result of a tool, called with the personal token of the older version."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    response = httpx.post(f"{server.url}/mcp", json=message, headers={"Authorization": f"Bearer {PERSONAL_TOKEN}"})
    result: dict[str, Any] = response.json()["result"]["structuredContent"]
    return result


def test_memories_are_found_with_a_token_of_the_older_version(server: LiveServer) -> None:
    (first, *_) = call(server, "recall", query="What is my dog called?")["matches"]
    assert (first["text"], first["tags"], first["importance"]) == ("My dog is called Mochi", ["pets"], 0.9)


def test_corrections_and_tombstones_are_kept(server: LiveServer) -> None:
    assert call(server, "get_memory", id=3)["memory"]["text"] == "My phone is a Fairphone 5"
    assert call(server, "get_memory", id=4)["memory"]["deleted_at"] is not None


def test_tag_synonyms_are_kept_and_new_memories_can_be_stored(server: LiveServer) -> None:
    stored = call(server, "remember", text="My cat is called Nori", tags=["animals"])
    assert call(server, "get_memory", id=stored["memory_id"])["memory"]["tags"] == ["pets"]


def test_the_owner_logs_in_with_the_older_password(server: LiveServer) -> None:
    with httpx.Client(base_url=server.url, follow_redirects=True) as browser:
        browser.get("/login/")
        form = {**LOGIN, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        browser.post("/login/", data=form, headers={"Referer": f"{server.url}/login/"})
        assert "Good morning" in browser.get("/admin/mcpapi/ownprompt/").text
        assert "Nokia" in browser.get("/admin/memories/memory/3/change/").text


def test_tokens_that_were_signed_before_the_update_stay_valid(server: LiveServer) -> None:
    published = httpx.get(f"{server.url}/oauth/jwks").json()["keys"]
    assert SIGNING_KEY_ID in [key["kid"] for key in published]


def test_health_reports_no_problem(server: LiveServer) -> None:
    response = httpx.get(f"{server.url}/health")
    assert response.status_code == 200, response.text
