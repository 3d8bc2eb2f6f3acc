"""Imports whose process is killed at several moments: nothing is lost, and nothing is stored twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from memories.models import ImportJob, JournalEntry, Memory
from memories.transfer.background.stored_files import path_of
from tests.memories.transfer.background.support import lines, new_import, report_of
from tests.support.factories import make_user
from tests.support.import_files import delete_import_files
from tests.support.processes import child, environment_of_a_worker, eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

COUNT = 1_500
DELAYS = (0.0, 0.03, 0.11, 0.2, 0.35)
"""Seconds between the begin of the work and the kill. With small batches, most of them are in the middle of it."""

WORK = """
import django
django.setup()
from memories.transfer.background.turns import run_imports
print("begun", flush=True)
run_imports()
"""


@pytest.fixture
def environment(transactional_db: None) -> Iterator[dict[str, str]]:
    """The environment of the processes that are killed."""
    yield {**environment_of_a_worker(), "MAX_BATCH_SIZE": "5", "EMBEDDING_PROVIDER": "fake"}
    delete_import_files()


def assert_each_is_there_once() -> None:
    assert Counter(Memory.objects.values_list("text", flat=True)) == {
        f"Fact number {number}.": 1 for number in range(1, COUNT + 1)
    }


def test_a_background_import_goes_on_after_each_kill(environment: dict[str, str]) -> None:
    job = new_import(make_user("owner"), lines(COUNT))
    positions = []
    for delay in DELAYS:
        with child("-c", WORK, environment=environment) as process:
            process.wait_for("begun")
            time.sleep(delay)
            if delay == DELAYS[-1]:
                # On a busy machine, nothing may have been stored in the time of the delays.
                assert eventually(Memory.objects.exists)
            process.process.kill()
            process.end()
        job.refresh_from_db()
        # What is stored is exactly what is reported.
        assert len(report_of(job)) == job.position == Memory.objects.count()
        positions.append(job.position)
    assert positions == sorted(positions)
    assert 0 < positions[-1] < COUNT, positions

    with child("-c", WORK, environment=environment) as process:
        assert process.end() == 0, process.output
    job.refresh_from_db()
    assert job.state == ImportJob.State.DONE
    assert (job.position, job.counts["inserted"], job.counts["duplicates"]) == (COUNT, COUNT, 0)
    assert_each_is_there_once()
    assert Memory.objects.exclude(replaced_by=None).count() == COUNT // 10
    assert list(JournalEntry.objects.values_list("change_set", flat=True).distinct()) == [job.change_set]
    assert not path_of(job.pk).exists()


def test_the_command_can_be_run_again_after_each_kill(environment: dict[str, str], tmp_path: Path) -> None:
    make_user("owner")
    file = tmp_path / "facts.jsonl"
    file.write_bytes(lines(COUNT))
    command = ("manage.py", "import", str(file), "--user", "owner")
    counts = []
    for delay in DELAYS:
        with child(*command, environment=environment) as process:
            before = Memory.objects.count()
            deadline = time.monotonic() + 60
            while Memory.objects.count() == before and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(delay / 4)
            process.process.kill()
            process.end()
        counts.append(Memory.objects.count())
    assert 0 < counts[-1] < COUNT, counts
    with child(*command, environment=environment) as process:
        assert process.end() == 0, process.output
    assert_each_is_there_once()
    assert Memory.objects.exclude(replaced_by=None).count() == COUNT // 10
