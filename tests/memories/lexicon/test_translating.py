"""Tests of translations of everyday words."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from memories.access import View
from memories.lexicon.translating import LANGUAGES, in_english, is_only_foreign, translations
from memories.recall.keywords import translations_of
from memories.recall.pipeline import Mode, Query, recall
from oauthserver.models import User
from tests.support.factories import make_memory, make_user

LINES = files("memories.lexicon").joinpath("concepts.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES if not line.startswith("#")]


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def test_each_concept_has_five_columns_and_english_words() -> None:
    assert tuple(ROWS[0]) == LANGUAGES
    assert {len(row) for row in ROWS} == {5}
    assert all(row[0] for row in ROWS)
    assert {word for row in ROWS for cell in row for word in cell.split() if word != word.lower()} == set()


@pytest.mark.parametrize("column", range(5))
def test_few_words_have_two_meanings_in_one_language(column: int) -> None:
    counts = Counter(word for row in ROWS for word in set(row[column].split()))
    assert len([word for word, count in counts.items() if count > 1]) <= 3


def test_words_are_translated_into_the_other_languages() -> None:
    found = translations(["my", "vet"], is_english=True)
    assert found["german"] == ["tierarzt", "tierärztin"]
    assert "english" not in found
    assert translations(["hund"], is_english=False)["english"] == ["dog", "dogs"]


def test_endings_accents_and_words_of_two_parts_make_no_difference() -> None:
    assert in_english("hunden") == in_english("hund") == ("dog",)
    assert in_english("cumpleanos") == in_english("cumpleaños") == ("birthday",)
    assert in_english("schuhgröße") == in_english("schuhgrosse") == ("shoe", "size")
    assert "schuhgröße" in translations(["shoe", "size"], is_english=True)["german"]
    assert translations(["meine", "frau"], is_english=False)["english"] == ["wife"]


def test_a_title_is_no_wife_and_an_english_word_no_foreign_one() -> None:
    assert translations(["frau", "huber"], is_english=False) == {}
    assert translations(["i", "see", "a", "bad", "chat"], is_english=None) == {}
    assert not is_only_foreign("kind")
    assert is_only_foreign("tierarzt")
    assert in_english("qwertz") == ()


@pytest.mark.parametrize(
    ("question", "language", "word"),
    [
        ("Who is my vet?", "german", "tierarzt"),
        ("Wo ist meine Werkstatt?", "english", "workshop"),
        ("Quelle est la pointure de mon frère ?", "english", "brother"),
        ("¿Cuándo es el cumpleaños de mi suegra?", "italian", "compleanno"),
        ("Chi è il mio dentista?", "german", "zahnarzt"),
        ("Hund", "english", "dog"),
    ],
)
def test_a_question_in_any_language_is_translated(question: str, language: str, word: str) -> None:
    assert word in translations_of(question)[language]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Who is the vet?", "Tierärztin für Bello: Dr. Pichler"),
        ("Wer hat Bienen?", "The Stoisers next door keep bees"),
        ("Où est l'atelier ?", "Die Werkstatt ist in der Lagergasse"),
        ("¿Quién es el dentista?", "Zahnarzt: Dr. Stangl"),
    ],
)
def test_a_question_finds_by_its_words_what_was_told_in_another_language(owner: User, question: str, fact: str) -> None:
    make_memory(owner, "The fence is painted")
    make_memory(owner, fact)
    matches = recall(View.whole(owner.pk), Query(question, mode=Mode.KEYWORD)).matches
    assert [match.memory.text for match in matches] == [fact]


def test_a_name_is_found_whatever_the_language_of_the_memory(owner: User) -> None:
    make_memory(owner, "Lukas geht in die vierte Klasse, und zwar seit dem Herbst")
    matches = recall(View.whole(owner.pk), Query("What does Lukas do?", mode=Mode.KEYWORD)).matches
    assert len(matches) == 1


def test_the_words_of_the_question_itself_count_more(owner: User) -> None:
    make_memory(owner, "Hund und Katze vertragen sich gut")
    make_memory(owner, "The dog and the cat get on well")
    matches = recall(View.whole(owner.pk), Query("dog", mode=Mode.KEYWORD)).matches
    assert [match.memory.text for match in matches] == [
        "The dog and the cat get on well",
        "Hund und Katze vertragen sich gut",
    ]
