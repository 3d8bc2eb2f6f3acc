"""The contents of an archive, and the result of importing it, as the pages show them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.utils.translation import gettext, gettext_noop

from common.pages.translated import translated

Count = TypeVar("Count")

_KINDS = {
    "memories": gettext_noop("Memories"),
    "hidden_values": gettext_noop("Hidden values"),
    "history": gettext_noop("Changes in the journal"),
    "judged_recalls": gettext_noop("Judged recalls"),
    "tag_synonyms": gettext_noop("Tag synonyms"),
    "plans": gettext_noop("Clean-up plans"),
    "documents": gettext_noop("Documents"),
    "sources": gettext_noop("Sources"),
    "prompts": gettext_noop("Prompts"),
    "agents": gettext_noop("Agents"),
    "workflows": gettext_noop("Workflows"),
    "custom_tools": gettext_noop("Custom tools"),
}
"""The kinds of data, in the order of the pages. PostgreSQL does not keep the order of a JSON object."""

_LEFT_OUT = {
    "memories": gettext_noop("A memory was left out:"),
    "cleanup_plans": gettext_noop("A clean-up plan was left out, because one of its changes is not possible now:"),
    "documents": gettext_noop("A document was left out:"),
    "sources": gettext_noop("A source was left out:"),
    "prompts": gettext_noop("A prompt was left out:"),
    "agents": gettext_noop("An agent was left out:"),
    "workflows": gettext_noop("A workflow was left out:"),
    "custom_tools": gettext_noop("A custom tool was left out:"),
}
"""By the name of a file of an archive: the beginning of a note about an item that was refused."""

_REFUSED = re.compile(r"(?P<place>(?P<file>\w+)\.jsonl, line \d+): (?P<reason>.+)", re.DOTALL)
_ARGUMENT = re.compile(r"(?P<argument>\w+(?:\.\w+)+): (?P<rest>.+)", re.DOTALL)
"""A reason after the place in a call that it is about, such as "changes.2.text"."""

_LISTS_OF_DOCUMENTS = {"document_versions", "document_chunks", "originals"}
_OTHER_NAMES = {"cleanup_plans": "plans"}


@dataclass(frozen=True, slots=True)
class ArchivePreview:
    """The version of OwnSona that made an archive, the time, and the number of each kind that it has."""

    version: str
    created_at: datetime
    kinds: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about an import. For a refused item also a `lead`, its place, and the memory that it names."""

    text: str
    lead: str = ""
    place: str = ""
    argument: str = ""
    memory_id: int | None = None


def archive_preview(preview: Mapping[str, Any] | None) -> ArchivePreview | None:
    """Return what the archive of a preview has; None for another file."""
    archive = (preview or {}).get("archive")
    if not archive:
        return None
    counts = {kind: number for kind, number in archive["counts"].items() if kind not in _LISTS_OF_DOCUMENTS}
    return ArchivePreview(archive["version"], datetime.fromisoformat(archive["created_at"]), _named(counts))


def archive_result(counts: Mapping[str, Any]) -> Sequence[tuple[str, Mapping[str, int]]]:
    """Return the name of each kind of an archive that was imported, with its counts."""
    return _named({kind: each for kind, each in counts.get("archive", {}).items() if any(each.values())})


def has_added(counts: Mapping[str, Any]) -> bool:
    """Return whether an archive had anything that was added."""
    return any(each.get("added") for each in counts.get("archive", {}).values())


def result_notes(counts: Mapping[str, Any]) -> list[Note]:
    """Return the notes of an import in the words of the pages."""
    return [_note(note) for note in counts.get("notes", ())]


def _note(note: str) -> Note:
    refused = _REFUSED.fullmatch(note)
    if refused is None or refused["file"] not in _LEFT_OUT:
        return Note(translated(note))
    shown = translated(refused["reason"])
    about = _ARGUMENT.fullmatch(shown)
    memory = re.match(r"(?:\S+: )?memory (\d+) ", refused["reason"])
    return Note(
        about["rest"] if about else shown,
        _LEFT_OUT[refused["file"]],
        refused["place"],
        about["argument"] if about else "",
        int(memory[1]) if memory else None,
    )


def _named(counts: Mapping[str, Count]) -> Sequence[tuple[str, Count]]:
    """Return the kinds that an archive has by their names on the pages, in their order there."""
    found = {}
    for kind, count in counts.items():
        name = kind.replace(" ", "_")
        found[_OTHER_NAMES.get(name, name)] = count
    known = {kind: found[kind] for kind in _KINDS if found.get(kind)}
    return [(gettext(_KINDS.get(kind, kind)), count) for kind, count in (known | found).items() if count]
