"""Token budgets of matches: whole matches while they fit, then passages, first sentences, and compact matches.

Pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise, takewhile

from memories.embeddings.sentences import sentence_starts
from memories.embeddings.tokens import count_tokens, least_tokens
from memories.recall.matches import Match, Passage

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """A match and the part of its text that is shown: `passage`, or the whole text if that is None.

    If it is `compact`, little more than the text is shown.
    """

    match: Match
    passage: Passage | None = None
    compact: bool = False

    @property
    def text(self) -> str:
        """The text that is shown."""
        return self.match.memory.text if self.passage is None else self.passage.text


@dataclass(frozen=True, slots=True)
class FittedMatches:
    """The matches that fit into `max_tokens` (None: no budget), most relevant first.

    - `shortened`: how many of them have shorter texts than without the budget.
    - `reduced`: how many of them are compact only because of the budget.
    - `left_out`: the number of matches that do not fit at all.
    """

    shown: Sequence[ShownMatch]
    max_tokens: int | None = None
    shortened: int = 0
    reduced: int = 0
    left_out: int = 0

    @property
    def matches(self) -> list[Match]:
        """The matches that are shown."""
        return [item.match for item in self.shown]

    @property
    def notice(self) -> str:
        """A few sentences about what the budget cut, reduced or left out; empty if it was enough."""
        budget = f"max_tokens={self.max_tokens}"
        if self.left_out and not self.shown:
            return f"{_count(self.left_out, 'match was', 'matches were')} found, but nothing fits into {budget}."
        sentences = []
        if self.shortened:
            sentences.append(f"{_count(self.shortened, 'match was', 'matches were')} shortened to fit into {budget}.")
        if self.reduced:
            sentences.append(f"{_count(self.reduced, 'match is', 'matches are')} compact to fit into {budget}.")
        if self.left_out:
            sentences.append(f"{_count(self.left_out, 'more match', 'more matches')} did not fit into {budget}.")
        return " ".join(sentences)


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


Render = Callable[[ShownMatch], str]
"""Returns what the model reads of a match. Its tokens are counted."""


def show_matches(matches: Iterable[Match], *, full_text: bool, compact: bool = False) -> list[ShownMatch]:
    """Return the matches with their whole texts, or without `full_text` with the passages of those that have one."""
    return [ShownMatch(match, None if full_text else match.passage, compact) for match in matches]


def fit_matches(
    wanted: Sequence[ShownMatch],
    max_tokens: int | None,
    render: Render,
    question: str = "",
    *,
    may_reduce: bool = False,
) -> FittedMatches:
    """Return the matches that fit into `max_tokens`, as `wanted` while they fit; None means no budget.

    A match that does not fit is shown as its passage; if it has none, as the first sentences of it that fit. If the
    passage does not fit either, its sentences are shown from the one that shares most words with `question` on. If not
    even one sentence fits and `may_reduce` is set, these steps are repeated with a compact match. Otherwise, the match
    is left out, and a later one may take its place.
    """
    if max_tokens is None:
        return FittedMatches(wanted)
    left = max_tokens
    shortened = reduced = 0
    shown: list[ShownMatch] = []
    for item in wanted:
        for form in _all_forms(item, left, render, question, may_reduce=may_reduce):
            tokens = _tokens_within(render(form), left)
            if tokens is not None:
                left -= tokens
                shortened += form.passage != item.passage
                reduced += form.compact is not item.compact
                shown.append(form)
                break
    return FittedMatches(shown, max_tokens, shortened, reduced, len(wanted) - len(shown))


def _all_forms(
    wanted: ShownMatch, left: int, render: Render, question: str, *, may_reduce: bool
) -> Iterator[ShownMatch]:
    """Yield the forms of a match, and then its compact ones if they may be shown."""
    yield from _forms(wanted, left, render, question)
    if may_reduce and not wanted.compact:
        yield from _forms(replace(wanted, compact=True), left, render, question)


def _forms(wanted: ShownMatch, left: int, render: Render, question: str) -> Iterator[ShownMatch]:
    """Yield the forms of a match, the best one first."""
    yield wanted
    found = wanted
    if wanted.passage is None and wanted.match.passage is not None:
        found = replace(wanted, passage=wanted.match.passage)
        yield found
    yield from _sentences(found, left, render, question)


def _sentences(found: ShownMatch, left: int, render: Render, question: str) -> Iterator[ShownMatch]:
    """Yield the parts of `found` that may fit, each of whole sentences and shorter than the one before."""
    offset = 0 if found.passage is None else found.passage.start
    text = found.match.memory.text
    borders = [0, *sentence_starts(found.text), len(found.text)]
    sentences = [found.text[start:end] for start, end in pairwise(borders)]
    first = 0 if found.passage is None else _nearest_sentence(sentences, question)

    def part(length: int) -> ShownMatch:
        passage = Passage.trimmed(text, offset + borders[first], offset + borders[first + length])
        return replace(found, passage=passage)

    # What the rest of the match costs. Sentences are counted one by one only up to the budget: a text may be long.
    left_for_text = left - count_tokens(render(part(0)))
    costs = accumulate(map(count_tokens, sentences[first:]))
    fitting = sum(1 for _ in takewhile(lambda cost: cost <= left_for_text, costs))
    return map(part, range(fitting, 0, -1))


def _nearest_sentence(sentences: Sequence[str], question: str) -> int:
    """Return the index of the sentence that shares most words with `question`; words of fewer sentences count more."""
    asked = _words(question)
    shared = [asked & _words(sentence) for sentence in sentences]
    frequency = Counter(chain.from_iterable(shared))
    weights = [sum(1 / frequency[word] for word in words) for words in shared]
    return weights.index(max(weights))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _tokens_within(text: str, most: int) -> int | None:
    """Return the number of tokens of `text` if it has at most `most`."""
    if least_tokens(text) > most:
        return None
    tokens = count_tokens(text)
    return tokens if tokens <= most else None
