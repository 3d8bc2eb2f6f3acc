"""Tests of forgetting, restoring, confirming and hard deleting memories."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from memories.admin.history import history_of
from memories.admin.review.decisions import DECISIONS, Decision
from memories.admin.seen_texts import seen_id
from memories.models import CleanupFinding, JournalEntry, Memory, MemoryVector
from memories.writing.lifecycle import forget_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, actor_for, make_memory, make_user
from tests.support.toasts import press_undo

LIST = "/admin/memories/memory/"


def page_for(decision: str, *memories: Memory) -> str:
    return f"{LIST}{decision}/?ids={','.join(str(memory.pk) for memory in memories)}"


def test_forgetting_keeps_the_reason(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assert "The cat is called Mimi." in pages.get(page_for("forget", memory)).content.decode()

    pages.post(page_for("forget", memory), {"reason": "It moved out."})
    memory.refresh_from_db()
    assert memory.deleted_at is not None
    assert memory.forget_reason == "It moved out."
    entry = JournalEntry.objects.latest("id")
    assert (entry.operation, entry.client) == ("forget", "admin")


def test_a_forgotten_memory_can_be_restored(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    forget_memory(actor_for(owner), memory.pk)
    pages.post(page_for("restore", memory))
    memory.refresh_from_db()
    assert memory.deleted_at is None


def test_the_history_of_a_restored_memory_does_not_list_what_it_is_no_more(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    forget_memory(actor_for(owner), memory.pk, reason="It ran away.")
    pages.post(page_for("restore", memory))
    restored, forgotten, _ = history_of(owner.pk, memory.pk)
    assert (restored.operation, restored.changes) == ("Restored", [])
    assert [change.label for change in forgotten.changes] == ["Forgotten", "Reason"]


def test_restoring_what_is_in_force_again_says_so(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    forget_memory(actor_for(owner), memory.pk)
    twin = make_memory(owner, "The cat is called Mimi.")
    response = pages.post(page_for("restore", memory), follow=True)
    assert f"memory {twin.pk} already has this text" in response.content.decode()
    memory.refresh_from_db()
    assert memory.deleted_at is not None


def test_confirming_moves_the_time_of_confirmation(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.", last_confirmed_at=timezone.now() - timedelta(days=9))
    pages.post(page_for("confirm", memory))
    memory.refresh_from_db()
    assert memory.last_confirmed_at > timezone.now() - timedelta(minutes=1)


def test_many_are_chosen_in_the_list_and_forgotten_at_once_with_undo(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Fact {number}.") for number in range(3)]
    chosen = {"do": "forget", "_selected_action": [memory.pk for memory in memories[:2]], "back": f"{LIST}?q=Fact"}
    response = pages.post(LIST, chosen, follow=True)

    assert response.redirect_chain == [(f"{LIST}?q=Fact", 302)]
    assert set(Memory.objects.forgotten().values_list("pk", flat=True)) == {memory.pk for memory in memories[:2]}
    assert JournalEntry.objects.filter(operation="forget").values("change_set").distinct().count() == 1
    page = response.content.decode()
    assert "2 memories forgotten." in page
    undo = re.search(r'action="(/admin/undo/now/[^"]*)"', page)
    assert undo is not None
    undone = pages.post(html.unescape(undo[1]), follow=True)
    assert "Undone: 2 memories." in undone.content.decode()
    assert undone.redirect_chain[-1][0] == f"{LIST}?q=Fact"
    assert not Memory.objects.forgotten().exists()
    assert "Redone: 2 memories." in press_undo(pages, undone.content.decode())
    assert Memory.objects.forgotten().count() == 2


def test_many_get_a_tag_at_once(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Fact {number}.", tags=("old",)) for number in range(2)]
    chosen = {"do": "tag", "tag": "Garden", "_selected_action": [memory.pk for memory in memories]}
    assert "2 memories tagged “Garden”." in pages.post(LIST, chosen, follow=True).content.decode()
    assert [memory.tags for memory in Memory.objects.order_by("pk")] == [["old", "garden"]] * 2
    assert JournalEntry.objects.filter(operation="update").values("change_set").distinct().count() == 1


def test_a_tag_that_is_missing_or_no_memory_selected_is_said(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Fact.")
    without_tag = pages.post(LIST, {"do": "tag", "tag": " ", "_selected_action": [memory.pk]}, follow=True)
    assert "Type the tag to add." in without_tag.content.decode()
    assert "Select at least one memory first." in pages.post(LIST, {"do": "forget"}, follow=True).content.decode()
    assert JournalEntry.objects.count() == 1


def test_actions_of_the_list_never_reach_the_memories_of_another(owner: User, pages: Client) -> None:
    memory = make_memory(make_user(), "Somebody else's cat.", tags=("old",))
    for sent in (
        {"forget": memory.pk},
        {"do": "forget", "_selected_action": [memory.pk]},
        {"do": "tag", "tag": "mine", "_selected_action": [memory.pk]},
        {"do": "pin", "_selected_action": [memory.pk]},
        {"do": "keep_first", "first": make_memory(owner, "Mine.").pk, "second": memory.pk},
    ):
        assert "There is no memory" in pages.post(LIST, sent, follow=True).content.decode(), sent
    memory.refresh_from_db()
    assert (memory.deleted_at, memory.tags, memory.briefing_place) == (None, ["old"], None)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"forget": "x"}, 404),
        ({"do": "nonsense", "_selected_action": ["1"]}, 400),
        ({"do": "forget", "_selected_action": [str(number) for number in range(1, 1100)]}, 400),
        ({"do": "keep_first", "first": "1", "second": "x"}, 404),
    ],
)
def test_an_action_that_no_page_sends_is_refused(pages: Client, sent: dict[str, object], status: int) -> None:
    assert pages.post(LIST, sent).status_code == status


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"])
def test_an_action_leads_back_to_this_site_only(owner: User, pages: Client, back: str) -> None:
    memory = make_memory(owner, "Fact.")
    assert pages.post(LIST, {"forget": memory.pk, "back": back})["Location"] == LIST
    change_set = JournalEntry.objects.latest("id").change_set
    response = pages.post("/admin/undo/now/", {"back": back}, query_params={"change_set": str(change_set)})
    assert response["Location"] == "/admin/"


def test_undoing_at_once_needs_a_post_and_changes_of_ones_own(owner: User, pages: Client) -> None:
    make_memory(make_user(), "Somebody else's cat.")
    change_set = JournalEntry.objects.latest("id").change_set
    url = f"/admin/undo/now/?change_set={change_set}"
    assert pages.get(url).status_code == 405
    assert "There are no such changes." in pages.post(url, follow=True).content.decode()
    assert pages.post("/admin/undo/now/").status_code == 404
    assert not Memory.objects.forgotten().exists()


@pytest.mark.parametrize("decision", ["forget", "restore", "confirm"])
def test_looking_at_a_decision_changes_nothing(owner: User, pages: Client, decision: str) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assert pages.get(page_for(decision, memory)).status_code == 200
    assert JournalEntry.objects.count() == 1


@pytest.mark.parametrize("decision", ["forget", "restore", "confirm"])
def test_nobody_decides_about_the_memories_of_another(pages: Client, decision: str) -> None:
    memory = make_memory(make_user(), "Somebody else's cat.")
    assert pages.get(page_for(decision, memory)).status_code == 404
    assert pages.post(page_for(decision, memory)).status_code == 404
    assert JournalEntry.objects.count() == 1


@pytest.mark.parametrize("ids", ["", "x", "1,", "-1", "9" * 30, "\u0663", "1," * 500 + "1"])
def test_ids_that_are_none_are_not_found(pages: Client, ids: str) -> None:
    assert pages.get(f"{LIST}forget/", {"ids": ids}).status_code == 404


@pytest.mark.parametrize("chosen", [["x"], ["9" * 30], ["1.5"], ["\x00"]])
def test_a_choice_that_is_none_is_refused(pages: Client, chosen: list[str]) -> None:
    response = pages.post(LIST, {"action": "forget", "_selected_action": chosen}, follow=True)
    assert response.status_code in {200, 400, 404}


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("My key is ghp_" + "a" * 36, "a GitHub token"),
        ("x" * 3000, "at most 2,000"),
        ("half\x00way", "Null characters"),
    ],
)
def test_a_bad_reason_is_refused_beside_its_field(owner: User, pages: Client, reason: str, said: str) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    response = pages.post(page_for("forget", memory), {"reason": reason})
    assert said in " ".join(response.context["form"].errors["reason"])
    memory.refresh_from_db()
    assert memory.deleted_at is None


def test_a_decision_needs_the_token_of_its_own_form(owner: User) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    client = Client(enforce_csrf_checks=True, headers={"host": HOST})
    client.force_login(owner)
    assert client.post(page_for("forget", memory)).status_code == 403


def test_deleting_for_good_asks_first(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    page = pages.get(f"{LIST}{memory.pk}/delete/").content.decode()
    assert "cannot be undone" in page
    assert Memory.objects.filter(pk=memory.pk).exists()


def test_deleting_for_good_leaves_no_trace_of_the_text_in_any_table(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Quetzalcoatl.")
    pages.post(f"{LIST}{memory.pk}/delete/", {"post": "yes"}, follow=True)

    assert not MemoryVector.objects.filter(memory_id=memory.pk).exists()
    assert JournalEntry.objects.get(memory_id=memory.pk).operation == "hard_delete"
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}" AS row WHERE row::text ILIKE %s', ["%quetzalcoatl%"])
            assert cursor.fetchone() == (0,), table


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_the_question_speaks_of_one_memory_or_of_several(owner: User, pages: Client, decision: Decision) -> None:
    memories = [make_memory(owner, f"Fact {number}.") for number in range(2)]
    for chosen, title in ((memories[:1], "this memory?"), (memories, "2 memories?")):
        page = html.unescape(pages.get(page_for(decision.name, *chosen)).content.decode())
        assert f"{decision.verb} {title}" in page
        said = decision.explained(len(chosen))
        assert f">{said}</p>" in page
        speaks_of_one = {"it", "its", "It"} & set(re.findall(r"\w+", said.partition("To remove every trace")[0]))
        assert bool(speaks_of_one) is (len(chosen) == 1)


def test_several_memories_are_active_again_when_they_are_restored(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Fact {number}.") for number in range(5)]
    for memory in memories:
        forget_memory(actor_for(owner), memory.pk)
    page = pages.get(page_for("restore", *memories)).content.decode()
    assert "Restore 5 memories?" in page
    assert "They will be active again, as they were before they were forgotten." in page


CHANGED = "This memory was changed after you saw it, so nothing was done. Now it says: “The kiln fires at 70 degrees.”"


def value_in(page: str, name: str) -> str:
    """Return the value that the first field or button with this name sends."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("on_its_page", [True, False])
