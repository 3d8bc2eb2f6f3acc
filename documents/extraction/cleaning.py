"""Removal of characters that must not be stored, and of directory parts and controls in file names."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_NAME_CHARS: Final = 255

# Line and page separators of Unicode and of old printers. \x85 is NEXT LINE.
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
# Controls, lone surrogates, and noncharacters, of which PDFium and damaged UTF-16 have some.
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_SPACES = re.compile(r"[^\S\n]+")
# The marks of lists that formats write: "- " and "3. ".
_LEVEL = re.compile(r"(?: {2}){1,10}(?=- |\d{1,9}[.)] )")
# Bidirectional controls can make "exe.txt" of "txt.exe"; the others are invisible.
_DECEPTIVE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def clean_text(text: str) -> str:
    """Return the text in NFC with line feeds as line ends, without control characters but tabs and lone surrogates."""
    text = _FORBIDDEN.sub("", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", text)


def collapse_spaces(text: str, *, keeps_levels: bool = False) -> str:
    """Return the text with single spaces instead of runs of spaces and tabs, and without spaces around lines.

    With `keeps_levels`, the spaces before an entry of a list within another stay, two for each level.
    """
    levels = [found[0] if keeps_levels and (found := _LEVEL.match(line)) else "" for line in text.split("\n")]
    lines = (line.strip() for line in _SPACES.sub(" ", text).split("\n"))
    return "\n".join(level + line for level, line in zip(levels, lines, strict=True)).strip()


def one_line(text: str) -> str:
    """Return the cleaned text with single spaces instead of all white space, as for titles and cells."""
    return " ".join(clean_text(text).split())


def clean_name(name: str) -> str:
    """Return the last part of a file name, without controls and invisible characters, of at most 255 characters.

    The end is kept if it is longer, because the extension is a hint for the format. The result is never used as a path.
    """
    last = re.split(r"[/\\]", clean_text(name))[-1]
    return _DECEPTIVE.sub("", last).replace("\n", " ").strip()[-MAX_NAME_CHARS:]
