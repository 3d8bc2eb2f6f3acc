"""Tests of token budgets of matches."""

from __future__ import annotations

from operator import attrgetter

import pytest

from memories.embeddings.tokens import count_tokens
from memories.models import Memory
from memories.recall.budget import FittedMatches, ShownMatch, fit_matches, show_matches
from memories.recall.matches import Match, Passage
from tests.support.matches import ranked_candidate

TEA = "Ada drinks tea."
CAT = "Bob has a cat. It is black and sleeps all day."
LONG = "The boat was sold. Mochi likes carrots. Mochi hates rain. The fence needs paint."
PASSAGE = Passage(19, 57, "Mochi likes carrots. Mochi hates rain.")
text_of = attrgetter("text")


def match(text: str, passage: Passage | None = None) -> Match:
    return Match(Memory(text=text), 0.5, ranked_candidate(1), passage=passage)


def fitted(max_tokens: int | None, *matches: Match, full_text: bool = True) -> FittedMatches:
    return fit_matches(show_matches(matches, full_text=full_text), max_tokens, text_of)


def texts(found: FittedMatches) -> list[str]:
    return [shown.text for shown in found.shown]


def test_without_a_budget_everything_is_shown() -> None:
    found = fitted(None, match(TEA), match(LONG, PASSAGE))
    assert (texts(found), found.notice) == ([TEA, LONG], "")


def test_a_long_match_is_shown_as_its_passage_unless_the_whole_text_is_wanted() -> None:
    assert texts(fitted(None, match(TEA), match(LONG, PASSAGE), full_text=False)) == [TEA, PASSAGE.text]


def test_whole_matches_are_shown_while_they_fit() -> None:
    enough = count_tokens(TEA) + count_tokens(CAT)
    found = fitted(enough, match(TEA), match(CAT), match(TEA))
    assert texts(found) == [TEA, CAT]
    assert found.notice == f"1 more match did not fit into max_tokens={enough}."


def test_a_long_match_that_does_not_fit_is_cut_to_its_passage() -> None:
    budget = count_tokens(LONG) - 1
    found = fitted(budget, match(LONG, PASSAGE))
    assert [shown.passage for shown in found.shown] == [PASSAGE]
    assert found.notice == f"1 match was shortened to fit into max_tokens={budget}."


def test_a_passage_that_was_wanted_is_not_shortened() -> None:
    assert fitted(count_tokens(LONG) - 1, match(LONG, PASSAGE), full_text=False).notice == ""


def test_a_match_without_a_passage_is_cut_to_its_first_sentences() -> None:
    found = fitted(count_tokens(CAT) - 1, match(CAT))
    assert [shown.passage for shown in found.shown] == [Passage(0, 14, "Bob has a cat.")]
    assert found.shortened == 1


def test_a_passage_that_does_not_fit_is_cut_to_whole_sentences_at_their_place() -> None:
    (shown,) = fitted(count_tokens(PASSAGE.text) - 1, match(LONG, PASSAGE), full_text=False).shown
    assert shown.passage == Passage(19, 39, "Mochi likes carrots.")
    assert LONG[19:39] == shown.text


@pytest.mark.parametrize(
    ("question", "sentence"),
    [("Does Mochi hate rain?", "Mochi hates rain."), ("mochi", "Mochi likes carrots."), ("", "Mochi likes carrots.")],
)
def test_a_passage_is_cut_from_the_sentence_that_shares_most_words(question: str, sentence: str) -> None:
    wanted = show_matches([match(LONG, PASSAGE)], full_text=True)
    (shown,) = fit_matches(wanted, count_tokens(PASSAGE.text) - 1, text_of, question).shown
    assert shown.text == sentence
    assert shown.passage is not None
    assert LONG[shown.passage.start : shown.passage.end] == sentence


def test_a_shorter_match_takes_the_place_of_one_that_does_not_fit() -> None:
    long = "one two three four five six seven eight nine ten"
    found = fitted(count_tokens(TEA), match(long), match(TEA), match(long))
    assert (texts(found), found.left_out) == ([TEA], 2)
    assert found.notice == f"2 more matches did not fit into max_tokens={count_tokens(TEA)}."


@pytest.mark.parametrize(
    ("matches", "sentence"),
    [
        ([match(TEA)], "1 match was found, but nothing fits into max_tokens=1."),
        ([match(TEA), match(CAT)], "2 matches were found, but nothing fits into max_tokens=1."),
        ([], ""),
    ],
)
def test_a_budget_into_which_nothing_fits_says_so(matches: list[Match], sentence: str) -> None:
    found = fitted(1, *matches)
    assert (found.shown, found.notice) == ([], sentence)


def with_fields(shown: ShownMatch) -> str:
    return shown.text if shown.compact else f"one two three four five six seven eight {shown.text}"


def reduced(budget: int, *matches: Match) -> FittedMatches:
    return fit_matches(show_matches(matches, full_text=True), budget, with_fields, may_reduce=True)


def test_a_match_that_does_not_fit_is_compact_before_it_is_left_out() -> None:
    boat = "Zoe rows a boat."
    whole = count_tokens(with_fields(ShownMatch(match(TEA))))
    found = reduced(whole + count_tokens(boat), match(TEA), match(boat), match(LONG))
    assert [(shown.text, shown.compact) for shown in found.shown] == [(TEA, False), (boat, True)]
    budget = f"max_tokens={whole + count_tokens(boat)}"
    assert found.notice == f"1 match is compact to fit into {budget}. 1 more match did not fit into {budget}."


def test_a_compact_match_is_shortened_too() -> None:
    found = reduced(count_tokens(CAT) - 1, match(CAT))
    assert [(shown.text, shown.compact) for shown in found.shown] == [("Bob has a cat.", True)]
    assert (found.shortened, found.reduced, found.left_out) == (1, 1, 0)


def test_a_match_is_shortened_rather_than_compact() -> None:
    found = reduced(count_tokens(with_fields(ShownMatch(match(CAT)))) - 1, match(CAT))
    assert [(shown.text, shown.compact) for shown in found.shown] == [("Bob has a cat.", False)]


def test_matches_that_are_wanted_compact_are_not_reported() -> None:
    wanted = show_matches([match(CAT)], full_text=True, compact=True)
    assert fit_matches(wanted, 100, with_fields, may_reduce=True).notice == ""
    (shown,) = fit_matches(wanted, count_tokens(CAT) - 1, with_fields, may_reduce=True).shown
    assert (shown.text, shown.compact) == ("Bob has a cat.", True)


def test_the_budget_is_never_exceeded_and_counts_all_that_is_rendered() -> None:
    def render(shown: ShownMatch) -> str:
        return f'{{"id": 1, "text": "{shown.text}"{"" if shown.compact else ", more"}}}'

    matches = [match(LONG, PASSAGE), match(CAT), match("«Привет». 一二三四。五六七八。"), match("x" * 300), match(TEA)]
    counts = []
    for budget in range(1, 300):
        found = fit_matches(show_matches(matches, full_text=True), budget, render, may_reduce=True)
        assert sum(count_tokens(render(shown)) for shown in found.shown) <= budget
        assert len(found.shown) + found.left_out == len(matches)
        counts.append(len(found.shown))
    assert (counts[0], counts[-1]) == (0, 5)