@pytest.mark.parametrize("button", ["confirm", "pin", "forget", "row"])
def test_a_text_that_the_owner_has_not_seen_is_not_decided_about(
    owner: User, pages: Client, button: str, on_its_page: bool
) -> None:
    memory = make_memory(owner, "The kiln fires at 55 degrees.", last_confirmed_at=timezone.now() - timedelta(days=9))
    path = f"{LIST}{memory.pk}/change/" if on_its_page else LIST
    page = pages.get(path).content.decode()
    update = MemoryUpdate(text="The kiln fires at 70 degrees.", last_confirmed_at=memory.last_confirmed_at)
    update_memory(actor_for(owner), memory.pk, update)
    if button == "row":
        sent = {"forget": value_in(page, "forget")}
    else:
        sent = {"do": button, "_selected_action": value_in(page, "_selected_action")}
    response = pages.post(LIST, {**sent, "back": path}, follow=True)
    assert CHANGED in html.unescape(response.content.decode())
    now = Memory.objects.get()
    assert (now.deleted_at, now.last_confirmed_at, now.briefing_place) == (None, memory.last_confirmed_at, None)
    page = response.content.decode()
    again = pages.post(LIST, {"do": "confirm", "_selected_action": value_in(page, "_selected_action")}, follow=True)
    assert "Confirmed." in again.content.decode()


