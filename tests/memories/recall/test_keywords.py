"""Tests of postings: stems, languages, names, and the rarity of words."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.access import View
from memories.drafts import Draft
from memories.models import Memory, Posting
from memories.recall.filters import RecallFilters
from memories.recall.keywords import (
    MAX_COMMON_TERMS,
    MAX_POSTINGS,
    MAX_TERMS,
    QuestionTerms,
    inverse_frequency,
    load_question_terms,
    weigh,
)
from memories.transfer.tombstone_import import Tombstone, import_tombstones
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory, hard_delete_memory, restore_memory
from memories.writing.remembering import RememberRequest, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def terms_of(memory: Memory) -> set[str]:
    return set(Posting.objects.filter(memory=memory).values_list("term", flat=True))


def parses(user: User, question: str) -> int:
    """Return how often the statement that reads a question's words parses a text."""
    with CaptureQueriesContext(connection) as queries:
        load_question_terms(RecallFilters(View.whole(user.pk)), question)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {queries.captured_queries[-1]['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    return sum(map(int, re.findall(r"Function Scan on (?:regexp_matches|memories_terms).* loops=(\d+)", plan)))


def known_terms(user: User, question: str) -> set[str]:
    return set(load_question_terms(RecallFilters(View.whole(user.pk)), question).rare)


# --- The terms of a text


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("we were running along the river", "who runs?"),
        ("Wir haben zwei Häuser am See und ein Boot", "Häuser"),
        ("Wir haben zwei Häuser am See und ein Boot", "Welches Haus ist das?"),
        ("el perro de mi hermana está en Perú", "perros"),
        ("у меня есть собака и кошка", "где моя собака?"),
        ("the café near the résumé office", "resume cafe"),
        ("我的狗叫毛毛", "狗"),
        ("我的狗叫毛毛", "毛毛是谁"),
        ("東京に行きました", "東京"),
        ("제 강아지 이름은 모카입니다", "강아지"),
        ("the order INV-2023-0042 came today", "INV-2023-0042"),
        ("vaccinated against covid-19", "19"),
        ("write to jo@example.com", "jo@example.com"),
        ("work and/or play", "play"),
        ("the film 🎬 at nine", "🎬"),
    ],
)
def test_a_question_finds_the_word_in_another_form(owner: User, text: str, question: str) -> None:
    memory = make_memory(owner, text)
    assert known_terms(owner, question) & terms_of(memory)


@pytest.mark.parametrize("text", ["the and of it", "und der die das nicht"])
def test_small_words_are_left_out(owner: User, text: str) -> None:
    assert terms_of(make_memory(owner, text)) == set()


@pytest.mark.parametrize("text", ["Ada Lovelace: hello there", "Ada Lovelace likes engines, says Babbage"])
def test_the_name_that_a_text_begins_with_is_whom_it_is_about(owner: User, text: str) -> None:
    assert {term for term in terms_of(make_memory(owner, text)) if term.startswith("@")} == {"@ada", "@lovelac"}


def test_a_word_counts_as_often_as_it_stands_there(owner: User) -> None:
    memory = make_memory(owner, "tea, more tea and coffee")
    counts = {row.term: (row.tf, row.length) for row in Posting.objects.filter(memory=memory)}
    assert counts == {"tea": (2, 3), "coffe": (1, 3)}


def test_of_a_text_with_very_many_words_the_most_frequent_and_then_the_shortest_are_kept(owner: User) -> None:
    characters = "".join(chr(0x4E00 + number) for number in range(1_500))
    memory = make_memory(owner, f"{characters} samovar samovar")
    terms = terms_of(memory)
    assert len(terms) == 2_000
    assert terms > {"samovar", *characters}
    assert set(Posting.objects.filter(memory=memory).values_list("length", flat=True)) == {2 * 1_500 - 1 + 2}


# --- Postings after changes


def test_all_of_a_batch_has_postings(owner: User) -> None:
    requests = [RememberRequest(Draft(f"tea number {n}"), DedupPolicy.INSERT) for n in range(3)]
    remember_all(actor_for(owner), requests)
    assert Posting.objects.filter(owner=owner, term="tea").count() == 3


