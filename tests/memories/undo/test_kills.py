"""Tests of undoing and applying plans when the process is killed, and when others write at the same time."""

from __future__ import annotations

import signal

import pytest
from django.db import connection, transaction

from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import apply_plan, propose_plan
from memories.models import CleanupLine, JournalEntry, Memory
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.tag_changes import merge_tags
from memories.writing.updating import MemoryUpdate, update_memories, update_memory
from oauthserver.models import User
from tests.support.concurrency import in_threads
from tests.support.factories import make_memory, make_user, owner_actor
from tests.support.processes import eventually
from tests.support.undoing_process import is_waiting, running

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = 8


@pytest.fixture
def owner() -> User:
    return make_user()


def state_of(owner: User) -> list[tuple[object, ...]]:
    """Return everything that the operations change."""
    memories = Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", "text", "tags", "deleted_at")
    lines = CleanupLine.objects.filter(plan__owner=owner).order_by("pk").values_list("pk", "state")
    return [*memories, *lines, (JournalEntry.objects.filter(owner=owner).count(),)]


def reworded(owner: User) -> Actor:
    """Store memories and have an app reword them. Return the app's actor."""
    ids = [make_memory(owner, f"Fact {number}", tags=("old",)).pk for number in range(COUNT)]
    app = Actor(View.whole(owner.pk), "nonsense")
    update_memories(app, [(pk, MemoryUpdate(text=f"Nonsense {pk}")) for pk in ids])
    return app


@pytest.mark.parametrize("what", ["undo", "apply", "merge"])
def test_a_kill_in_the_middle_leaves_nothing_half_done(owner: User, what: str) -> None:
    app = reworded(owner)
    ids = list(Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))
    changes = [ProposedChange(Action.FORGET, [pk], reason="Nonsense") for pk in ids]
    plan = propose_plan(owner_actor(owner), changes)
    arguments = {"undo": app.change_set, "apply": plan.pk, "merge": "old"}
    before = state_of(owner)
    with transaction.atomic():
        with connection.cursor() as cursor:
            # The journal can be read, but not be written.
            cursor.execute("LOCK TABLE memories_journalentry IN SHARE MODE")
        with running(what, owner, arguments[what]) as process:
            process.wait_for("ready")
            assert eventually(is_waiting, 60)
            process.process.send_signal(signal.SIGKILL)
            process.process.wait()
    assert state_of(owner) == before
    # Nothing is left that would keep it from being done.
    with running(what, owner, arguments[what]) as process:
        process.wait_for("done")
    assert state_of(owner) != before


def test_undo_during_writes_loses_no_write(owner: User) -> None:
    app = reworded(owner)
    ids = list(Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))

    def work(number: int) -> None:
        if number == 0:
            undo(owner_actor(owner), Selection(change_set=app.change_set))
            return
        for pk in ids[number::4]:
            update_memory(owner_actor(owner), pk, MemoryUpdate(text=f"Mine {pk}"))

    in_threads(4, work)
    texts = dict(Memory.objects.filter(owner=owner).values_list("pk", "text"))
    written = {pk for number in (1, 2, 3) for pk in ids[number::4]}
    assert all(texts[pk] == f"Mine {pk}" for pk in written), texts
    assert all(texts[pk].startswith("Fact ") for pk in set(ids) - written), texts
    for pk in ids:
        newest = JournalEntry.objects.filter(memory_id=pk, after__has_key="text").order_by("-pk")[0]
        assert newest.after["text"] == texts[pk]


def test_two_undos_and_a_plan_at_once_leave_one_consistent_history(owner: User) -> None:
    app = reworded(owner)
    ids = list(Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))
    plan = propose_plan(owner_actor(owner), [ProposedChange(Action.FORGET, [pk]) for pk in ids])

    def work(number: int) -> None:
        if number == 2:
            apply_plan(owner_actor(owner), plan.pk)
        elif number == 3:
            merge_tags(owner_actor(owner), ["old"], "new")
        else:
            undo(owner_actor(owner), Selection(change_set=app.change_set))

    in_threads(4, work)
    memories = Memory.objects.filter(owner=owner)
    assert {tuple(memory.tags) for memory in memories} == {("new",)}
    assert len({memory.deleted_at is None for memory in memories}) == 1
    texts = JournalEntry.objects.filter(owner=owner, operation="undo", after__has_key="text")
    assert texts.count() == COUNT
