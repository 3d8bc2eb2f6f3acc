"""Tests of the history of documents in archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.models import Document
from documents.tasks import read_queued
from documents.writing.forgetting import hard_delete_document
from memories.access import Actor, View
from memories.models import JournalEntry
from memories.transfer.archive.exporting import export_archive
from memories.transfer.archive.importing import import_archive
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.synonyms import add_synonym
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import make_user, owner_actor

SOLD = "# Ragnhild\n\nThe boat is sold to Nils.\n"


@pytest.fixture
def owner(db: None) -> User:
    """An owner of a document with two versions, a deleted one, and a synonym."""
    owner = make_user()
    make_document(owner, BOAT, source_key="boat")
    added(Actor(View.whole(owner.pk), "cursor"), SOLD, source_key="boat")
    hard_delete_document(owner_actor(owner), make_document(owner, "# Tea\n\nGreen.\n").pk)
    add_synonym(owner_actor(owner), "kitty", "cats")
    return owner


def operations(owner: User) -> list[tuple[str, str]]:
    entries = JournalEntry.objects.filter(owner=owner).order_by("pk")
    return [(entry.subject, entry.operation) for entry in entries]


def test_another_owner_gets_the_history_and_undoes_it(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    export_archive(View.whole(owner.pk), path)
    other = make_user()
    importing = Actor(View.whole(other.pk), "import", is_owner=True)
    import_archive(importing, path)
    assert operations(other) == [*operations(owner), ("document", "remember")]
    document = Document.objects.get(owner=other)
    # The document of the first owner has the id already.
    entries = JournalEntry.objects.filter(owner=other, document_id=document.pk)
    assert entries.count() == 3
    outcome = undo(owner_actor(other), Selection(clients=["cursor"]))
    assert [each.item_id for each in outcome.documents.restored] == [document.pk]
    read_queued()
    document.refresh_from_db()
    assert document.current is not None
    assert "Lyngby" in document.current.text
    untouched = Document.objects.get(owner=owner)
    assert untouched.current is not None
    assert "Nils" in untouched.current.text


def test_an_import_is_undone_with_its_documents_and_not_repeated(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    export_archive(View.whole(owner.pk), path)
    other = make_user()
    importing = Actor(View.whole(other.pk), "import", is_owner=True)
    import_archive(importing, path)
    before = operations(other)
    import_archive(Actor(View.whole(other.pk), "import", is_owner=True), path)
    assert operations(other) == before
    outcome = undo(owner_actor(other), Selection(change_set=importing.change_set))
    assert len(outcome.documents.removed) == 1
    assert not Document.objects.not_deleted().filter(owner=other).exists()
