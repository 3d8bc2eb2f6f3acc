"""The result of the tool `briefing` as a document."""

from __future__ import annotations

from mcpapi.calls.caller import Caller
from mcpapi.resources.base import TEXT, Contents, Resource
from mcpapi.tools.reading.briefing import BriefingArgs, brief


def _read(caller: Caller) -> Contents:
    return {"text": brief(caller, BriefingArgs()).text}


BRIEFING = Resource(
    uri="ownsona://briefing",
    name="briefing",
    title="Who the user is",
    description="The memories that matter most, grouped by topic, in about 300 tokens.",
    mime_type=TEXT,
    read=_read,
)
