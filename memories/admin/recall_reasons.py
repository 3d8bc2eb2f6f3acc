"""Why a memory is an answer, in words, with the numbers behind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop, ngettext

from memories.recall.signals import HYBRID
from memories.relations.vocabulary import FUNCTION_WORDS

_GROUPS: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("similarity",): (gettext_noop("meaning"), "c1"),
    ("words", "long"): (gettext_noop("words"), "c3"),
    ("named",): (gettext_noop("the person"), "c2"),
    ("beside", "session"): (gettext_noop("the conversation"), "c4"),
    ("time",): (gettext_noop("the time"), "c5"),
    ("answer_kind", "answers"): (gettext_noop("how well it answers"), "c7"),
}
"""The label and the class of the colour of the signals that are shown as one part."""

_OTHERS = (gettext_noop("other"), "c6")
"""Those of all other signals, which differ little between memories."""

NOTABLE = 0.04
"""The least part of the rank that is a reason worth a word."""

_CLOSE = 0.3
"""The least similarity, to a question or of a conversation to it, of which the owner sees that it is one."""

_LEAST = {name: HYBRID[name] * _CLOSE for name in ("similarity", "session", "beside")}
"""The least parts of signals that are never 0."""

MANY_TEXTS = 4

DECIMALS = 2
"""The number of decimals with which parts of the rank are shown."""

TINY = 0.005
"""Size below which a part is left out: it would be shown as 0.00."""

# Nearly every memory states a fact. That does not relate it to the question.
_SENTENCES = {
    "similarity": gettext_noop("Its meaning is close to the question"),
    "words": gettext_noop("it shares words with the question"),
    "named": gettext_noop("it is about a person in the question"),
    "beside": gettext_noop("it was said right before or after another answer"),
    "session": gettext_noop("its conversation was about the same topic"),
    "time": gettext_noop("it is from the time that the question asks about"),
    "answers": gettext_noop("it seems to answer the question"),
    "aspect": gettext_noop("it tells something about you that the question is about"),
    "answer_kind": gettext_noop("it gives the kind of answer that the question asks for"),
}
_NOTES = {
    "about_other": gettext_noop("It seems to be about somebody or something else, which lowers its rank."),
    "past": gettext_noop("It is past, which lowers its rank a little."),
}
"""The sentences for the signals that lower a rank."""

MOST_REASONS = 2
MOST_WORDS = 3
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Part:
    """The part of some signals in the rank, rounded as it is shown, and its place in a bar of 100 units."""

    label: str
    colour: str
    value: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a memory was found: a sentence, and the parts of its rank. `rank` is the sum of the rounded parts."""

    sentence: str
    parts: Sequence[Part]
    rank: float


def reasons_of(
    parts: Mapping[str, float],
    question: str,
    text: str,
    best: float,
    *,
    has_session: bool = False,
    common: Set[str] = frozenset(),
) -> Reasons:
    """Return the reasons for a match. `best` is the highest rank of the answer, the length of the whole bar.

    `common` are words that most of the matches have: they are no reason for one of them.

    A memory without a session has a part "session", too: its own similarity, see `Candidate`. It is no reason.
    """
    reasons = {name: part for name, part in parts.items() if has_session or name != "session"}
    counted = reasons if has_session else reasons | {"similarity": _own_similarity(parts)}
    shown, x = [], 0.0
    for label, colour, value in _grouped(counted):
        width = max(100 * value / (best or 1.0), 0.0)
        shown.append(Part(gettext(label), colour, round(value, DECIMALS), x, width))
        x += width
    # The rank is the sum of the rounded parts, so that the numbers on the page add up.
    rank = round(sum(part.value for part in shown), DECIMALS)
    return Reasons(_sentence(reasons, question, text, common), shown, rank)


def _own_similarity(parts: Mapping[str, float]) -> float:
    return parts.get("similarity", 0.0) + parts.get("session", 0.0)


def _grouped(parts: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
    """Yield the label, the colour and the sum of the signals that are shown as one part. Tiny parts are left out."""
    known = set(chain.from_iterable(_GROUPS))
    groups = [*_GROUPS.items(), (tuple(parts.keys() - known), _OTHERS)]
    for names, (label, colour) in groups:
        value = sum(parts.get(name, 0.0) for name in names)
        if abs(value) >= TINY:
            yield label, colour, value


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of more than half of the texts; none for fewer than MANY_TEXTS, which say little."""
    words = [{word.casefold() for word in _WORD.findall(text)} for text in texts]
    counts = Counter(chain.from_iterable(words))
    return frozenset(word for word, count in counts.items() if len(words) >= MANY_TEXTS and 2 * count > len(words))


def _sentence(parts: Mapping[str, float], question: str, text: str, common: Set[str]) -> str:
    shared = _shared_words(question, text)
    telling = [word for word in shared if word.casefold() not in common]
    notable = sorted(
        (name for name in _SENTENCES if parts.get(name, 0.0) >= _LEAST.get(name, NOTABLE)),
        key=lambda name: -parts[name],
    )
    if shared and not telling and notable != ["words"]:
        notable = [name for name in notable if name != "words"]
    said = [_said(name, telling or shared) for name in notable[:MOST_REASONS]]
    if not said:
        return gettext("Nothing else was closer.")
    sentence = capfirst(gettext(", and ").join(said))
    notes = [gettext(note) for name, note in _NOTES.items() if parts.get(name, 0.0) < 0]
    return " ".join([f"{sentence}.", *notes])


def _said(name: str, shared: Sequence[str]) -> str:
    sentence = gettext(_SENTENCES[name])
    if name == "words" and shared:
        *first, last = [gettext("“%(text)s”") % {"text": word} for word in shared[:MOST_WORDS]]
        quoted = gettext(" and ").join([*([", ".join(first)] if first else []), last])
        text = ngettext("it has the word %(words)s", "it has the words %(words)s", len(shared))
        sentence = text % {"words": quoted}
    return sentence[:1].lower() + sentence[1:]


def _shared_words(question: str, text: str) -> list[str]:
    """Return the words that both texts have, the longest first. Those such as "the" say nothing."""
    words = {word.casefold() for word in _WORD.findall(text)} - FUNCTION_WORDS
    asked = dict.fromkeys(word for word in _WORD.findall(question) if word.casefold() in words)
    return sorted(asked, key=len, reverse=True)
