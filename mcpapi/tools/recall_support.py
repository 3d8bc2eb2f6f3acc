"""Helpers of the tools that recall: logging of what was shown, and the notice of an incomplete search."""

from __future__ import annotations

from pydantic import Field

from mcpapi.calls.caller import Caller
from mcpapi.tools.base import Result
from memories.recall import pipeline
from memories.recall.pipeline import READ_CHARS, Mode, Query, RecallOutcome

QUERY = f"A question or a topic, in natural language. Only the first {READ_CHARS:,} characters are read."
"""The description of the argument with the question."""

ONLY_KEYWORDS = "The embedding provider failed: the search used keywords only, without min_score."

NO_SCORES = "The embedding provider failed: there are no scores, and min_score was ignored."


class BaseRecallResult(Result):
    """The result of a tool that recalls."""

    notice: str | None = Field(None, description="Why the search was incomplete, if it was.")


def run_recall(caller: Caller, query: Query) -> RecallOutcome:
    """Recall what the caller may see, and record it for the activity log and the recall log.

    Raises the errors of `recall`.
    """
    recalled = pipeline.recall(caller.view, query)
    caller.recall = query, recalled
    caller.record_memories((match.memory.pk for match in recalled.matches), query=query.text)
    return recalled


def notice_field(recalled: RecallOutcome, mode: Mode = Mode.HYBRID) -> dict[str, str]:
    """Return the field `notice` if the search was incomplete. A keyword search lacks only the scores."""
    if not recalled.only_keywords:
        return {}
    return {"notice": NO_SCORES if mode is Mode.KEYWORD else ONLY_KEYWORDS}
