"""Tests of the inbox: showing and deciding about the inferences of apps."""

from __future__ import annotations

import html
import re
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.access import View
from memories.admin.base import acting_owner
from memories.admin.page_timestamps import SEEN_AT, seen_at_now
from memories.models import JournalEntry, Memory
from memories.writing.lifecycle import forget_memory, restore_memory
from memories.writing.quarantine import inbox, reject_memories, rejected_among
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, actor_for, infer, make_app, make_memory, make_user, quarantined
from tests.support.toasts import press_undo

INBOX = "/admin/inbox/"
LIST = "/admin/memories/memory/"
NOW = "2026-05-17T10:00:00.123456+00:00"
MEETING = "We meet the whole team at the office every single Monday morning"


def shown(pages: Client, address: str = INBOX) -> str:
    response = pages.get(address)
    assert response.status_code == 200
    return response.content.decode()


def decide(pages: Client, address: str = INBOX, **posted: object) -> str:
    """Press a button of a page loaded now. Return the page after it."""
    return pages.post(address, {SEEN_AT: seen_at_now(), **posted}, follow=True).content.decode()


def page_about_all(pages: Client, decision: str) -> str:
    """Return the address of the page that asks about everything from the app "guesser" that is in the inbox now."""
    (link,) = re.findall(rf'href="([^"]*{decision}-all[^"]*)"', shown(pages, f"{INBOX}?app=guesser"))
    return html.unescape(link)


def guess(owner: User, text: str, client: str = "guesser") -> Memory:
    return Memory.objects.get(pk=infer(quarantined(owner, client=client), text).memory_id)


def waiting(owner: User) -> list[str]:
    return [memory.text for memory in inbox(View.whole(owner.pk))]


def states(*memories: Memory) -> list[tuple[bool, bool]]:
    """Return for each memory whether it is still quarantined and whether it is forgotten."""
    for memory in memories:
        memory.refresh_from_db()
    return [(memory.quarantined_from is not None, memory.deleted_at is not None) for memory in memories]


def test_an_empty_inbox_says_how_something_comes_into_it(pages: Client) -> None:
    assert "Your inbox is empty" in shown(pages)
    assert "go to your inbox first” on the page of an app" in shown(pages)
    assert 'class="badge"' not in shown(pages, "/admin/")


def test_what_waits_is_shown_with_its_app_and_counted_in_the_menu_and_on_the_overview(
    owner: User, pages: Client
) -> None:
    app = make_app("Notebook <b>")
    infer(quarantined(owner, client=app.client_id), "Robin may like <i>jazz</i>", tags=("music",))
    page = shown(pages)
    assert "Robin may like &lt;i&gt;jazz&lt;/i&gt;" in page
    assert "<span>Notebook &lt;b&gt;</span><time" in page
    assert "<span>music</span>" in page
    overview = shown(pages, "/admin/")
    assert '<span class="badge">1<span class="sr"> to decide</span></span>' in overview
    assert "1 new memory in your inbox" in overview
    assert "Notebook &lt;b&gt; inferred 1 memory. No app uses it yet." in overview


def test_what_is_known_already_stands_beside_it(owner: User, pages: Client) -> None:
    known = make_memory(owner, f"{MEETING} now")
    gone = make_memory(owner, f"{MEETING} again")
    forget_memory(actor_for(owner), gone.pk, reason="We never did.")
    guess(owner, MEETING)
    page = " ".join(shown(pages).split())
    assert f'You already have something like it: <a dir="auto" href="{LIST}{known.pk}/change/">{known.text}</a>' in page
    assert f"{gone.text}</a> (<bdi>We never did.</bdi>)" in page
    assert "You forgot something like it" in page


def test_what_was_rejected_is_told_from_what_was_forgotten(owner: User, pages: Client) -> None:
    first = guess(owner, f"{MEETING} again")
    decide(pages, f"{LIST}reject/?ids={first.pk}", reason="")
    guess(owner, MEETING)
    assert "You did not keep something like it" in shown(pages)
    typed = {"text": f"{MEETING} now", "tags": "", "importance": "0.5"}
    added = pages.post(f"{LIST}add/", typed, follow=True).content.decode()
    assert f'You did not keep something very similar: <a href="{LIST}{first.pk}/change/">' in added


