"""Tests of the command `import_memories`, from the file to the row."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memories.access import Actor
from memories.embeddings.base import Matrix
from memories.errors import EmbeddingError, MemoriesError
from memories.models import JournalEntry, Memory, MemoryVector
from memories.vectors.indexing import index_pending_batch, pending_memories
from memories.writing.remembering import RememberOutcome, RememberRequest, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import make_expired, make_memory, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("owner", is_superuser=True)


class Outcome:
    """The result of a run of the command: its exit code and its output."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def run(file: Path | str, *options: str) -> Outcome:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("import_memories", str(file), *options, stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def file_of(folder: Path, *rows: object) -> Path:
    path = folder / "facts.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def texts() -> list[str]:
    return list(Memory.objects.order_by("pk").values_list("text", flat=True))


def test_every_field_is_kept(owner: User, tmp_path: Path) -> None:
    row = {
        "text": "Works at the observatory.",
        "tags": ["Job", "astronomy"],
        "importance": 0.9,
        "source_provider": "notes",
        "capture_mode": "inferred",
        "session_id": "s-1",
        "created_at": "2024-02-29T12:00:00+02:00",
        "last_confirmed_at": "2025-01-01T00:00:00.123456Z",
        "expires_at": "2999-01-01T00:00:00Z",
    }

    outcome = run(file_of(tmp_path, row))

    memory = Memory.objects.get(owner=owner)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[:-1] == [
        "1 inserted, 0 duplicates, 0 failed",
        "1 is found by words now, and by meaning once the server has embedded it.",
    ]
    assert (memory.text, memory.tags, memory.importance) == (row["text"], ["work", "astronomy"], 0.9)
    assert (memory.source_provider, memory.capture_mode, memory.session_id) == ("notes", "inferred", "s-1")
    assert memory.created_at == datetime(2024, 2, 29, 10, tzinfo=UTC)
    assert memory.last_confirmed_at == datetime(2025, 1, 1, microsecond=123456, tzinfo=UTC)
    assert memory.expires_at == datetime(2999, 1, 1, tzinfo=UTC)
    assert list(pending_memories()) == [memory]
    index_pending_batch()
    assert MemoryVector.objects.filter(memory=memory).exists()
    entry = JournalEntry.objects.get(memory_id=memory.pk)
    assert entry.client == "import"
    assert outcome.out.splitlines()[-1] == f"To undo this import: manage.py undo --change-set {entry.change_set}"


def test_what_does_not_say_when_it_was_confirmed_was_confirmed_when_it_was_made(owner: User, tmp_path: Path) -> None:
    run(file_of(tmp_path, {"text": "Works at the observatory.", "created_at": "2024-02-29T12:00:00Z"}))
    assert Memory.objects.get(owner=owner).last_confirmed_at == datetime(2024, 2, 29, 12, tzinfo=UTC)


def test_names_of_other_programs_are_understood_and_the_rest_is_named_once(owner: User, tmp_path: Path) -> None:
    rows = [{"content": f"Fact {i}.", "conversation": "c-7", "source": "diary", "mood": i} for i in range(3)]

    outcome = run(file_of(tmp_path, *rows))

    assert Memory.objects.filter(owner=owner, session_id="c-7", source_provider="diary").count() == 3
    assert outcome.out.count("mood") == 1


