"""Tests of imports in the job process: nothing is lost or stored twice, whatever happens."""

from __future__ import annotations

import io
import os
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from memories.access import Actor, View
from memories.errors import InvalidInput, LimitExceeded, NotFound, StorageFull
from memories.models import ImportJob, JournalEntry, Memory
from memories.transfer.archive.exporting import export_archive
from memories.transfer.background import requests, turns
from memories.transfer.background.choices import Choices
from memories.transfer.background.housekeeping import tidy_imports
from memories.transfer.background.requests import (
    cancel_import,
    cancel_imports_of,
    check_again,
    create_import,
    start_import,
)
from memories.transfer.background.steps import steps_of
from memories.transfer.background.stored_files import folder, path_of
from memories.transfer.background.turns import MAX_ATTEMPTS, run_imports, take_step
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.memories.transfer.background.support import lines, new_import, owner_of_import, report_of
from tests.support.factories import make_memory, make_user, owner_actor
from tests.support.import_files import delete_import_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]
State = ImportJob.State


@pytest.fixture(autouse=True)
def no_files(transactional_db: None) -> Iterator[None]:
    """Delete what a test leaves in the data folder."""
    yield
    delete_import_files()


@pytest.fixture
def owner() -> User:
    return make_user("owner")


def reloaded(job: ImportJob) -> ImportJob:
    return ImportJob.objects.get(pk=job.pk)


def preview_of(job: ImportJob) -> dict[str, Any]:
    assert job.preview
    return dict(job.preview)


def texts(owner: User) -> Counter[str]:
    return Counter(Memory.objects.filter(owner=owner).values_list("text", flat=True))


def test_a_file_is_checked_started_and_imported_as_one_change_set(owner: User) -> None:
    make_memory(owner, "Likes tea.")
    content = b'{"text": "Likes tea."}\n{"text": "Likes rain.", "mood": 3}\n{"tags": []}\n'
    job = create_import(owner_of_import(owner), "C:\\stuff\\facts.jsonl", io.BytesIO(content), Choices())
    assert (job.state, job.name, job.total) == (State.READY, "facts.jsonl", 3)
    assert preview_of(job)["counts"]["inserted"] == 1
    assert preview_of(job)["rejections"] == [{"place": "line 3", "reason": "text: is required."}]
    assert preview_of(job)["samples"][0]["text"] == "Likes rain."
    assert len(texts(owner)) == 1
    assert path_of(job.pk).stat().st_mode & 0o777 == 0o600
    assert folder().stat().st_mode & 0o777 == 0o700

    start_import(job)
    run_imports()

    job = reloaded(job)
    assert (job.state, job.position, job.problem) == (State.DONE, 3, "")
    assert (job.counts["inserted"], job.counts["duplicates"], job.counts["failed"]) == (1, 1, 1)
    assert job.counts["ignored_fields"] == ["mood"]
    assert [(row["place"], row["outcome"]) for row in report_of(job)] == [
        ("line 1", "duplicate"),
        ("line 2", "inserted"),
        ("line 3", "failed"),
    ]
    assert not path_of(job.pk).exists()
    assert JournalEntry.objects.filter(change_set=job.change_set, client="import").count() == 1
    undo(owner_actor(owner), Selection(change_set=job.change_set))
    assert Memory.objects.get(text="Likes rain.").deleted_at


@pytest.mark.parametrize("steps", range(5))
def test_an_import_that_was_interrupted_goes_on_where_it_was(owner: User, settings: Settings, steps: int) -> None:
    settings.MAX_BATCH_SIZE = 20
    job = new_import(owner, lines(90))
    work = steps_of(reloaded(job))
    for _ in range(steps):
        assert take_step(job, work)
    work.close()  # type: ignore[attr-defined]
    assert reloaded(job).position == 20 * steps

    run_imports()

    assert reloaded(job).state == State.DONE
    assert set(texts(owner).values()) == {1}
    assert len(texts(owner)) == 90
    assert [row["outcome"] for row in report_of(job)] == ["inserted"] * 90
    assert [row["place"] for row in report_of(job)] == [f"line {number}" for number in range(1, 91)]
    # Links to memories of batches before the interruption are known.
    successors = {
        memory.text: memory.replaced_by.text for memory in Memory.objects.exclude(deleted_at=None) if memory.replaced_by
    }
    assert successors["Fact number 10."] == "Fact number 11."
    assert successors["Fact number 90."] == "Fact number 1."
    assert len(successors) == 9
    assert set(JournalEntry.objects.values_list("change_set", flat=True)) == {job.change_set}


