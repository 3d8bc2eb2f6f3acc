"""Tests of the page that renames, merges and deletes tags."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from memories.models import Memory, TagSynonym
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import (
    infer,
    make_access_token,
    make_app,
    make_expired,
    make_memory,
    make_user,
    owner_actor,
    quarantined,
)

PAGE = "/admin/tags/"


def body(response: object) -> str:
    return " ".join(response.content.decode().split())  # type: ignore[attr-defined]


def test_the_page_lists_tags_with_counts_and_synonyms(owner: User, pages: Client) -> None:
    make_memory(owner, "One", tags=("family",))
    make_memory(make_user(), "Theirs", tags=("strange",))
    page = body(pages.get(PAGE))
    assert 'value="family"' in page
    assert "also: fam, families, kin, relatives" in page
    assert "strange" not in page


def test_a_merge_shows_its_counts_first_and_is_undone_from_the_message(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    form = {"action": "merge", "tags": ["cat"], "into": "Cats", "keeps_synonyms": "on"}
    page = body(pages.post(PAGE, form))
    assert "Rename “cat” to “cats”?" in page
    assert "1 memory will be changed" in page
    assert Memory.objects.get(pk=memory.pk).tags == ["cat"]
    done = pages.post(PAGE, {**form, "confirm": "yes"}, follow=True)
    assert "Tags changed: 1 memory." in body(done)
    assert Memory.objects.get(pk=memory.pk).tags == ["cats"]
    undo = re.search(r'action="(/admin/undo/now/[^"]+)"', body(done))
    assert undo
    assert pages.post(unescape(undo[1]))["Location"] == PAGE
    assert Memory.objects.get(pk=memory.pk).tags == ["cat"]
    assert not TagSynonym.objects.filter(owner=owner, variant="cat").exists()


def test_the_preview_counts_as_the_list_does_and_names_the_rest(owner: User, pages: Client) -> None:
    for number in range(3):
        make_memory(owner, f"Cat {number}", tags=("cat",))
    make_expired(make_memory(owner, "A lost cat", tags=("cat",)))
    infer(quarantined(owner), "Maybe a cat", tags=("cat",))
    assert "3 memories" in body(pages.get(PAGE))
    form = {"action": "merge", "tags": ["cat"], "into": "cats"}
    rest = "more are forgotten, have expired or are in your inbox. They are changed, too, although the list of tags"
    assert f"3 memories will be changed. 2 {rest} does not count them." in body(pages.post(PAGE, form))
    forget_memory(owner_actor(owner), make_memory(owner, "A cat of old", tags=("cats",)).pk)
    page = body(pages.post(PAGE, {"action": "delete", "tags": ["cat", "cats"]}))
    assert f"The tags are removed from 3 memories. The memories stay. 3 {rest}" in page


def test_the_deletion_of_one_tag_is_no_renaming(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    page = body(pages.post(PAGE, {"action": "delete", "tags": ["cat"]}))
    assert "Delete “cat”?" in page
    assert "Rename" not in page
    pages.post(PAGE, {"action": "delete", "tags": ["cat"], "confirm": "yes"})
    assert Memory.objects.get(pk=memory.pk).tags == []


def test_a_merge_with_another_tag_is_no_renaming(owner: User, pages: Client) -> None:
    make_memory(owner, "One", tags=("cat",))
    make_memory(owner, "Two", tags=("pets",))
    page = body(pages.post(PAGE, {"action": "merge", "tags": ["cat"], "into": "pets"}))
    assert "Merge “cat” into “pets”?" in page


def test_several_tags_are_named_as_a_list_in_words(owner: User, pages: Client) -> None:
    make_memory(owner, "One", tags=("cat",))
    make_memory(owner, "Two", tags=("dog",))
    form = {"action": "merge", "tags": ["cat", "dog"], "into": "animal-friends", "keeps_synonyms": "on"}
    page = body(pages.post(PAGE, form))
    assert "Merge “cat” and “dog” into “animal-friends”?" in page
    assert "From now on, the tags “cat” and “dog” are stored as “animal-friends”." in page
    assert "Delete “cat” and “dog”?" in body(pages.post(PAGE, {"action": "delete", "tags": ["cat", "dog"]}))


def test_deleting_a_tag_is_marked_as_a_deletion_and_keeps_the_memories(owner: User, pages: Client) -> None:
    make_memory(owner, "One", tags=("cat",))
    page = body(pages.post(PAGE, {"action": "delete", "tags": ["cat"]}))
    assert "The tag is removed from 1 memory. The memories stay." in page
    assert '<button class="btn go bad" name="confirm"' in page


def test_the_preview_names_apps_that_would_see_other_memories(owner: User, pages: Client) -> None:
    make_memory(owner, "One", tags=("secret",))
    make_access_token(owner, app=make_app("Cursor"), tags=["home"])
    page = body(pages.post(PAGE, {"action": "merge", "tags": ["secret"], "into": "home"}))
    assert "Cursor is limited to home, and would see all memories and documents tagged home." in page
    make_memory(owner, "Two", tags=("home",))
    page = body(pages.post(PAGE, {"action": "delete", "tags": ["home"]}))
    assert "would no longer see the memories and documents tagged home" in page


def test_bad_input_is_explained_and_unknown_actions_are_not_found(owner: User, pages: Client) -> None:
    page = pages.post(PAGE, {"action": "merge", "tags": ["cat"], "into": ""}, follow=True)
    assert "into: a tag must have at least two letters or digits." in body(page)
    assert pages.post(PAGE, {"action": "explode"}).status_code == 404


def test_the_command_renames_lists_and_refuses(owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    call_command("tags", user=owner.username, rename=["cat", "cats"], dry_run=True)
    assert "Would change 1 active and 0 forgotten memories." in capsys.readouterr().out
    call_command("tags", user=owner.username, rename=["cat", "cats"])
    assert "manage.py undo --change-set" in capsys.readouterr().out
    assert Memory.objects.get(pk=memory.pk).tags == ["cats"]
    call_command("tags", user=owner.username)
    shown = capsys.readouterr().out
    assert "1 cats" in shown
    assert "cat → cats" in shown
    with pytest.raises(CommandError, match="No memory or document has the tag dogs"):
        call_command("tags", user=owner.username, delete=["dogs"])
