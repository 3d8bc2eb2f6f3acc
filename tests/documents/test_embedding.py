"""Tests of the vectors of chunks: long passages are embedded in parts."""

from __future__ import annotations

import pytest

from documents.corpus import CHUNKS
from documents.embedded_parts import PART_CHARS, part_spans
from documents.models import Chunk, ChunkVector
from memories.embeddings.windows import Span
from memories.vectors.indexing import add_vectors, index_pending_batch
from memories.vectors.reembedding import count_unfinished, fill
from memories.vectors.spaces import TextVectors, space_in_use
from oauthserver.models import User
from tests.documents.support import make_document
from tests.support.factories import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

SENTENCES = [f"Rule {number} of the harbour concerns the mooring of boats." for number in range(14)]
LONG = "# Rules\n\n" + " ".join(SENTENCES)


@pytest.fixture
def owner() -> User:
    return make_user()


def vectors_of(chunk: Chunk) -> list[list[float]]:
    rows = ChunkVector.objects.filter(chunk=chunk).order_by("window")
    return [list(row) for row in rows.values_list("embedding", flat=True)]


def test_the_parts_of_a_text_are_whole_sentences_and_cover_the_text() -> None:
    text = " ".join(SENTENCES)
    first, second = part_spans(text)

    assert (first.start, second.end) == (0, len(text))
    assert second.start <= first.end
    for part in (text[first.start : first.end], text[second.start : second.end]):
        assert part.startswith("Rule")
        assert PART_CHARS / 2 < len(part) <= PART_CHARS
    assert part_spans("A short text.") == [(0, 13)]


def test_a_long_chunk_has_a_vector_of_each_part_below_its_headings(owner: User) -> None:
    document = make_document(owner, LONG, title="Port")
    index_pending_batch(corpus=CHUNKS)

    (chunk,) = document.chunks.all()
    assert len(chunk.embedded_texts) == 2
    assert all(text.startswith("Port › Rules\nRule ") for text in chunk.embedded_texts)
    expected = space_in_use().embedder.embed(chunk.embedded_texts)
    for stored, made in zip(vectors_of(chunk), expected, strict=True):
        assert stored == pytest.approx(made.windows[0].tolist(), abs=1e-3)


def test_a_short_chunk_has_one_vector(owner: User) -> None:
    document = make_document(owner, "The crane is green.")
    index_pending_batch(corpus=CHUNKS)

    (chunk,) = document.chunks.all()
    assert len(vectors_of(chunk)) == 1


def test_chunks_that_were_embedded_as_a_whole_get_new_vectors_and_others_keep_theirs(owner: User) -> None:
    short = make_document(owner, "The crane is green.")
    document = make_document(owner, LONG, title="Port")
    space = space_in_use()
    fill(space, lambda count: None)
    (chunk,) = document.chunks.all()
    expected = vectors_of(chunk)
    assert count_unfinished(space) == 0

    for spans in ([], [Span(0, 300), Span(250, 700)]):
        ChunkVector.objects.filter(chunk=chunk).delete()
        (whole,) = space.embedder.embed([f"{chunk.context}\n{chunk.text}"])
        windows = whole.windows.repeat(max(1, len(spans)), axis=0)
        add_vectors([(chunk, TextVectors(space.pk, windows, spans))], CHUNKS)
        ChunkVector.objects.filter(chunk=short.chunks.get()).update(start_char=1)

        assert count_unfinished(space) == 1
        assert fill(space, lambda count: None) == 0

        assert (count_unfinished(space), vectors_of(chunk)) == (0, expected)
        assert ChunkVector.objects.get(chunk__document=short).start_char == 1
