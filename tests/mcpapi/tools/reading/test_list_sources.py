"""Tests of `list_sources` and of `GET /tools/sources`, which lists the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.models import Document
from documents.sources.changes import change_source
from documents.sources.sync import sync
from memories.access import Actor, View
from memories.drafts import Draft
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.documents.sources.support import folder_source, make_source, write
from tests.documents.support import make_document
from tests.support.factories import Assistant, make_access_token, make_user
from tests.support.mcp.rest_client import RestClient


def test_the_built_in_sources_are_always_there(assistant: Assistant) -> None:
    assert assistant.call("list_sources")["sources"] == [
        {
            **{"name": "memory", "kind": "built-in", "configured": True, "healthy": True},
            "notes": "Active memories: 0.",
        },
        {
            **{"name": "documents", "kind": "built-in", "configured": True, "healthy": True},
            **{"notes": "Documents that were added one by one: 0.", "documents": 0},
        },
    ]


def test_a_source_is_listed_with_its_last_sync(assistant: Assistant, owner: User, tmp_path: Path) -> None:
    make_document(owner, name="other.md")
    source = folder_source(owner, tmp_path, tags=["home"])
    write(tmp_path, boat="The boat.", empty="")
    shown = assistant.call("list_sources")["sources"][2]
    assert (shown["notes"], shown["last_sync"], shown["documents"]) == ("Not synced yet.", None, 0)
    sync(source)
    _, added, shown = assistant.call("list_sources")["sources"]
    assert added["documents"] == 1
    assert (shown["name"], shown["kind"], shown["tags"], shown["paused"]) == ("notes", "folder", ["home"], False)
    assert (shown["configured"], shown["healthy"], shown["documents"]) == (True, True, 1)
    assert shown["notes"] == "Last sync: 1 added, 0 changed, 0 removed, 1 skipped, 0 unchanged."
    assert (shown["last_sync"]["added"], shown["last_sync"]["skipped_items"]) == (1, ["empty.md: It is empty."])
    assert shown["last_sync"]["started_at"] < shown["last_sync"]["finished_at"] < shown["next_sync_at"]
    change_source(source, is_paused=True)
    assert assistant.call("list_sources")["sources"][2]["notes"] == "Paused: it is only synced manually."


def test_a_failed_sync_and_lost_secrets_are_not_healthy(
    assistant: Assistant, owner: User, tmp_path: Path, settings: pytest.FixtureRequest
) -> None:
    sync(make_source(owner, "gone", path=str(tmp_path / "gone")))
    code = make_source(owner, "code", "git", url="https://git.example/x", token="sesame")
    type(code).objects.filter(pk=code.pk).update(encrypted_secrets="damaged")
    _, _, code_shown, gone = assistant.call("list_sources")["sources"]
    assert (code_shown["configured"], code_shown["healthy"]) == (False, False)
    assert (gone["configured"], gone["healthy"]) == (True, False)
    assert gone["notes"] == gone["last_sync"]["problem"] != ""


def test_secrets_and_settings_are_never_shown(assistant: Assistant, owner: User) -> None:
    make_source(owner, "code", "git", url="https://git.example/x", token="sesame")
    shown = str(assistant.call("list_sources"))
    assert "sesame" not in shown
    assert "git.example" not in shown


def test_an_app_limited_to_tags_sees_sources_of_these_tags_without_numbers_of_other_documents(
    owner: User, tmp_path: Path
) -> None:
    home, work = (folder_source(owner, tmp_path / tag, tag, tags=[tag]) for tag in ("home", "work"))
    write(tmp_path / "home", boat="The boat.", tea="Tea.", empty="")
    sync(home)
    sync(work)
    Document.objects.filter(source_key="tea.md").update(tags=["work"])
    limited = Assistant.of(owner, tags=("home",))
    assert limited.call("list_sources")["sources"][2:] == [
        {
            **{"name": "home", "kind": "folder", "configured": True, "healthy": True},
            **{"notes": None, "documents": 1},
        }
    ]


def test_sources_of_other_owners_do_not_exist(assistant: Assistant, tmp_path: Path) -> None:
    folder_source(make_user(), tmp_path)
    assert len(assistant.call("list_sources")["sources"]) == 2


def test_forgotten_documents_and_those_of_other_tags_are_not_counted(owner: User) -> None:
    make_document(owner, tags=("home",))
    make_document(owner, "Another.", tags=("work",))
    remember(Actor(View.whole(owner.pk), "x"), RememberRequest(Draft("Tea", tags=("work",))))
    limited = Assistant.of(owner, tags=("home",)).call("list_sources")["sources"]
    assert [source["notes"] for source in limited] == [
        "Active memories: 0.",
        "Documents that were added one by one: 1.",
    ]


def test_plain_http_lists_the_same_sources_with_four_fields(owner: User, tmp_path: Path) -> None:
    folder_source(owner, tmp_path)
    client = RestClient(make_access_token(owner))
    assert client.get("/tools/sources")["sources"][2] == {
        **{"name": "notes", "configured": True, "healthy": True},
        "notes": "Not synced yet.",
    }
