"""Tests of the page of the activity log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from mcpapi.models import AuditLine
from mcpapi.observability.activity_queries import apps_of
from oauthserver.models import User
from tests.support.factories import make_user

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


def test_a_line_says_who_called_what_and_links_to_the_memories(owner: User, pages: Client) -> None:
    make_line(owner, client_name="Desktop Helper", memory_ids=[71, 72])
    make_line(owner, method="resources/list", tool="", result="rate_limited")
    page = page_of(pages)
    for shown in ("Desktop Helper", "recall", "12 ms", "Done", "resources/list", "rate limited"):
        assert shown in page
    assert '<a href="/admin/memories/memory/71/change/">#71</a>' in page


def test_a_dry_run_is_told_from_what_was_done(owner: User, pages: Client) -> None:
    make_line(owner, tool="forget", memory_ids=[71])
    without = page_of(pages).count("Dry run: nothing changed")  # The filter names it in any case.
    make_line(owner, tool="forget", memory_ids=[72], dry_run=True)
    make_line(owner, tool="forget", dry_run=True, result="NOT_FOUND")
    page = page_of(pages)
    assert page.count("Dry run: nothing changed") == without + 1
    assert "not found" in page


def test_of_many_memories_the_list_links_the_first_and_the_page_of_the_call_all_that_are_kept(
    owner: User, pages: Client
) -> None:
    line = make_line(owner, memory_ids=list(range(101, 109)), memory_count=5_000)
    page = page_of(pages)
    assert "#105</a> and 4995 more" in page
    assert "#106</a>" not in page
    assert "#108</a> and 4992 more" in pages.get(f"{LIST}{line.pk}/change/").content.decode()


def test_a_line_links_to_documents_and_is_found_by_their_ids(owner: User, pages: Client) -> None:
    ids = [UUID(int=number << 96) for number in range(1, 8)]
    line = make_line(owner, tool="search", memory_ids=[71], document_ids=ids, document_count=9)
    make_line(owner, client_name="Other app")
    page = page_of(pages)
    assert f'<a href="/admin/documents/document/{ids[0]}/change/">#00000001</a>' in page
    assert "memory <span>" in page
    assert "documents <span>" in page
    assert "#00000005</a> and 4 more" in page
    assert "#00000007</a> and 2 more" in pages.get(f"{LIST}{line.pk}/change/").content.decode()
    assert list(pages.get(f"{LIST}?q={ids[6]}").context["cl"].result_list) == [line]
    assert list(pages.get(f"{LIST}?q={UUID(int=5)}").context["cl"].result_list) == []


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


def test_a_search_for_words_says_what_can_be_searched_for(owner: User, pages: Client) -> None:
    assert "Search for the id of a memory" in page_of(pages, "?q=mochi")


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(12.3, "12 ms"), (1_480, "1.5 s"), (75_000, "0:01:15"), (90_061_000, "1 day, 1:01:01")],
)
def test_the_time_of_a_call_and_of_a_stream_can_be_read(
    owner: User, pages: Client, milliseconds: float, shown: str
) -> None:
    make_line(owner, milliseconds=milliseconds)
    assert shown in page_of(pages)


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
