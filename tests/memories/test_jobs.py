"""Tests of the job process: it embeds pending memories, and no work is lost when it is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob, ProcrastinateWorker
from procrastinate.exceptions import AlreadyEnqueued

from memories.embeddings import get_embedder
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryVector
from memories.tasks import index_pending
from memories.vectors import indexing
from memories.vectors.index_queue import index_after, index_soon
from memories.vectors.indexing import BatchResult, index_pending_batch, pending_memories
from memories.vectors.reembedding import switch_to
from memories.vectors.spaces import SPACE_CACHE_SECONDS, space_in_use
from memories.writing.updating import MemoryUpdate, update_memory
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import actor_for, make_memory, make_user
from tests.support.processes import child, environment_of_a_worker, eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def broken_embedder(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An embedder that fails until the yielded patch is undone."""

    def fail() -> None:
        raise EmbeddingError("the endpoint is down")

    with monkeypatch.context() as patched:
        use_embedder(patched, fail)
        yield patched


def make_pending(count: int = 1) -> list[Memory]:
    """Create memories of a new user without vectors."""
    user = make_user()
    made = [make_memory(user, f"Fact number {i}.") for i in range(count)]
    MemoryVector.objects.all().delete()
    return made


def waiting_jobs() -> list[str]:
    return list(ProcrastinateJob.objects.filter(status="todo").values_list("task_name", flat=True))


def drop_waiting_jobs() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")


def worker(*options: str) -> Any:
    return child("manage.py", "procrastinate", "worker", *options, environment=environment_of_a_worker())


def test_the_job_process_keeps_no_model_when_nothing_is_pending() -> None:
    make_pending()
    embedder = get_embedder()
    index_pending()
    assert not pending_memories().exists()
    assert get_embedder() is not embedder


def test_a_run_without_pending_memories_keeps_the_embedder() -> None:
    embedder = get_embedder()
    index_pending()
    assert get_embedder() is embedder


def test_pending_memories_get_their_vectors_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 2)
    memories = make_pending(5)

    index_pending()

    assert not pending_memories().exists()
    assert MemoryVector.objects.count() == len(memories)


def test_a_broken_embedder_leaves_them_pending_for_the_next_minute(broken_embedder: pytest.MonkeyPatch) -> None:
    make_pending(3)

    index_pending()
    assert pending_memories().count() == 3

    broken_embedder.undo()
    index_pending()
    assert not pending_memories().exists()


def test_a_text_that_changes_while_it_is_embedded_is_not_indexed_by_its_old_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (memory,) = make_pending()
    real = get_embedder()

    class ChangesItMeanwhile:
        def embed(self, texts: list[str]) -> list[Any]:
            Memory.objects.filter(pk=memory.pk).update(text="Something else entirely.")
            return real.embed(texts)

    with monkeypatch.context() as patched:
        use_embedder(patched, ChangesItMeanwhile)
        assert index_pending_batch() == BatchResult(memory.pk, indexed=0, claimed_elsewhere=0)
    assert pending_memories().exists()

    assert index_pending_batch() == BatchResult(memory.pk, indexed=1, claimed_elsewhere=0)
    assert not pending_memories().exists()


def test_a_write_without_a_vector_asks_for_one_at_once(broken_embedder: pytest.MonkeyPatch) -> None:
    make_memory(make_user(), "Likes tea.")

    assert waiting_jobs() == ["memories.index_pending"]


def test_a_new_text_without_a_vector_asks_for_one_at_once(broken_embedder: pytest.MonkeyPatch) -> None:
    user = make_user()
    memory = make_memory(user, "Likes tea.")
    drop_waiting_jobs()

    update_memory(actor_for(user), memory.pk, MemoryUpdate(text="Likes coffee."))

    assert waiting_jobs() == ["memories.index_pending"]


def test_a_write_that_is_indexed_asks_for_nothing() -> None:
    user = make_user()

    update_memory(actor_for(user), make_memory(user, "Likes tea.").pk, MemoryUpdate(text="Likes coffee."))

    assert waiting_jobs() == []


def test_a_write_that_is_rolled_back_asks_for_nothing(broken_embedder: pytest.MonkeyPatch) -> None:
    user = make_user()

    with transaction.atomic():
        make_memory(user, "Likes tea.")
        transaction.set_rollback(True)

    assert waiting_jobs() == []


def test_asking_twice_makes_one_job() -> None:
    index_soon()
    index_soon()

    assert waiting_jobs() == ["memories.index_pending"]


