"""Tests of what the page of an app shows of what the app did."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.admin.app_activity import lines
from mcpapi.admin.app_activity.week import week_of
from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from memories.access import Actor, View
from memories.models import JournalEntry, PastRecall
from memories.recall_log.past_recalls import pending_recalls
from memories.writing.lifecycle import forget_memory, restore_memory
from oauthserver.connections.usage import pending_uses
from oauthserver.models import Application, Budget, Connection, User
from tests.support.factories import HOST, Assistant, make_app, make_memory, make_user

LIST = "/admin/oauthserver/connection/"


@pytest.fixture
def app() -> Application:
    return make_app("Notebook <b>")


@pytest.fixture
def address(owner: User, app: Application, settings: Settings) -> str:
    """The page of the app, which has stored, read and forgotten."""
    settings.AUDIT_QUERIES = True
    assistant = Assistant.of(owner, app=app)
    assistant.call("remember", text="The cat is called <i>Mimi</i>.")
    assistant.call("recall", query="What is the <u>cat</u> called?")
    actor = Actor(View.whole(owner.pk), app.client_id)
    forget_memory(actor, make_memory(owner, "The dog is called Rex.").pk)
    audit_lines.flush()
    return f"{LIST}{Connection.objects.get(user=owner).pk}/change/"


def shown(pages: Client, address: str, **query: str) -> str:
    response = pages.get(address, query)
    assert response.status_code == 200
    return str(response.content.decode())


def test_it_shows_what_the_app_did(pages: Client, address: str) -> None:
    page = shown(pages, address)
    assert "Read 1 memory for “What is the &lt;u&gt;cat&lt;/u&gt; called?”" in page
    assert "The cat is called &lt;i&gt;Mimi&lt;/i&gt;." in page
    assert "The dog is called Rex." in page
    assert f"&amp;back={address}" in page
    assert f'name="back" value="{address}"' in page
    assert "Notebook &lt;b&gt; can read your memories" in page
    assert "<b>Evil" not in page
    assert " style=" not in page


def test_an_app_whose_calls_are_not_counted_yet_was_used(owner: User, pages: Client, address: str) -> None:
    page = shown(pages, address)
    assert re.search("Connected, last used <time [^>]*>just now</time>", page)
    assert "Its first calls are not counted yet." in page
    Connection.objects.update(reads=1, writes=2, last_used_at=timezone.now() - timedelta(hours=2))
    page = shown(pages, address)
    assert re.search("Connected, last used <time [^>]*>just now</time>", page)
    assert "3 successful, 2 of them to change something." in page
    JournalEntry.objects.all().delete()
    AuditLine.objects.all().delete()
    assert re.search("last used <time [^>]*>2 hours ago</time>", shown(pages, address))
    Connection.objects.update(reads=0, writes=0, last_used_at=None)
    page = shown(pages, address)
    assert ("Connected, never used" in page, "No call has succeeded yet." in page) == (True, True)


def test_an_export_is_something_that_the_app_has_read(
    owner: User, pages: Client, app: Application, address: str
) -> None:
    Assistant.of(owner, app=app).call("export_memories")
    audit_lines.flush()
    page = shown(pages, address, kind="read")
    assert "Exported 2 memories" in page
    assert "Read 1 memory" in page


def test_only_what_succeeded_and_changed_something_counts_as_a_change(
    owner: User, pages: Client, app: Application, address: str
) -> None:
    assistant = Assistant.of(owner, app=app)
    assistant.call("export_memories")
    assistant.call("remember", text=" ")
    memory = make_memory(owner, "The bird is called Pia.")
    assert assistant.call("forget_batch", ids=[memory.pk], dry_run=True)["ok"]
    audit_lines.flush()
    pending_uses.flush()
    today = week_of(owner.pk, app.client_id).bars[-1]
    assert (today.reads, today.writes) == (3, 1)
    connection = Connection.objects.get(user=owner)
    assert (connection.reads, connection.writes) == (3, 1)


def test_a_call_that_shows_no_memory_or_document_is_not_a_read(owner: User, app: Application, address: str) -> None:
    assistant = Assistant.of(owner, app=app)
    memory = make_memory(owner, "The bird is called Pia.")
    for tool in ("ping", "list_tags", "count_memories"):
        assistant.call(tool)
    assistant.request("tools/list")
    audit_lines.flush()
    week = week_of(owner.pk, app.client_id)
    assert (week.bars[-1].reads, week.bars[-1].writes, week.calls) == (1, 1, 2)
    assistant.result("resources/read", uri=f"ownsona://memory/{memory.pk}")
    audit_lines.flush()
    assert week_of(owner.pk, app.client_id).bars[-1].reads == 2


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"kind": "read"}, ["Read 1 memory"]),
        ({"kind": "added"}, ["Mimi"]),
        ({"kind": "forgot"}, ["Rex"]),
        ({"kind": "changed"}, []),
        ({"kind": "nonsense"}, []),
        ({"q": "REX"}, ["Rex"]),
        ({"q": "called"}, ["Read 1 memory", "Mimi", "Rex"]),
        ({"q": "nothing of this"}, []),
        ({"lines": "x"}, ["Read 1 memory", "Mimi", "Rex"]),
        ({"lines": "9" * 5_000}, ["Read 1 memory", "Mimi", "Rex"]),
    ],
)
def test_what_it_did_is_filtered_and_searched(
    pages: Client, address: str, query: dict[str, str], expected: list[str]
) -> None:
    page = shown(pages, address, **query)
    assert [text for text in ("Read 1 memory", "Mimi", "Rex") if text in page] == expected


def test_show_more_adds_earlier_lines_below_those_that_are_shown(
    owner: User, pages: Client, app: Application, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 14)
    actor = Actor(View.whole(owner.pk), app.client_id)
    for number in range(15):
        forget_memory(actor, make_memory(owner, f"Number {number}.").pk)
    page = shown(pages, address)
    assert page.count("Number ") == 12
    assert 'href="?lines=14#line-13">Show more' in page
    page = shown(pages, address, lines="14")
    assert [f"Number {number}." in page for number in (14, 13, 1, 0)] == [True, True, True, False]
    assert 'id="line-13"' in page
    assert "Show more" not in page
    assert "Earlier changes are in the journal" in page


def test_lines_are_in_the_order_of_their_times_also_if_an_archive_brought_some_later(
    owner: User, pages: Client, app: Application, address: str
) -> None:
    actor = Actor(View.whole(owner.pk), app.client_id)
    for number in range(15):
        forget_memory(actor, make_memory(owner, f"Number {number}.").pk)
    last = JournalEntry.objects.latest("pk")
    JournalEntry.objects.filter(pk=last.pk).update(at=timezone.now() - timedelta(days=400))
    assert "Number 14." not in shown(pages, address)
    page = shown(pages, address, lines="62")
    assert page.index("Number 0.") < page.index("Number 14.")


def test_without_the_question_a_read_links_to_the_logged_recall(
    owner: User, pages: Client, app: Application, settings: Settings
) -> None:
    settings.AUDIT_QUERIES = False
    assistant = Assistant.of(owner, app=app)
    assistant.call("remember", text="The cat is called Mimi.")
    assistant.call("recall", query="What is the cat called?")
    audit_lines.flush()
    pending_recalls.flush()
    page = shown(pages, f"{LIST}{Connection.objects.get(user=owner).pk}/change/")
    assert f'href="/admin/memories/pastrecall/{PastRecall.objects.get().pk}/change/">Read 1 memory<' in page


def test_it_shows_no_one_elses_calls(pages: Client, app: Application, address: str) -> None:
    stranger = make_user("stranger")
    assistant = Assistant.of(stranger, app=app)
    assistant.call("remember", text="Somebody else's secret.")
    assistant.call("recall", query="What is somebody else's secret?")
    audit_lines.flush()
    assert "secret" not in shown(pages, address)
    other = Client(headers={"host": HOST})
    other.force_login(stranger)
    assert other.get(address).status_code == 404
    assert Client(headers={"host": HOST}).get(address).status_code == 302


def test_the_pages_of_apps_need_at_most_fifteen_queries(
    owner: User, pages: Client, app: Application, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    assistant = Assistant.of(owner, app=app)
    for number in range(15):
        assistant.call("remember", text=f"Fact number {number} about the garden.")
        assistant.call("recall", query=f"Question {number}?")
    audit_lines.flush()
    Budget.objects.create(
        user=owner, connection=Connection.objects.get(user=owner), measure="calls", period="day", limit=1000
    )
    for query in ({}, {"q": "garden"}):
        with django_assert_max_num_queries(15):
            page = shown(pages, address, **query)
    assert "0 of 1,000" in page
    with django_assert_max_num_queries(15):
        shown(pages, LIST)


def test_the_filters_of_an_app_add_up(owner: User, pages: Client, app: Application, address: str) -> None:
    memory = make_memory(owner, "The oven is new.")
    actor = Actor(View.whole(owner.pk), app.client_id)
    forget_memory(actor, memory.pk)
    restore_memory(actor, memory.pk)
    everything, *kinds = lines.activity_of(request_of(owner, address), app.client_id)["chips"]
    counts = {chip.title: chip.count for chip in kinds}
    assert (counts["Restored"], counts["Changed"]) == (1, 0)
    assert "Kept" not in counts
    assert everything.count == sum(counts.values())


def request_of(owner: User, address: str) -> HttpRequest:
    request = RequestFactory().get(address)
    request.user = owner
    return request


def test_the_week_is_a_chart_with_a_table(owner: User, pages: Client, address: str) -> None:
    AuditLine.objects.filter(tool="remember").update(at=timezone.now() - timedelta(days=8))
    page = shown(pages, address)
    assert "1 call that read or changed something<" in page
    assert page.count("<rect") == 14
    assert "<span>2</span><span>1</span><span>0</span></div><svg" in page
    assert "<caption>Calls by day</caption>" in page


def test_an_app_that_is_silent_for_a_week_is_named(owner: User, pages: Client, address: str) -> None:
    assert "silent" not in shown(pages, LIST)
    Connection.objects.update(last_used_at=timezone.now() - timedelta(days=9))
    assert "silent for 9 days" in shown(pages, LIST)
    assert "has not used your memory for more than 7 days" in shown(pages, address)
    Connection.objects.update(paused_at=timezone.now())
    assert "silent" not in shown(pages, LIST)