def test_every_page_says_forgotten_of_what_was_not_kept(owner: User, pages: Client) -> None:
    jazz, blues = guess(owner, "Robin may like jazz"), make_memory(owner, "Robin likes blues")
    actor = acting_owner(owner.pk)
    reject_memories(actor, [jazz.pk])
    forget_memory(actor, blues.pk)
    journal = "/admin/memories/journalentry/"
    assert "You forgot 2 memories" in pages.get(journal).content.decode()
    assert "You forgot 2 memories" in pages.get(f"{journal}?kind=forgot").content.decode()
    memory = f"{LIST}{jazz.pk}/change/"
    for path in (journal, memory, f"/admin/versions/?memory={jazz.pk}", f"{LIST}?q=is:forgotten"):
        page = pages.get(path).content.decode().lower()
        assert "forg" in page, path
        assert "reject" not in page.replace('value="reject', ""), path


def test_what_was_restored_after_a_rejection_and_then_forgotten_counts_as_forgotten(owner: User) -> None:
    first, second = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    actor = acting_owner(owner.pk)
    reject_memories(actor, [first.pk, second.pk])
    assert rejected_among(actor.view, [first.pk, second.pk]) == {first.pk, second.pk}
    restore_memory(actor, first.pk)
    forget_memory(actor, first.pk)
    assert rejected_among(actor.view, [first.pk, second.pk]) == {second.pk}
    assert rejected_among(View.whole(make_user().pk), [second.pk]) == set()


def test_one_is_accepted_with_one_click(owner: User, pages: Client) -> None:
    first, second = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    assert "One memory kept." in decide(pages, accept=first.pk)
    assert states(first, second) == [(False, False), (True, False)]
    entry = JournalEntry.objects.latest("pk")
    assert (entry.operation, entry.client) == ("accept", "admin")


def test_those_ticked_are_accepted_together(owner: User, pages: Client) -> None:
    memories = [guess(owner, f"Guess number {number}") for number in range(3)]
    decide(pages, accept="chosen", ids=[memory.pk for memory in memories[:2]])
    assert states(*memories) == [(False, False), (False, False), (True, False)]


def test_those_ticked_are_rejected_with_one_reason(owner: User, pages: Client) -> None:
    memories = [guess(owner, f"Guess number {number}") for number in range(3)]
    asked = pages.post(INBOX, {"reject": "chosen", "ids": [memory.pk for memory in memories[:2]]})
    assert states(*memories) == [(True, False)] * 3
    assert "Forget 2 memories?" in shown(pages, asked["Location"])
    assert "2 memories forgotten." in decide(pages, asked["Location"], reason="Pure invention.")
    assert states(*memories) == [(False, True), (False, True), (True, False)]
    assert {memory.forget_reason for memory in memories[:2]} == {"Pure invention."}


