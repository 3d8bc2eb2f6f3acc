"""Tests of the overview: what it shows, to whom, and at which cost."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from common.pages.app_colours import GREY, app_colour
from documents.models import Source
from mcpapi.models import AuditLine
from memories.models import MemoryVector
from memories.vectors.index_queue import INDEX_PENDING
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Budget, Connection, PersonalToken, User
from ownsona_site.pages.overview.activity import activity_of
from tests.documents.sources.support import folder_source, synced, write
from tests.documents.support import added
from tests.support.factories import (
    actor_for,
    infer,
    make_access_token,
    make_app,
    make_memory,
    make_user,
    quarantined,
)


def overview(pages: Client) -> str:
    response = pages.get("/admin/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def call(owner: User, name: str, at: datetime) -> None:
    AuditLine.objects.create(
        owner=owner, at=at, client_id=name, client_name=name, session="", protocol_version="", method="tools/call",
        tool="recall", memory_ids=[], memory_count=0, result="ok", milliseconds=1.0, query="",
    )  # fmt: skip


def test_documents_that_could_not_be_read_are_counted_beside_the_others(pages: Client, owner: User) -> None:
    added(actor_for(owner), "The boat is in the harbour.")
    assert "could not be read" not in overview(pages)
    added(actor_for(owner), b"PK\x03\x04 broken", name="broken.docx")
    page = overview(pages)
    assert "Everything works." in page
    assert re.search(r"0 memories, 2 documents\. <a [^>]*\?state=unreadable\">1 document could not be read\.</a>", page)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("empty_queue")
def test_a_source_that_fails_keeps_its_documents_if_it_has_some(pages: Client, owner: User, tmp_path: Path) -> None:
    write(tmp_path, note="The boat is called Ragnhild.")
    source = folder_source(owner, tmp_path)
    Source.objects.update(problem="The folder cannot be read.", finished_at=timezone.now())
    page = overview(pages)
    assert "The last sync of “notes” failed" in page
    assert "stay searchable" not in page
    synced(source)
    Source.objects.update(problem="The folder cannot be read.")
    assert "Its documents stay searchable." in overview(pages)


def test_it_shows_ones_own_things_only(pages: Client, owner: User, settings: Settings) -> None:
    make_memory(owner, "The cat <b>Mimi</b> sleeps.", tags=("pets",))
    stranger = make_user()
    make_memory(stranger, "Somebody else's cat.", tags=("strays",))
    make_access_token(owner, app=make_app("Claude <i>"))
    make_access_token(stranger, app=make_app("Strange app"))
    infer(quarantined(stranger), "Somebody else may like jazz.")
    call(stranger, "Strange app", timezone.now())

    page = overview(pages)
    assert "The cat &lt;b&gt;Mimi&lt;/b&gt; sleeps." in page
    assert "Claude &lt;i&gt;" in page
    assert f"{settings.PUBLIC_URL}/mcp" in page
    assert "1 memory, 0 documents." in page
    assert "Everything works." in page
    for strange in ("Somebody else", "strays", "Strange app", "a decision"):
        assert strange not in page


def test_a_button_leads_to_all_that_needs_a_decision(pages: Client, owner: User) -> None:
    assert "/admin/review/" not in re.sub(r"<nav.*?</nav>", "", overview(pages))
    for text in ("Robin may like jazz.", "Robin may like tea."):
        infer(quarantined(owner), text)
    assert '<a class="btn go" href="/admin/review/">Review 2 one by one</a>' in overview(pages)
    # The library asks about documents.
    added(quarantined(owner), "The tea house", quarantined_from="guesser")
    page = overview(pages)
    assert "3 things need a decision" in page
    assert "Review 2 one by one</a>" in page


def test_a_silent_app_is_named_with_what_helps(pages: Client, owner: User) -> None:
    make_access_token(owner, app=make_app("Cursor"))
    assert "silent" not in overview(pages)
    Connection.objects.update(last_used_at=timezone.now() - timedelta(days=9, hours=1))
    page = overview(pages)
    assert "silent for 9 days" in page
    assert "Make Cursor use your memory" in page
    Connection.objects.update(paused_at=timezone.now())
    assert "silent" not in overview(pages)


def test_memories_that_wait_for_vectors_are_a_problem_after_five_minutes(pages: Client, owner: User) -> None:
    memory = make_memory(owner, "The tram runs every ten minutes.")
    MemoryVector.objects.all().delete()
    assert "Everything works." in overview(pages)
    type(memory).objects.update(updated_at=timezone.now() - timedelta(minutes=6))
    page = overview(pages)
    assert "1 memory has waited for vectors for more than five minutes." in page
    assert "1 warning." in page


def test_memories_that_are_being_embedded_are_no_failure(pages: Client, owner: User) -> None:
    memory = make_memory(owner, "The tram runs every ten minutes.")
    MemoryVector.objects.all().delete()
    type(memory).objects.update(updated_at=timezone.now() - timedelta(minutes=6))
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
        [worker] = cursor.fetchone()
        cursor.execute(
            "INSERT INTO procrastinate_jobs (task_name, queue_name, status, worker_id) VALUES (%s, '', 'doing', %s)",
            [INDEX_PENDING, worker],
        )
    page = overview(pages)
    assert "1 memory is being prepared for the search by meaning." in page
    assert "has waited" not in page
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")
    assert "1 memory has waited for vectors" in overview(pages)


def test_a_used_up_budget_is_a_problem_and_no_decision(pages: Client, owner: User) -> None:
    Budget.objects.create(user=owner, measure="calls", period="day", limit=10)
    assert "Everything works." in overview(pages)
    Budget.objects.create(user=owner, measure="calls", period="month", limit=0)
    page = overview(pages)
    assert "1 warning." in page
    assert "All apps together: the budget “Calls per month” is used up. More calls are refused until it resets" in page
    assert "a decision" not in page
    Budget.objects.create(user=owner, measure="writes", period="day", limit=0)
    page = overview(pages)
    assert "2 budgets are used up. Calls beyond a budget are refused until it resets." in page
    assert "nearly used up" not in page
    began = timezone.now()
    near = Budget.objects.create(user=owner, measure="writes", period="month", limit=10, used=9, period_began=began)
    assert "1 budget is nearly used up." in overview(pages)
    near.delete()


def test_a_used_up_budget_of_a_disconnected_app_is_no_problem(pages: Client, owner: User) -> None:
    app = make_app("Notebook")
    make_access_token(owner, app=app)
    connected = Connection.objects.get(user=owner, application=app)
    Budget.objects.create(user=owner, connection=connected, measure="calls", period="day", limit=0)
    assert "Notebook: the budget “Calls per day” is used up." in overview(pages)
    disconnect(connected)
    assert "is used up" not in overview(pages)


def test_the_chart_counts_by_day_of_the_owner_and_has_a_table(pages: Client, owner: User, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    now = timezone.now()
    for name in ["Claude"] * 3 + ["<b>Cursor</b>"]:
        call(owner, name, now)
    call(owner, "Claude", now - timedelta(days=20))
    page = overview(pages)
    assert '<th scope="col" class="r">Claude</th><th scope="col" class="r">&lt;b&gt;Cursor&lt;/b&gt;</th>' in page
    assert '<td class="r">3</td><td class="r">1</td></tr></tbody>' in page
    with timezone.override("Asia/Tokyo"):
        activity = activity_of(owner.pk)
    assert activity is not None
    assert sum(sum(counts) for _, counts in activity.rows) == 4
    assert all(bar.y >= 8 and bar.y + bar.height <= 136 for bar in activity.bars)
    assert "<span>4</span><span>2</span><span>0</span></div><svg" in page


def test_apps_beyond_the_fifth_are_added_up(owner: User) -> None:
    for number in range(8):
        for _ in range(8 - number):
            call(owner, f"App {number}", timezone.now())
    activity = activity_of(owner.pk)
    assert activity is not None
    assert [name for name, _ in activity.apps] == [*(f"App {number}" for number in range(5)), "Others"]
    assert list(activity.rows[-1][1]) == [8, 7, 6, 5, 4, 6]


def test_each_app_has_the_colour_of_its_letters_in_the_chart_whatever_it_did(owner: User) -> None:
    names = ["Claude", "Cursor", "ChatGPT", "Trip planner", "Backup script"]

    def colours() -> dict[str, str]:
        cache.clear()
        activity = activity_of(owner.pk)
        assert activity is not None
        return dict(activity.apps)

    for name in names:
        call(owner, name, timezone.now())
    first = colours()
    assert len(set(first.values())) == len(names)
    assert GREY not in first.values()
    for _ in range(3):
        call(owner, names[-1], timezone.now())
    assert colours() == first
    alone = [name for name in names if [app_colour(each) for each in names].count(app_colour(name)) == 1]
    assert alone
    assert all(first[name] == app_colour(name) for name in alone)


def test_tokens_are_listed_before_apps_that_are_not_connected(pages: Client, owner: User) -> None:
    make_access_token(owner, app=make_app("Former"))
    disconnect(Connection.objects.get())
    Connection.objects.update(last_used_at=timezone.now())
    long_ago = timezone.now() - timedelta(days=9)
    for name, days in (("Backup <script>", 1), ("Expired", -1)):
        ends = timezone.now() + timedelta(days=days)
        PersonalToken.objects.create(user=owner, name=name, token_sha256=name, expires_at=ends, last_used_at=long_ago)
    PersonalToken.objects.create(user=owner, name="New", token_sha256="New")
    page = overview(pages).partition('id="apps"')[2]
    assert page.index("Backup &lt;script&gt;") < page.index("Former") < page.index("not connected") < page.index("New<")
    assert "Expired" not in page
    assert ("connected app" in page, ">2 tokens<" in page) == (False, True)
    make_access_token(owner, app=make_app("Current"))
    assert ">1 connected app<" in overview(pages)


# In transactions of their own, as on the server: within one, the embedding space is not cached.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("runs_server", [False, True])
def test_the_overview_costs_at_most_fifteen_queries(pages: Client, owner: User, runs_server: bool) -> None:
    owner.is_superuser = runs_server
    owner.save()
    make_access_token(owner, app=make_app("Claude"))
    infer(quarantined(owner), "Robin may like jazz.")
    for number in range(7):
        make_memory(owner, f"Fact {number}.")
        call(owner, f"App {number}", timezone.now())
    overview(pages)
    with CaptureQueriesContext(connection) as queries:
        overview(pages)
    assert len(queries) <= 15, "\n".join(each["sql"][:160] for each in queries)


def test_an_app_without_tokens_is_shown_as_not_connected(pages: Client, owner: User) -> None:
    make_access_token(owner, app=make_app("Cursor"))
    assert "not connected" not in overview(pages)
    connection = Connection.objects.get()
    disconnect(connection)
    Connection.objects.update(last_used_at=timezone.now() - timedelta(days=9))
    page = overview(pages)
    assert "not connected" in page
    assert "silent" not in page
