"""Tests of the page on which the owner decides about risky calls."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.approvals.approval_store import digest_of
from mcpapi.models import Approval
from memories.models import Memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import Connection, User
from tests.support.factories import HOST, Assistant, actor_for, infer, make_memory, make_user, quarantined

PAGE = "/admin/mcpapi/approval/"


def make_approval(owner: User, **details: Any) -> Approval:
    """Create a pending approval. `details` override fields."""
    asked = {
        "permission": "connection:1",
        "client_name": "Notebook",
        "tool": "forget",
        "risk": "bulk_forget",
        "summary": "Permanently delete memory 12 and its history",
        "memory_ids": [],
        "digest": digest_of("forget", "Permanently delete memory 12 and its history", []),
        "expires_at": timezone.now() + timedelta(minutes=50, seconds=30),
    }
    return Approval.objects.create(owner=owner, **{**asked, **details})


def ask_to_delete(owner: User, memory: Memory) -> Approval:
    """Create the approval of an app's request to hard delete the memory in its current state."""
    assistant = Assistant.of(owner)
    assert Connection.objects.update(approvals=["hard_delete"])
    assert assistant.error_of("forget", id=memory.pk, hard_delete=True)["code"] == "APPROVAL_TIMED_OUT"
    return Approval.objects.get()


def page_of(pages: Client) -> str:
    response = pages.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def decide(pages: Client, approval: Approval, decision: str) -> Any:
    return pages.post(f"{PAGE}{approval.pk}/decide/", {"decision": decision}, follow=True)


def test_a_call_that_waits_is_shown_with_all_that_it_concerns(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The <b>cat</b> is called Mimi.")
    make_approval(owner, memory_ids=[memory.pk], reason="She is a dog.")
    page = page_of(pages)
    for shown in (
        "Permanently delete memory 12 and its history?",
        "Notebook asked just now.",
        "Without your decision, it expires <time",
        "The &lt;b&gt;cat&lt;/b&gt; is called Mimi.",
        f'href="/admin/memories/memory/{memory.pk}/change/">',
        "Reason given by the app:</span> <bdi>She is a dog.",
    ):
        assert shown in page


@pytest.mark.parametrize("risk", ["bulk_forget", "hard_delete", "export"])
def test_no_answer_is_suggested_by_a_filled_button(owner: User, pages: Client, risk: str) -> None:
    approval = make_approval(owner, risk=risk)
    for page in (page_of(pages), pages.get(f"/admin/review/?show=a{approval.pk}").content.decode()):
        assert 'value="approve"' in page
        assert '<button class="btn go' not in page


def test_the_owner_sees_what_waits_in_the_inbox_and_is_to_be_deleted_for_good(owner: User, pages: Client) -> None:
    held = infer(quarantined(owner), "The cat may be called Mimi.")
    make_approval(owner, memory_ids=[held.memory_id])
    assert "The cat may be called Mimi." in page_of(pages)


def test_of_many_memories_the_first_are_shown_and_the_others_unfolded(owner: User, pages: Client) -> None:
    ids = [make_memory(owner, f"The number {number}.").pk for number in range(12)]
    make_approval(owner, memory_ids=ids, asked_at=timezone.now() - timedelta(minutes=2))
    page = page_of(pages)
    assert "asked 2 minutes ago" in page
    first, folded, others = page.partition("and 2 more</summary>")
    assert folded
    assert (first.count("The number"), others.count("The number")) == (10, 2)


def test_of_many_calls_the_oldest_are_shown(owner: User, pages: Client) -> None:
    for number in range(22):
        make_approval(owner, summary=f"Export {number:02}", asked_at=timezone.now() - timedelta(minutes=30 - number))
    page = page_of(pages)
    assert "Export 19?" in page
    assert "Export 20" not in page
    assert "More calls are waiting" in page


def test_memories_that_are_gone_are_said_to_be(owner: User, pages: Client) -> None:
    make_approval(owner, memory_ids=[10**9])
    assert "These memories no longer exist." in page_of(pages)


@pytest.mark.parametrize(
    ("decision", "state", "said"),
    [
        (
            "approve",
            "approved",
            "if Notebook is still waiting for it, otherwise when it calls again within 60 minutes.",
        ),
        ("reject", "rejected", "Rejected. Nothing is changed."),
    ],
)
def test_a_click_decides_once(owner: User, pages: Client, decision: str, state: str, said: str) -> None:
    approval = make_approval(owner)
    assert said in decide(pages, approval, decision).content.decode()
    for later in ("approve", "reject"):
        assert "This call is no longer pending" in decide(pages, approval, later).content.decode()
    approval.refresh_from_db()
    assert (approval.state, approval.decided_in) == (state, "page")


def test_what_was_rewritten_since_the_app_asked_can_be_rejected_only(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Junk.")
    approval = ask_to_delete(owner, memory)
    assert 'value="approve"' in page_of(pages)
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="The only copy of the wedding vows."))
    page = page_of(pages)
    assert "changed after the app asked" in page
    assert 'value="reject"' in page
    assert 'value="approve"' not in page
    assert "changed after the app asked" in decide(pages, approval, "approve").content.decode()
    approval.refresh_from_db()
    assert approval.state == "asked"
    assert "Rejected." in decide(pages, approval, "reject").content.decode()


