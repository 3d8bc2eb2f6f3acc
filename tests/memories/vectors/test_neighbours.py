"""Tests that the neighbours of a text are equal for one text at a time and for many at once."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries

from benchmarks.support.sample_texts import memory_texts
from memories.access import View
from memories.drafts import Draft
from memories.embeddings import get_embedder
from memories.embeddings.base import Matrix
from memories.errors import LimitExceeded
from memories.models import Memory
from memories.vectors import duplicates, hnsw, nearest, neighbours, vector_blocks
from memories.vectors.duplicates import find_near_duplicates
from memories.vectors.hnsw import keep_vector_indexes
from memories.vectors.neighbours import CLEAR_DUPLICATE_COSINE, MAX_SHOWN, EmbeddedText, Neighbours, find_neighbours
from memories.vectors.spaces import TextVectors, current_space_id
from memories.vectors.vector_blocks import vector_blocks as blocks_of
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory
from memories.writing.remembering import RememberRequest, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import matrices
from tests.support.factories import actor_for, make_expired, make_memory, make_user

BASE = "We meet the whole team at the office every single Monday morning"

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture(params=["by key", "by vector"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find neighbours in one of the two ways."""
    if request.param == "by vector":
        monkeypatch.setattr(neighbours, "MAX_SAME_KEY", 0)


def embedded(texts: list[str]) -> list[EmbeddedText]:
    vectors = [TextVectors(current_space_id(), windows) for windows in matrices(get_embedder(), texts)]
    return [EmbeddedText(text, each) for text, each in zip(texts, vectors, strict=True)]


def of_windows(text: str, windows: Matrix) -> EmbeddedText:
    return EmbeddedText(text, TextVectors(current_space_id(), windows))


def ids(found: Neighbours) -> tuple[list[int], list[int]]:
    return [memory.pk for memory, _ in found.active], [memory.pk for memory, _ in found.forgotten]


@pytest.mark.usefixtures("way")
def test_many_texts_at_once_find_what_each_finds_alone(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_blocks, "VECTORS_PER_BLOCK", 7)
    active = make_memory(owner, f"{BASE} now")
    gone = make_memory(owner, f"{BASE} again")
    forget_memory(actor_for(owner), gone.pk)
    make_expired(make_memory(owner, f"{BASE} still"))
    make_memory(make_user(), f"{BASE} too")
    remember_all(actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in memory_texts(30)])
    new = embedded([BASE, "Something else entirely"] * neighbours.MAX_SEARCHED_WINDOWS)

    together = find_neighbours(View.whole(owner.pk), new)
    alone = [find_neighbours(View.whole(owner.pk), [matrix])[0] for matrix in new]

    assert [ids(found) for found in together] == [ids(found) for found in alone]
    assert ids(together[0]) == ([active.pk], [gone.pk])
    assert ids(together[1]) == ([], [])
    assert together[0].active[0][1] == pytest.approx(alone[0].active[0][1], abs=1e-3)


@pytest.mark.django_db(transaction=True)
def test_many_texts_at_once_find_with_an_index_what_each_finds_alone(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hnsw, "MAX_UNINDEXED_BYTES", 100 * 2 * 64)
    monkeypatch.setattr(nearest, "READ_PER_SEARCH", 1)
    monkeypatch.setattr(neighbours, "_scan_near", pytest.fail)
    crowd = [f"{BASE} {'.' * number}" for number in range(120)]
    remember_all(
        actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in crowd + memory_texts(200)]
    )
    gone = Memory.objects.get(owner=owner, text=crowd[5])
    forget_memory(actor_for(owner), gone.pk)
    keep_vector_indexes()
    new = embedded([BASE, "Something else entirely", *memory_texts(8)])

    together = find_neighbours(View.whole(owner.pk), new)

    assert [ids(found) for found in together] == [ids(find_neighbours(View.whole(owner.pk), [each])[0]) for each in new]
    assert len(together[0].active) == MAX_SHOWN
    assert ids(together[0])[1] == [gone.pk]
    for index in hnsw._catalog():
        index.drop()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("repeated", [1, 9])
def test_a_crowd_of_tombstones_hides_nothing_in_force(owner: User, repeated: int) -> None:
    for number in range(60):
        forget_memory(actor_for(owner), make_memory(owner, f"{BASE} {'.' * number}").pk)
    active = make_memory(owner, f"{BASE} now")
    found = find_neighbours(View.whole(owner.pk), embedded([BASE] * repeated))[0]
    assert ids(found)[0] == [active.pk]
    assert len(found.forgotten) == MAX_SHOWN


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("repeated", [1, 9])
def test_a_long_text_is_near_only_where_all_of_its_windows_are(owner: User, repeated: int) -> None:
    make_memory(owner, BASE)
    zebra = "The zebra crossed the river at night"
    long = of_windows(f"{BASE}. {zebra}", np.concatenate(matrices(get_embedder(), [BASE, zebra])))
    assert ids(find_neighbours(View.whole(owner.pk), [long] * repeated)[0]) == ([], [])
    make_memory(owner, zebra)
    assert ids(find_neighbours(View.whole(owner.pk), [long] * repeated)[0]) == ([], [])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("repeated", [1, 9])
def test_what_is_out_of_view_is_near_nothing(owner: User, repeated: int) -> None:
    make_memory(owner, f"{BASE} now", tags=("work",))
    new = embedded([BASE] * repeated)
    assert ids(find_neighbours(View(owner.pk, ("home",)), new)[0]) == ([], [])
    assert len(find_neighbours(View(owner.pk, ("work",)), new)[0].active) == 1