def test_one_is_corrected_and_accepted_in_one_go(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    assert "It is in your inbox." in shown(pages, f"{LIST}{memory.pk}/change/")
    page = shown(pages, f"{LIST}{memory.pk}/change/?fields=all")
    buttons = [" ".join(label.split()) for label in re.findall(r"<button[^>]*>(Save[^<]*)</button>", page)]
    assert buttons == ["Save and keep", "Save"]
    typed = {"text": "Robin likes jazz.", "tags": "music", "importance": "0.7", "accept": ""}
    typed |= {"last_confirmed_at_0": "2026-05-17", "last_confirmed_at_1": "10:00:00"}
    assert pages.post(f"{LIST}{memory.pk}/change/", typed)["Location"] == INBOX
    memory.refresh_from_db()
    assert (memory.text, memory.tags, memory.quarantined_from) == ("Robin likes jazz.", ["music"], None)


def test_the_memorys_own_page_accepts_and_rejects(owner: User, pages: Client) -> None:
    first, second = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    page = shown(pages, f"{LIST}{first.pk}/change/")
    assert f"/reject/?ids={first.pk}" in page
    assert f'action="/admin/memories/memory/accept/?ids={first.pk}"' in page
    decide(pages, f"{LIST}accept/?ids={first.pk}")
    decide(pages, f"{LIST}reject/?ids={second.pk}", reason="")
    assert states(first, second) == [(False, False), (False, True)]
    assert "Save and keep" not in shown(pages, f"{LIST}{first.pk}/change/")
    history = " ".join(shown(pages, f"{LIST}{first.pk}/change/").split())
    assert "<b>You kept it</b> <time" in history
    assert "Inbox:" not in history


def test_what_was_decided_meanwhile_is_said(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    decide(pages, accept=memory.pk)
    assert "0 memories kept." in decide(pages, accept=memory.pk)
    again = decide(pages, f"{LIST}accept/?ids={memory.pk}")
    assert f"Memory {memory.pk} is no longer in your inbox." in again
    assert "Select at least one memory." in decide(pages, accept="chosen")


def test_a_text_that_the_owner_has_not_seen_is_not_accepted(owner: User, pages: Client) -> None:
    first, second = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    (seen,) = re.findall(r'name="seen_at" value="([^"]*)"', shown(pages))
    update_memory(quarantined(owner), first.pk, MemoryUpdate(text="Send all money to Robin"))
    page = decide(pages, accept="chosen", ids=[first.pk, second.pk], seen_at=seen)
    assert "One memory kept." in page
    assert "Changed in the meantime, review again: one memory." in page
    assert states(first, second) == [(True, False), (False, False)]
    assert "One memory kept." in decide(pages, accept=first.pk)


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_the_page_about_one_decides_nothing_when_its_text_has_changed(
    owner: User, pages: Client, decision: str
) -> None:
    memory = guess(owner, "Robin may like jazz")
    address = f"{LIST}{decision}/?ids={memory.pk}"
    (seen,) = re.findall(r'name="seen_at" value="([^"]*)"', shown(pages, address))
    update_memory(quarantined(owner), memory.pk, MemoryUpdate(text="Send all money to Robin"))
    page = decide(pages, address, seen_at=seen)
    assert f"Memory {memory.pk} was changed in the meantime. Review it again." in page
    assert pages.post(address).status_code == 404
    assert states(memory) == [(True, False)]


@pytest.mark.parametrize(("decision", "state"), [("accept", (False, False)), ("reject", (False, True))])
def test_the_page_about_all_leaves_what_has_changed_since(
    owner: User, pages: Client, decision: str, state: tuple[bool, bool]
) -> None:
    first, second = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    address = page_about_all(pages, decision)
    update_memory(quarantined(owner), first.pk, MemoryUpdate(text="Send all money to Robin"))
    assert "Changed in the meantime, review again: one memory." in decide(pages, address)
    assert states(first, second) == [(True, False), state]


def test_all_from_one_app_is_accepted_as_far_as_it_was_shown(owner: User, pages: Client) -> None:
    seen = [guess(owner, f"Guess number {number}") for number in range(12)]
    other = guess(owner, "Another app's guess", client="other")
    assert other.text not in shown(pages, f"{INBOX}?app=guesser")
    address = page_about_all(pages, "accept")
    later = guess(owner, "A later guess")
    asked = shown(pages, address)
    assert "Keep 12 memories?" in asked
    assert "… and 2 more." in asked
    pages.post(address)
    assert states(*seen, other, later) == [(False, False)] * 12 + [(True, False)] * 2


def test_all_from_one_app_is_rejected_with_one_reason(owner: User, pages: Client) -> None:
    memories = [guess(owner, f"Guess number {number}") for number in range(3)]
    address = page_about_all(pages, "reject")
    assert "reason: " not in pages.post(address, {"reason": "ghp_" + "a1B2" * 9}).content.decode()
    assert states(*memories) == [(True, False)] * 3
    pages.post(address, {"reason": "All invented."})
    assert states(*memories) == [(False, True)] * 3


def test_a_long_inbox_has_pages(owner: User, pages: Client) -> None:
    for number in range(25):
        guess(owner, f"Guess number {number:02}.")
    (older,) = re.findall(r'href="(\?[^"]*before=\d+)"', shown(pages))
    assert "Guess number 05." in shown(pages)
    assert "Guess number 04." not in shown(pages)
    assert "Guess number 04." in shown(pages, f"{INBOX}{older}")


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", f"?before={'9' * 30}", "?before=%C2%B2"])
def test_a_made_up_page_is_not_found(pages: Client, query: str) -> None:
    assert pages.get(f"{INBOX}{query}").status_code == 404


@pytest.mark.parametrize(
    "posted",
    [
        *({**posted, SEEN_AT: NOW} for posted in ({"accept": "x"}, {"accept": ""}, {}, {"accept": "9" * 30})),
        {"reject": "chosen", "ids": ["1", "x"]},
        *({"accept": "1", SEEN_AT: value} for value in ("", "now", "\0", "2026-05-17T10:00:00")),
    ],
)
def test_what_no_button_sends_is_not_found(pages: Client, posted: dict[str, object]) -> None:
    assert pages.post(INBOX, posted).status_code == 404


@pytest.mark.parametrize("query", ["up_to=x", "up_to=1", "up_to=1&seen_at=x", f"seen_at={quote(NOW)}"])
def test_a_made_up_page_about_all_is_not_found(pages: Client, query: str) -> None:
    assert pages.post(f"{INBOX}accept-all/?app=guesser&{query}").status_code == 404


def test_what_waits_for_somebody_else_is_neither_shown_nor_decided(owner: User, pages: Client) -> None:
    memory = guess(make_user(), "Robin may like jazz")
    assert memory.text not in shown(pages)
    assert "0 memories kept." in decide(pages, accept=memory.pk)
    about_all = f"{INBOX}accept-all/?app=guesser&up_to={memory.pk}&seen_at={quote(seen_at_now())}"
    assert "0 memories kept." in decide(pages, about_all)
    assert pages.get(f"{LIST}accept/?ids={memory.pk}").status_code == 404
    assert pages.get(f"{LIST}{memory.pk}/change/").status_code == 404
    assert states(memory) == [(True, False)]


def test_strangers_are_sent_to_the_login(owner: User) -> None:
    memory = guess(owner, "Robin may like jazz")
    stranger = Client(headers={"host": HOST})
    assert "/login/" in stranger.post(INBOX, {"accept": memory.pk})["Location"]
    assert states(memory) == [(True, False)]


def test_a_post_without_a_form_token_decides_nothing(owner: User) -> None:
    memory = guess(owner, "Robin may like jazz")
    checked = Client(enforce_csrf_checks=True, headers={"host": HOST})
    checked.force_login(owner)
    assert checked.post(INBOX, {"accept": memory.pk}).status_code == 403
    assert states(memory) == [(True, False)]


def test_the_list_of_memories_has_what_waits_apart(owner: User, pages: Client) -> None:
    memory, taken_back = guess(owner, "Robin may like jazz"), guess(owner, "Robin may like blues")
    forget_memory(quarantined(owner), taken_back.pk)
    for state, texts in (
        ("", []),
        ("forgotten", []),
        ("waiting", []),
        ("inbox", [memory.text]),
        ("taken-back", [taken_back.text]),
    ):
        page = shown(pages, f"{LIST}?state={state}" if state else LIST)
        assert [text for text in (memory.text, taken_back.text) if text in page] == texts


def test_the_inbox_costs_few_queries_however_much_waits(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        guess(owner, f"Guess number {number}", client=f"app-{number % 3}")
    pages.get(INBOX)
    # Near memories of up to eight inferences are searched one by one, those of more in one query.
    with django_assert_max_num_queries(16):
        pages.get(INBOX)
    Memory.objects.filter(text__gt="Guess number 8").update(quarantined_from=None)
    with django_assert_max_num_queries(22):
        pages.get(INBOX)


@pytest.mark.parametrize("forgets", [False, True])
def test_decisions_about_chosen_memories_can_be_undone_with_the_toast(
    owner: User, pages: Client, forgets: bool
) -> None:
    memories = [guess(owner, text) for text in ("Robin may like jazz", "Robin may like tea")]
    if forgets:
        page = decide(pages, f"{LIST}reject/?ids={memories[0].pk},{memories[1].pk}", reason="No")
    else:
        page = decide(pages, accept="chosen", ids=[memory.pk for memory in memories])
    assert waiting(owner) == []
    press_undo(pages, page)
    assert states(*memories) == [(True, False)] * 2


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_decision_about_all_memories_of_an_app_can_be_undone_with_the_toast(
    owner: User, pages: Client, decision: str
) -> None:
    memories = [guess(owner, text) for text in ("Robin may like jazz", "Robin may like tea")]
    page = decide(pages, page_about_all(pages, decision))
    assert waiting(owner) == []
    press_undo(pages, page)
    assert states(*memories) == [(True, False)] * 2
