"""Tests of the page of the activity log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from mcpapi.admin.call_words import METHOD_TITLES, TOOL_TITLES
from mcpapi.catalog import catalog
from mcpapi.methods.registry import SHARED_METHODS
from mcpapi.models import AuditLine
from mcpapi.observability.activity_queries import apps_of
from mcpapi.observability.audit import audit_lines
from oauthserver.models import User
from tests.documents.support import make_document
from tests.support.factories import Assistant, make_memory, make_user

LIST = "/admin/mcpapi/auditline/"


def make_line(owner: User, **details: Any) -> AuditLine:
    """Create the line of a recall without matches by `owner`'s Notebook. `details` override fields."""
    ids = details.pop("memory_ids", [])
    call = {
        "at": timezone.now(),
        "client_id": "notebook",
        "client_name": "Notebook",
        "protocol_version": "2025-11-25",
        "method": "tools/call",
        "tool": "recall",
        "memory_count": len(ids),
        "result": AuditLine.OK,
        "milliseconds": 12.3,
    }
    return AuditLine.objects.create(owner=owner, memory_ids=ids, **{**call, **details})


def page_of(pages: Client, query: str = "") -> str:
    response = pages.get(LIST + query)
    assert response.status_code == 200
    return response.content.decode()


def rows_of(pages: Client, query: str = "") -> list[Any]:
    rows: list[Any] = pages.get(f"{LIST}{query}").context["rows"]
    return rows


def test_a_line_says_in_words_who_asked_for_what_and_what_came_of_it(owner: User, pages: Client) -> None:
    make_line(owner, client_name="Desktop Helper", memory_ids=[71, 72], document_count=1)
    make_line(owner, method="resources/list", tool="", result="rate_limited")
    make_line(owner, tool="(unknown)", result="not_found")
    make_line(owner, tool="days_until", result="tool_error")
    shown = {row.text: ([*map(str, row.said)], [flag.text for flag in row.flags]) for _, _, row in rows_of(pages)}
    assert shown == {
        "Look up memories": (["Desktop Helper", "2 memories", "1 document"], []),
        "List memories and documents": (["Notebook"], ["refused: too many calls in a minute"]),
        "Something that OwnSona does not know": (["Notebook"], ["not found"]),
        "days_until": (["Notebook"], ["the tool failed"]),
    }


def test_every_built_in_tool_and_method_has_words() -> None:
    assert set(TOOL_TITLES) == set(catalog().tools_by_name)
    assert set(SHARED_METHODS) - {"tools/call"} <= set(METHOD_TITLES)


def test_a_call_that_needs_the_owners_approval_has_not_failed(owner: User, pages: Client) -> None:
    make_line(owner, tool="forget", result="APPROVAL_TIMED_OUT")
    [(_, _, row)] = rows_of(pages)
    assert [(flag.text, flag.kind) for flag in row.flags] == [("asked for your approval", "warn")]
    assert len(rows_of(pages, "?result=asked")) == 1
    assert rows_of(pages, "?result=failed") == []


def test_a_stored_question_is_shown_after_what_was_asked_for(owner: User, pages: Client) -> None:
    make_line(owner, query="Who is Mochi?")
    assert [row.text for _, _, row in rows_of(pages)] == ["Look up memories: “Who is Mochi?”"]


def test_a_dry_run_is_told_from_what_was_done(owner: User, pages: Client) -> None:
    make_line(owner, tool="forget", memory_ids=[71])
    without = page_of(pages).count("Dry run: nothing changed")  # The filter names it in any case.
    make_line(owner, tool="forget", memory_ids=[72], dry_run=True)
    make_line(owner, tool="forget", dry_run=True, result="NOT_FOUND")
    page = page_of(pages)
    assert page.count("Dry run: nothing changed") == without + 1
    assert "not found" in page