@pytest.mark.usefixtures("way")
@pytest.mark.django_db(transaction=True)
def test_queries_do_not_grow_with_the_number_of_texts(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_memory(owner, f"{BASE} now")
    find_neighbours(View.whole(owner.pk), embedded([BASE]))
    with django_assert_num_queries(4):  # the keys, the vectors or the search, the texts, the memories that are shown
        find_neighbours(View.whole(owner.pk), embedded([BASE]))
    many = embedded([BASE] * (neighbours.MAX_SEARCHED_TEXTS + 1))
    with django_assert_num_queries(4):
        find_neighbours(View.whole(owner.pk), many)
    long = of_windows(BASE, np.repeat(many[0].vectors.windows, neighbours.MAX_SEARCHED_WINDOWS + 1, axis=0))
    with django_assert_num_queries(4):
        find_neighbours(View.whole(owner.pk), [long])


def test_without_a_memory_that_may_say_the_same_the_keys_are_looked_up_in_one_query(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_memory(owner, f"{BASE} now")
    new = embedded([f"{BASE} at 9", f"{BASE} at 10"])
    with django_assert_num_queries(1):
        found = find_neighbours(View.whole(owner.pk), new)
    assert [ids(each) for each in found] == [([], [])] * 2


def test_while_a_key_is_unknown_its_memory_is_found_by_its_vector(owner: User) -> None:
    memory = make_memory(owner, f"{BASE} now")
    Memory.objects.filter(pk=memory.pk).update(statement_key=None)
    assert ids(find_neighbours(View.whole(owner.pk), embedded([BASE]))[0]) == ([memory.pk], [])


def test_many_candidates_of_all_texts_together_are_searched_for(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make_memory(owner, f"{BASE} now")
    monkeypatch.setattr(neighbours, "_MAX_COMPARED", 0)
    monkeypatch.setattr(neighbours, "vectors_of", pytest.fail)
    assert ids(find_neighbours(View.whole(owner.pk), embedded([BASE]))[0]) == ([memory.pk], [])


def test_blocks_hold_every_vector_once_and_as_it_was_stored(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_blocks, "VECTORS_PER_BLOCK", 7)
    texts = memory_texts(21)
    remember_all(actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in texts])
    blocks = list(blocks_of(owner.pk, current_space_id()))
    stored = list(Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))
    assert [len(block.memory_ids) for block in blocks] == [7, 7, 7]
    assert np.concatenate([block.memory_ids for block in blocks]).tolist() == stored
    expected = np.concatenate(matrices(get_embedder(), texts)).astype(np.float16)
    assert np.array_equal(np.concatenate([block.vectors for block in blocks]), expected)


def test_at_a_threshold_of_1_equal_vectors_are_near(owner: User) -> None:
    texts = [f"{opening} tea number {number}" for opening in ("Green", "Green,") for number in range(20)]
    first, other = (matrices(get_embedder(), [text])[0] for text in (texts[0], texts[20]))
    assert np.array_equal(first, other)
    remember_all(actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in texts])
    found = find_near_duplicates(View.whole(owner.pk), threshold=1.0, max_groups=50)
    assert (found.pair_count, found.group_count) == (20, 20)


def test_groups_of_near_duplicates_are_those_of_brute_force(owner: User) -> None:
    texts = [f"{name} {BASE} {number}" for name in ("Ada", "Bruno") for number in range(6)] + memory_texts(40)
    remember_all(actor_for(owner), [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in texts])
    forget_memory(actor_for(owner), Memory.objects.get(owner=owner, text=texts[0]).pk)
    told: list[float] = []
    found = find_near_duplicates(
        View.whole(owner.pk), threshold=CLEAR_DUPLICATE_COSINE, max_groups=50, progress=told.append
    )
    vectors = np.concatenate(matrices(get_embedder(), texts[1:]))
    expected = int((np.tril(vectors @ vectors.T, -1) >= CLEAR_DUPLICATE_COSINE).sum())
    assert expected > 10
    assert found.pair_count == pytest.approx(expected, abs=1)
    assert sum(group.pair_count for group in found.shown) == found.pair_count
    assert all(memory.text != texts[0] for group in found.shown for memory in group.memories)
    assert told[-1] == 1.0


def test_without_a_threshold_groups_say_the_same_in_other_words(owner: User) -> None:
    same = [make_memory(owner, text).pk for text in (f"{BASE} at 9", f"{BASE} at nine")]
    make_memory(owner, f"{BASE} at 10")
    make_memory(owner, "We never meet the whole team at the office every single Monday morning at 9")
    found = find_near_duplicates(View.whole(owner.pk), max_groups=50)
    assert [[memory.pk for memory in group.memories] for group in found.shown] == [same]


def test_too_many_pairs_are_refused_with_and_without_a_threshold(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        make_memory(owner, f"{BASE} {'.' * number}")
    monkeypatch.setattr(duplicates, "MAX_PAIRS", 5)
    for threshold in (None, 0.9):
        with pytest.raises(LimitExceeded, match=r"more than 5 pairs") as error:
            find_near_duplicates(View.whole(owner.pk), threshold=threshold, max_groups=50)
        assert error.value.argument == "threshold"
    monkeypatch.setattr(duplicates, "MAX_COMPARED_PAIRS", 5)
    with pytest.raises(LimitExceeded, match=r"more than 5 pairs have a similarity of at least 0\.72"):
        find_near_duplicates(View.whole(owner.pk), max_groups=50)
