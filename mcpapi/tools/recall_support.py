"""Helpers of the tools that recall: logging of what was shown, and the notice of an incomplete search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, Integer
from mcpapi.tools.base import Result
from memories.recall import pipeline
from memories.recall.budget import FittedMatches, Render, ShownMatch, fit_matches
from memories.recall.matches import Match
from memories.recall.pipeline import READ_CHARS, Mode, Query, RecallOutcome
from memories.validation.budgets import checked_max_tokens

QUERY = f"A question or a topic, in natural language. Only the first {READ_CHARS:,} characters are read."
"""The description of the argument with the question."""

ONLY_KEYWORDS = "The embedding provider failed: the search used keywords only, without min_score."

MaxTokens = Annotated[
    Integer | None,
    Field(
        description="Maximum tokens of all matches together: whole matches while they fit, then parts of texts, then "
        "compact matches."
    ),
]

FullText = Annotated[
    Flag,
    Field(
        description="Return long texts whole. Otherwise text is the part nearest to the query, and text_chars the "
        "length of the whole text, which get_memory returns."
    ),
]

NO_SCORES = "The embedding provider failed: there are no scores, and min_score was ignored."


NOTHING_KNOWN = "Nothing is known about this."
ONLY_DOCUMENTS = "No memory is about this, but passages of documents are."


class BaseRecallResult(Result):
    """The result of a tool that recalls."""

    notice: str | None = Field(None, description="Why the search or the result is incomplete or empty, if it is.")


def run_recall(caller: Caller, query: Query) -> RecallOutcome:
    """Recall what the caller may see, and record it for the activity log and the recall log.

    Raises the errors of `recall`.
    """
    recalled = pipeline.recall(caller.view, query)
    _record(caller, query, recalled)
    return recalled


def run_fitted_recall(
    caller: Caller,
    query: Query,
    max_tokens: int | None,
    select: Callable[[Sequence[Match]], Sequence[ShownMatch]],
    render: Render,
    *,
    may_reduce: bool = False,
) -> tuple[RecallOutcome, FittedMatches]:
    """Recall as `run_recall` does, and fit the matches that `select` returns into `max_tokens`; None means no budget.

    With `may_reduce`, `render` renders compact matches, too, which take the place of those that do not fit. Only
    matches that are shown are recorded. Raises the errors of `recall`, and InvalidInput for `max_tokens`.
    """
    if max_tokens is not None:
        checked_max_tokens(max_tokens)
    recalled = pipeline.recall(caller.view, query)
    fitted = fit_matches(select(recalled.matches), max_tokens, render, query.read_text, may_reduce=may_reduce)
    _record(caller, query, replace(recalled, matches=fitted.matches))
    return recalled, fitted


def _record(caller: Caller, query: Query, shown: RecallOutcome) -> None:
    caller.recall = query, shown
    caller.record_memories((match.memory.id for match in shown.matches), query=query.text)


def notice_field(
    recalled: RecallOutcome,
    mode: Mode = Mode.HYBRID,
    fitted: FittedMatches | None = None,
    *,
    has_documents: bool = False,
) -> dict[str, str]:
    """Return the field `notice` if the search was incomplete or found nothing, or if a budget cut or left out matches.

    A keyword search without the embedder lacks only the scores. `has_documents`: documents were found.
    """
    sentences = []
    if recalled.only_keywords:
        sentences.append(NO_SCORES if mode is Mode.KEYWORD else ONLY_KEYWORDS)
    elif not recalled.matches:
        sentences.append(ONLY_DOCUMENTS if has_documents else NOTHING_KNOWN)
    if fitted is not None and fitted.notice:
        sentences.append(fitted.notice)
    return {"notice": " ".join(sentences)} if sentences else {}