def test_what_still_says_the_same_can_be_approved(owner: User, pages: Client) -> None:
    approval = ask_to_delete(owner, make_memory(owner, "Junk."))
    page = decide(pages, approval, "approve").content.decode()
    assert "Approve <kbd>A</kbd>" not in page
    assert "Press <kbd>A</kbd> again to delete permanently." in page
    approval.refresh_from_db()
    assert approval.state == "asked"
    sent = {"card": f"a{approval.pk}", "do": "approve_finally"}
    assert "Approved." in pages.post("/admin/review/", sent, follow=True).content.decode()


def test_what_is_too_late_is_said_to_be(owner: User, pages: Client) -> None:
    approval = make_approval(owner, expires_at=timezone.now() - timedelta(seconds=1))
    assert "This call has expired, and nothing was done." in decide(pages, approval, "approve").content.decode()
    approval.refresh_from_db()
    assert approval.state == "asked"
    approval.delete()
    final = ask_to_delete(owner, make_memory(owner, "Junk."))
    Approval.objects.filter(pk=final.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "This call has expired, and nothing was done." in decide(pages, final, "approve").content.decode()
    sent = {"card": f"a{final.pk}", "do": "approve"}
    assert "This call has expired" in pages.post("/admin/review/", sent, follow=True).content.decode()
    final.refresh_from_db()
    assert final.state == "asked"


@pytest.mark.parametrize(
    ("seconds", "said"), [(20, "within 1 minute."), (60, "within 1 minute."), (120, "within 2 minutes.")]
)
def test_minutes_are_counted_correctly(owner: User, pages: Client, settings: Settings, seconds: int, said: str) -> None:
    settings.APPROVAL_LIFETIME_SECONDS = seconds
    approval = make_approval(owner, expires_at=timezone.now() + timedelta(seconds=10))
    assert said in decide(pages, approval, "approve").content.decode()


def test_a_call_that_expired_still_says_what_it_was_about_and_why(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Number {number} is <b>wrong</b>.") for number in range(12)]
    approval = make_approval(
        owner,
        memory_ids=[*(memory.pk for memory in memories), make_memory(make_user(), "Somebody else's.").pk],
        reason="A <b>typo</b>.",
        expires_at=timezone.now() - timedelta(seconds=1),
    )
    page = pages.get(f"{PAGE}{approval.pk}/change/").content.decode()
    assert all(f"Number {number} is &lt;b&gt;wrong&lt;/b&gt;." in page for number in range(12))
    assert "and 2 more" in page
    assert "A &lt;b&gt;typo&lt;/b&gt;." in page
    assert "Somebody" not in page


def test_nobody_else_sees_or_decides_it(owner: User, pages: Client) -> None:
    foreign = make_approval(make_user(), client_name="Somebody's app")
    assert "Somebody" not in page_of(pages)
    assert decide(pages, foreign, "approve").status_code == 404
    assert pages.get(f"{PAGE}{foreign.pk}/change/").status_code == 404
    assert decide(Client(headers={"host": HOST}), foreign, "approve").request["PATH_INFO"] == "/login/"
    foreign.refresh_from_db()
    assert foreign.state == "asked"


def test_a_foreign_memory_is_not_shown_whatever_an_approval_names(owner: User, pages: Client) -> None:
    make_approval(owner, memory_ids=[make_memory(make_user(), "Somebody else's.").pk])
    assert "Somebody" not in page_of(pages)


def test_only_a_click_on_the_page_decides(owner: User, pages: Client) -> None:
    approval = make_approval(owner)
    assert pages.get(f"{PAGE}{approval.pk}/decide/?decision=approve").status_code == 405
    careful = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    careful.force_login(owner)
    assert decide(careful, approval, "approve").status_code == 403
    assert decide(pages, approval, "maybe").status_code == 400
    approval.refresh_from_db()
    assert approval.state == "asked"


def test_an_id_that_is_none_leads_nowhere(pages: Client) -> None:
    for number in ("1", "x", "00000000-0000-0000-0000-000000000000"):
        assert pages.post(f"{PAGE}{number}/decide/", {"decision": "approve"}, follow=True).status_code == 404


def test_what_is_past_stands_below(owner: User, pages: Client) -> None:
    past = {"expires_at": timezone.now() - timedelta(hours=1)}
    decided = {"decided_at": timezone.now() - timedelta(hours=1)}
    make_approval(owner, summary="Export one", state="used", decided_in="app", **decided)
    make_approval(owner, summary="Export two", state="rejected", decided_in="page", **decided)
    make_approval(owner, summary="Export three", **past)
    make_approval(owner, summary="Export four", state="approved", decided_in="page", **decided, **past)
    make_approval(owner, summary="Export five", state="approved", decided_in="page", **decided)
    response = pages.get(PAGE)
    page = response.content.decode()
    assert "Nothing awaits your approval" in page
    assert "<h2>Decided or expired in the last 30 days</h2>" in page
    rows = {
        row.summary: page.partition(row.summary)[2].partition("</li>")[0] for row in response.context["cl"].result_list
    }
    for summary, outcome, where in (
        ("Export one", "carried out", "in the app"),
        ("Export two", "rejected", "on these pages"),
        ("Export three", "not decided", "flag warn"),
        ("Export four", "approved, never carried out", "on these pages"),
        ("Export five", "approved", "on these pages"),
    ):
        assert outcome in rows[summary]
        assert where in rows[summary]
    german = pages.get(PAGE, headers={"accept-language": "de"}).content.decode()
    assert "abgelehnt" in german
    assert "auf diesen Seiten" in german


def test_where_nothing_ever_waited_one_box_says_so_and_what_to_do(pages: Client) -> None:
    page = page_of(pages)
    assert "Nothing awaits your approval" in page
    assert "No entries." not in page
    assert "in the last 30 days" not in page
    assert '<a href="/admin/oauthserver/personaltoken/">Personal tokens</a>' in page


def test_each_row_of_what_is_past_leads_to_its_own_page(owner: User, pages: Client) -> None:
    past = make_approval(owner, state="used", decided_at=timezone.now(), decided_in="app")
    address = f"{PAGE}{past.pk}/change/"
    assert f'href="{address}' in page_of(pages)
    response = pages.get(address)
    assert response.status_code == 200
    assert "Carried out" in response.content.decode()


def test_nothing_can_be_added_changed_or_deleted(owner: User, pages: Client) -> None:
    past = make_approval(owner, state="used", decided_at=timezone.now())
    assert pages.get(f"{PAGE}add/").status_code == 403
    assert pages.post(f"{PAGE}{past.pk}/change/", {"state": "approved"}).status_code == 403
    assert pages.post(f"{PAGE}{past.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_menu_counts_what_waits(owner: User, pages: Client) -> None:
    for _ in range(7):
        make_approval(owner)
    make_approval(make_user())
    assert '<span class="badge">7<' in pages.get("/admin/mcpapi/auditline/").content.decode()
    assert "Approvals <b>7</b></a>" in pages.get("/admin/mcpapi/approval/").content.decode()


def test_the_overview_counts_what_waits(owner: User, pages: Client) -> None:
    make_approval(make_user())
    assert "your approval" not in pages.get("/admin/").content.decode()
    for _ in range(2):
        make_approval(owner)
    page = pages.get("/admin/").content.decode()
    assert "2 calls need your approval" in page


@pytest.mark.parametrize("count", [1, 5])
def test_the_page_costs_as_many_queries_for_many_as_for_one(
    owner: User, pages: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    for _ in range(count):
        make_approval(owner, memory_ids=[memory.pk])
        make_approval(owner, state="used", decided_at=timezone.now())
    with django_assert_num_queries(6):
        page_of(pages)