def test_a_batch_that_fails_is_stored_completely_or_not_at_all(
    owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_BATCH_SIZE = 20
    job = new_import(owner, lines(60))
    work = steps_of(reloaded(job))
    assert take_step(job, work)
    with monkeypatch.context() as patched:
        patched.setattr("memories.transfer.background.steps.report_line", lambda *_: 1 / 0)
        assert not take_step(job, work)
    assert len(texts(owner)) == reloaded(job).position == len(report_of(job)) == 20
    assert reloaded(job).state == State.RUNNING
    run_imports()
    assert len(texts(owner)) == len(report_of(job)) == 60


def test_other_readers_begin_again_and_find_what_is_stored(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 20
    job = new_import(owner, lines(40))
    assert take_step(job, steps_of(reloaded(job)))
    settings.VERSION = "99.0.0"
    run_imports()
    job = reloaded(job)
    assert (job.state, job.counts["inserted"], job.counts["duplicates"]) == (State.DONE, 20, 20)
    assert set(texts(owner).values()) == {1}
    assert len(report_of(job)) == 40


def test_two_processes_with_one_import_store_nothing_twice(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 20
    job = new_import(owner, lines(60))
    one, other = steps_of(reloaded(job)), steps_of(reloaded(job))
    assert take_step(job, one)
    # The second one finds that the position is not what it expects, and ends.
    assert not take_step(job, other)
    while take_step(job, one):
        pass
    assert reloaded(job).state == State.DONE
    assert set(texts(owner).values()) == {1}
    assert len(report_of(job)) == 60


def test_the_same_file_twice_at_once_is_imported_once(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 20
    first, second = (new_import(owner, lines(60)) for _ in range(2))
    run_imports()
    assert (reloaded(first).counts["inserted"], reloaded(second).counts["duplicates"]) == (60, 60)
    assert set(texts(owner).values()) == {1}


def test_owners_take_turns(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 20
    other = make_user("other")
    large, small = new_import(owner, lines(200)), new_import(other, lines(20))
    run_imports()
    assert ImportJob.objects.latest("ended_at") == large != small
    assert (len(texts(owner)), len(texts(other))) == (200, 20)


def test_a_cancelled_import_stops_and_can_be_undone(owner: User, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 20
    job = new_import(owner, lines(60))
    work = steps_of(reloaded(job))
    assert take_step(job, work)
    cancel_import(job)
    assert not take_step(job, work)
    assert not path_of(job.pk).exists()
    assert (reloaded(job).state, len(texts(owner))) == (State.CANCELLED, 20)
    for act in (cancel_import, start_import, lambda job: check_again(job, Choices())):
        with pytest.raises(NotFound):
            act(job)
    undo(owner_actor(owner), Selection(change_set=job.change_set))
    assert not Memory.objects.filter(owner=owner, deleted_at=None).exists()


def test_the_imports_of_a_disconnected_app_are_cancelled(owner: User) -> None:
    content = io.BytesIO(lines(5))
    job = create_import(owner_of_import(owner), "x", content, Choices(), starts=True, permission="connection:1")
    cancel_imports_of("connection:2")
    assert reloaded(job).state == State.RUNNING
    cancel_imports_of("connection:1")
    assert reloaded(job).state == State.CANCELLED
    run_imports()
    assert not texts(owner)


def test_other_choices_are_checked_again(owner: User) -> None:
    content = b'{"text": "Likes tea."}\n'
    job = create_import(owner_of_import(owner), "x.jsonl", io.BytesIO(content), Choices())
    check_again(job, Choices.of({"tags": ["Moved"], "source_provider": "old"}))
    assert job.state == State.READY
    assert preview_of(job)["samples"][0]["tags"] == ["moved"]
    start_import(job)
    run_imports()
    assert (Memory.objects.get().tags, Memory.objects.get().source_provider) == (["moved"], "old")


@pytest.mark.parametrize(
    ("content", "name", "problem"),
    [
        (b'[{"text": "Cut off"', "facts.json", "facts.json"),
        ("Gru\xdf an Jos\xe9\nCaf\xe9 am See\nM\xfcnchen\n".encode("latin-1"), "facts.txt", "not UTF-8"),
        (b"PK\x03\x04 and no more", "facts.zip", "damaged"),
        (b"\x00\x01\x02\x03", "facts.bin", "not a text file"),
    ],
)
@pytest.mark.parametrize("starts", [False, True])
def test_a_file_that_cannot_be_read_fails_with_a_reason(
    owner: User, content: bytes, name: str, problem: str, starts: bool
) -> None:
    job = create_import(owner_of_import(owner), name, io.BytesIO(content), Choices(), starts=starts)
    run_imports()
    job = reloaded(job)
    assert job.state == State.FAILED
    assert problem in job.problem
    assert str(folder()) not in job.problem
    assert not path_of(job.pk).exists()
    assert not texts(owner)


def test_a_file_that_is_gone_fails_with_a_reason(owner: User) -> None:
    job = new_import(owner, lines(5))
    path_of(job.pk).unlink()
    run_imports()
    assert reloaded(job).problem == "The file facts.jsonl is no longer in the data folder. Upload it again."


def test_a_file_that_ends_the_process_is_given_up(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job, other = new_import(owner, lines(5)), new_import(make_user(), lines(5))

    def killed(job: ImportJob, steps: object, real: Any = take_step) -> bool:
        if job.owner_id == owner.pk:
            raise KeyboardInterrupt
        return bool(real(job, steps))

    monkeypatch.setattr(turns, "take_step", killed)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            run_imports()
    run_imports()
    assert (reloaded(job).state, reloaded(job).problem) == (State.FAILED, turns.GAVE_UP)
    assert reloaded(other).state == State.DONE


def test_a_full_disk_delays_an_import(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job = new_import(owner, lines(5))
    with monkeypatch.context() as patched:
        patched.setattr("memories.transfer.background.turns.is_full", lambda: True)
        run_imports()
    assert (reloaded(job).state, reloaded(job).problem) == (State.RUNNING, turns.FULL)
    with monkeypatch.context() as patched:
        patched.setattr("memories.database.is_full", lambda: True)
        run_imports()
        with pytest.raises(StorageFull):
            new_import(owner, lines(5))
    assert (reloaded(job).state, reloaded(job).problem) == (State.RUNNING, turns.FULL)
    run_imports()
    assert (reloaded(job).state, reloaded(job).problem) == (State.DONE, "")


def test_too_many_imports_under_way_and_empty_files_are_refused(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="file: is empty"):
        new_import(owner, b"")
    monkeypatch.setattr(requests, "MAX_OPEN", 1)
    new_import(owner, lines(5))
    with pytest.raises(LimitExceeded, match="1 imports are under way"):
        new_import(owner, lines(5))
    new_import(make_user(), lines(5))
    jobs = {str(pk) for pk in ImportJob.objects.values_list("pk", flat=True)}
    assert len(jobs) == 2
    assert jobs <= {path.name for path in folder().iterdir()}


def previewed(owner: User) -> ImportJob:
    """Create an import that is checked, but not started."""
    return create_import(owner_of_import(owner), "facts.jsonl", io.BytesIO(lines(5)), Choices())


def test_the_oldest_preview_makes_room_for_a_new_one(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MAX_OPEN", 3)
    started = new_import(owner, lines(5))
    oldest, newer, foreign = (previewed(user) for user in (owner, owner, make_user()))
    with pytest.raises(InvalidInput, match="file: is empty"):
        new_import(owner, b"")
    assert reloaded(oldest).state == State.READY
    previewed(owner)
    assert reloaded(oldest).state == State.CANCELLED
    assert "newer previews took its place" in reloaded(oldest).problem
    assert str(oldest.pk) not in {path.name for path in folder().iterdir()}
    assert [reloaded(job).state for job in (started, newer, foreign)] == [State.RUNNING, State.READY, State.READY]


@pytest.mark.parametrize(
    "given", [{"format": "pdf"}, {"conversations": "all"}, {"dedup_policy": "x"}, {"tags": ["x" * 500]}]
)
def test_wrong_choices_are_named(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Choices.of(given)
    assert caught.value.argument == next(iter(given))


def test_a_limited_app_imports_into_its_view_only(owner: User) -> None:
    make_memory(owner, "Likes tea.", tags=("home",))
    actor = Actor(View(owner.pk, ("work",)), "app", is_quarantined=True)
    rows = b'{"text": "Likes rain.", "capture_mode": "inferred"}\n{"text": "Has a desk.", "pinned": true}\n'
    create_import(actor, "x.jsonl", io.BytesIO(rows), Choices(), starts=True)
    run_imports()
    rain, desk = Memory.objects.filter(stored_by="app").order_by("text").reverse()
    assert (rain.tags, rain.quarantined_from) == (["work"], "app")
    assert (desk.tags, desk.quarantined_from, desk.briefing_place) == (["work"], None, None)


def test_an_app_cannot_import_inferences_that_its_owner_refuses(owner: User) -> None:
    rows = b'{"text": "Likes tea.", "capture_mode": "inferred"}\n{"text": "Has a dog."}\n'
    actor = Actor(View.whole(owner.pk), "app", refused_inferences=("*",))
    create_import(actor, "x.jsonl", io.BytesIO(rows), Choices(), starts=True)
    run_imports()
    assert texts(owner) == {"Has a dog.": 1}


def test_files_of_unknown_imports_are_deleted_after_a_day(owner: User) -> None:
    job = new_import(owner, lines(5))
    orphan, fresh = (path_of(uuid.uuid4()) for _ in range(2))
    orphan.write_bytes(b"x")
    fresh.write_bytes(b"x")
    for path in (orphan, path_of(job.pk)):
        os.utime(path, (0, 0))
    tidy_imports()
    assert not orphan.exists()
    assert fresh.exists()
    assert path_of(job.pk).exists()


def test_a_complete_archive_is_imported_and_undone(owner: User, tmp_path: Path) -> None:
    source = make_user("source")
    forget_memory(owner_actor(source), make_memory(source, "Likes fog.").pk)
    make_memory(source, "Likes tea.")
    make_memory(owner, "Likes rain.")
    export_archive(View.whole(source.pk), tmp_path / "all.zip")
    content = io.BytesIO((tmp_path / "all.zip").read_bytes())
    job = create_import(owner_of_import(owner), "all.zip", content, Choices())
    run_imports()
    job = reloaded(job)
    assert (job.state, preview_of(job)["archive"]["counts"]["memories"]) == (State.READY, 2)
    assert len(texts(owner)) == 1
    start_import(job)
    run_imports()
    job = reloaded(job)
    assert (job.state, job.counts["archive"]["memories"]) == (State.DONE, {"added": 2, "present": 0, "refused": 0})
    assert not path_of(job.pk).exists()
    undo(owner_actor(owner), Selection(change_set=job.change_set))
    assert set(Memory.objects.filter(owner=owner, deleted_at=None).values_list("text", flat=True)) == {"Likes rain."}


def test_a_damaged_archive_stores_nothing(owner: User, tmp_path: Path) -> None:
    source = make_user("source")
    make_memory(source, "Likes tea.")
    export_archive(View.whole(source.pk), tmp_path / "all.zip")
    content = (tmp_path / "all.zip").read_bytes().replace(b"Likes tea.", b"Likes mud.", 1)
    job = create_import(owner_of_import(owner), "all.zip", io.BytesIO(content), Choices(), starts=True)
    run_imports()
    job = reloaded(job)
    assert job.state == State.FAILED
    assert job.problem.startswith("all.zip cannot be imported. ")
    assert not texts(owner)
