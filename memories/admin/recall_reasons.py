"""Why a memory is an answer, in words, with the numbers behind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop, ngettext

from memories.recall.signals import SIGNALS
from memories.relations.vocabulary import FUNCTION_WORDS

_LABELS = {signal.name: signal.label for signal in SIGNALS}
_COLOURS = {"similarity": "c1", "words": "c3", "named": "c2", "beside": "c4", "session": "c4", "time": "c5"}
_OTHER_COLOUR = "c6"

NOTABLE = 0.04
"""The least part of the rank that is a reason worth a word."""

_SENTENCES = {
    "similarity": gettext_noop("Its meaning is close to the question"),
    "words": gettext_noop("it shares words with the question"),
    "named": gettext_noop("it is about a person in the question"),
    "beside": gettext_noop("it was said right before or after another answer"),
    "session": gettext_noop("its conversation was about the same topic"),
    "stated": gettext_noop("it states a fact"),
    "time": gettext_noop("it is from the time that the question asks about"),
    "answers": gettext_noop("it seems to answer the question"),
    "answer_kind": gettext_noop("it gives the kind of answer that the question asks for"),
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


def colour_of(signal: str) -> str:
    """Return the class of the colour of a signal."""
    return _COLOURS.get(signal, _OTHER_COLOUR)


def reasons_of(
    parts: Mapping[str, float], question: str, text: str, best: float, *, has_session: bool = False
) -> Reasons:
    """Return the reasons for a match. `best` is the highest rank of the answer, the length of the whole bar.

    A memory without a session has a part "session", too: see `Candidate`. It is no reason.
    """
    shown, x = [], 0.0
    for name in sorted(parts, key=lambda name: [*_LABELS, name].index(name)):
        if abs(parts[name]) < 0.005:
            continue
        width = max(100 * parts[name] / (best or 1.0), 0.0)
        shown.append(Part(gettext(_LABELS.get(name, name)), colour_of(name), parts[name], x, width))
        x += width
    reasons = {name: part for name, part in parts.items() if has_session or name != "session"}
    return Reasons(_sentence(reasons, question, text), shown, sum(parts.values()))


def _sentence(parts: Mapping[str, float], question: str, text: str) -> str:
    notable = sorted((name for name in _SENTENCES if parts.get(name, 0.0) >= NOTABLE), key=lambda name: -parts[name])
    said = [_said(name, question, text) for name in notable[:MOST_REASONS]]
    if not said:
        return gettext("Nothing else was closer.")
    sentence = capfirst(gettext(", and ").join(said))
    past = gettext("It is past, which lowers its rank a little.") if parts.get("past", 0.0) < 0 else ""
    return f"{sentence}. {past}".strip()


def _said(name: str, question: str, text: str) -> str:
    sentence = gettext(_SENTENCES[name])
    shared = _shared_words(question, text) if name == "words" else []
    if shared:
        *first, last = [gettext("“%(text)s”") % {"text": word} for word in shared]
        quoted = gettext(" and ").join([*([", ".join(first)] if first else []), last])
        text = ngettext("it has the word %(words)s", "it has the words %(words)s", len(shared))
        sentence = text % {"words": quoted}
    return sentence[:1].lower() + sentence[1:]


def _shared_words(question: str, text: str) -> list[str]:
    """Return the longest words that both texts have. Those such as "the" say nothing."""
    words = {word.casefold() for word in _WORD.findall(text)} - FUNCTION_WORDS
    asked = dict.fromkeys(word for word in _WORD.findall(question) if word.casefold() in words)
    return sorted(asked, key=len, reverse=True)[:3]