def test_options_fill_in_the_provider_and_add_tags(owner: User, tmp_path: Path) -> None:
    rows = ["Likes tea.", {"text": "Likes rain.", "source_provider": "notes", "tags": "weather, mood"}]

    run(file_of(tmp_path, *rows), "--source-provider", "old-server", "--tags", "moved, 2026")

    tea, rain = Memory.objects.filter(owner=owner).order_by("pk")
    assert (tea.source_provider, tea.tags) == ("old-server", ["moved", "2026"])
    assert (rain.source_provider, rain.tags) == ("notes", ["weather", "mood", "moved", "2026"])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (7, "it must be a text, or an object with a text."),
        ({"tags": ["a"]}, "text: is required."),
        ({"text": ["a"]}, "text: must be a text."),
        ({"text": "  "}, "text: must not be empty."),
        ({"text": "a\x00b"}, "NUL"),
        ({"text": "\ud800"}, "surrogate"),
        ({"text": "a" * 16_001}, "16,001 characters"),
        ({"text": "The key is sk-" + "a" * 24}, "API key"),
        ({"text": "Le mot de passe du wifi est hunter2"}, "a password"),
        ({"text": "a", "tags": [1]}, "tags: must be a list of texts."),
        ({"text": "a", "importance": True}, "importance: must be a number"),
        ({"text": "a", "importance": 2}, "importance: must be a number from 0 to 1."),
        ({"text": "a", "importance": float("nan")}, "importance: must be a number from 0 to 1."),
        ({"text": "a", "importance": 10**400}, "importance: must be a number in the range of a double."),
        ({"text": "a", "capture_mode": "guessed"}, "capture_mode"),
        ({"text": "a", "created_at": 5}, "created_at: must be an ISO 8601 time"),
        ({"text": "a", "created_at": "8 May, 2023"}, "created_at: must be an ISO 8601 time"),
        ({"text": "a", "created_at": "2023-05-08T10:00:00"}, "created_at: has no time zone"),
        ({"text": "a", "expires_at": "300000-01-01T00:00:00Z"}, "expires_at: must be an ISO 8601 time"),
        ({"text": "a", "created_at": "2999-01-01T00:00:00Z"}, "created_at: 2999"),
        ({"text": "a", "deleted_at": "2999-01-01T00:00:00Z"}, "deleted_at: 2999"),
    ],
)
def test_a_bad_row_fails_alone_with_its_line(owner: User, tmp_path: Path, row: object, problem: str) -> None:
    outcome = run(file_of(tmp_path, "Good before.", row, "Good after."))

    assert outcome.code == 1
    assert texts() == ["Good before.", "Good after."]
    (line,) = outcome.err.strip().splitlines()
    assert line.startswith("line 2: ")
    assert problem in line
    assert outcome.out.splitlines()[0] == "2 inserted, 0 duplicates, 1 failed"


def test_errors_come_in_the_order_of_the_file(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(["", 3, "fine", {"text": " "}]), encoding="utf-8")

    outcome = run(path)

    assert [line.partition(":")[0] for line in outcome.err.splitlines()] == ["item 1", "item 2", "item 4"]


def test_importing_again_changes_nothing(owner: User, tmp_path: Path) -> None:
    path = file_of(tmp_path, "Likes tea.", "Likes  TEA.", "Likes rain.")
    run(path)
    journal = JournalEntry.objects.count()

    outcome = run(path)

    assert texts() == ["Likes tea.", "Likes rain."]
    assert outcome.out.splitlines() == ["0 inserted, 3 duplicates, 0 failed"]
    assert JournalEntry.objects.count() == journal


def test_known_texts_are_not_embedded_again(owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, "Likes tea.", "Likes rain.")
    run(path)

    def refuse(_: Sequence[str]) -> list[Matrix | None]:
        raise AssertionError("embedded again")

    monkeypatch.setattr("memories.writing.remembering.embed_or_leave_pending", refuse)

    assert run(path).out.splitlines() == ["0 inserted, 2 duplicates, 0 failed"]


def test_what_had_expired_comes_back_as_expired(owner: User, tmp_path: Path) -> None:
    said = run(file_of(tmp_path, {"text": "Is on holiday.", "expires_at": "2020-01-01T00:00:00Z"})).out

    assert said.splitlines()[0] == "1 inserted, 0 duplicates, 0 failed"
    assert Memory.objects.get().expires_at == datetime(2020, 1, 1, tzinfo=UTC)


def test_an_expired_memory_is_not_revived_by_a_record_that_has_expired_too(owner: User, tmp_path: Path) -> None:
    memory = make_expired(make_memory(owner, "Is on holiday."))
    expires_at = memory.expires_at

    run(file_of(tmp_path, {"text": "Is on holiday.", "expires_at": "2020-01-01T00:00:00Z"}))

    memory.refresh_from_db()
    assert memory.expires_at == expires_at
    assert not JournalEntry.objects.filter(operation=JournalEntry.Operation.REVIVE).exists()


