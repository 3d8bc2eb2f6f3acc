"""Folding of a text for comparison with a vocabulary, position by position."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = {"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " "}
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
_END = 0x20000
"""No digit of any script comes after this code point (Unicode 17)."""

_KEPT = "èÈ"
"""Not folded: "è" is a verb in Italian, "e" means "and"."""

_VERB = re.compile(r"(?<!\w)[éÉ](?!\w)")
"""Not folded: "é" is a verb in Portuguese, "e" means "and"."""


def _folded(character: str) -> str:
    """Return one character for `character`: in lower case, without an accent, digits of all scripts as 0 to 9."""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    lowered = character.lower()
    if character not in _KEPT:
        lowered = unicodedata.normalize("NFD", lowered)[:1]
    return lowered if len(lowered) == 1 else character


def _changed() -> dict[int, str]:
    """Return the letters of Latin scripts and the digits of all scripts that folding changes."""
    latin = map(chr, range(0x250))
    digits = (chr(code) for code in range(0x250, _END) if chr(code).isdecimal())
    folded = {ord(character): _folded(character) for character in (*latin, *digits)}
    return {code: character for code, character in folded.items() if chr(code) != character}


_TABLE = _changed() | {ord(found): put for found, put in (_QUOTES | _DASHES).items()}


def fold(text: str) -> str:
    """Return `text` in lower case and without accents, with plain digits, dashes and apostrophes. The length stays."""
    folded = text.translate(_TABLE)
    if "é" not in text and "É" not in text:
        return folded
    parts = []
    end = 0
    for found in _VERB.finditer(text):
        parts += [folded[end : found.start()], "é"]
        end = found.end()
    return "".join([*parts, folded[end:]])
