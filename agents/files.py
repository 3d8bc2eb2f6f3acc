"""The folder `agents` of the data folder: its TOML and Lua files are agents of the server's owner.

Each process notices changes by the names, sizes and times of the files, whenever agents are used; the job process looks
once a minute, for streams that wait for notifications. What is read is kept in the table: so a file with an error keeps
its last valid definition, and all processes agree.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from agents import lua_files, toml_files
from agents.file_content import MAX_FILE_BYTES, FileAgent, InvalidFile
from agents.models import FILES, Agent
from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.provided import Provided

logger = logging.getLogger(__name__)

MAX_FILES = 200
MAX_SHOWN_NAME_CHARS = 200

owner_of_files: Provided[[], int | None] = Provided("the owner of the files in the data folder")
"""The id of the owner of the server; None while there is none."""

Source = Agent.Source
SUFFIXES = {toml_files.SUFFIX: Source.TOML, lua_files.SUFFIX: Source.LUA}

Place = tuple[str, Agent.Source]
"""The name and the format of a file."""

Fingerprint = tuple[tuple[str, int, int, int], ...]


class ReplacedFile(InvalidFile):
    """A file that is not used because another one has the same name."""


class _Seen:
    """The state of the folder that this process has stored last; None if it is not known. It starts as empty."""

    fingerprint: Fingerprint | None = ()


def agents_folder() -> Path:
    """Return the folder of the files. It need not exist."""
    return Path(settings.AGENTS_DIR)


def refresh_files() -> None:
    """Store the files if the folder has changed since this process has looked last."""
    fingerprint = _fingerprint()
    if fingerprint != _Seen.fingerprint:
        # Until the transaction is committed, another attempt must store the files again.
        _Seen.fingerprint = None
        store_files()
        transaction.on_commit(lambda: setattr(_Seen, "fingerprint", fingerprint))


def store_files() -> None:
    """Read all files and store what has changed. Files that are gone are deleted from the table."""
    owner_id = owner_of_files()
    if owner_id is None:
        return
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.AGENT_FILES)
        rows = Agent.objects.filter(owner_id=owner_id, source__in=FILES)
        known: dict[Place, Agent] = {(row.name, Source(row.source)): row for row in rows}
        contents = _read_folder()
        for place, content in contents.items():
            _store(owner_id, place, content, known.get(place))
        # The owner of the server may be another one than before.
        Agent.objects.filter(source__in=FILES).exclude(owner_id=owner_id).delete()
        gone = [row.pk for place, row in known.items() if place not in contents]
        if gone:
            Agent.objects.filter(pk__in=gone).delete()


def _fingerprint() -> Fingerprint:
    """Return names, sizes, times and inodes of the files, sorted."""
    try:
        with os.scandir(agents_folder()) as entries:
            named = [entry for entry in entries if _is_agent(entry.name)]
    except OSError:
        return ()
    return tuple(sorted((entry.name, *_state(entry)) for entry in named))


def _state(entry: os.DirEntry[str]) -> tuple[int, int, int]:
    try:
        status = entry.stat()
    except OSError:
        # A link to nothing, which is reported when it is read, or a file that was deleted since.
        return 0, 0, 0
    return status.st_size, status.st_mtime_ns, status.st_ino


def _is_agent(name: str) -> bool:
    # Editors keep hidden files and links beside those that they edit.
    return _suffix(name) in SUFFIXES and not name.startswith(".")


def _suffix(name: str) -> str:
    return os.path.splitext(name)[1]


def _read_folder() -> Mapping[Place, bytes | InvalidFile]:
    """Return the content of each file by its place, or why it cannot be used."""
    try:
        paths = sorted(path for path in agents_folder().iterdir() if _is_agent(path.name))
    except OSError:
        return {}
    if len(paths) > MAX_FILES:
        logger.warning("Only the first %d of %d files in %s are agents.", MAX_FILES, len(paths), agents_folder())
    contents: dict[Place, bytes | InvalidFile] = {_place(path): _read(path) for path in paths[:MAX_FILES]}
    for name, source in contents:
        if source == Source.LUA and (name, Source.TOML) in contents:
            contents[name, source] = ReplacedFile(
                f"{name}.toml has the same name and is used instead. Delete or rename one of them."
            )
    return contents


def _place(path: Path) -> Place:
    """Return the place of a file. Its name has "?" in place of what a text cannot have."""
    suffix = _suffix(path.name)
    name = path.name.removesuffix(suffix).encode("utf-8", "replace").decode()
    return name[:MAX_SHOWN_NAME_CHARS], SUFFIXES[suffix]


def _read(path: Path) -> bytes | InvalidFile:
    try:
        # Without O_NONBLOCK, opening a FIFO waits for its other end.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return InvalidFile("It is not a regular file.")
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return InvalidFile(f"It cannot be read: {error.strerror or error}.")


def _store(owner_id: int, place: Place, content: bytes | InvalidFile, row: Agent | None) -> None:
    """Store what has changed of one file. An error leaves the definition as it is."""
    digest = hashlib.sha256(content if isinstance(content, bytes) else content.problem.encode()).hexdigest()
    if row is not None and row.digest == digest:
        return
    try:
        agent = _parse(owner_id, place, content)
        changes = {
            "definition": agent.definition.as_data(),
            "is_enabled": agent.is_enabled,
            "problem": "",
            "problem_line": None,
        }
    except InvalidFile as error:
        logger.warning("The agent file %s.%s is not valid. The page of agents says why.", *place)
        changes = {"problem": error.problem, "problem_line": error.line}
        if isinstance(error, ReplacedFile):
            changes["definition"] = None
    if row is None:
        name, source = place
        Agent.objects.create(owner_id=owner_id, source=source, name=name, digest=digest, **changes)
    else:
        Agent.objects.filter(pk=row.pk).update(digest=digest, version=F("version") + 1, updated_at=Now(), **changes)


def _parse(owner_id: int, place: Place, content: bytes | InvalidFile) -> FileAgent:
    if isinstance(content, InvalidFile):
        raise content
    name, source = place
    if source == Source.LUA:
        return lua_files.parse_lua_file(owner_id, f"{name}{lua_files.SUFFIX}", content)
    return toml_files.parse_file(f"{name}{toml_files.SUFFIX}", content)
