"""Decisions about pairs of statements: the readings of the cross-encoder, and rules where it is often wrong."""

from __future__ import annotations

from typing import Final

from memories.comparisons.cross_encoder import Reading
from memories.embeddings.combined.question_language import question_language
from memories.relations.comparison import (
    are_about_different_people,
    are_about_different_things_of_somebody,
    elaborates,
    have_other_details,
    is_one_exchanged_for_another,
    only_adds,
)
from memories.relations.series import are_about_parts_of_a_series
from memories.relations.statements import Statement

MAX_READ_CHARS = 320
"""Number of characters of a text that is compared at most: about the tokens that the network reads."""

MIN_CHANGE: Final = 0.65
MIN_CHANGE_COSINE: Final = 0.45
"""Least probability and least cosine of a change."""

MIN_POSSIBLE_CHANGE: Final = 0.5
MIN_POSSIBLE_COSINE: Final = 0.4
"""Least probability and least cosine of a change that the assistant should decide about."""

MIN_STATED_CHANGE: Final = 0.05
"""Least probability of a change by a text that says itself that something has changed."""

MIN_SAME: Final = 0.8
MIN_SAME_COSINE: Final = 0.5
MIN_SAME_OF_NEAR: Final = 0.7
MIN_NEAR_COSINE: Final = 0.8
"""Least probability and least cosine of a repetition, and a lower probability with a higher cosine."""

MIN_SAME_IF_EXCHANGED: Final = 0.9
"""Least probability of a repetition if one or two words are exchanged: "speaks five languages", "five dialects"."""

MIN_STORED_COSINE: Final = min(MIN_CHANGE_COSINE, MIN_SAME_COSINE)
"""Least cosine of a memory of which a comparison can store anything."""


def is_readable(text: str) -> bool:
    """Return whether a text can be compared: a short statement that is not clearly in a language other than English.

    Lines of conversations are not compared.
    """
    if len(text) > MAX_READ_CHARS:
        return False
    statement = Statement.of(text)
    return not (statement.is_question or statement.is_conversation) and question_language(text) != "other"


def may_be_related(text: str, other: str) -> bool:
    """Return whether another text can be compared with a readable one.

    Parts of a series are not compared, nor are texts of which one only has more words. The network learned from texts
    in other words, and takes almost every such pair for a change. Nor are different things of one person compared, or
    what two people do.
    """
    if not is_readable(other):
        return False
    one, two = Statement.of(text), Statement.of(other)
    return not (
        are_about_parts_of_a_series(one, two)
        or only_adds(one, two)
        or elaborates(one, two)
        or are_about_different_things_of_somebody(one, two)
        or are_about_different_people(one, two)
    )


def is_change(cosine: float, reading: Reading) -> bool:
    """Return whether two statements cannot be current together."""
    return reading.change >= MIN_CHANGE and cosine >= MIN_CHANGE_COSINE


def is_possible_change(cosine: float, reading: Reading) -> bool:
    """Return whether an assistant should decide if two statements can be current at the same time."""
    return reading.change >= MIN_POSSIBLE_CHANGE and cosine >= MIN_POSSIBLE_COSINE


def is_unaffected(reading: Reading) -> bool:
    """Return whether a statement stays true although the newer one says that something has changed."""
    return reading.change < MIN_STATED_CHANGE


def is_repeat(older: str, newer: str, cosine: float, reading: Reading) -> bool:
    """Return whether a statement says the same as another one. The network often overlooks that numbers differ."""
    if reading.same < (MIN_SAME_OF_NEAR if cosine >= MIN_NEAR_COSINE else MIN_SAME) or cosine < MIN_SAME_COSINE:
        return False
    old, new = Statement.of(older), Statement.of(newer)
    if reading.same < MIN_SAME_IF_EXCHANGED and is_one_exchanged_for_another(old, new):
        return False
    return not have_other_details(old, new)
