"""Tests of the page on which the owner undoes changes."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import JournalEntry, Memory
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from memories.writing.remembering import RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, make_app, make_memory, make_user, owner_actor

PAGE = "/admin/undo/"


@pytest.fixture
def cursor(owner: User) -> str:
    """Return the client id of an app called Cursor <b>."""
    return str(make_app("Cursor <b>").client_id)


def acting(owner: User, client: str) -> Actor:
    return Actor(View.whole(owner.pk), client)


def store(actor: Actor, text: str) -> int:
    return remember(actor, RememberRequest(Draft(text), DedupPolicy.INSERT)).memory_id


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def seen(page: str) -> str:
    found = re.search(r'name="seen_at" value="([^"]+)"', page)
    assert found, page
    return found[1]


def test_the_owner_sees_what_an_app_did_and_reverts_it(owner: User, pages: Client, cursor: str) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    dog = store(mine, "My dog is called <i>Mochi</i>")
    update_memory(acting(owner, cursor), phone, MemoryUpdate(text="My phone is a toaster"))
    forget_memory(acting(owner, cursor), dog)
    store(acting(owner, cursor), "The moon is made of cheese")

    assert f'<option value="{cursor}">Cursor &lt;b&gt;</option>' in pages.get(PAGE).content.decode()
    query = f"{PAGE}?app={cursor}&period=hour"
    page = pages.get(query).content.decode()
    assert "Undo all changes by Cursor &lt;b&gt; in the last hour?" in page
    assert "2 memories go back to their earlier state" in page
    assert "1 memory will be forgotten" in page
    assert '<del dir="auto">My phone is a toaster</del> <ins dir="auto">My phone is a Pixel</ins>' in page
    assert "My dog is called &lt;i&gt;Mochi&lt;/i&gt;</a><small>Becomes active again</small>" in page
    assert page.count("Becomes active again") == 1
    assert len(active(owner)) == 2

    response = pages.post(query, {"seen_at": seen(page)}, follow=True)
    told = response.content.decode()
    assert "Undone: 2 restored, 1 forgotten." in told
    assert active(owner) == ["My phone is a Pixel", "My dog is called <i>Mochi</i>"]

    # And back again, with the button in the message.
    button = re.search(r'action="(/admin/undo/now/\?change_set=[^"]+)"', told)
    assert button
    pages.post(unescape(button[1]))
    assert active(owner) == ["My phone is a toaster", "The moon is made of cheese"]


def test_changes_after_the_preview_are_not_undone_unseen(owner: User, pages: Client, cursor: str) -> None:
    store(acting(owner, cursor), "The moon is made of cheese")
    query = f"{PAGE}?app={cursor}&period=all"
    page = pages.get(query).content.decode()
    store(acting(owner, cursor), "Bears can fly")
    JournalEntry.objects.filter(after__text="Bears can fly").update(at="2099-01-01T00:00:00Z")
    pages.post(query, {"seen_at": seen(page)})
    assert active(owner) == ["Bears can fly"]


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("keep", ["My phone is a Fairphone"]),
        ("revert", ["My phone is a Pixel"]),
        ("keep_both", ["My phone is a Fairphone", "My phone is a Pixel"]),
    ],
)
def test_the_owner_decides_about_what_was_changed_since(
    owner: User, pages: Client, cursor: str, decision: str, expected: list[str]
) -> None:
    mine = owner_actor(owner)
    phone = store(mine, "My phone is a Pixel")
    update_memory(acting(owner, cursor), phone, MemoryUpdate(text="My phone is a toaster"))
    update_memory(mine, phone, MemoryUpdate(text="My phone is a Fairphone"))
    query = f"{PAGE}?app={cursor}&period=day"
    page = pages.get(query).content.decode()
    assert "1 memory was changed again since" in page
    assert "Nothing would change yet. Choose above what to undo." in page
    pages.post(query, {"seen_at": seen(page), f"item-{phone}": decision})
    assert active(owner) == expected


def test_a_preview_of_certain_changes_does_not_ask_for_choices(owner: User, pages: Client, cursor: str) -> None:
    store(acting(owner, cursor), "Bears can fly")
    page = pages.get(f"{PAGE}?app={cursor}&period=day").content.decode()
    assert ("Undo 1 change" in page, "Nothing would change yet" in page) == (True, False)


def test_a_version_comes_back_from_the_page_of_the_memory(owner: User, pages: Client, cursor: str) -> None:
    phone = store(owner_actor(owner), "My phone is a Pixel")
    update_memory(acting(owner, cursor), phone, MemoryUpdate(text="My phone is a toaster"))
    update_memory(acting(owner, cursor), phone, MemoryUpdate(importance=0.9))
    page = pages.get(f"/admin/memories/memory/{phone}/change/").content.decode()
    links = re.findall(r'action="(/admin/undo/now/\?memory=[^"]+)"', page)
    assert len(links) == 2
    pages.post(links[-1].replace("&amp;", "&"))
    memory = Memory.objects.get(pk=phone)
    assert (memory.text, memory.importance) == ("My phone is a Pixel", 0.5)


def test_one_change_set_is_undone_from_the_history(owner: User, pages: Client) -> None:
    store(owner_actor(owner), "My phone is a Pixel")
    page = pages.get("/admin/memories/journalentry/").content.decode()
    link = re.search(r'href="(/admin/undo/\?change_set=[^"]+)"', page)
    assert link
    pages.post(link[1], {"seen_at": seen(pages.get(link[1]).content.decode())})
    assert active(owner) == []
    journal = pages.get("/admin/memories/journalentry/", headers={"accept-language": "de"}).content.decode()
    assert "Das Hinzufügen wurde rückgängig gemacht." in journal


@pytest.mark.parametrize(
    ("back", "expected"),
    [
        ("/admin/oauthserver/connection/7/change/", "/admin/oauthserver/connection/7/change/"),
        ("//evil.example/", "/admin/memories/journalentry/"),
        ("", "/admin/memories/journalentry/"),
    ],
)
def test_the_page_leads_back_to_the_one_that_led_there(
    owner: User, pages: Client, cursor: str, back: str, expected: str
) -> None:
    store(acting(owner, cursor), "I live in Bern")
    address = f"{PAGE}?{urlencode({'app': cursor, 'period': 'all', 'back': back})}"
    page = pages.get(address).content.decode()
    assert f'class="crumb" href="{expected}"' in page
    assert f'class="btn bare" href="{expected}"' in page
    response = pages.post(address, {"seen_at": seen(page)})
    assert response.headers["Location"] == expected
    assert urlencode({"back": expected}) in pages.get("/admin/account/").content.decode()


def test_what_cannot_come_back_is_said(owner: User, pages: Client, cursor: str) -> None:
    mine = owner_actor(owner)
    city = store(mine, "I live in Bern")
    forget_memory(acting(owner, cursor), city)
    again = store(mine, "I live in Bern")
    page = pages.get(f"{PAGE}?app={cursor}&period=all").content.decode()
    assert "Another memory now has its text." in page
    assert f"/admin/memories/memory/{again}/change/" in page
    hard_delete_memory(mine, city)
    entry = JournalEntry.objects.get(operation="hard_delete")
    assert (
        "1 memory was deleted permanently and cannot come back"
        in pages.get(f"{PAGE}?change_set={entry.change_set}").content.decode()
    )


def test_nobody_else_sees_or_undoes_it(owner: User, cursor: str) -> None:
    store(acting(owner, cursor), "The moon is made of cheese")
    change_set = JournalEntry.objects.get().change_set
    anonymous, stranger = Client(headers={"host": HOST}), Client(headers={"host": HOST})
    stranger.force_login(make_user("stranger"))
    for query in (f"{PAGE}?change_set={change_set}", f"{PAGE}?app={cursor}&period=all"):
        assert anonymous.get(query).status_code == 302
        page = stranger.get(query).content.decode()
        assert "There are no such changes." in page
        assert "cheese" not in page
        stranger.post(query, {"seen_at": seen(page) if "seen_at" in page else "2099-01-01T00:00:00Z"})
    assert active(owner) == ["The moon is made of cheese"]


@pytest.mark.parametrize(
    "query", ["?change_set=x", "?entry=-1", "?memory=1", "?memory=1&after=x", "?app=x&period=century"]
)
def test_a_made_up_query_is_not_found(pages: Client, query: str) -> None:
    assert pages.get(PAGE + query).status_code == 404


def test_a_made_up_form_is_not_found(owner: User, pages: Client) -> None:
    make_memory(owner, "I like tea")
    query = f"{PAGE}?app=tests&period=all"
    moment = seen(pages.get(query).content.decode())
    for sent in ({"seen_at": "x"}, {"seen_at": moment, "item-1": "win"}, {"seen_at": moment, "item-x": "keep"}):
        assert pages.post(query, sent).status_code == 404
    assert active(owner) == ["I like tea"]


def test_a_large_preview_needs_few_queries(
    owner: User, pages: Client, cursor: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    drafts = [RememberRequest(Draft(f"Fact number {number}"), DedupPolicy.INSERT) for number in range(120)]
    remember_all(acting(owner, cursor), drafts)
    with django_assert_max_num_queries(16):
        page = pages.get(f"{PAGE}?app={cursor}&period=hour").content.decode()
    assert "These 120 memories will be forgotten" in page
    assert "… and 70 more." in page
