"""Tests of the order in which documents are read and embedded: what is small does not wait for what is large."""

from __future__ import annotations

from io import BytesIO

import pytest

from documents import tasks
from documents.corpus import CHUNKS
from documents.drafts import DocumentDraft
from documents.models import ChunkVector, Document
from documents.tasks import read_queued
from documents.writing.adding import add_document
from documents.writing.reading import read_version
from memories.corpus import MEMORIES
from memories.models import MemoryVector
from memories.tasks import index_pending
from memories.vectors import indexing
from memories.vectors.indexing import BatchResult, index_pending_batch
from oauthserver.models import User
from tests.documents.support import make_document
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user()


def queue(owner: User, title: str, paragraphs: int) -> Document:
    text = "\n\n".join(f"Paragraph {number} of {title}, which says little." for number in range(paragraphs))
    return add_document(actor_for(owner), DocumentDraft(f"{title}.md", title=title), BytesIO(text.encode())).document


def test_a_note_does_not_wait_for_a_book(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    book, note, letter = queue(owner, "Book", 300), queue(owner, "Note", 1), queue(owner, "Letter", 5)
    order: list[object] = []

    def read(version_id: int) -> None:
        read_version(version_id)
        order.extend(Document.objects.filter(current_id=version_id).values_list("pk", flat=True))

    monkeypatch.setattr(tasks, "read_version", read)
    read_queued()
    assert order == [note.pk, letter.pk, book.pk]


def test_a_version_that_cannot_be_stored_is_tried_once_per_run(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    queue(owner, "Note", 1), queue(owner, "Letter", 5)
    tried: list[int] = []

    def fail(version_id: int) -> None:
        tried.append(version_id)
        raise RuntimeError("broken")

    monkeypatch.setattr(tasks, "read_version", fail)
    read_queued()
    assert len(tried) == len(set(tried)) == 2


def test_memories_do_not_wait_for_the_passages_of_a_book(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 2)
    make_document(owner, "\n\n".join(f"# Part {number}\n\nIt says little." for number in range(12)))
    assert CHUNKS.all_items.count() > 4
    indexed: list[tuple[str, int]] = []

    def index(after_id: int = 0, corpus: object = None) -> BatchResult | None:
        if len(indexed) == 2:
            # Stored while the book is being embedded.
            memory = make_memory(owner, "I like tea")
            MemoryVector.objects.filter(memory=memory).delete()
        batch = index_pending_batch(after_id, corpus=corpus)  # type: ignore[arg-type]
        if batch is not None:
            indexed.append((getattr(corpus, "name", ""), batch.indexed))
        return batch

    monkeypatch.setattr("memories.tasks.index_pending_batch", index)
    index_pending()
    names = [name for name, _ in indexed]
    assert MEMORIES.name in names[:4]
    assert names[-1] == CHUNKS.name
    assert ChunkVector.objects.values("chunk").distinct().count() == CHUNKS.all_items.count()
