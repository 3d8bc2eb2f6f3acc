"""Tools in files of the data folder: `tools/*.lua` for scripts, `tools/*.json` for HTTP tools.

The files are copied to the database whenever they have changed, so that all processes see the same tools, clients are
notified, and the last valid definition of a broken file survives a restart.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Final

from django.conf import settings
from django.db import transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.provided import Provided
from common.texts import translatable
from customtools.definitions.declaration import Declaration
from customtools.describing import describe
from customtools.errors import InvalidDefinition
from customtools.limits import MAX_SOURCE_CHARS, MAX_TOOLS
from customtools.models import CustomTool
from memories.errors import InvalidInput, MemoriesError

logger = logging.getLogger(__name__)

KINDS: Final[Mapping[str, str]] = {".lua": CustomTool.Kind.LUA, ".json": CustomTool.Kind.HTTP}
"""By the ending of the file's name."""

WAIT_SECONDS: Final = 1.0

file_owner: Provided[[], int | None] = Provided("the owner of the files in the data folder")

_Fingerprint = tuple[tuple[str, int, int, int], ...]
_lock = threading.Lock()
_seen: dict[Path, _Fingerprint] = {}


def sync_if_changed() -> None:
    """Copy the files to the database if any has changed since this process has last looked.

    Without a change it costs microseconds. If another thread is reading a change, wait for it, but only a moment: until
    then the earlier definitions are valid.
    """
    folder = Path(settings.TOOLS_DIR)
    current = _fingerprint(folder)
    if _seen.get(folder) == current or not _lock.acquire(timeout=WAIT_SECONDS):
        return
    try:
        if _seen.get(folder) == current:
            return
        owner_id = file_owner()
        if owner_id is not None:
            sync(owner_id, folder)
        if owner_id is not None or not current:
            _seen[folder] = current
    finally:
        _lock.release()


def forget_seen() -> None:
    """Forget what this process has read, so that the next look reads all files again."""
    _seen.clear()


def sync(owner_id: int, folder: Path) -> None:
    """Make the owner's tools from files those of the folder."""
    paths = {path.name: path for path in _paths(folder)}
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.TOOL_FILES)
        rows = {row.file_name: row for row in CustomTool.objects.exclude(file_name="").filter(owner_id=owner_id)}
        gone = [row.pk for name, row in rows.items() if name not in paths]
        CustomTool.objects.filter(pk__in=gone).delete()
        for name in sorted(paths):
            _sync_file(owner_id, paths[name], rows.get(name))


def _sync_file(owner_id: int, path: Path, row: CustomTool | None) -> None:
    row = row or CustomTool(owner_id=owner_id, name=path.stem[:100], file_name=path.name, version=0)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SOURCE_CHARS * 4 + 1)
    except OSError as error:
        content, problem = b"", f"The file cannot be read: {error.strerror}."
    else:
        problem = ""
    digest = hashlib.sha256(content + problem.encode()).hexdigest()
    if digest == row.file_digest:
        return
    row.file_digest, row.problem, row.problem_line = digest, problem, 0
    if not problem:
        _read_definition(row, path, content)
    if row.problem:
        logger.warning("The custom tool in %s cannot be used: %s", path.name, row.problem)
    row.version += 1
    row.save()


def _read_definition(row: CustomTool, path: Path, content: bytes) -> None:
    """Replace the definition of `row` by a valid content; otherwise set its problem and keep the definition."""
    kind = KINDS[path.suffix]
    try:
        source = content.decode().removeprefix("\ufeff")
        declaration = describe(row.owner_id, kind, source)
        _refuse_duplicate(row, declaration)
    except UnicodeDecodeError:
        row.problem = "The file is not a text in UTF-8."
    except MemoriesError as error:
        row.problem = str(error)
        row.problem_line = error.line if isinstance(error, InvalidDefinition) else 0
    else:
        row.name, row.kind, row.source, row.declaration = declaration.name, kind, source, declaration.as_json()
        return
    if row.declaration is None:
        # There is no valid definition: the page shows this one.
        row.kind, row.source = kind, content.decode(errors="replace").replace("\x00", "")


def _refuse_duplicate(row: CustomTool, declaration: Declaration) -> None:
    others = CustomTool.objects.filter(owner_id=row.owner_id).exclude(pk=row.pk)
    other = others.exclude(file_name="").filter(name=declaration.name, declaration__isnull=False).first()
    if other is not None:
        raise InvalidInput(
            translatable(
                "%(name)s is the name of the tool in %(file_name)s, too.",
                name=declaration.name,
                file_name=other.file_name,
            ),
            argument="name",
        )
    if row.pk is None and others.count() >= MAX_TOOLS:
        raise InvalidInput(
            translatable(
                "There are %(max_tools)s custom tools, which is the maximum. Remove one first.", max_tools=MAX_TOOLS
            )
        )


def _paths(folder: Path) -> list[Path]:
    return [folder / name for name, *_ in _fingerprint(folder)]


def _fingerprint(folder: Path) -> _Fingerprint:
    """Return the name, time of change, size and number of each tool's file, by name; nothing without the folder."""
    try:
        with os.scandir(folder) as entries:
            named = [entry for entry in entries if os.path.splitext(entry.name)[1] in KINDS and entry.name[0] != "."]
    except OSError:
        return ()
    found = [(entry.name, _stat(entry)) for entry in named]
    return tuple(
        sorted(
            (name, stat.st_mtime_ns, stat.st_size, stat.st_ino)
            for name, stat in found
            if stat is not None and S_ISREG(stat.st_mode)
        )
    )


def _stat(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:
        # A link to nothing, or a file that was deleted since the folder was read: the others stay tools.
        return None