def test_others_that_were_selected_are_forgotten(owner: User, pages: Client) -> None:
    kept, gone = make_memory(owner, "The kiln fires at 55 degrees."), make_memory(owner, "The kiln is blue.")
    ids = re.findall(r'name="_selected_action" value="([^"]*)"', pages.get(LIST).content.decode())
    update_memory(actor_for(owner), kept.pk, MemoryUpdate(text="The kiln fires at 70 degrees."))
    page = pages.post(LIST, {"do": "forget", "_selected_action": ids}, follow=True).content.decode()
    assert "1 memory forgotten." in page
    assert CHANGED in html.unescape(page)
    assert Memory.objects.forgotten().get() == gone


def test_forgetting_with_a_reason_forgets_only_the_text_of_the_page(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The kiln fires at 55 degrees.")
    path = page_for("forget", memory)
    seen = value_in(pages.get(path).content.decode(), "seen")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="The kiln fires at 70 degrees."))
    page = pages.post(path, {"reason": "Sold.", "seen": seen}, follow=True).content.decode()
    assert CHANGED in html.unescape(page)
    assert not Memory.objects.forgotten().exists()


@pytest.mark.parametrize("button", ["keep_first", "keep_second", "keep_both"])
def test_which_is_true_is_asked_again_about_a_new_text(owner: User, pages: Client, button: str) -> None:
    first, second = make_memory(owner, "The kiln fires at 55 degrees."), make_memory(owner, "The kiln fires at 60.")
    update_memory(actor_for(owner), first.pk, MemoryUpdate(text="The kiln fires at 70 degrees."))
    sent = {"do": button, "first": seen_id(first), "second": seen_id(second)}
    assert CHANGED in html.unescape(pages.post(LIST, sent, follow=True).content.decode())
    assert not Memory.objects.forgotten().exists()
    assert not CleanupFinding.objects.exists()
