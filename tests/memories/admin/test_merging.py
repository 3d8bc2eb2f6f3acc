"""Tests of merging selected memories on a page."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from memories.models import JournalEntry, Memory
from memories.writing.lifecycle import forget_memory
from memories.writing.merging import MAX_MERGED
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, actor_for, make_memory, make_user

LIST = "/admin/memories/memory/"
MERGE = f"{LIST}merge/"


def press(pages: Client, *memories: Memory | int) -> str:
    """Press "Merge" for the selected memories, and return the page that comes next."""
    ids = [memory if isinstance(memory, int) else memory.pk for memory in memories]
    response = pages.post(LIST, {"do": "merge", "_selected_action": ids}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_selected_memories_become_one_and_come_back_by_undo(owner: User, pages: Client) -> None:
    older = make_memory(owner, "Mochi is a <b>dog</b>.", tags=("pets",), importance=0.9)
    newer = make_memory(owner, "Mochi is brown.", tags=("home",))
    page = press(pages, older, newer)
    assert ">\nMochi is a &lt;b&gt;dog&lt;/b&gt;.</textarea>" in page
    response = pages.post(MERGE, {"id": [older.pk, newer.pk], "text": "Mochi is a brown dog."}, follow=True)
    assert "Merged." in response.content.decode()
    merged = Memory.objects.active().get(owner=owner)
    assert (merged.text, sorted(merged.tags), merged.importance) == ("Mochi is a brown dog.", ["home", "pets"], 0.9)
    older.refresh_from_db()
    assert older.replaced_by_id == merged.pk
    entry = JournalEntry.objects.filter(memory_id=older.pk).latest("pk")
    pages.post(f"/admin/undo/now/?{urlencode({'change_set': entry.change_set})}")
    assert set(Memory.objects.active().filter(owner=owner)) == {older, newer}


@pytest.mark.parametrize(
    ("older", "newer", "proposed"),
    [
        ("Robin takes oat milk in the coffee, never sugar", "Robin drinks oat milk in coffee", 0),
        ("Robin drinks oat milk in coffee", "Robin takes oat milk in the coffee, never sugar", 1),
        ("The dentist is on Monday.", "The dentist is at 10:30.", 1),
        ("Robin lives in Berlin, with a dog and two cats.", "Robin lives in Hamburg.", 1),
    ],
)
def test_the_text_that_says_most_and_is_not_outdated_is_proposed(
    owner: User, pages: Client, older: str, newer: str, proposed: int
) -> None:
    page = press(pages, make_memory(owner, older), make_memory(owner, newer))
    assert f">\n{(older, newer)[proposed]}</textarea>" in page


def test_both_texts_are_used_with_a_button(owner: User, pages: Client) -> None:
    older, newer = make_memory(owner, "Mochi is a <b>dog</b>."), make_memory(owner, "Mochi is brown.")
    both = "Mochi is brown. Mochi is a &lt;b&gt;dog&lt;/b&gt;."
    page = press(pages, older, newer)
    assert f'data-text="{both}">Use both texts</button>' in page
    sent = {"id": [older.pk, newer.pk], "text": "", "use": "all"}
    assert f">\n{both}</textarea>" in pages.post(MERGE, sent).content.decode()
    assert "Use all texts" in press(pages, older, newer, make_memory(owner, "Mochi is four."))


def test_two_texts_become_sentences_and_lists_keep_their_lines(owner: User, pages: Client) -> None:
    plain = [make_memory(owner, "Mochi is a dog"), make_memory(owner, "Mochi is brown")]
    assert 'data-text="Mochi is brown. Mochi is a dog">' in press(pages, *plain)
    lists = [make_memory(owner, "Mochi likes\n- tea"), make_memory(owner, "Mochi likes\n- rain")]
    assert 'data-text="Mochi likes\n- rain\nMochi likes\n- tea">' in press(pages, *lists)


def test_the_page_of_a_merged_memory_leads_to_the_new_one(owner: User, pages: Client) -> None:
    older, newer = make_memory(owner, "Mochi is a dog."), make_memory(owner, "Mochi is brown.")
    path = f"{LIST}{older.pk}/change/"
    sent = {"id": [older.pk, newer.pk], "text": "Mochi is a brown dog.", "back": path}
    response = pages.post(MERGE, sent)
    merged = Memory.objects.active().get(owner=owner)
    assert response["Location"] == f"{LIST}{merged.pk}/change/"
    assert f"back={quote(path, safe='')}" in pages.get(response["Location"]).content.decode()


def test_what_is_contained_in_another_text_is_proposed_once(owner: User, pages: Client) -> None:
    first = make_memory(owner, "mochi is a dog")
    second = make_memory(owner, "Mochi is a dog, and she is brown.")
    assert ">\nMochi is a dog, and she is brown.</textarea>" in press(pages, first, second)


def test_the_text_of_one_memory_is_used_with_a_button(owner: User, pages: Client) -> None:
    older, newer = make_memory(owner, "Mochi is a <b>dog</b>."), make_memory(owner, "Mochi is brown.")
    assert "Use this text: Mochi is a &lt;b&gt;dog&lt;/b&gt;." in press(pages, older, newer)
    sent = {"id": [older.pk, newer.pk], "text": "", "use": older.pk}
    assert ">\nMochi is a &lt;b&gt;dog&lt;/b&gt;.</textarea>" in pages.post(MERGE, sent).content.decode()
    assert set(Memory.objects.active().filter(owner=owner)) == {older, newer}


def test_the_button_of_a_memory_that_is_gone_merges_nothing(owner: User, pages: Client) -> None:
    kept = [make_memory(owner, f"Mochi is a dog, said {number} times.") for number in range(2)]
    gone = make_memory(owner, "Mochi is brown.")
    forget_memory(actor_for(owner), gone.pk)
    response = pages.post(MERGE, {"id": [each.pk for each in [*kept, gone]], "text": "Mochi", "use": gone.pk})
    assert "Mochi is a dog" in response.content.decode()
    assert set(Memory.objects.active().filter(owner=owner)) == set(kept)


@pytest.mark.parametrize("number", [1, MAX_MERGED + 1])
def test_too_few_or_too_many_are_refused(owner: User, pages: Client, number: int) -> None:
    ids = list(range(1, number + 1))
    assert f"Select 2 to {MAX_MERGED} active memories to merge." in press(pages, *ids)


def test_memories_that_are_gone_or_of_others_are_left_out(owner: User, pages: Client) -> None:
    kept, gone = make_memory(owner, "I play the cello"), make_memory(owner, "I play the flute")
    foreign = make_memory(make_user("other"), "I play the drums")
    forget_memory(actor_for(owner), gone.pk)
    page = press(pages, kept, gone, foreign)
    assert "Select 2 to" in page
    assert "drums" not in page
    pages.post(MERGE, {"id": [kept.pk, foreign.pk], "text": "We play"})
    assert not Memory.objects.filter(text="We play").exists()


@pytest.mark.parametrize("text", ["", "   ", "x" * 200_000, "a\0b"])
def test_a_text_that_cannot_be_stored_is_refused_beside_the_field(owner: User, pages: Client, text: str) -> None:
    ids = [make_memory(owner, f"fact {number}").pk for number in range(2)]
    response = pages.post(MERGE, {"id": ids, "text": text})
    assert response.status_code == 200
    assert 'id="id_text_error"' in response.content.decode()
    assert Memory.objects.active().filter(owner=owner).count() == 2


def test_a_text_that_another_memory_has_is_refused(owner: User, pages: Client) -> None:
    make_memory(owner, "taken")
    ids = [make_memory(owner, f"fact {number}").pk for number in range(2)]
    assert "already has the text" in pages.post(MERGE, {"id": ids, "text": "Taken"}).content.decode()


def sent_ids(page: str) -> list[str]:
    """Return what the form of the page sends for its memories."""
    return re.findall(r'name="id" value="([^"]*)"', page)


def test_what_was_changed_meanwhile_is_not_overwritten(owner: User, pages: Client) -> None:
    boiler, copy = make_memory(owner, "Our boiler is a Vaillant."), make_memory(owner, "The boiler is a Vaillant.")
    ids = sent_ids(press(pages, boiler, copy))
    update_memory(actor_for(owner), boiler.pk, MemoryUpdate(text="Our boiler is a Vaillant, serviced by Kwame."))
    conflict = pages.post(MERGE, {"id": ids, "text": "Our boiler is a Vaillant."}).content.decode()
    assert "A memory was changed after you opened this page. Nothing was merged." in conflict
    assert ">\nOur boiler is a Vaillant.</textarea>" in conflict
    assert "Our boiler is a Vaillant, serviced by Kwame.</a>" in conflict
    assert Memory.objects.active().filter(owner=owner).count() == 2
    response = pages.post(MERGE, {"id": sent_ids(conflict), "text": "Our boiler is a Vaillant."}, follow=True)
    assert "Merged." in response.content.decode()
    assert Memory.objects.active().get(owner=owner).text == "Our boiler is a Vaillant."


def test_the_button_for_a_text_does_not_hide_a_change(owner: User, pages: Client) -> None:
    first, second = make_memory(owner, "Mochi is a dog."), make_memory(owner, "Mochi is brown.")
    ids = sent_ids(press(pages, first, second))
    update_memory(actor_for(owner), second.pk, MemoryUpdate(text="Mochi is black."))
    page = pages.post(MERGE, {"id": ids, "text": "", "use": first.pk}).content.decode()
    refused = pages.post(MERGE, {"id": sent_ids(page), "text": "Mochi is a dog."}).content.decode()
    assert "Nothing was merged." in refused


@pytest.mark.parametrize("value", ["1-", "1-xyz", "x-0123456789abcdef"])
def test_a_made_up_id_is_not_found(owner: User, pages: Client, value: str) -> None:
    assert pages.post(MERGE, {"id": ["1", value], "text": "Mochi"}).status_code == 404


def test_it_requires_a_login(db: None) -> None:
    response = Client(headers={"host": HOST}).get(f"{MERGE}?{urlencode({'id': 1})}")
    assert response.status_code == 302
    assert "/login/" in response["Location"]
