"""Tests of the tool that manages tags."""

from __future__ import annotations

from oauthserver.models import User
from tests.support.factories import Assistant, make_memory


def test_tags_are_merged_after_a_dry_run_and_undone(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "One", tags=("cat",))
    arguments = {"action": "merge", "tags": ["cat"], "into": "cats"}
    planned = assistant.call("manage_tags", **arguments, dry_run=True)
    assert (planned["memories"], planned["change_set"]) == (1, None)
    done = assistant.call("manage_tags", **arguments)
    assert (done["memories"], done["synonyms"]) == (1, ["cat"])
    assert assistant.call("list_tags")["tags"] == [{"tag": "cats", "count": 1}]
    undone = assistant.call("undo", change_set=done["change_set"])
    assert (len(undone["restored"]), undone["synonyms"]) == (1, 1)
    assert assistant.call("list_tags")["tags"] == [{"tag": "cat", "count": 1}]


def test_synonyms_are_added_and_removed(assistant: Assistant) -> None:
    assert assistant.call("manage_tags", action="add_synonym", tags=["kitty"], into="cats")["synonyms"] == ["kitty"]
    stored = assistant.call("remember", text="Mochi purrs", tags=["kitty"])["memory_id"]
    assert assistant.call("get_memory", id=stored)["memory"]["tags"] == ["cats"]
    assert assistant.call("manage_tags", action="remove_synonym", tags=["kitty"])["ok"]


def test_each_action_names_the_argument_that_is_wrong(assistant: Assistant) -> None:
    assert assistant.error_of("manage_tags", action="merge", tags=["cat"])["message"].startswith("into: is required")
    assert assistant.error_of("manage_tags", action="delete", tags=["cat"], into="x1")["message"].startswith("into:")
    two = assistant.error_of("manage_tags", action="rename", tags=["cat", "dog"], into="pets")
    assert two["message"] == "tags: rename takes exactly one tag."
    assert assistant.error_of("manage_tags", action="delete", tags=["cat"])["code"] == "NOT_FOUND"


def test_an_app_limited_to_tags_is_refused(owner: User) -> None:
    make_memory(owner, "One", tags=("cat",))
    limited = Assistant.of(owner, tags=["home"])
    assert limited.error_of("manage_tags", action="delete", tags=["cat"])["message"].startswith("action: This app")
