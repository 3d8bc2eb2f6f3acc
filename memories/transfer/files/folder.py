"""The files of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile

MAX_FILES: Final = 100_000
"""Largest number of files in a folder or an archive."""

SUFFIXES: Final = frozenset(
    {".md", ".markdown", ".mdc", ".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".sql", ".zip"}
    | {".db", ".sqlite", ".sqlite3"}
)
"""Ends of the names of files that may have memories. Others, such as images, are not opened."""

_ALLOWED_HIDDEN: Final = frozenset({".cursorrules", ".cursor", ".claude", ".codex"})
"""Hidden files and folders of assistants. Others are settings, caches and trash, also Obsidian's `.trash`."""

_OTHER_FILES: Final = translatable("files of other kinds")

_NO_MEMORIES: Final = frozenset(
    {"user.json", "users.json", "user_settings.json", "message_feedback.json", "shared_conversations.json"}
    | {"model_comparisons.json", "export_manifest.json", "login_history.json", "projects.json", "history.jsonl"}
)
"""Files that have no memories, although some have texts: of the exports of ChatGPT and Claude, and the history of
prompts of Claude Code and Codex.

https://github.com/stavarengo/convoviz/blob/main/docs/dev/chatgpt-spec.md and
https://github.com/Design-in-Product/klatch/blob/main/packages/server/src/import/claude-ai-zip.ts
"""


def is_wanted(parts: tuple[str, ...]) -> bool:
    """Whether a file may have memories, by its path: it is not hidden, and its name is none without memories."""
    if any(part.startswith(".") and part not in _ALLOWED_HIDDEN for part in parts):
        return False
    if parts[-1].lower() in _NO_MEMORIES:
        return False
    return Path(parts[-1]).suffix.lower() in SUFFIXES or parts[-1] in _ALLOWED_HIDDEN


def is_hidden(parts: tuple[str, ...]) -> bool:
    """Whether a file is hidden, or is what archives of macOS have beside each file."""
    return any((part.startswith(".") and part not in _ALLOWED_HIDDEN) or part == "__MACOSX" for part in parts)


def other_file(place: str) -> Entry:
    """Return the entry for a file that is not opened because of its kind."""
    return Entry(place, left_out=_OTHER_FILES)


def files_in(folder: Path) -> Iterator[ImportFile | Entry]:
    """Yield the files of a folder and those in it, by name, one open at a time. Symbolic links are not followed.

    Raises UnreadableFile if there are too many.
    """
    paths = _paths(folder)
    for path in paths:
        parts = path.relative_to(folder).parts
        name = "/".join(parts)
        if not is_wanted(parts):
            yield other_file(name)
            continue
        try:
            with path.open("rb") as stream:
                yield ImportFile(stream, name, write_ahead_log(path), is_member=True)
        except OSError as error:
            yield Entry(
                name,
                error=InvalidInput(translatable("it cannot be read: %(problem)s.", problem=error.strerror or error)),
            )


def _paths(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_hidden((name,)) and not Path(parent, name).is_symlink())
        paths = (Path(parent, name) for name in sorted(names) if not is_hidden((name,)))
        found += [path for path in paths if path.is_file() and not path.is_symlink() and not _is_log(path)]
        if len(found) > MAX_FILES:
            raise UnreadableFile(
                translatable(
                    "%(folder)s has more than %(max_files)s files. Import its folders one by one.",
                    folder=folder,
                    max_files=MAX_FILES,
                )
            )
    return found


def write_ahead_log(path: Path) -> Path | None:
    """Return the path of the write-ahead log of an SQLite database, None if there is none."""
    log = path.with_name(f"{path.name}-wal")
    return log if log.is_file() and not log.is_symlink() else None


def _is_log(path: Path) -> bool:
    return path.name.endswith(("-wal", "-shm"))
