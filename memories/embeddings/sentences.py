"""Beginnings of sentences and words, by white space and punctuation alone: for any script, in any language."""

from __future__ import annotations

import re

_WORD = re.compile(r"(\S+)(\s*)")
_CLOSING = "\"'”’»›)]}」』）】"
_TERMINALS = ".!?…‽؟۔।॥։።။៕"
# No white space follows these.
_WIDE_SENTENCE_END = re.compile(rf"[。！？｡]+[{re.escape(_CLOSING)}]*\s*")
_ABBREVIATIONS = frozenset(
    {"al", "approx", "bzw", "ca", "cf", "co", "dr", "etc", "evtl", "fig", "fr", "ggf", "hr", "inc", "jr", "ltd"}
    | {"mlle", "mme", "mr", "mrs", "ms", "nr", "prof", "sr", "sra", "srta", "st", "usw", "vgl", "vol", "vs"}
)


def sentence_starts(text: str) -> list[int]:
    """Return the positions in `text` where a sentence, a line or an item of a list begins, ascending; without 0.

    In doubt a period does not end a sentence: not after a single letter, a number of one or two digits, or a common
    abbreviation, and not before a lower-case letter or a digit.
    """
    starts = {match.end() for match in _WIDE_SENTENCE_END.finditer(text)}
    for match in _WORD.finditer(text):
        word, blank = match.groups()
        if "\n" in blank or (blank and _ends_sentence(word, following=text[match.end() : match.end() + 1])):
            starts.add(match.end())
    return sorted(starts - {len(text)})


def word_starts(text: str) -> list[int]:
    """Return the positions in `text` where a word begins after white space, ascending."""
    return [match.end() for match in _WORD.finditer(text) if match.end() < len(text)]


def _ends_sentence(word: str, following: str) -> bool:
    bare = word.rstrip(_CLOSING)
    if not bare or bare[-1] not in _TERMINALS or following.islower() or following.isdecimal():
        return False
    return not bare.endswith(".") or not _is_shortened(bare[:-1])


def _is_shortened(word: str) -> bool:
    """Return whether a period after `word` marks an abbreviation (Dr, e.g, U.S, an initial) or an ordinal (3.)."""
    letters = word.strip("\"'“‘«‹([{„").lower()
    if letters.isdecimal():
        return len(letters) <= 2
    is_initial = len(letters) == 1 and letters.isalpha()
    return is_initial or (len(letters) <= 5 and "." in letters) or letters in _ABBREVIATIONS