def test_a_job_process_does_the_waiting_work() -> None:
    make_pending(3)
    index_soon()
    job = ProcrastinateJob.objects.get()

    with worker("--one-shot") as process:
        assert process.end() == 0, process.output

    assert not pending_memories().exists()
    job.refresh_from_db()
    assert job.status == "succeeded"


@pytest.mark.parametrize("a_successor_waits", [False, True])
def test_the_next_job_process_finishes_what_a_killed_one_left(a_successor_waits: bool) -> None:
    (memory,) = make_pending()
    index_soon()
    job = ProcrastinateJob.objects.get()

    with worker() as process, transaction.atomic():
        Memory.objects.select_for_update().get(pk=memory.pk)  # The job will block here, in the middle of its work.
        assert eventually(lambda: ProcrastinateJob.objects.get(pk=job.pk).status == "doing"), process.output
        process.process.kill()
        process.end()
    drop_waiting_jobs()  # The process created the jobs of every minute when it started.
    if a_successor_waits:
        index_soon()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 minute'")
    assert pending_memories().exists()
    assert ProcrastinateWorker.objects.exists()

    with suppress(AlreadyEnqueued):  # The database may still carry out what the killed process sent last.
        app.configure_task("site.resume_stalled_jobs").defer(timestamp=0)
    with worker("--one-shot") as process:
        assert process.end() == 0, process.output

    assert not pending_memories().exists()
    # Each process adds the jobs of every minute. If one of them does the work, the dead job fails.
    job.refresh_from_db()
    assert job.status in ({"failed"} if a_successor_waits else {"failed", "succeeded"})
    assert not ProcrastinateJob.objects.filter(status="doing").exists()


def test_a_job_process_that_died_before_the_clock_went_back_counts_as_dead_a_moment_later() -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() + interval '1 year')")
    app.configure_task("site.resume_stalled_jobs").defer(timestamp=0)
    with worker("--one-shot") as process:
        assert process.end() == 0, process.output
    assert not ProcrastinateWorker.objects.filter(last_heartbeat__gt=timezone.now()).exists()


def test_the_daily_work_runs() -> None:
    names = [
        "agents.read_files",
        "workflows.clean_up_runs",
        "mcpapi.forget_what_is_past",
        "oauthserver.forget_expired_grants",
        "oauthserver.forget_unused_apps",
        "site.delete_finished_jobs",
    ]
    for name in names:
        app.configure_task(name).defer(timestamp=0)

    with worker("--one-shot") as process:
        assert process.end() == 0, process.output

    finished = ProcrastinateJob.objects.filter(status="succeeded").values_list("task_name", flat=True)
    assert set(names) <= set(finished)


def test_everything_periodic_is_known_to_the_job_process() -> None:
    times = {task.task.name: task.cron for task in app.periodic_registry.periodic_tasks.values()}

    assert times["memories.index_pending"] == times["site.resume_stalled_jobs"] == "* * * * *"
    assert times.keys() == {
        "memories.index_pending",
        "memories.compare_pending",
        "memories.follow_model",
        "memories.keep_vector_indexes",
        "memories.forget_old_recalls",
        "memories.run_imports",
        "memories.run_undos",
        "memories.tidy_imports",
        "memories.search_again",
        "memories.delete_old_changes",
        "documents.read_queued",
        "documents.sync_due",
        "agents.read_files",
        "workflows.clean_up_runs",
        "site.resume_stalled_jobs",
        "mcpapi.forget_what_is_past",
        "oauthserver.forget_expired_grants",
        "oauthserver.forget_unused_apps",
        "site.delete_finished_jobs",
        "site.follow_backup_plan",
        "site.forget_abandoned_apps",
    }


def test_what_is_to_be_indexed_later_keeps_nothing_from_being_indexed_soon() -> None:
    before = timezone.now()
    index_soon()
    index_after(10)
    index_after(10)
    index_soon()
    soon, later = ProcrastinateJob.objects.filter(status="todo").order_by("pk")
    assert soon.scheduled_at is None
    assert later.scheduled_at is not None
    assert timedelta(seconds=10) <= later.scheduled_at - before < timedelta(seconds=20)


def test_after_a_switch_the_job_process_looks_again_when_everybody_has_noticed() -> None:
    make_pending()
    drop_waiting_jobs()
    switch_to(space_in_use())
    [job] = ProcrastinateJob.objects.filter(status="todo")
    assert job.task_name == "memories.index_pending"
    assert job.scheduled_at is not None
    assert job.scheduled_at > timezone.now() + timedelta(seconds=SPACE_CACHE_SECONDS)
