"""Helpers of the tools that recall: logging of what was shown, and the notice of an incomplete search."""

from __future__ import annotations

from pydantic import Field

from mcpapi.calls.context import Caller
from mcpapi.tools.base import Result
from memories.recall import pipeline
from memories.recall.pipeline import READ_CHARS, Mode, Query, RecallOutcome

QUERY = (
    "What to look for: a question or a topic, in natural language. Of a long one, the first "
    f"{READ_CHARS:,} characters are read."
)
"""The description of the argument with the question."""

ONLY_KEYWORDS = "The embedding provider failed: memories were searched by words only, without min_score."

NO_SCORES = "The embedding provider failed: no score is known, and min_score left out nothing."


class BaseRecallResult(Result):
    """The result of a tool that recalls."""

    notice: str | None = Field(None, description="What kept the search from being whole, if anything did.")


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
