"""Tests of syncing a folder: what becomes a document, what is forgotten, and what stays as it is."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from common.advisory_locks import AdvisoryLock, locked
from documents.connectors.base import SourceItem
from documents.connectors.folder import FolderConnector
from documents.drafts import DocumentDraft
from documents.models import Document, Source, SourceItemState, Version
from documents.sources import items, run
from documents.sources.items import actor_of
from documents.sources.sync import sync
from documents.tasks import read_queued
from documents.writing.adding import add_document
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from memories.errors import NotFound
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import active_keys, counts, folder_source, make_source, synced, write
from tests.support.factories import make_user, owner_actor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def source(owner: User, folder: Path) -> Source:
    made = folder_source(owner, folder, tags=["home"])
    write(folder, boat="The boat is in Lyngby.", tea="Green tea.")
    return made


def document(key: str) -> Document:
    return Document.objects.get(source_key=key)


def test_files_become_documents_with_the_tags_and_the_name_of_the_source(source: Source) -> None:
    assert synced(source) == {"added": 2}
    found = document("boat.md")
    assert (found.source, found.tags, found.stored_by) == ("notes", ["home"], "source:notes")
    assert found.quarantined_from is None
    read_queued()
    assert document("boat.md").chunks.get().text == "The boat is in Lyngby."


def test_a_second_sync_reads_only_what_has_changed(source: Source, folder: Path) -> None:
    synced(source)
    write(folder, boat="The boat is sold.")
    assert synced(source) == {"changed": 1, "unchanged": 1}
    assert document("boat.md").versions.count() == 2
    assert document("tea.md").versions.count() == 1


def test_the_same_content_with_another_time_is_no_new_version(source: Source, folder: Path) -> None:
    synced(source)
    (folder / "boat.md").touch()
    assert synced(source) == {"unchanged": 2}
    assert Version.objects.count() == 2


def test_a_deleted_file_is_forgotten_and_restored_when_it_comes_back(source: Source, folder: Path) -> None:
    synced(source)
    (folder / "boat.md").unlink()
    assert synced(source) == {"removed": 1, "unchanged": 1}
    assert document("boat.md").forget_reason == "It is gone from the source “notes”."
    assert synced(source) == {"unchanged": 1}
    write(folder, boat="The boat is in Lyngby.")
    assert synced(source) == {"added": 1, "unchanged": 1}
    assert document("boat.md").deleted_at is None
    assert Version.objects.count() == 2


def test_a_file_that_comes_back_changed_is_a_new_version_of_its_document(source: Source, folder: Path) -> None:
    synced(source)
    (folder / "boat.md").unlink()
    synced(source)
    write(folder, boat="The boat is back.")
    assert synced(source) == {"added": 1, "unchanged": 1}
    assert document("boat.md").versions.count() == 2


@pytest.mark.parametrize("is_permanent", [False, True])
def test_what_the_owner_has_forgotten_stays_forgotten(
    source: Source, owner: User, folder: Path, *, is_permanent: bool
) -> None:
    synced(source)
    forget = hard_delete_document if is_permanent else forget_document
    forget(owner_actor(owner), document("boat.md").pk)
    write(folder, boat="Another text.")
    assert synced(source) == {"unchanged": 2}
    (folder / "boat.md").unlink()
    assert synced(source) == {"unchanged": 1}
    write(folder, boat="Another text.")
    assert synced(source) == {"unchanged": 2}
    assert active_keys(source) == ["tea.md"]


def test_what_the_owner_has_restored_and_forgotten_again_stays_forgotten(
    source: Source, owner: User, folder: Path
) -> None:
    synced(source)
    (folder / "boat.md").unlink()
    synced(source)
    boat = document("boat.md").pk
    restore_document(owner_actor(owner), boat)
    write(folder, boat="The boat is in Lyngby.")
    synced(source)
    forget_document(owner_actor(owner), boat)
    write(folder, boat="Another text.")
    synced(source)
    assert active_keys(source) == ["tea.md"]


def test_a_failed_listing_forgets_nothing(source: Source, folder: Path) -> None:
    synced(source)
    folder.rename(folder.with_name("elsewhere"))
    report = sync(source)
    assert report.problem == "path: There is no such folder. If it is on a disk or a share, connect it."
    assert active_keys(source) == ["boat.md", "tea.md"]


def test_a_listing_that_breaks_off_forgets_nothing(source: Source, folder: Path) -> None:
    synced(source)
    (folder / "boat.md").unlink()
    source.limits = {"items": 1}
    source.save()
    write(folder, wine="Red.")
    assert "more than 1 items" in sync(source).problem
    assert "boat.md" in active_keys(source)


def test_a_file_that_cannot_be_read_now_keeps_its_last_version(
    source: Source, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(source)
    write(folder, boat="Changed.")
    read = FolderConnector.read

    def vanish(self: FolderConnector, item: SourceItem) -> bytes:
        (folder / "boat.md").unlink()
        return read(self, item)

    with monkeypatch.context() as patched:
        patched.setattr(FolderConnector, "read", vanish)
        report = sync(source)
    assert counts(report) == {"skipped": 1, "unchanged": 1}
    assert report.notes == ["boat.md: boat.md was deleted or moved. The next run notices that."]
    assert active_keys(source) == ["boat.md", "tea.md"]


def test_a_document_is_forgotten_while_its_file_is_empty(source: Source, folder: Path) -> None:
    synced(source)
    write(folder, boat="")
    report = sync(source)
    assert counts(report) == {"skipped": 1, "unchanged": 1}
    assert report.notes == ["boat.md: It is empty."]
    assert active_keys(source) == ["tea.md"]
    assert sync(source).notes == ["boat.md: It is empty."]
    write(folder, boat="The boat is in Lyngby.")
    assert synced(source) == {"added": 1, "unchanged": 1}
    assert active_keys(source) == ["boat.md", "tea.md"]


def test_names_that_differ_only_in_blanks_are_different_documents(source: Source, folder: Path) -> None:
    (folder / "a b.md").write_text("one")
    (folder / "a  b.md").write_text("two")
    assert synced(source) == {"added": 4}
    assert {"a b.md", "a  b.md"} < set(active_keys(source))


def test_a_name_with_a_secret_is_neither_stored_nor_noted(source: Source, folder: Path) -> None:
    key = "ghp_" + "a1" * 18
    (folder / f"{key}.md").write_text("text")
    report = sync(source)
    assert counts(report) == {"added": 2, "skipped": 1}
    assert key not in str(report.notes)
    assert not SourceItemState.objects.filter(key__contains=key).exists()


def test_a_path_that_no_index_can_hold_is_skipped(source: Source, folder: Path) -> None:
    deep = folder.joinpath(*["d" * 250] * 9)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("text")
    report = sync(source)
    assert counts(report) == {"added": 2, "skipped": 1}
    assert "longer than 2000 bytes" in report.notes[0]


def test_a_file_above_the_limit_for_documents_is_skipped(
    source: Source, folder: Path, settings: pytest.FixtureRequest
) -> None:
    settings.MAX_DOCUMENT_MB = 1  # type: ignore[attr-defined]
    write(folder, large="x" * 1_000_001)
    assert sync(source).notes == ["large.md: It is larger than 1 MB, the limit for one document."]


def test_a_dry_run_counts_and_changes_nothing(source: Source, folder: Path) -> None:
    synced(source)
    (folder / "boat.md").unlink()
    write(folder, tea="Black tea.", wine="Red.")
    before = Source.objects.values().get()
    report = sync(source, dry_run=True)
    assert counts(report) == {"added": 1, "changed": 1, "removed": 1}
    assert report.examples == {"added": ["wine.md"], "changed": ["tea.md"], "removed": ["boat.md"]}
    assert Source.objects.values().get() == before
    assert active_keys(source) == ["boat.md", "tea.md"]
    assert synced(source) == {"added": 1, "changed": 1, "removed": 1}


def test_most_documents_are_forgotten_only_with_a_confirmation(owner: User, folder: Path) -> None:
    source = folder_source(owner, folder)
    write(folder, **{f"n{number}": f"Number {number}." for number in range(30)})
    synced(source)
    for number in range(22):
        (folder / f"n{number}.md").unlink()
    for dry_run in (True, False):
        report = sync(source, dry_run=dry_run)
        assert report.problem.startswith("22 of 30 documents are gone")
        assert report.unconfirmed_removals == 22
    assert len(active_keys(source)) == 30
    source.refresh_from_db()
    assert source.unconfirmed_removals == 22
    assert counts(sync(source, confirm_removals=True)) == {"removed": 22, "unchanged": 8}
    source.refresh_from_db()
    assert source.unconfirmed_removals == 0
    assert len(active_keys(source)) == 8


def test_files_that_are_suddenly_empty_count_as_gone(owner: User, folder: Path) -> None:
    source = folder_source(owner, folder)
    names = [f"n{number}" for number in range(20)]
    write(folder, **{name: f"The text of {name}." for name in names})
    synced(source)
    write(folder, **dict.fromkeys(names, ""))
    assert sync(source).problem.startswith("20 of 20 documents are gone")
    assert len(active_keys(source)) == 20
    write(folder, **{name: f"The text of {name}." for name in names})
    assert synced(source) == {"unchanged": 20}
    write(folder, **dict.fromkeys(names, ""))
    assert counts(sync(source, confirm_removals=True)) == {"skipped": 20}
    assert active_keys(source) == []


def test_half_of_the_documents_may_go_without_a_confirmation(owner: User, folder: Path) -> None:
    source = folder_source(owner, folder)
    write(folder, **{f"n{number}": f"Number {number}." for number in range(40)})
    synced(source)
    for number in range(20):
        (folder / f"n{number}.md").unlink()
    assert synced(source) == {"removed": 20, "unchanged": 20}


def test_of_two_syncs_at_once_one_does_nothing(source: Source) -> None:
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        report = sync(source)
    assert report.is_already_running
    assert not report.is_ok
    assert not Document.objects.exists()


def test_a_removed_source_is_not_synced(source: Source) -> None:
    Source.objects.all().delete()
    with pytest.raises(NotFound, match="was removed"):
        sync(source)


class Killed(BaseException):
    """The end of a process, which no code handles."""


@pytest.mark.parametrize("function", ["add_document", "restore_document", "forget_document", "save"])
@pytest.mark.parametrize("is_after", [False, True])
def test_a_killed_sync_is_continued_without_duplicates(
    source: Source, folder: Path, monkeypatch: pytest.MonkeyPatch, function: str, *, is_after: bool
) -> None:
    write(folder, old="Old.", back="Back.")
    synced(source)
    (folder / "back.md").unlink()
    synced(source)
    (folder / "old.md").unlink()
    write(folder, boat="Changed.", new="New.", back="Back again.")
    place = SourceItemState if function == "save" else items
    original = getattr(place, function)

    def killed(*arguments: object, **named: object) -> object:
        if is_after:
            original(*arguments, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(place, function, killed)
        with pytest.raises(Killed):
            sync(source)
    source.refresh_from_db()
    assert (source.finished_at, source.failures) == (None, 1)
    assert sync(source).is_ok
    assert active_keys(source) == ["back.md", "boat.md", "new.md", "tea.md"]
    assert sorted(Document.objects.values_list("source_key", flat=True)) == [
        *("back.md", "boat.md", "new.md", "old.md", "tea.md")
    ]
    assert {found.source_key: found.versions.count() for found in Document.objects.all()} == {
        **{"back.md": 2, "boat.md": 2},
        **{"new.md": 1, "old.md": 1, "tea.md": 1},
    }
    assert synced(source) == {"unchanged": 4}


def test_a_full_disk_stops_the_sync_with_a_problem_and_the_next_one_continues(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("memories.database.is_full", lambda: True)
        assert sync(source).problem == "The disk of the server is full. Free space; the next sync continues."
    assert not Document.objects.exists()
    assert synced(source) == {"added": 2}


def test_an_unexpected_failure_is_a_problem_without_details(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("sesame")

    monkeypatch.setattr(run, "store_item", fail)
    assert sync(source).problem == "The sync failed unexpectedly. The log of the server has the details."


def test_the_data_folder_is_never_read(owner: User, settings: pytest.FixtureRequest, tmp_path: Path) -> None:
    data = Path(settings.DATA_DIR)  # type: ignore[attr-defined]
    source = make_source(owner, path=str(data))
    assert sync(source).problem == "path: The folder of OwnSona's own data cannot be a source."


def test_documents_that_are_known_already_are_taken_over(source: Source, owner: User) -> None:
    draft = DocumentDraft("boat.md", source="notes", source_key="boat.md")
    add_document(actor_of(source), draft, BytesIO(b"The boat is in Lyngby."))
    assert synced(source) == {"added": 1, "unchanged": 1}
    assert Document.objects.count() == 2


def test_another_owner_can_have_a_source_with_the_same_name(source: Source, folder: Path) -> None:
    synced(source)
    other = folder_source(make_user(), folder)
    assert synced(other) == {"added": 2}
    (folder / "boat.md").unlink()
    synced(other)
    assert active_keys(source) == ["boat.md", "tea.md"]
