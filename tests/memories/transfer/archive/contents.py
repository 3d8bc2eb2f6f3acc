"""The contents of archives for comparison."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import orjson

from memories.access import View
from memories.transfer.archive.exporting import export_archive
from oauthserver.models import User

Lists = dict[str, list[dict[str, Any]]]


def exported(owner: User, path: Path) -> Path:
    """Export an archive of `owner`, and return its path."""
    export_archive(View.whole(owner.pk), path)
    return path


def lists_in(path: Path) -> Lists:
    """Return the lists of an archive by the names of their members."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".jsonl")]
        return {name: [orjson.loads(line) for line in archive.read(name).splitlines()] for name in names}


def comparable(lists: Lists) -> Lists:
    """Return `lists` with ids of memories and documents replaced by their places in the lists.

    Ids of memories that do not exist any more become one value: only their order in the history is left. The entries
    of imports are left out of the history.
    """
    memories = {row["id"]: f"memory {place}" for place, row in enumerate(lists["memories.jsonl"])}
    documents = {row["id"]: f"document {place}" for place, row in enumerate(lists["documents.jsonl"])}
    found: Lists = _replaced(lists, memories, documents)
    found["document_chunks.jsonl"].sort(key=lambda row: (row["document_id"], row["number"]))
    return without_imports(found)


def without_imports(lists: Lists) -> Lists:
    """Return `lists` without the entries that imports have added to the history."""
    return {**lists, "history.jsonl": [row for row in lists["history.jsonl"] if row["client"] != "import"]}


def _replaced(value: Any, memories: dict[int, str], documents: dict[str, str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _replaced(each, memories, documents, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, memories, documents, name) for each in value]
    if name in {"id", "memory_id", "replaced_by_id", "split_from_id"} and isinstance(value, int):
        return memories.get(value, "a deleted memory")
    if name in {"id", "document_id"} and isinstance(value, str):
        # The ids of the steps of workflows are no ids of documents.
        return documents.get(value, value)
    return value
