"""Tests of the search in documents, and of reading them."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents.corpus import CHUNKS
from documents.models import Chunk, ChunkVector, Document
from documents.search import MOST_PER_DOCUMENT, PASSAGE_WEIGHTS, SearchOutcome, search_documents
from documents.selectors import get_document, list_documents, read_text
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from memories.access import Actor, View
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.recall.candidates import candidates_sql
from memories.recall.pipeline import Mode, Query, gather_candidates, recall
from memories.tasks import index_pending
from memories.vectors import hnsw
from memories.vectors.hnsw import VectorIndex, cached_indexes, index_of, keep_vector_indexes
from memories.vectors.spaces import current_space_id
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)

HOUSE = "# House\n\n## Heating\n\nThe heating was serviced in May.\n\n## Roof\n\nThe roof needs new tiles.\n"


@pytest.fixture
def owner() -> User:
    return make_user()


def found(outcome: SearchOutcome) -> list[str]:
    return [passage.chunk.text for passage in outcome.passages]


@pytest.mark.parametrize("mode", Mode)
def test_the_passage_that_answers_is_found(owner: User, mode: Mode) -> None:
    boat = make_document(owner)
    make_document(owner, HOUSE, name="house.md")
    index_pending()
    outcome = search_documents(View.whole(owner.pk), Query("how often is the engine oil changed", mode=mode))
    best = outcome.passages[0]
    assert best.chunk.document == boat
    assert best.chunk.heading == "Ragnhild › Engine"
    assert 0.0 < best.score <= 1.0 or mode is Mode.KEYWORD
    assert 0.0 <= best.relevance <= 1.0
    assert 0.0 <= outcome.confidence <= 1.0


def test_the_words_of_headings_and_title_are_found(owner: User) -> None:
    make_document(owner, title="Handbook of the Ragnhild")
    assert "Change the oil" in found(search_documents(View.whole(owner.pk), Query("engine", mode=Mode.KEYWORD)))[0]
    assert search_documents(View.whole(owner.pk), Query("handbook", mode=Mode.KEYWORD)).passages


def test_a_document_is_found_with_several_passages_that_leave_room_for_others(owner: User) -> None:
    make_document(owner, "# Boats\n\n" + "\n\n".join(f"## Boat {n}\n\nThe boat has {n} sails." for n in range(20)))
    make_document(owner, HOUSE)
    index_pending()
    query = Query("which boat has sails", limit=8)
    outcome = search_documents(View.whole(owner.pk), query)
    taken = Counter(passage.chunk.document.title for passage in outcome.passages)
    assert taken == {"Boats": MOST_PER_DOCUMENT, "House": 2}
    assert len({passage.chunk.pk for passage in outcome.passages}) == taken.total()
    once = search_documents(View.whole(owner.pk), query, per_document=1)
    assert [passage.chunk.document.title for passage in once.passages] == ["Boats", "House"]
    assert once.passages[0].chunk == outcome.passages[0].chunk


def test_a_passage_of_two_documents_is_found_once(owner: User) -> None:
    make_document(owner, HOUSE, name="house.md")
    make_document(owner, f"{HOUSE}\n## Garden\n\nThe hedge is cut in June.\n", name="house, with garden.md")
    index_pending()
    view, query = View.whole(owner.pk), Query("When was the heating serviced?")
    once = found(search_documents(view, query))
    assert once[0] == "The heating was serviced in May."
    assert len(set(once)) == len(once)
    assert found(search_documents(view, query, repeats=True))[:2] == [once[0]] * 2


def test_a_passage_that_answers_comes_before_its_neighbour(owner: User) -> None:
    lines = [
        "The oil of the engine is changed every hundred hours.",
        "It takes an hour.",
        "Then the filter is cleaned.",
    ]
    document = make_document(owner, "\n\n".join(line + " Nothing else is done." * 40 for line in lines))
    index_pending()
    asked = Query("how often is the oil of the engine changed")
    passages = search_documents(View.whole(owner.pk), asked).passages
    assert [passage.chunk.document for passage in passages] == [document] * len(passages)
    assert passages[0].chunk.text.startswith(lines[0])
    beside = gather_candidates(View.whole(owner.pk), asked, CHUNKS).candidates
    assert any(candidate.beside for candidate in beside)
    assert PASSAGE_WEIGHTS[Mode.HYBRID]["beside"] == 0.0


def test_words_are_found_before_the_vectors_are_there(owner: User) -> None:
    make_document(owner)
    assert not ChunkVector.objects.exists()
    assert search_documents(View.whole(owner.pk), Query("oil filter")).passages
    index_pending()
    assert ChunkVector.objects.count() == Chunk.objects.count()
    best = search_documents(View.whole(owner.pk), Query("oil filter")).passages[0]
    assert best.score > 0.3


def test_filters_exclude_documents(owner: User) -> None:
    make_document(owner, tags=("home",), source="notes", source_key="boat.md")
    view = View.whole(owner.pk)
    now = timezone.now()
    for query, source, expected in [
        (Query("oil"), None, 1),
        (Query("oil"), "notes", 1),
        (Query("oil"), "elsewhere", 0),
        (Query("oil", tags=("home",)), None, 1),
        (Query("oil", tags=("work",)), None, 0),
        (Query("oil", since=now - timedelta(hours=1)), None, 1),
        (Query("oil", since=now + timedelta(hours=1)), None, 0),
        (Query("oil", until=now - timedelta(hours=1)), None, 0),
    ]:
        passages = search_documents(view, query, source).passages
        assert len({passage.chunk.document_id for passage in passages}) == expected, (query, source)


def test_memories_and_documents_are_searched_apart(owner: User) -> None:
    make_document(owner)
    memory = make_memory(owner, "The oil of the car is changed in May")
    assert [match.memory for match in recall(View.whole(owner.pk), Query("oil")).matches] == [memory]
    assert all("car" not in text for text in found(search_documents(View.whole(owner.pk), Query("oil"))))


def test_views_show_only_their_documents(owner: User) -> None:
    home, work = make_document(owner, tags=("home",)), make_document(owner, HOUSE, tags=("work",))
    stranger = make_user()
    view = View(owner.pk, ("home",))
    assert {passage.chunk.document for passage in search_documents(view, Query("roof oil")).passages} == {home}
    assert list_documents(view) == [home]
    for hidden_from, document in ((view, work), (View.whole(stranger.pk), home)):
        with pytest.raises(NotFound):
            get_document(hidden_from, document.pk)
        with pytest.raises(NotFound):
            forget_document(Actor(hidden_from, "app"), document.pk)
    assert search_documents(View.whole(stranger.pk), Query("oil")).passages == []


def test_a_quarantined_document_is_seen_by_no_app(owner: User) -> None:
    document = added(Actor(View.whole(owner.pk), "app"), BOAT, quarantined_from="app").document
    view = View.whole(owner.pk)
    assert search_documents(view, Query("oil")).passages == []
    assert list_documents(view) == []
    with pytest.raises(NotFound):
        get_document(view, document.pk)


def test_a_forgotten_document_is_not_found_until_it_is_restored(owner: User) -> None:
    document, actor = make_document(owner), actor_for(owner)
    view = actor.view
    assert not forget_document(actor, document.pk, dry_run=True).already_deleted
    assert search_documents(view, Query("oil")).passages
    assert not forget_document(actor, document.pk, reason="sold").already_deleted
    assert forget_document(actor, document.pk).already_deleted
    document.refresh_from_db()
    assert document.forget_reason == "sold"
    assert search_documents(view, Query("oil")).passages == []
    assert list_documents(view) == []
    restore_document(actor, document.pk)
    assert search_documents(view, Query("oil")).passages
    with pytest.raises(InvalidInput, match="not forgotten"):
        restore_document(actor, document.pk)


def test_a_document_that_was_added_again_is_not_restored(owner: User) -> None:
    document, actor = make_document(owner), actor_for(owner)
    forget_document(actor, document.pk)
    make_document(owner)
    with pytest.raises(InvalidInput, match="added again"):
        restore_document(actor, document.pk)


def test_a_deleted_document_leaves_nothing_behind(owner: User) -> None:
    kept = make_document(owner, HOUSE)
    counts = {table: count(table) for table in TABLES}
    document = make_document(owner, source_url="https://example.com/boat")
    added(actor_for(owner), BOAT + "More.", source_url="https://example.com/boat")
    index_pending()
    hard_delete_document(actor_for(owner), document.pk, dry_run=True)
    assert Document.objects.filter(pk=document.pk).exists()
    hard_delete_document(actor_for(owner), document.pk)
    ChunkVector.objects.filter(chunk__document=kept).delete()
    assert {table: count(table) for table in TABLES} == counts


TABLES = ("document", "version", "original", "originalpart", "chunk", "chunkvector", "chunkposting")


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM documents_{table}")
        [number] = cursor.fetchone()
    return int(number)


def test_a_text_is_read_part_by_part(owner: User) -> None:
    document = get_document(
        View.whole(owner.pk), make_document(owner, "".join(f"Line {n}.\n\n" for n in range(500))).pk
    )
    assert document.current is not None
    start: int | None = 0
    parts: list[str] = []
    chunks: list[Chunk] = []
    while start is not None:
        part = read_text(document, start, 700)
        assert part.start == start
        parts.append(part.text)
        chunks += part.chunks
        start = part.next_start
    assert "".join(parts) == document.current.text
    assert chunks == list(document.chunks.order_by("number"))
    with pytest.raises(InvalidInput, match=r"^max_chars: "):
        read_text(document, 0, 0)
    with pytest.raises(LimitExceeded, match=r"^max_chars: "):
        read_text(document, 0, 100_001)


def test_an_unknown_document_is_not_found(owner: User) -> None:
    with pytest.raises(NotFound, match="no document"):
        get_document(View.whole(owner.pk), uuid.uuid4())


def test_many_chunks_get_an_index_of_their_own(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 20 * 2 * 64)
    make_document(owner, "\n".join(f"# Topic {n}\n\nFact number {n} about topic {n}.\n" for n in range(60)))
    for _ in range(30):
        make_memory(owner, "a memory")
    index_pending()
    keep_vector_indexes()
    try:
        last = Chunk.objects.order_by("-pk")[0].pk
        assert index_of(owner.pk, current_space_id(), CHUNKS) == VectorIndex(current_space_id(), owner.pk, last, CHUNKS)
        outcome = search_documents(View.whole(owner.pk), Query("Fact number 7 about topic 7", mode=Mode.SEMANTIC))
        assert found(outcome)[0] == "Fact number 7 about topic 7."
    finally:
        for index in hnsw._catalog():
            index.drop()
        cached_indexes.invalidate()


def test_a_search_takes_few_queries(owner: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    make_document(owner)
    view = View.whole(owner.pk)
    search_documents(view, Query("oil"))
    with django_assert_num_queries(4):
        search_documents(view, Query("oil"))


def test_the_statement_is_short_enough_to_be_cached() -> None:
    # psycopg's MAX_CACHED_STATEMENT_LENGTH.
    assert len(candidates_sql(CHUNKS, CHUNKS.inactive_ids)) <= 4096
