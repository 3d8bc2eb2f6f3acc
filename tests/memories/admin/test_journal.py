"""Tests of the history page."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.access import Actor, View
from memories.models import JournalEntry
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import PersonalToken, User
from tests.support.factories import infer, make_app, make_memory, make_user, owner_actor, quarantined

LIST = "/admin/memories/journalentry/"


def test_the_history_names_the_app_that_made_a_change(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    update_memory(
        Actor(View.whole(owner.pk), make_app("Desktop Helper").client_id), memory.pk, MemoryUpdate(importance=0.9)
    )
    page = pages.get(LIST).content.decode()
    assert "Desktop Helper" in page
    assert "Select record" not in page
    assert "Importance: 0.9" in page
    assert f'href="/admin/memories/memory/{memory.pk}/change/"' in page


def test_the_history_names_the_script_that_made_a_change(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    token = PersonalToken.objects.create(user=owner, name="Nightly script", token_sha256="f" * 64)
    update_memory(Actor(View.whole(owner.pk), f"token:{token.pk}"), memory.pk, MemoryUpdate(importance=0.9))
    assert "Nightly script" in pages.get(LIST).content.decode()
    assert "Nightly script" in pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()


def test_a_deletion_for_good_is_listed_without_a_link(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    hard_delete_memory(Actor(View.whole(owner.pk), "admin"), memory.pk)
    page = pages.get(LIST).content.decode()
    assert "Deleted permanently" in page
    assert f"/admin/memories/memory/{memory.pk}/change/" not in page


def test_the_history_is_read_only_and_ones_own(owner: User, pages: Client) -> None:
    make_memory(make_user(), "Somebody else's cat.")
    foreign = JournalEntry.objects.get()
    make_memory(owner, "The cat is called Mimi.")
    own = JournalEntry.objects.latest("id")

    assert "Somebody" not in pages.get(LIST).content.decode()
    assert pages.get(f"{LIST}{foreign.pk}/change/").status_code == 404
    assert pages.post(f"{LIST}{own.pk}/change/", {"client": "forged"}).status_code == 403
    assert pages.get(f"{LIST}add/").status_code == 403
    assert pages.post(f"{LIST}{own.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_history_costs_as_many_queries_for_twenty_lines_as_for_two(owner: User, pages: Client) -> None:
    def queries_for(count: int) -> int:
        while JournalEntry.objects.count() < count:
            make_memory(owner, f"Fact {JournalEntry.objects.count()}.")
        with CaptureQueriesContext(connection) as queries:
            pages.get(LIST)
        return len(queries)

    assert queries_for(2) == queries_for(20)


def test_a_deletion_for_good_out_of_the_inbox_tells_nothing_either(owner: User, pages: Client) -> None:
    hard_delete_memory(owner_actor(owner), infer(quarantined(owner), "The cat is called Mimi.").memory_id)
    page = pages.get(LIST).content.decode()
    assert "Deleted permanently" in page
    assert "Inbox:" not in page
    assert "Mimi" not in page
