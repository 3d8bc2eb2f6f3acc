"""The result of the tool `memory_stats` as a document."""

from __future__ import annotations

import orjson

from mcpapi.calls.caller import Caller
from mcpapi.resources.base import JSON, Contents, Resource
from mcpapi.tools.reading.memory_stats import MemoryStatsArgs, memory_stats


def _read(caller: Caller) -> Contents:
    stats = memory_stats.run(caller, MemoryStatsArgs())
    return {"text": orjson.dumps(stats.model_dump(), option=orjson.OPT_INDENT_2).decode()}


STATS = Resource(
    uri="ownsona://stats",
    name="stats",
    title="Statistics",
    description="The number of memories, the top tags and the sources.",
    mime_type=JSON,
    read=_read,
)
