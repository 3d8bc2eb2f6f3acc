"""The choices of the owner for an import."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Format(StrEnum):
    """The formats of an import file. `auto` decides by the content of the file."""

    AUTO = "auto"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    TEXT = "text"
    MARKDOWN = "markdown"
    PASTED = "pasted"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    CLAUDE_MEMORY = "claude-memory"
    MCP_MEMORY_SERVICE = "mcp-memory-service"
    KNOWLEDGE_GRAPH = "knowledge-graph"
    MEM0 = "mem0"
    SUPERMEMORY = "supermemory"
    ZEP = "zep"
    POSTGRES_DUMP = "postgres-dump"


class Conversations(StrEnum):
    """The treatment of conversations, which are not memories."""

    SKIP = "skip"  # they are counted and left out
    ABOUT_ME = "about-me"  # each sentence in which the user speaks of themselves
    MESSAGES = "messages"  # each message, quoted


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The way files are read. `format` replaces the detection, also for each file of a folder or an archive."""

    format: Format = Format.AUTO
    conversations: Conversations = Conversations.SKIP