def test_a_new_text_replaces_the_words_of_the_old(owner: User) -> None:
    memory = make_memory(owner, "green tea")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="black coffee"))
    assert terms_of(memory) == {"black", "coffe"}


def test_other_changes_leave_the_words(owner: User) -> None:
    memory = make_memory(owner, "green tea")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(importance=0.9))
    forget_memory(actor_for(owner), memory.pk)
    restore_memory(actor_for(owner), memory.pk)
    assert terms_of(memory) == {"green", "tea"}


def test_a_hard_delete_leaves_no_word(owner: User) -> None:
    memory = make_memory(owner, "green tea")
    hard_delete_memory(actor_for(owner), memory.pk)
    assert not Posting.objects.exists()


def test_with_their_owner_all_words_go(owner: User) -> None:
    make_memory(owner, "green tea")
    owner.delete()
    assert not Posting.objects.exists()


def test_a_tombstone_from_an_export_has_its_words_for_when_it_is_restored(owner: User) -> None:
    forgotten_at = make_memory(owner, "something else").created_at
    import_tombstones(actor_for(owner), [Tombstone(Draft("green tea"), forgotten_at)])
    memory = Memory.objects.get(text="green tea")
    assert "tea" not in known_terms(owner, "tea")
    restore_memory(actor_for(owner), memory.pk)
    assert "tea" in known_terms(owner, "tea")


# --- The weights of a question's words


def test_a_rare_word_is_worth_more() -> None:
    rare = weigh({"tea": 50, "mochi": 1}, 100, {}).rare
    assert list(rare) == ["mochi", "tea"]
    assert rare["mochi"] > rare["tea"] > 0


def test_postings_are_read_as_far_as_the_budget_goes_and_always_those_of_one_word() -> None:
    words = weigh({"a": 10, "b": MAX_POSTINGS, "c": 20}, MAX_POSTINGS, {})
    assert (list(words.rare), list(words.common)) == (["a", "c"], ["b"])
    assert list(weigh({"b": MAX_POSTINGS}, MAX_POSTINGS, {}).rare) == ["b"]
    assert weigh({}, 5, {}) == QuestionTerms()


def test_of_words_that_are_too_common_a_few_are_looked_up() -> None:
    words = weigh(dict.fromkeys("abcdefghijklm", MAX_POSTINGS), MAX_POSTINGS, {})
    assert (len(words.rare), len(words.common)) == (1, MAX_COMMON_TERMS)


def test_a_word_that_no_memory_has_raises_what_is_expected_of_a_match() -> None:
    assert weigh({"tea": 1, "samovar": 0}, 10, {}).expected > weigh({"tea": 1}, 10, {}).expected > 0


def test_no_weight_is_negative_or_infinite() -> None:
    assert 0 < inverse_frequency(7, 3) < inverse_frequency(0, 3) < 3


def test_of_a_very_long_question_a_bounded_number_of_words_is_looked_up(owner: User) -> None:
    words = [f"word{number}" for number in range(MAX_TERMS * 2)]
    make_memory(owner, " ".join(words))
    assert len(known_terms(owner, " ".join(words))) == MAX_TERMS


def test_a_question_is_parsed_as_often_whatever_its_length(owner: User) -> None:
    few = parses(owner, "the tea")
    assert 0 < few == parses(owner, "the " + " ".join(f"tea{number}" for number in range(MAX_TERMS)))


def test_what_is_out_of_view_or_out_of_force_is_not_counted(owner: User) -> None:
    make_memory(owner, "Mochi likes tea", tags=("work",))
    forget_memory(actor_for(owner), make_memory(owner, "Rex likes milk").pk)
    make_memory(make_user(), "Bello likes water")
    words = load_question_terms(
        RecallFilters(View(owner.pk, ("home",))), "What do Mochi, Rex and Bello like: tea, milk, water?"
    )
    assert (words.rare, words.names) == ({}, {})


# --- Names


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What did Ada's brother say to Ada?", "What did brother say to ?"),
        ("Adalbert and Ada’s cat", "Adalbert and cat"),
        ("Ada?", "Ada?"),
        ("what did ada say", "what did ada say"),
    ],
)
def test_names_are_taken_out_of_a_question_unless_nothing_is_left(question: str, rest: str) -> None:
    assert QuestionTerms(names={"Ada": ["ada"]}).without_names(question) == rest
