"""Tests of changing, accepting and reading documents again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import transaction

from documents.corpus import CHUNKS
from documents.extraction.extracted import ExtractionError
from documents.models import Chunk, ChunkPosting, ChunkVector, Document, Original, Version
from documents.search import search_documents
from documents.tasks import read_queued
from documents.writing import changing, reading
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document
from documents.writing.retrying import retry_reading
from documents.writing.review import accept_document, awaiting_review
from memories.access import View
from memories.errors import InvalidInput, NotFound, SecretRejected, StorageFull
from memories.recall.pipeline import Mode, Query
from memories.vectors.indexing import index_pending_batch
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.concurrency import in_threads
from tests.support.factories import make_user, owner_actor, quarantined

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def owner() -> User:
    return make_user()


def found(owner: User, words: str) -> list[str]:
    outcome = search_documents(View.whole(owner.pk), Query(words, 5, mode=Mode.KEYWORD))
    return [passage.chunk.document.title for passage in outcome.passages]


def words() -> set[str]:
    return set(ChunkPosting.objects.values_list("term", flat=True))


def test_a_new_title_is_searched_instead_of_the_old_one(owner: User) -> None:
    document = make_document(owner, title="Sailing")
    index_pending_batch(corpus=CHUNKS)
    assert ChunkVector.objects.count() == 3
    texts = list(document.chunks.order_by("number").values_list("text", "heading", "start_char", "page"))

    change_document(owner_actor(owner), document.pk, title="  Motoring   manual ")

    document.refresh_from_db()
    assert (document.title, document.is_title_given) == ("Motoring manual", True)
    chunks = document.chunks.order_by("number")
    assert [chunk.context for chunk in chunks] == [
        "Motoring manual › Ragnhild",
        "Motoring manual › Ragnhild › Engine",
        "Motoring manual › Ragnhild › Crew",
    ]
    assert list(chunks.values_list("text", "heading", "start_char", "page")) == texts
    assert "motor" in words()
    assert "sail" not in words()
    assert not ChunkVector.objects.exists()
    index_pending_batch(corpus=CHUNKS)
    assert ChunkVector.objects.count() == 3


def test_a_document_can_be_renamed_while_its_chunks_are_indexed(owner: User) -> None:
    document = make_document(owner, title="Sailing")
    index_pending_batch(corpus=CHUNKS)
    vector = ChunkVector.objects.first()
    assert vector is not None
    chunk_id = vector.chunk_id
    ChunkVector.objects.all().delete()

    def rename(_: int) -> None:
        change_document(owner_actor(owner), document.pk, title="Motoring")

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            # As indexing does: it locks the chunk, and then adds its vectors.
            Chunk.objects.select_for_update().get(pk=chunk_id)
            renaming = pool.submit(in_threads, 1, rename)
            with pytest.raises(TimeoutError):
                renaming.result(0.5)
            vector.save(force_insert=True)
        renaming.result(30)
    assert Document.objects.get().title == "Motoring"
    assert not ChunkVector.objects.exists()


def test_new_tags_reach_the_chunks_and_replace_the_old_ones(owner: User) -> None:
    document = make_document(owner, tags=("home",))
    kept = set(document.chunks.values_list("pk", flat=True))
    change_document(owner_actor(owner), document.pk, tags=["Sea Life", "books", "books"])
    document.refresh_from_db()
    assert document.tags == ["sea-life", "publishing"]
    assert {tuple(tags) for tags in document.chunks.values_list("tags", flat=True)} == {("sea-life", "publishing")}
    assert set(document.chunks.values_list("pk", flat=True)) == kept
    assert set(document.chunks.values_list("created_at", flat=True)) == {document.updated_at}


def test_nothing_is_written_if_nothing_changes(owner: User) -> None:
    document = make_document(owner, title="Boat", tags=("home",))
    change_document(owner_actor(owner), document.pk, title="Boat", tags=["Home"])
    assert Document.objects.get().updated_at == document.updated_at


@pytest.mark.parametrize(
    ("title", "error"),
    [(" ", InvalidInput), ("a\x00", InvalidInput), ("t" * 501, InvalidInput), ("ghp_" + "a1" * 18, SecretRejected)],
)
def test_an_invalid_title_changes_nothing(owner: User, title: str, error: type[Exception]) -> None:
    document = make_document(owner, title="Boat")
    with pytest.raises(error, match=r"^title: "):
        change_document(owner_actor(owner), document.pk, title=title)
    assert Document.objects.get().title == "Boat"


def test_other_owners_cannot_change_a_document_and_a_full_disk_prevents_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make_document(owner, title="Boat")
    with pytest.raises(NotFound):
        change_document(owner_actor(make_user()), document.pk, title="Mine")

    def refuse() -> None:
        raise StorageFull

    monkeypatch.setattr(changing, "refuse_growth", refuse)
    with pytest.raises(StorageFull):
        change_document(owner_actor(owner), document.pk, title="Other")
    assert Document.objects.get().title == "Boat"


def test_an_accepted_document_is_found(owner: User) -> None:
    document = added(quarantined(owner), BOAT, quarantined_from="guesser").document
    assert found(owner, "engine oil") == []
    assert list(awaiting_review(View.whole(owner.pk))) == [document]

    assert accept_document(owner_actor(owner), document.pk).pk == document.pk

    assert found(owner, "engine oil") == ["Ragnhild"]
    assert not awaiting_review(View.whole(owner.pk)).exists()
    with pytest.raises(InvalidInput, match="does not await review"):
        accept_document(owner_actor(owner), document.pk)


def test_only_the_owner_accepts_documents(owner: User) -> None:
    document = added(quarantined(owner), BOAT, quarantined_from="guesser").document
    for actor in (quarantined(owner), quarantined(owner, client="other"), owner_actor(make_user())):
        with pytest.raises(NotFound):
            accept_document(actor, document.pk)
    assert awaiting_review(View.whole(owner.pk)).exists()


def test_a_rejected_document_cannot_be_accepted(owner: User) -> None:
    document = added(quarantined(owner), BOAT, quarantined_from="guesser").document
    forget_document(owner_actor(owner), document.pk)
    with pytest.raises(InvalidInput, match="does not await review"):
        accept_document(owner_actor(owner), document.pk)


def test_accepting_a_document_that_is_there_already_adds_its_tags(owner: User) -> None:
    known = make_document(owner, tags=("home",))
    again = added(quarantined(owner), BOAT, tags=("sea",), quarantined_from="guesser").document
    assert again.pk != known.pk

    assert accept_document(owner_actor(owner), again.pk).pk == known.pk

    known = Document.objects.not_deleted().get()
    assert known.tags == ["home", "sea"]
    assert set(map(tuple, Chunk.objects.filter(deleted_at=None).values_list("tags", flat=True))) == {("home", "sea")}
    assert known.versions.count() == Original.objects.count() == 1


def test_accepting_other_content_of_a_known_page_adds_a_version(owner: User) -> None:
    url = "https://example.com/boat"
    known = make_document(owner, source_url=url)
    other = added(quarantined(owner), "# Ragnhild\n\nSold.\n", source_url=url, quarantined_from="guesser").document

    accept_document(owner_actor(owner), other.pk)
    read_queued()

    known.refresh_from_db()
    assert Document.objects.not_deleted().count() == 1
    assert known.current is not None
    assert (known.current.number, known.current.text) == (2, "Ragnhild\n\nSold.")
    assert found(owner, "sold") == [known.title]


def test_a_file_that_could_not_be_read_is_read_again(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(reading, "extract_isolated", lambda path, name: _fail())
        document = make_document(owner)
    assert document.current is None

    retry_reading(owner_actor(owner), document.pk)
    assert Version.objects.get().state == "queued"
    assert Version.objects.get().problem == ""
    read_queued()

    assert found(owner, "engine oil") == ["Ragnhild"]


def _fail() -> None:
    raise ExtractionError("failed", "Out of luck.")


def test_a_version_without_text_is_read_again(owner: User) -> None:
    document = make_document(owner)
    Chunk.objects.all().delete()
    Version.objects.update(text="", notes=["Install tesseract."])
    retry_reading(owner_actor(owner), document.pk)
    read_queued()
    assert Version.objects.get().notes == []
    assert found(owner, "engine oil") == ["Ragnhild"]


def test_what_was_read_or_is_queued_is_not_read_again(owner: User) -> None:
    document = make_document(owner)
    with pytest.raises(InvalidInput, match="nothing could be read"):
        retry_reading(owner_actor(owner), document.pk)
    Version.objects.update(state="queued")
    with pytest.raises(InvalidInput, match="nothing could be read"):
        retry_reading(owner_actor(owner), document.pk)
    with pytest.raises(NotFound):
        retry_reading(owner_actor(make_user()), document.pk)
