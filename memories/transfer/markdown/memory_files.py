"""Memory files of coding assistants, which are Markdown: Claude Code, Codex, Cursor and others.

Claude Code: `CLAUDE.md`, whose lines `@path` import other files, and a folder `memory` with an index `MEMORY.md` and
files with the properties name, description and type: https://docs.anthropic.com/en/docs/claude-code/memory. Codex:
`AGENTS.md`, and a folder `memories` whose blocks have the properties rollout_summary_files, description and keywords:
https://github.com/openai/codex/blob/main/codex-rs/core/templates/memories/consolidation.md. Cursor: `.cursorrules` and
`.cursor/rules/*.mdc` with the properties description, globs and alwaysApply: https://docs.cursor.com/context/rules.
The plugin of mem0 writes blocks with the properties id, created_at, type, confidence, branch, files and categories:
https://github.com/mem0ai/mem0/blob/main/integrations/mem0-plugin/skills/export/SKILL.md
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from memories.transfer.files.import_file import ImportFile
from memories.transfer.markdown.blocks import Block
from memories.transfer.markdown.front_matter import Section

_NAMES: Final = {
    "claude.md": "claude-code",
    "claude.local.md": "claude-code",
    "agents.md": "codex",
    "agents.override.md": "codex",
    ".cursorrules": "cursor",
    "gemini.md": "gemini",
    "copilot-instructions.md": "copilot",
}
_FOLDERS: Final = {".claude": "claude-code", ".codex": "codex", ".cursor": "cursor"}
_TYPES: Final = {"user", "feedback", "project", "reference"}
_IMPORT = re.compile(r"\A@[~\w./-]+\Z")
_INTRODUCTION = re.compile(r"\AThis file provides guidance to .{1,200} when working with code in this repository\.?\Z")
"""The sentence with which `/init` of Claude Code begins a file."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The assistant from whose files a note is, if any, and whether the note is the index of other files."""

    provider: str | None = None
    is_index: bool = False

    def tags(self, section: Section) -> list[str]:
        """Return the type of a memory file of Claude Code as a tag."""
        kind = section.value("type")
        return [kind] if kind in _TYPES and section.value("name") else []

    def reason_to_leave_out(self, block: Block) -> str | None:
        """Return why a block of a memory file is not a memory, None if it may be one."""
        if _IMPORT.match(block.text):
            return "imports of other files"
        if self.provider and _INTRODUCTION.match(block.text):
            return "sentences about the file itself"
        if self.is_index and block.links_to_note:
            return "lines of an index of files"
        return None


def origin_of(file: ImportFile) -> Origin:
    """Return the origin of a file by its name and folders, or by its properties."""
    path = PurePosixPath(file.name.replace("\\", "/"))
    provider = _NAMES.get(path.name.lower()) or ("cursor" if path.suffix.lower() == ".mdc" else None)
    provider = provider or next((_FOLDERS[part] for part in reversed(path.parts) if part in _FOLDERS), None)
    sample = file.sample()
    is_index = path.name == "MEMORY.md" and b"](" in sample and b".md)" in sample
    return Origin(provider or _by_properties(sample, is_index), is_index)


def _by_properties(sample: bytes, is_index: bool) -> str | None:
    head = sample[:4096]
    if head.startswith(b"---\n") and b"\nalwaysApply:" in head:
        return "cursor"
    if b"rollout_summary_files:" in head:
        return "codex"
    if head.startswith(b"---\nid:") and b"\nconfidence:" in head and b"\ncategories:" in head:
        return "mem0"
    is_memory = head.startswith(b"---\nname:") and b"\ntype:" in head.replace(b"  type:", b"type:")
    return "claude-code" if is_memory or is_index else None
