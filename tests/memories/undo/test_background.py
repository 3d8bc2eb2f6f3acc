"""Tests of undos in the background: their progress, their ends, and what a kill leaves."""

from __future__ import annotations

import re
import signal

import pytest
from django.db import connection, transaction
from django.test import Client

from memories.access import View
from memories.errors import InvalidInput
from memories.models import JournalEntry, Memory, UndoJob
from memories.tasks import run_open_undos
from memories.undo import background, parts, undoing
from memories.undo.background import MAX_ATTEMPTS, cancel_undo, start_undo
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.documents.support import added
from tests.support.concurrency import in_threads
from tests.support.factories import HOST, actor_for, make_memory, make_user, owner_actor
from tests.support.processes import child, environment_of_a_worker, eventually
from tests.support.undoing_process import is_waiting

pytestmark = pytest.mark.django_db(transaction=True)

OF_TESTS = Selection(clients=["tests"])


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> User:
    """An owner with five memories and a document, of which an undo may have two at once."""
    monkeypatch.setattr(undoing, "MAX_ITEMS", 2)
    monkeypatch.setattr(parts, "PART", 2)
    owner = make_user("owner")
    for number in range(5):
        make_memory(owner, f"Fact number {number}.")
    added(actor_for(owner), "# Boat\n\nIt floats.\n")
    return owner


@pytest.fixture
def pages(owner: User) -> Client:
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client


def active(owner: User) -> int:
    return Memory.objects.visible_to(View.whole(owner.pk)).active().count()


def started(owner: User, selection: Selection = OF_TESTS) -> UndoJob:
    return start_undo(owner_actor(owner), selection, "everything")


def test_it_undoes_everything_in_one_change_set(owner: User) -> None:
    job = started(owner)
    assert (job.total, active(owner)) == (6, 5)
    run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.position, job.counts["removed"], active(owner)) == (UndoJob.State.DONE, 6, 6, 0)
    undone = JournalEntry.objects.filter(operation="undo")
    assert set(undone.values_list("change_set", "client")) == {(job.change_set, "admin")}
    again = started(owner, Selection(change_set=job.change_set))
    run_open_undos()
    again.refresh_from_db()
    assert (again.counts["restored"], active(owner)) == (6, 5)


def test_of_two_that_are_started_at_once_one_is_refused(owner: User) -> None:
    def start(_: int) -> str:
        try:
            return started(owner).state
        except InvalidInput as error:
            return error.problem

    said = sorted(in_threads(2, start))
    assert said[0].startswith("Another undo is running in the background.")
    assert (said[1], UndoJob.objects.count()) == ("running", 1)


def test_only_the_latest_are_kept(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "KEPT", 2)
    for _ in range(4):
        cancel_undo(started(owner))
    assert UndoJob.objects.filter(owner=owner).count() == 2


def test_what_was_changed_since_stays(owner: User) -> None:
    memory = Memory.objects.earliest("pk")
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="Mine."))
    job = started(owner)
    run_open_undos()
    job.refresh_from_db()
    assert (job.counts["removed"], job.counts["conflicts"]) == (5, 1)
    assert Memory.objects.not_deleted().get().text == "Mine."


