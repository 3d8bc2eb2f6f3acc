"""Translations of everyday words between English, German, French, Spanish and Italian.

People tell one assistant something in English and ask another one in German. The vectors of the included models say
little about whether a word is the translation of another one, so a small lexicon does: `concepts.tsv`.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

ENGLISH = "english"
LANGUAGES = (ENGLISH, "german", "french", "spanish", "italian")

_LIKE_ENGLISH = """
    ape bad brief cane cave chat come dent dents fest fume kind land latte mail moto papa pass patron rot scale see tee
    vivo
"""
_HOMOGRAPHS = frozenset(_LIKE_ENGLISH.split())
"""Words of other languages that are also English ones. Only a text that is clearly in another language means those."""

CACHED_WORDS = 8_192

_MIN_BASE = 4
"""Least number of characters of a word without its ending."""

_ENDINGS = 2
"""Number of characters that endings of cases and plurals have at most."""


@cache
def _concepts() -> tuple[list[str], list[list[list[str]]]]:
    """Return the languages, and for each concept its words in each of them."""
    lines = files(__package__).joinpath("concepts.tsv").read_text(encoding="utf-8").splitlines()
    languages, *concepts = [line.split("\t") for line in lines if not line.startswith("#")]
    return languages, [[words.split() for words in concept] for concept in concepts]


@cache
def _numbers(language: str) -> Mapping[str, int]:
    """Return the number of the concept of each word in a language, with and without accents."""
    languages, concepts = _concepts()
    column = languages.index(language)
    return {
        spelled: number
        for number, words in reversed(list(enumerate(concepts)))
        for word in reversed(words[column])
        for spelled in (word.replace("-", " "), _plain(word.replace("-", " ")))
    }


def translations(words: Sequence[str], *, is_english: bool | None) -> dict[str, list[str]]:
    """Return for each language the translations of words that follow each other in a text.

    The words are in lower case. With `is_english` None, the language is unknown, and each word may be of any.
    """
    languages, concepts = _concepts()
    sources = [each for each in languages if is_english is None or (each == ENGLISH) is is_english]
    found: dict[str, list[str]] = {each: [] for each in languages}
    for text in (*words, *map(" ".join, itertools.pairwise(words))):
        meanings = ((source, _number(text, source)) for source in sources)
        source, number = next((each for each in meanings if each[1] is not None), ("", None))
        if number is None or (is_english is None and text in _HOMOGRAPHS):
            continue
        for language, translated in zip(languages, concepts[number], strict=True):
            if language != source:
                found[language] += [word.replace("-", " ") for word in translated]
    return {language: list(dict.fromkeys(each)) for language, each in found.items() if each}


def is_only_foreign(word: str) -> bool:
    """Return whether a word in lower case is an everyday word in another language, and none in English."""
    return word not in _HOMOGRAPHS and _number(word, ENGLISH) is None and bool(in_english(word))


@lru_cache(CACHED_WORDS)
def in_english(word: str) -> tuple[str, ...]:
    """Return the English word or words for a word in lower case in another language; empty if it is not known."""
    languages, concepts = _concepts()
    for language in languages:
        if language != ENGLISH and (number := _number(word, language)) is not None:
            return tuple(concepts[number][languages.index(ENGLISH)][0].split("-"))
    return ()


def _number(word: str, language: str) -> int | None:
    numbers = _numbers(language)
    return next((numbers[form] for form in _forms(word) if form in numbers), None)


def _forms(word: str) -> Iterator[str]:
    """Yield a word, and what may be the word without an ending."""
    yield word
    for length in range(1, _ENDINGS + 1):
        if len(word) - length >= _MIN_BASE:
            yield word[:-length]


def _plain(word: str) -> str:
    """Return a word without accents, as people type who do not have these letters."""
    decomposed = unicodedata.normalize("NFKD", word.replace("ß", "ss"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
