"""Tests of the approval gate: a risky call stops until the owner has approved it, and is then made once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from common.risks import Risk
from mcpapi.approvals.approval_store import (
    MAX_PENDING,
    RiskyAction,
    approve,
    pending_approvals,
    reject,
    request_approval,
)
from mcpapi.calls.approval_errors import ApprovalRejected
from mcpapi.models import Approval, AuditLine
from mcpapi.observability.audit import audit_lines
from memories.access import Actor
from memories.models import Memory
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.locking import lock_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import Connection, User
from oauthserver.resource_server.principal import Principal
from tests.mcpapi.approvals.conftest import (
    asked_in,
    call,
    hard_delete,
    make_memories,
    must_ask,
    payload_of,
    the_approval,
)
from tests.support.concurrency import in_threads
from tests.support.factories import Assistant, actor_for, infer, make_app, make_memory, make_user, quarantined

PAGE = Approval.Place.PAGE
Decide = Callable[[Approval, str], bool]


def is_there(memory: Memory) -> bool:
    return Memory.objects.filter(pk=memory.pk).exists()


def test_nothing_has_to_be_asked_until_the_owner_wants_it(owner: User) -> None:
    assistant = Assistant.of(owner)
    assert assistant.call("forget", **hard_delete(make_memory(owner, "The cat is called Mimi.")))["ok"]
    assert assistant.call("export_memories")["ok"]
    assert not Approval.objects.exists()


def test_only_the_chosen_risks_are_asked_about(owner: User, assistant: Assistant) -> None:
    must_ask(risks=["export"])
    assert assistant.call("forget", **hard_delete(make_memory(owner, "The cat is called Mimi.")))["ok"]
    assert assistant.error_of("export_memories")["code"] == "APPROVAL_TIMED_OUT"


def test_a_client_that_cannot_ask_is_told_where_the_owner_decides(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    error = assistant.error_of("forget", **hard_delete(memory))
    assert error.items() >= {"code": "APPROVAL_TIMED_OUT", "rpc_code": -32002}.items()
    assert "http://127.0.0.1:8000/admin/mcpapi/approval/" in error["message"]
    assert "within 60 minutes" in error["message"]
    assert is_there(memory)
    waiting = the_approval()
    assert (waiting.state, waiting.client_name, waiting.tool) == ("asked", "Notebook", "forget")
    assert waiting.summary == f"Permanently delete memory {memory.pk} and its history"
    assert waiting.memory_ids == [memory.pk]


def test_a_call_about_a_text_that_changed_takes_the_place_of_the_one_before(owner: User, assistant: Assistant) -> None:
    memory, other = make_memory(owner, "The cat is called Mimi."), make_memory(owner, "The dog is called Ada.")
    for asked in (memory, other):
        assert not assistant.call("forget", **hard_delete(asked))["ok"]
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="The cat is called Mimi, and she is black."))
    assert not assistant.call("forget", **hard_delete(memory))["ok"]
    assert Approval.objects.count() == 3
    pending = pending_approvals(owner.pk).order_by("asked_at")
    assert [each.memory_ids for each in pending] == [[other.pk], [memory.pk]]
    assert approve(pending[1], PAGE)
    assert assistant.call("forget", **hard_delete(memory))["ok"]
    assert not is_there(memory)


def test_what_was_approved_is_done_by_the_same_call_once(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, 11)
    assert not assistant.call("forget_batch", ids=ids)["ok"]
    assert not assistant.call("forget_batch", ids=ids)["ok"]
    assert approve(the_approval(), PAGE)
    assert assistant.call("forget_batch", ids=ids)["summary"]["deleted"] == 11
    assert the_approval().state == "used"
    Memory.objects.update(deleted_at=None)
    assert assistant.error_of("forget_batch", ids=ids)["code"] == "APPROVAL_TIMED_OUT"
    assert Approval.objects.filter(state="asked").count() == 1


def test_what_was_rejected_on_the_page_stays_so_for_the_same_call(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant.error_of("forget", **hard_delete(memory))
    assert reject(the_approval(), PAGE)
    for _ in range(2):
        error = assistant.error_of("forget", **hard_delete(memory))
        assert error.items() >= {"code": "APPROVAL_REJECTED", "rpc_code": -32001}.items()
    assert is_there(memory)
    assert payload_of(call(assistant, "forget", hard_delete(memory)))["error"]["code"] == "APPROVAL_REJECTED"


def test_an_approval_is_of_one_call_of_one_app(owner: User, assistant: Assistant) -> None:
    memory, other = make_memory(owner, "The cat is called Mimi."), make_memory(owner, "The bank is in Lyon.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)
    another_app = Assistant.of(owner, app=make_app("Other"))
    must_ask()
    assert assistant.error_of("forget", **hard_delete(other))["code"] == "APPROVAL_TIMED_OUT"
    assert another_app.error_of("forget", **hard_delete(memory))["code"] == "APPROVAL_TIMED_OUT"
    assert assistant.error_of("export_memories")["code"] == "APPROVAL_TIMED_OUT"
    assert assistant.call("forget", **hard_delete(memory))["ok"]


def test_what_is_left_out_and_what_is_said_in_other_words_is_the_same_call(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)
    assert assistant.call("forget", dry_run=False, reason=None, hard_delete=True, id=float(memory.pk))["ok"]


def test_another_export_than_the_approved_one_is_asked_about(owner: User, assistant: Assistant) -> None:
    assistant.error_of("export_memories")
    approve(the_approval(), PAGE)
    assert assistant.error_of("export_memories", include_deleted=False)["code"] == "APPROVAL_TIMED_OUT"
    assert assistant.error_of("export_memories", cursor="after-7")["code"] == "APPROVAL_TIMED_OUT"
    assert assistant.call("export_memories", include_deleted=True)["ok"]
    assert {approval.summary for approval in Approval.objects.all()} == {
        "Export all memories that the app can see, including forgotten ones",
        "Export all memories that the app can see, without forgotten ones",
        "Export the memories after #7, including forgotten ones",
    }


@pytest.mark.parametrize(("count", "is_asked"), [(10, False), (11, True)])
def test_forgetting_is_asked_about_from_one_more_than_the_threshold(
    owner: User, assistant: Assistant, count: int, is_asked: bool
) -> None:
    ids = make_memories(owner, count)
    assert assistant.call("forget_batch", ids=ids)["ok"] is not is_asked


def test_the_same_numbers_that_mean_other_memories_by_now_are_asked_about_anew(owner: User) -> None:
    assistant = Assistant.of(owner, tags=["pets"])
    must_ask()
    ids = make_memories(owner, 13)
    Memory.objects.filter(pk__in=ids[:11]).update(tags=["pets"])
    assistant.error_of("forget_batch", ids=ids)
    assert approve(the_approval(), PAGE)
    Memory.objects.filter(pk__in=ids).update(tags=["pets"])
    assert assistant.error_of("forget_batch", ids=ids)["code"] == "APPROVAL_TIMED_OUT"
    assert {approval.summary for approval in Approval.objects.all()} == {"Forget 11 memories", "Forget 13 memories"}
    assert not Memory.objects.exclude(deleted_at=None).exists()


def test_what_was_approved_for_one_text_is_not_done_to_another(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "Junk.")
    assistant.error_of("forget", **hard_delete(memory))
    first = the_approval()
    approve(first, PAGE)
    Memory.objects.filter(pk=memory.pk).update(text="The only copy of the wedding vows.")
    assert assistant.error_of("forget", **hard_delete(memory))["code"] == "APPROVAL_TIMED_OUT"
    assert is_there(memory)
    approve(Approval.objects.exclude(pk=first.pk).get(), PAGE)
    assert assistant.call("forget", **hard_delete(memory))["ok"]


def test_what_is_rewritten_just_before_it_is_carried_out_is_asked_about_anew(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make_memory(owner, "Junk.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)

    def lock_too_late(actor: Actor, memory_ids: Collection[int]) -> list[Memory]:
        Memory.objects.filter(pk=memory.pk).update(text="The only copy of the wedding vows.")
        return lock_all(actor, memory_ids)

    monkeypatch.setattr("mcpapi.approvals.enforcement.lock_all", lock_too_late)
    assert assistant.error_of("forget", **hard_delete(memory))["code"] == "APPROVAL_TIMED_OUT"
    assert is_there(memory)


def test_what_was_rejected_stays_so_in_other_words(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, 11)
    assistant.error_of("forget_batch", ids=ids)
    assistant.error_of("export_memories")
    for approval in Approval.objects.all():
        reject(approval, PAGE)
    for again in ({"ids": ids[::-1]}, {"ids": ids, "reason": "They are old."}, {"ids": [*ids, 10**9]}):
        assert assistant.error_of("forget_batch", **again)["code"] == "APPROVAL_REJECTED"
    assert assistant.error_of("export_memories", include_deleted=True)["code"] == "APPROVAL_REJECTED"
    assert Approval.objects.count() == 2


@pytest.mark.parametrize("cursor", ["after-0", "after-00", "after-07"])
def test_an_export_begins_in_one_spelling_only(assistant: Assistant, cursor: str) -> None:
    assert assistant.error_of("export_memories", cursor=cursor)["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(("decide", "code"), [(approve, None), (reject, "APPROVAL_REJECTED")])
def test_a_no_in_the_app_changes_nothing_about_what_the_page_said_first(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch, decide: Decide, code: str | None
) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    name, _ = asked_in(asked := call(assistant, "forget", hard_delete(memory)))

    def reject_too_late(approval: Approval, place: str) -> bool:
        assert decide(approval, PAGE)
        return reject(approval, place)

    monkeypatch.setattr("mcpapi.approvals.approval_store.reject", reject_too_late)
    answer = {"requestState": asked["requestState"], "inputResponses": {name: {"action": "decline"}}}
    payload = payload_of(call(assistant, "forget", hard_delete(memory), **answer))
    assert payload.get("error", {}).get("code") == code
    assert is_there(memory) is (decide is reject)


def test_only_memories_that_would_be_forgotten_count(owner: User, assistant: Assistant, settings: Settings) -> None:
    settings.APPROVAL_BULK_FORGET = 2
    one, two, gone = make_memories(owner, 3)
    foreign = make_memory(make_user(), "Somebody else's.").pk
    Memory.objects.filter(pk=gone).update(deleted_at="2026-01-01T00:00:00Z")
    summary = assistant.call("forget_batch", ids=[one, two, one, gone, foreign, 10**9])["summary"]
    assert (summary["deleted"], summary["already_deleted"], summary["errors"]) == (2, 2, 2)


def test_a_dry_run_needs_no_approval(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, 11)
    assert assistant.call("forget_batch", ids=ids, dry_run=True)["ok"]
    assert assistant.call("forget", id=ids[0], hard_delete=True, dry_run=True)["ok"]
    assert not Approval.objects.exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("forget", {"id": 10**9, "hard_delete": True}, "NOT_FOUND"),
        ("forget", {"id": 1, "hard_delete": True, "reason": "wrong"}, "INVALID_INPUT"),
        ("forget_batch", {"ids": list(range(1, 500))}, "LIMIT_EXCEEDED"),
        ("export_memories", {"cursor": "elsewhere"}, "INVALID_INPUT"),
    ],
)
def test_nobody_is_asked_about_a_call_that_fails_anyway(
    assistant: Assistant, tool: str, arguments: dict[str, Any], code: str
) -> None:
    assert assistant.error_of(tool, **arguments)["code"] == code
    assert not Approval.objects.exists()


def test_a_reason_that_cannot_be_kept_is_neither_kept_nor_shown(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, 11)
    secret = "ghp_" + "a1B2" * 9
    assert assistant.error_of("forget_batch", ids=ids, reason=secret)["code"] == "SECRET_REJECTED"
    assert assistant.error_of("forget_batch", ids=ids, reason="a\0b")["code"] == "INVALID_INPUT"
    assert not Approval.objects.exists()


def test_work_that_fails_leaves_the_approval_as_it_was(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)
    with monkeypatch.context() as broken:
        broken.setattr("memories.writing.lifecycle.hard_delete_memory", lambda *args, **options: 1 // 0)
        assert assistant.error_of("forget", **hard_delete(memory))["code"] == "INTERNAL_ERROR"
    assert the_approval().state == "approved"
    assert assistant.call("forget", **hard_delete(memory))["ok"]


def test_an_app_may_ask_to_delete_for_good_what_it_inferred_itself(owner: User, assistant: Assistant) -> None:
    Connection.objects.update(quarantine=True)
    own = assistant.call("remember", text="The cat may be called Mimi.", capture_mode="inferred")["memory_id"]
    others = infer(quarantined(owner, client="other"), "The cat may be called Mimi.").memory_id
    assert assistant.error_of("forget", id=others, hard_delete=True)["code"] == "NOT_FOUND"
    assert assistant.error_of("forget", id=own, hard_delete=True)["code"] == "APPROVAL_TIMED_OUT"
    approve(the_approval(), PAGE)
    assert assistant.call("forget", id=own, hard_delete=True)["message"] == "Hard deleted"


def test_a_memory_that_is_gone_meanwhile_is_not_found(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)
    hard_delete_memory(actor_for(owner), memory.pk)
    assert assistant.error_of("forget", **hard_delete(memory))["code"] == "NOT_FOUND"


def test_a_memory_that_is_deleted_for_good_leaves_none_of_its_words(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant.error_of("forget", **hard_delete(memory))
    approve(the_approval(), PAGE)
    assert assistant.call("forget", **hard_delete(memory))["ok"]
    assert "Mimi" not in str(Approval.objects.values().get())


def test_the_scope_comes_first(owner: User) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant = Assistant.of(owner, scopes="memory:read memory:write")
    must_ask()
    response = assistant.request("tools/call", {"name": "forget", "arguments": hard_delete(memory)})
    assert response.status_code == 403
    assert not Approval.objects.exists()


def test_too_many_questions_of_one_app_are_not_asked(owner: User, assistant: Assistant) -> None:
    ids = make_memories(owner, MAX_PENDING + 1)
    for memory_id in ids[:-1]:
        assert assistant.error_of("forget", id=memory_id, hard_delete=True)["code"] == "APPROVAL_TIMED_OUT"
    error = assistant.error_of("forget", id=ids[-1], hard_delete=True)
    assert error["code"] == "LIMIT_EXCEEDED"
    assert "20 calls of this app already await" in error["message"]
    assert Approval.objects.count() == MAX_PENDING


def test_the_record_of_calls_says_what_was_missing(owner: User, assistant: Assistant) -> None:
    assistant.error_of("export_memories")
    audit_lines.flush()
    assert AuditLine.objects.get().result == "APPROVAL_TIMED_OUT"


def test_harmless_calls_cost_nothing_more(
    owner: User, assistant: Assistant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assistant.call("count_memories")
    with django_assert_num_queries(2):
        assistant.call("count_memories")


@pytest.mark.django_db(transaction=True)
def test_of_the_same_call_made_by_many_at_once_one_is_carried_out() -> None:
    owner = make_user()
    assistant = Assistant.of(owner)
    must_ask()
    ids = make_memories(owner, 11)
    assistant.error_of("forget_batch", ids=ids)
    approve(the_approval(), PAGE)
    answers = in_threads(6, lambda _: Assistant(assistant.token).call("forget_batch", ids=ids))
    carried_out = [answer for answer in answers if answer["ok"]]
    refused = [answer["error"]["code"] for answer in answers if not answer["ok"]]
    # Later callers find nothing left to forget, which needs no approval.
    assert sum(answer["summary"]["deleted"] for answer in carried_out) == 11
    assert set(refused) <= {"APPROVAL_TIMED_OUT"}
    assert Approval.objects.filter(state="used").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_the_same_export_made_by_many_at_once_one_is_carried_out() -> None:
    assistant = Assistant.of(make_user())
    must_ask()
    assistant.error_of("export_memories")
    approve(the_approval(), PAGE)
    answers = in_threads(6, lambda _: Assistant(assistant.token).call("export_memories"))
    assert [answer["ok"] for answer in answers].count(True) == 1
    assert sorted(Approval.objects.values_list("state", flat=True)) == ["asked", "used"]


def test_an_app_that_was_deleted_meanwhile_asks_nothing(owner: User, assistant: Assistant) -> None:
    gone = Principal(owner.pk, "app", "App", frozenset(), (), (), "auto", False, (Connection, 10**9))
    with pytest.raises(ApprovalRejected, match="no longer connected"):
        request_approval(gone, "export_memories", RiskyAction(Risk.EXPORT, "Export"))
