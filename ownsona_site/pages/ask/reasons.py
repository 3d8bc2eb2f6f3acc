"""Why a memory is an answer, in words, with the numbers behind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memories.recall.signals import SIGNALS

_LABELS = {signal.name: signal.label for signal in SIGNALS}
_COLOURS = {"similarity": "c1", "words": "c3", "named": "c2", "beside": "c4", "session": "c4", "time": "c5"}
_OTHER_COLOUR = "c6"

NOTABLE = 0.04
"""The least part of the rank that is a reason worth a word."""

_SENTENCES = {
    "similarity": "Its meaning is close to the question",
    "words": "it shares words with the question",
    "named": "it is about somebody whom the question names",
    "beside": "it was said beside another answer",
    "session": "its conversation was about the same",
    "stated": "it states a fact",
    "time": "it is of the time that the question asks about",
}
MOST_REASONS = 2
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a signal in the rank, and its place in a bar of 100 units."""

    label: str
    colour: str
    value: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a memory was found: a sentence, and the parts of its rank, of which there are at most `rank` in sum."""

    sentence: str
    parts: Sequence[Part]
    rank: float


def reasons_of(parts: Mapping[str, float], question: str, text: str, best: float) -> Reasons:
    """Return the reasons for a match. `best` is the highest rank of the answer, the length of the whole bar."""
    shown, x = [], 0.0
    for name in sorted(parts, key=lambda name: [*_LABELS, name].index(name)):
        if abs(parts[name]) < 0.005:
            continue
        width = max(100 * parts[name] / (best or 1.0), 0.0)
        shown.append(Part(_LABELS.get(name, name), _COLOURS.get(name, _OTHER_COLOUR), parts[name], x, width))
        x += width
    return Reasons(_sentence(parts, question, text), shown, sum(parts.values()))


def _sentence(parts: Mapping[str, float], question: str, text: str) -> str:
    notable = sorted((name for name in _SENTENCES if parts.get(name, 0.0) >= NOTABLE), key=lambda name: -parts[name])
    said = [_said(name, question, text) for name in notable[:MOST_REASONS]]
    if not said:
        return "Nothing else was closer."
    sentence = ", and ".join(said)
    past = " Its time is over, which counts a little against it." if parts.get("past", 0.0) < 0 else ""
    return f"{sentence[:1].upper()}{sentence[1:]}.{past}"


def _said(name: str, question: str, text: str) -> str:
    sentence = _SENTENCES[name]
    shared = _shared_words(question, text) if name == "words" else []
    if shared:
        quoted = [f"“{word}”" for word in shared]
        sentence = f"it has the {'word' if len(quoted) == 1 else 'words'} {' and '.join(quoted)}"
    return sentence[:1].lower() + sentence[1:]


def _shared_words(question: str, text: str) -> list[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    asked = dict.fromkeys(word for word in _WORD.findall(question) if word.casefold() in words)
    return sorted(asked, key=len, reverse=True)[:3]