def test_a_rehearsal_says_what_would_happen_and_writes_nothing(owner: User, tmp_path: Path, settings: Settings) -> None:
    settings.MAX_BATCH_SIZE = 2
    make_memory(owner, "Likes tea.")
    gone = {"text": "Likes fog.", "deleted_at": "2024-01-01T00:00:00Z"}

    outcome = run(file_of(tmp_path, "Likes tea.", "Likes rain.", "", gone, "likes rain.", gone), "--dry-run")

    assert outcome.code == 1
    assert outcome.out.splitlines()[0] == "2 would be inserted, 3 duplicates, 1 failed"
    assert texts() == ["Likes tea."]


def test_near_duplicates_are_skipped_only_when_asked_to(owner: User, tmp_path: Path) -> None:
    make_memory(owner, "The bicycle of the neighbour is green and very old indeed.")
    path = file_of(tmp_path, "The bicycle of the neighbour is green and very old indeed!")

    assert run(path, "--dedup", "skip_if_near").out.startswith("0 inserted, 1 duplicate,")
    assert run(path).out.startswith("1 inserted, 0 duplicates")


def test_an_interrupted_import_goes_on_where_it_stopped(
    owner: User, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_BATCH_SIZE = 2
    path = file_of(tmp_path, *(f"Fact number {i}." for i in range(6)))
    calls = 0

    def interrupted(
        actor: Actor, requests: Sequence[RememberRequest], *, leaves_pending: bool
    ) -> list[RememberOutcome | MemoriesError]:
        nonlocal calls
        calls += bool(requests)
        if calls == 3:
            raise KeyboardInterrupt
        return remember_all(actor, requests, leaves_pending=leaves_pending)

    with monkeypatch.context() as patched:
        patched.setattr("memories.transfer.importer.remember_all", interrupted)
        with pytest.raises(CommandError, match="Run the same command again") as caught:
            run(path)

    assert caught.value.returncode == 130
    assert len(texts()) == 4
    assert run(path).out.splitlines()[0] == "2 inserted, 4 duplicates, 0 failed"
    assert texts() == [f"Fact number {i}." for i in range(6)]


def test_memories_are_kept_when_the_embedder_fails(
    owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise EmbeddingError("the endpoint is down")

    use_embedder(monkeypatch, fail)

    outcome = run(file_of(tmp_path, "Likes tea.", {"text": "Likes fog.", "deleted_at": "2024-01-01T00:00:00Z"}))

    assert outcome.code == 0
    with pytest.raises(EmbeddingError):
        index_pending_batch()
    assert "2 are found by words now" in outcome.out
    assert len(texts()) == pending_memories().count() == 2


def test_standard_input_is_read_for_a_dash(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Likes tea.\nLikes rain.\n")))

    assert run("-").out.startswith("2 inserted")


def test_the_memories_go_to_the_named_user_only(owner: User, tmp_path: Path) -> None:
    other = make_user("other")

    run(file_of(tmp_path, "Likes tea."), "--user", "other")

    assert Memory.objects.get().owner_id == other.pk


@pytest.mark.parametrize(
    ("options", "problem"), [(["--user", "nobody"], "There is no user 'nobody'"), ([], "There is no superuser")]
)
def test_a_missing_user_is_one_clear_line(tmp_path: Path, options: list[str], problem: str) -> None:
    make_user("ordinary")

    with pytest.raises(CommandError, match=problem):
        run(file_of(tmp_path, "Likes tea."), *options)


def test_several_superusers_have_to_be_told_apart(owner: User, tmp_path: Path) -> None:
    User.objects.create_superuser("second")

    with pytest.raises(CommandError, match="several superusers: name the owner with --user NAME"):
        run(file_of(tmp_path, "Likes tea."))


def test_a_file_that_cannot_be_read_is_one_clear_line(owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run(tmp_path / "missing.json")


def test_a_broken_document_writes_nothing(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text('["Likes tea.", ', encoding="utf-8")

    with pytest.raises(CommandError, match="is not valid JSON"):
        run(path)

    assert texts() == []