def test_a_permanent_deletion_is_called_so(owner: User, pages: Client) -> None:
    assistant = Assistant.of(owner)
    for hard_delete in (False, True):
        assistant.call("forget", id=make_memory(owner, "The cat is called Mimi.").pk, hard_delete=hard_delete)
    document = make_document(owner, "The offer.")
    assistant.call("forget_document", id=str(document.pk), hard_delete=True)
    audit_lines.flush()
    shown = [row.text for _, _, row in rows_of(pages)]
    assert shown == ["Delete a document permanently", "Delete a memory permanently", "Forget a memory"]


def test_the_page_of_a_call_shows_the_memories_that_are_kept_as_they_are_now(owner: User, pages: Client) -> None:
    memory, foreign = make_memory(owner, "The cat is called Mochi."), make_memory(make_user(), "Somebody's secret")
    line = make_line(owner, memory_ids=[memory.pk, foreign.pk], memory_count=5_000)
    assert "5,000 memories" in page_of(pages)
    page = pages.get(f"{LIST}{line.pk}/change/").content.decode()
    assert f'<a class="link" href="/admin/memories/memory/{memory.pk}/change/">The cat is called Mochi.</a>' in page
    assert f'<span class="part">#{foreign.pk} (permanently deleted)</span>' in page
    assert f"/{foreign.pk}/" not in page
    assert "Somebody" not in page
    assert "and 4998 more" in page


def test_a_call_that_stored_a_memory_is_told_from_what_it_was_shown(owner: User, pages: Client) -> None:
    stored, similar = make_memory(owner, "Robin eats fish again."), make_memory(owner, "Robin eats no fish.")
    line = make_line(owner, tool="remember", memory_ids=[stored.pk, similar.pk], memory_count=2)
    assert "1 memory" in page_of(pages)
    assert "1 similar" in page_of(pages)
    page = pages.get(f"{LIST}{line.pk}/change/").content.decode()
    places = [page.index(text) for text in (stored.text, "Similar memories that were returned:", similar.text)]
    assert places == sorted(places)


def test_a_batch_does_not_count_similar_memories_as_stored(owner: User, pages: Client) -> None:
    ids = [make_memory(owner, text).pk for text in ("Robin eats fish again.", "Robin eats no fish.")]
    make_line(owner, tool="remember_batch", memory_ids=ids, memory_count=2)
    assert "2 memories stored or similar" in page_of(pages)


def test_the_page_of_a_call_shows_documents_and_is_found_by_their_ids(owner: User, pages: Client) -> None:
    document = make_document(owner, "The offer.")
    ids = [document.pk, *(UUID(int=number << 96) for number in range(1, 7))]
    line = make_line(owner, tool="search", memory_ids=[71], document_ids=ids, document_count=9)
    make_line(owner, client_name="Other app")
    assert "9 documents" in page_of(pages)
    page = pages.get(f"{LIST}{line.pk}/change/").content.decode()
    assert f'<a class="link" href="/admin/documents/document/{document.pk}/change/">{document.title}</a>' in page
    assert f'<span class="part">{ids[6]} (permanently deleted)</span>' in page
    assert "and 2 more" in page
    assert list(pages.get(f"{LIST}?q={ids[6]}").context["cl"].result_list) == [line]
    assert list(pages.get(f"{LIST}?q={UUID(int=99)}").context["cl"].result_list) == []


def test_the_names_of_the_call_are_technical_details(owner: User, pages: Client) -> None:
    line = make_line(owner, result="insufficient_scope")
    context = pages.get(f"{LIST}{line.pk}/change/").context
    technical = {fact.label: fact.text for fact in context["technical"]}
    assert (technical["Call"], technical["Result code"], technical["Took"]) == ("recall", "insufficient_scope", "12 ms")
    assert {fact.label for fact in context["facts"]} == {"App", "When", "Result"}


