"""Tests of the page of the briefing: preview, reasons, pinning and hiding."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from memories.access import View
from memories.admin.briefing.page import SHOWN_HIDDEN
from memories.briefing.composition import compose_briefing, today
from memories.models import JournalEntry, Memory
from memories.recall.pipeline import Query, recall
from memories.recall_log.past_recalls import pending_recalls, record_recall
from memories.writing.briefing_places import place_memory
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import (
    HOST,
    Assistant,
    actor_for,
    infer,
    make_app,
    make_expired,
    make_memory,
    make_user,
    owner_actor,
    quarantined,
)
from tests.support.toasts import press_undo

PAGE = "/admin/briefing/"
LIST = "/admin/memories/memory/"
PINNED, HIDDEN = Memory.BriefingPlace.PINNED, Memory.BriefingPlace.HIDDEN


def shown(pages: Client, **query: str | int) -> str:
    response = pages.get(PAGE, query)
    assert response.status_code == 200
    return response.content.decode()


PREFIXES = {"h3": "\n## ", "li": "- ", "p": ""}


def text_on(page: str) -> str:
    """Return the briefing on the page, from its headings, lists and sentences back in Markdown."""
    found = re.search(r'<div class="card stack briefing-text">(.*?)</section>', page, re.DOTALL)
    assert found is not None
    lines = [PREFIXES[tag] + unescape(line) for tag, line in re.findall(r"<(h3|p|li)[^>]*>(.*?)</\1>", found[1])]
    return "\n".join(lines)


def without_blank_lines(text: str) -> str:
    """Return the text without the blank lines above lists that follow sentences."""
    return text.replace("\n\n- ", "\n- ")


def place_of(memory: Memory) -> str | None:
    memory.refresh_from_db()
    return memory.briefing_place


def test_without_memories_the_page_shows_the_text_that_says_so(pages: Client) -> None:
    page = shown(pages)
    assert text_on(page) == "Nothing is remembered about the user yet."
    assert "No memory is hidden from the briefing." in page


def test_the_text_is_what_an_app_gets_and_is_escaped(owner: User, pages: Client) -> None:
    make_memory(owner, "My dog is called <b>Mochi</b>")
    briefing = compose_briefing(View.whole(owner.pk), today())
    page = shown(pages)
    assert "My dog is called &lt;b&gt;Mochi&lt;/b&gt;" in page
    assert "<b>Mochi" not in page
    assert f"{briefing.tokens} tokens" in page
    assert text_on(page) == without_blank_lines(briefing.text)


def test_each_memory_says_why_it_is_in_it(owner: User, pages: Client) -> None:
    long_ago = timezone.now() - timedelta(days=300)
    plain = make_memory(owner, "The tea is green")
    old = {text: make_memory(owner, text) for text in ("I fly to Lisbon", "The samovar stands in the hall")}
    Memory.objects.update(last_confirmed_at=long_ago)
    Memory.objects.filter(pk=old["I fly to Lisbon"].pk).update(expires_at=timezone.now() + timedelta(days=3))
    make_memory(owner, "I sew", importance=0.8)
    place_memory(owner_actor(owner), make_memory(owner, "I am allergic to nuts").pk, PINNED)
    view, query = View.whole(owner.pk), Query("samovar", limit=1)
    for _ in range(3):
        record_recall(view, query, recall(view, query), client="app", tool="recall", milliseconds=1.0)
    pending_recalls.flush()
    reasons = {
        text: re.findall(r"<span>(\w+)", tags)
        for text, tags in re.findall(r'<a class="text"[^>]*>(.*?)</a><p class="meta">(.*?)</p>', shown(pages))
    }
    assert reasons == {
        "I am allergic to nuts": ["pinned", "about", "confirmed"],
        "I sew": ["very", "confirmed"],
        "I fly to Lisbon": ["upcoming"],
        "The samovar stands in the hall": ["recalled"],
        plain.text: ["as"],
    }


@pytest.mark.parametrize(
    ("importance", "words"),
    [(0.3, "less important"), (0.5, "as important as most"), (0.6, "important"), (0.95, "very important")],
)
def test_importance_is_shown_in_words(owner: User, pages: Client, importance: float, words: str) -> None:
    make_memory(owner, "I sew", importance=importance)
    Memory.objects.update(last_confirmed_at=timezone.now() - timedelta(days=300))
    assert re.findall(r'<p class="meta"><span>([^<]*)</span></p>', shown(pages)) == [words]


def test_the_text_is_shown_as_headings_and_lists(owner: User, pages: Client) -> None:
    for text, tag in (("The boat is red.", "sea"), ("The mast is tall.", "sea"), ("The car is old.", "road")):
        make_memory(owner, text, tags=[tag])
    page = shown(pages)
    assert re.findall(r"<h3>([^<]*)</h3><ul>(.*?)</ul>", page) == [
        ("sea", '<li dir="auto">The boat is red.</li><li dir="auto">The mast is tall.</li>'),
        ("other", '<li dir="auto">The car is old.</li>'),
    ]
    assert not re.search(r">\s*(##|- )|\n(##|- )", page)


def test_budget_tags_and_session_can_be_chosen(owner: User, pages: Client) -> None:
    make_memory(owner, "My dog is called Mochi", tags=["pets"], session_id="kitchen")
    make_memory(owner, "I work in Lyon", tags=["work"])
    assert "Lyon" not in text_on(shown(pages, tags="Pets"))
    assert "Lyon" not in text_on(shown(pages, session_id=" kitchen "))
    assert "none fits into max_tokens=1." in text_on(shown(pages, max_tokens=1))
    assert "Lyon" in text_on(shown(pages, max_tokens="", tags="", session_id="", app=""))


def test_the_view_of_an_app_can_be_chosen(owner: User, pages: Client) -> None:
    make_memory(owner, "My dog is called Mochi", tags=["pets"])
    make_memory(owner, "I work in Lyon", tags=["work"])
    app = make_app("Vet <i>")
    assistant = Assistant.of(owner, app=app, tags=("pets",))
    page = shown(pages, app=app.client_id)
    assert "Vet &lt;i&gt;, limited to pets" in page
    assert text_on(page) == without_blank_lines(assistant.call("briefing")["text"])
    assert "Lyon" not in text_on(page)


@pytest.mark.parametrize(
    "query",
    [
        {"max_tokens": "0"},
        {"max_tokens": "1000001"},
        {"max_tokens": "many"},
        {"app": "somebody-else"},
        {"session_id": "x" * 300},
        {"tags": ",".join(f"t{number}" for number in range(200))},
        {"tags": "x" * 300},
    ],
)
def test_an_impossible_preview_shows_no_text_but_the_page(pages: Client, query: dict[str, str]) -> None:
    response = pages.get(PAGE, query)
    assert response.status_code == 200
    assert "Hidden" in response.content.decode()


def test_an_impossible_budget_names_the_limit(pages: Client) -> None:
    page = shown(pages, max_tokens="1000001")
    assert "less than or equal to 1000000" in page
    assert "<pre>" not in page


def test_the_apps_of_others_are_not_offered(pages: Client) -> None:
    app = make_app("Somebody else's")
    Assistant.of(make_user(), app=app)
    assert app.client_id not in shown(pages)


def test_the_buttons_pin_unpin_hide_and_unhide(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I am allergic to nuts")
    for button, place, said in (
        ("pin", PINNED, "One memory pinned."),
        ("unpin", None, "One memory unpinned."),
        ("hide", HIDDEN, "One memory hidden from the briefing."),
        ("unhide", None, "One memory no longer hidden from the briefing."),
    ):
        assert f'name="{button}" value="{memory.pk}"' in shown(pages)
        response = pages.post(f"{PAGE}?max_tokens=200", {button: memory.pk})
        assert (response.status_code, response["Location"]) == (302, f"{PAGE}?max_tokens=200")
        assert said in shown(pages)
        assert place_of(memory) == place
    entries = JournalEntry.objects.filter(memory_id=memory.pk, operation="update")
    assert {entry.client for entry in entries} == {"admin"}
    assert entries.count() == 4


def test_a_form_without_its_token_changes_nothing(owner: User) -> None:
    memory = make_memory(owner, "I am allergic to nuts")
    strict = Client(enforce_csrf_checks=True, headers={"host": HOST})
    strict.force_login(owner)
    assert strict.post(PAGE, {"pin": memory.pk}).status_code == 403
    assert place_of(memory) is None


def test_memories_of_others_and_nonsense_cannot_be_pinned(pages: Client) -> None:
    other = make_memory(make_user(), "I am allergic to nuts")
    page = pages.post(PAGE, {"pin": other.pk}, follow=True).content.decode()
    assert f"There is no memory with id {other.pk}." in page
    assert place_of(other) is None
    assert pages.post(PAGE, {"pin": "x"}).status_code == 404
    assert pages.post(PAGE, {}).status_code == 302
    assert Client(headers={"host": HOST}).get(PAGE).status_code == 302


def test_pinned_memories_that_are_left_out_can_be_unpinned(owner: User, pages: Client) -> None:
    expired = make_memory(owner, "I am in Lisbon")
    place_memory(owner_actor(owner), expired.pk, PINNED)
    make_expired(expired)
    page = shown(pages)
    assert "Pinned, but not in this briefing" in page
    assert f'name="unpin" value="{expired.pk}"' in page


def test_many_hidden_memories_are_on_the_list(owner: User, pages: Client) -> None:
    for number in range(SHOWN_HIDDEN + 1):
        place_memory(owner_actor(owner), make_memory(owner, f"Fact {number}").pk, HIDDEN)
    make_memory(owner, "Visible fact")
    page = shown(pages)
    assert page.count('name="unhide"') == SHOWN_HIDDEN
    assert f"{LIST}?briefing=hidden" in page
    found = pages.get(LIST, {"briefing": "hidden"}).content.decode()
    assert "Fact 20" in found
    assert "Visible fact" not in found
    assert "Visible fact" in pages.get(LIST, {"briefing": "nonsense"}).content.decode()


def test_the_page_of_a_memory_and_the_list_offer_the_same(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Fact {number}") for number in range(2)]
    page = pages.get(f"{LIST}{memories[0].pk}/change/").content.decode()
    assert 'name="do" value="pin"' in page
    assert 'name="do" value="hide"' in page
    ids = ",".join(str(memory.pk) for memory in memories)
    assert "They come first in every briefing" in pages.get(f"{LIST}pin/?ids={ids}").content.decode()
    pages.post(f"{LIST}pin/?ids={ids}")
    assert [place_of(memory) for memory in memories] == [PINNED, PINNED]
    page = pages.get(f"{LIST}{memories[0].pk}/change/").content.decode()
    assert 'name="do" value="unpin"' in page
    assert "pinned" in page
    pages.post(LIST, {"do": "unpin", "_selected_action": [memory.pk for memory in memories]})
    assert [place_of(memory) for memory in memories] == [None, None]


def test_what_is_forgotten_or_in_the_inbox_offers_no_pin(owner: User, pages: Client) -> None:
    forgotten = make_memory(owner, "I live in Lyon")
    forget_memory(actor_for(owner), forgotten.pk)
    held = infer(quarantined(owner), "Robin may like jazz").memory_id
    for pk in (forgotten.pk, held):
        assert 'value="pin"' not in pages.get(f"{LIST}{pk}/change/").content.decode()
    page = pages.post(f"{LIST}pin/?ids={held}", follow=True).content.decode()
    assert "is in your inbox. Accept it first." in page


def test_a_pin_is_undone_with_the_toast(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I am allergic to nuts")
    press_undo(pages, pages.post(PAGE, {"pin": memory.pk}, follow=True).content.decode())
    memory.refresh_from_db()
    assert memory.briefing_place is None