def test_one_that_stopped_continues_after_the_last_part(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job, calls = started(owner), []

    def fail_at_third(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 3:
            raise RuntimeError
        return undo(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(background, "undo", fail_at_third)
    run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.position, job.attempts, active(owner)) == (UndoJob.State.RUNNING, 4, 0, 1)
    # What was deleted meanwhile does not shift the rest.
    hard_delete_memory(owner_actor(owner), Memory.objects.latest("pk").pk)
    run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.position, active(owner), len(calls)) == (UndoJob.State.DONE, 6, 0, 5)


def test_one_that_never_gets_further_is_given_up(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job = started(owner)
    monkeypatch.setattr(background, "undo", lambda *_: 1 / 0)
    for _ in range(MAX_ATTEMPTS + 1):
        run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.problem) == (UndoJob.State.FAILED, background.GAVE_UP)
    assert active(owner) == 5
    # It does not keep others waiting.
    assert started(owner).state == UndoJob.State.RUNNING


def test_a_full_disk_is_waited_for(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job = started(owner)
    with monkeypatch.context() as patched:
        patched.setattr(background, "is_full", lambda: True)
        run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.problem) == (UndoJob.State.RUNNING, background.FULL)
    run_open_undos()
    job.refresh_from_db()
    assert (job.state, job.problem, active(owner)) == (UndoJob.State.DONE, "", 0)


SCRIPT = """
import django
django.setup()
from memories.undo import parts
parts.PART = 2
from memories.undo.background import run_undos
print("ready", flush=True)
run_undos("admin")
print("done", flush=True)
"""


def test_a_kill_in_the_middle_of_a_part_loses_nothing(owner: User) -> None:
    job = started(owner)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE memories_journalentry IN SHARE MODE")
        with child("-c", SCRIPT, environment=environment_of_a_worker()) as process:
            process.wait_for("ready")
            assert eventually(is_waiting, 60)
            process.process.send_signal(signal.SIGKILL)
            process.process.wait()
    job.refresh_from_db()
    assert (job.state, job.position, active(owner)) == (UndoJob.State.RUNNING, 0, 5)
    with child("-c", SCRIPT, environment=environment_of_a_worker()) as process:
        process.wait_for("done")
    job.refresh_from_db()
    assert (job.state, job.counts["removed"], active(owner)) == (UndoJob.State.DONE, 6, 0)
    assert JournalEntry.objects.filter(operation="undo").count() == 6


# --- Pages


def test_the_page_starts_it_and_shows_its_progress_and_result(owner: User, pages: Client) -> None:
    query = "/admin/undo/?app=tests&period=all"
    page = pages.get(query).content.decode()
    assert "This affects 6 memories and documents, more than the 2 that can be undone at once." in page
    seen_at = re.findall(r'name="seen_at" value="([^"]+)"', page)[0]
    make_memory(owner, "Stored after the page was shown.")
    response = pages.post(query, {"seen_at": seen_at, "in_background": "yes"})
    job = UndoJob.objects.get()
    assert response.headers["Location"] == f"/admin/undo/{job.pk}/"
    assert "Waiting for the job process" in pages.get(f"/admin/undo/{job.pk}/").content.decode()
    assert pages.get(f"/admin/undo/{job.pk}/progress/").json() == {
        "state": "running",
        "words": "Waiting for the job process",
        "position": 0,
        "total": 6,
        "problem": "",
    }
    again = pages.post(query, {"seen_at": seen_at, "in_background": "yes"}).content.decode()
    assert "Another undo is running in the background." in again
    run_open_undos()
    page = pages.get(f"/admin/undo/{job.pk}/").content.decode()
    assert "6 forgotten, because this added them" in page
    assert f"/admin/undo/?change_set={job.change_set}" in page
    assert active(owner) == 1


def test_it_is_cancelled_and_what_was_undone_stays(owner: User, pages: Client) -> None:
    job = started(owner)
    UndoJob.objects.update(position=2)
    assert "Cancelled after 2 of 6" in pages.post(f"/admin/undo/{job.pk}/", follow=True).content.decode()
    run_open_undos()
    assert active(owner) == 5
    cancel_undo(job)
    job.refresh_from_db()
    assert job.state == UndoJob.State.CANCELLED


def test_undos_of_others_are_not_found(owner: User) -> None:
    job = started(owner)
    stranger = Client(headers={"host": HOST})
    stranger.force_login(make_user())
    for path in (f"/admin/undo/{job.pk}/", f"/admin/undo/{job.pk}/progress/"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"/admin/undo/{job.pk}/").status_code == 404
    job.refresh_from_db()
    assert job.state == UndoJob.State.RUNNING