def test_the_record_is_read_only_and_ones_own(owner: User, pages: Client) -> None:
    foreign = make_line(make_user(), client_name="Somebody's app")
    own = make_line(owner)
    assert "Somebody" not in page_of(pages)
    assert pages.get(f"{LIST}{foreign.pk}/change/").status_code == 404
    assert pages.get(f"{LIST}{own.pk}/change/").status_code == 200
    assert pages.post(f"{LIST}{own.pk}/change/", {"client_name": "forged"}).status_code == 403
    assert pages.get(f"{LIST}add/").status_code == 403
    assert pages.post(f"{LIST}{own.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"Notebook", "Editor", "Script", "Rehearsal"}),
        ("?app=editor", {"Editor"}),
        ("?tool=remember", {"Script"}),
        ("?result=ok", {"Notebook", "Script"}),
        ("?result=dry_run", {"Rehearsal"}),
        ("?result=failed", {"Editor"}),
        ("?app=editor&result=ok", set[str]()),
        ("?q=7", {"Notebook", "Script"}),
        ("?q=%2377", {"Script"}),
        ("?q=7&tool=remember", {"Script"}),
        ("?q=99", set[str]()),
        ("?q=99999999999999999999", set[str]()),
        ("?q=mochi", set[str]()),
        ("?q=%C2%B2", set[str]()),
    ],
)
def test_it_can_be_narrowed_and_searched(owner: User, pages: Client, query: str, shown: set[str]) -> None:
    make_line(owner, memory_ids=[7])
    make_line(owner, client_id="editor", client_name="Editor", result="NOT_FOUND")
    make_line(owner, client_id="token:3", client_name="Script", tool="remember", memory_ids=[7, 77])
    make_line(owner, client_id="rehearsal", client_name="Rehearsal", tool="forget", dry_run=True)
    found = pages.get(LIST + query).context["cl"].result_list
    assert {line.client_name for line in found} == shown


def test_calls_are_found_by_the_words_of_their_memories(owner: User, pages: Client) -> None:
    dog, cat = make_memory(owner, "The dog is called Mochi."), make_memory(owner, "The cat is called Mimi.")
    make_line(owner, client_name="Notebook", memory_ids=[dog.pk])
    make_line(owner, client_name="Editor", memory_ids=[cat.pk, 99])
    make_line(owner, client_name="Script", memory_ids=[make_memory(make_user(), "Mochi of somebody else").pk])

    def found(words: str) -> set[str]:
        return {line.client_name for line in pages.get(LIST, {"q": words}).context["cl"].result_list}

    assert found("MOCHI") == {"Notebook"}
    assert found("is called") == {"Notebook", "Editor"}
    assert found("hamster") == set()


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(1_480, "took 1.5 s"), (45_000, "took 45 s"), (75_000, "took 1 min 15 s"), (90_061_000, "took 1 d 1 h")],
)
def test_the_time_of_a_slow_call_and_of_a_stream_can_be_read(
    owner: User, pages: Client, milliseconds: float, shown: str
) -> None:
    make_line(owner, milliseconds=milliseconds)
    assert shown in page_of(pages)


def test_the_filter_by_time_begins_with_any_time_in_german(owner: User, pages: Client) -> None:
    make_line(owner)
    page = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "Jederzeit" in page
    assert "Alle Daten" not in page


def test_the_days_can_be_chosen(owner: User, pages: Client) -> None:
    make_line(owner, client_name="Lately")
    make_line(owner, client_name="Once", at=timezone.now() - timedelta(days=30))
    since = (timezone.now() - timedelta(days=7)).date().isoformat()
    found = pages.get(f"{LIST}?at__gte={since}%2000:00:00%2B00:00").context["cl"].result_list
    assert [line.client_name for line in found] == ["Lately"]


def test_apps_are_offered_by_the_name_that_they_had_last(owner: User) -> None:
    make_line(owner, client_name="Notebook 1", at=timezone.now() - timedelta(days=1))
    make_line(owner, client_name="Notebook 2")
    make_line(owner, client_id="editor", client_name="Editor")
    make_line(make_user(), client_id="foreign", client_name="Foreign")
    assert apps_of(owner.pk) == [("editor", "Editor"), ("notebook", "Notebook 2")]


def test_the_page_costs_as_many_queries_for_many_lines_as_for_one(
    owner: User, pages: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_line(owner, memory_ids=[1])
    page_of(pages)
    for count in (1, 30):
        for number in range(count):
            make_line(owner, client_id=f"app-{number % 5}", memory_ids=[number + 1])
        with django_assert_num_queries(6):
            page_of(pages)
