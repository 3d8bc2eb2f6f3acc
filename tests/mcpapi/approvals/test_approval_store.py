"""Tests of the approval queue: how long approvals are pending, for which owner, and how many are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from common.risks import Risk
from mcpapi.approvals import approval_store
from mcpapi.approvals.approval_store import RiskyAction, approve, pending_approvals, reject, request_approval, use
from mcpapi.models import Approval
from mcpapi.tasks import delete_expired_rows
from memories.errors import LimitExceeded
from memories.models import Memory
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from oauthserver.models import PersonalToken, User
from oauthserver.resource_server.principal import Principal
from tests.support.concurrency import in_threads
from tests.support.factories import make_memory, make_user, owner_actor

PAGE, APP = Approval.Place.PAGE, Approval.Place.APP


def principal_of(user: User) -> Principal:
    """Return the principal of a new script of the user."""
    token = PersonalToken.objects.create(user=user, name="script", token_sha256=f"checksum of {user.pk}")
    return Principal(
        user.pk, f"token:{token.pk}", "script", frozenset(), (), (), "auto", False, (PersonalToken, token.pk)
    )


@pytest.fixture
def script(owner: User) -> Principal:
    return principal_of(owner)


def ask_for(script: Principal, what: str = "all memories") -> Approval:
    export = RiskyAction(Risk.EXPORT, f"Export {what}", reason="A copy for the shelf")
    return request_approval(script, "export_memories", export)


def age(approval: Approval, by: timedelta) -> None:
    """Move all times of the approval into the past."""
    approval.refresh_from_db()
    Approval.objects.filter(pk=approval.pk).update(asked_at=approval.asked_at - by, expires_at=approval.expires_at - by)


def test_the_same_call_is_one_question(owner: User, script: Principal) -> None:
    assert ask_for(script) == ask_for(script) != ask_for(script, "after-7")
    assert pending_approvals(owner.pk).count() == 2


def test_an_approval_does_not_outlast_a_clock_that_goes_back(owner: User, script: Principal) -> None:
    approved, rejected, asked = (ask_for(script, what) for what in ("a", "b", "c"))
    assert approve(approved, PAGE)
    assert reject(rejected, PAGE)
    for approval in (approved, rejected, asked):
        age(approval, timedelta(days=-365))
    assert not use(approved)
    assert not pending_approvals(owner.pk).exists()
    assert {ask_for(script, what).state for what in ("a", "b", "c")} == {Approval.State.ASKED}


def test_a_question_waits_as_long_as_the_setting_says(owner: User, script: Principal, settings: Settings) -> None:
    settings.APPROVAL_LIFETIME_SECONDS = 600
    asked = ask_for(script)
    age(asked, timedelta(seconds=590))
    assert pending_approvals(owner.pk).get() == asked
    age(asked, timedelta(seconds=11))
    assert not pending_approvals(owner.pk).exists()
    assert not approve(asked, PAGE)
    assert not reject(asked, PAGE)
    assert ask_for(script) != asked


def test_what_was_approved_holds_from_then_on_for_as_long(script: Principal, settings: Settings) -> None:
    settings.APPROVAL_LIFETIME_SECONDS = 600
    asked = ask_for(script)
    age(asked, timedelta(seconds=590))
    assert approve(asked, PAGE)
    age(asked, timedelta(seconds=590))
    assert ask_for(script).state == "approved"
    age(asked, timedelta(seconds=11))
    assert not use(asked)
    assert ask_for(script).state == "asked"


@pytest.mark.parametrize(("place", "state"), [(PAGE, "rejected"), (APP, "asked")])
def test_a_rejection_on_the_page_stands_and_one_in_the_app_is_of_one_call(
    script: Principal, place: str, state: str
) -> None:
    assert reject(ask_for(script), place)
    assert ask_for(script).state == state


def test_a_rejection_stands_for_what_is_left_of_its_memories(owner: User, script: Principal) -> None:
    memories = [make_memory(owner, f"Fact {number}") for number in range(4)]

    def ask(*affected: Memory, tool: str = "forget_batch") -> Approval:
        summary = f"Forget {len(affected)} memories"
        return request_approval(script, tool, RiskyAction(Risk.BULK_FORGET, summary, affected))

    rejected = ask(*memories)
    assert reject(rejected, PAGE)
    first, *others = memories
    assert ask(*others).state == Approval.State.ASKED  # The owner may have told the app to leave one out.
    Approval.objects.exclude(pk=rejected.pk).delete()
    forget_memory(owner_actor(owner), first.pk)
    assert ask(*others) == rejected
    assert ask(*others, tool="apply_cleanup").state == Approval.State.ASKED
    assert ask(*others, make_memory(owner, "Another fact")).state == Approval.State.ASKED
    hard_delete_memory(owner_actor(owner), others[0].pk)
    assert ask(*others[1:]) == rejected
    age(rejected, timedelta(days=1))
    assert ask(*others[1:]).state == Approval.State.ASKED


@pytest.mark.parametrize("second", [approve, reject])
@pytest.mark.parametrize("first", [approve, reject])
def test_it_is_decided_once(
    script: Principal, first: Callable[[Approval, str], bool], second: Callable[[Approval, str], bool]
) -> None:
    asked = ask_for(script)
    assert first(asked, PAGE)
    assert not second(asked, APP)
    asked.refresh_from_db()
    assert asked.decided_in == "page"


def test_only_what_is_approved_can_be_used_and_once(script: Principal) -> None:
    asked = ask_for(script)
    assert not use(asked)
    assert approve(asked, PAGE)
    assert use(asked)
    assert not use(asked)
    assert not approve(asked, PAGE)


def test_the_reason_is_gone_once_it_is_decided(script: Principal) -> None:
    asked = ask_for(script)
    assert asked.reason == "A copy for the shelf"
    approve(asked, PAGE)
    asked.refresh_from_db()
    assert asked.reason == ""


def test_what_waits_is_shown_to_its_owner_alone(script: Principal) -> None:
    other = make_user()
    ask_for(script)
    assert not pending_approvals(other.pk).exists()
    assert ask_for(principal_of(other)).owner_id == other.pk


def test_an_app_that_is_cut_off_leaves_only_what_is_past(script: Principal) -> None:
    approve(ask_for(script, "1"), PAGE)
    reject(ask_for(script, "2"), PAGE)
    used = ask_for(script, "3")
    approve(used, PAGE)
    use(used)
    ask_for(script, "4")
    approval_store.withdraw(str(script.permission_name))
    assert sorted(Approval.objects.values_list("state", flat=True)) == ["rejected", "used"]


def test_of_one_app_only_the_newest_are_kept(script: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval_store, "MAX_KEPT", 3)
    for number in range(5):
        reject(ask_for(script, str(number)), APP)
    newest = ask_for(script, "newest")
    assert Approval.objects.count() == 3
    assert Approval.objects.filter(pk=newest.pk).exists()


def test_what_is_old_goes_every_night(script: Principal) -> None:
    old, recent = ask_for(script, "old"), ask_for(script, "recent")
    age(old, timedelta(days=31))
    age(recent, timedelta(days=29))
    delete_expired_rows(timestamp=int(timezone.now().timestamp()))
    assert Approval.objects.get() == recent


def test_the_reason_of_what_nobody_decided_goes_the_next_night(script: Principal) -> None:
    late, waiting = ask_for(script, "late"), ask_for(script, "waiting")
    age(late, timedelta(days=1))
    delete_expired_rows(timestamp=int(timezone.now().timestamp()))
    late.refresh_from_db()
    waiting.refresh_from_db()
    assert (late.reason, waiting.reason) == ("", "A copy for the shelf")


@pytest.mark.django_db(transaction=True)
def test_many_at_once_ask_one_question_and_no_more_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    script = principal_of(make_user())
    assert len({approval.pk for approval in in_threads(6, lambda _: ask_for(script))}) == 1
    monkeypatch.setattr(approval_store, "MAX_PENDING", 3)

    def is_asked(number: int) -> bool:
        try:
            return bool(ask_for(script, str(number)))
        except LimitExceeded:
            return False

    assert in_threads(6, is_asked).count(True) == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_decisions_and_uses_at_once_one_counts() -> None:
    asked = ask_for(principal_of(make_user()))
    decisions = in_threads(6, lambda number: (approve, reject)[number % 2](asked, PAGE))
    assert decisions.count(True) == 1
    Approval.objects.update(state=Approval.State.APPROVED)
    assert in_threads(6, lambda _: use(asked)).count(True) == 1
