"""What the tools that recall share: what they showed is noted, and what kept the search from being whole is said."""

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
"""The description of the argument that is a question."""

ONLY_KEYWORDS = "The embedding provider failed: memories were searched by words only, without min_score."

NO_SCORES = "The embedding provider failed: no score is known, and min_score left out nothing."


class BaseRecallResult(Result):
    """The answer of a tool that recalls."""

    notice: str | None = Field(None, description="What kept the search from being whole, if anything did.")


def run_recall(caller: Caller, query: Query) -> RecallOutcome:
    """What the caller may see of the answer to `query`, noted for the records of activity and of recalls.

    Raises what `recall` does.
    """
    recalled = pipeline.recall(caller.view, query)
    caller.recall = query, recalled
    caller.record_memories((match.memory.pk for match in recalled.matches), query=query.text)
    return recalled


def notice_field(recalled: RecallOutcome, mode: Mode = Mode.HYBRID) -> dict[str, str]:
    """The field `notice`, where there is something to say: who asks for words alone lacks only the scores."""
    if not recalled.only_keywords:
        return {}
    return {"notice": NO_SCORES if mode is Mode.KEYWORD else ONLY_KEYWORDS}
