"""The folder `agents` of the data folder: its TOML files are agents of the server's owner.

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

from agents.models import Agent
from agents.toml_files import MAX_FILE_BYTES, SUFFIX, InvalidFile, parse_file
from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.provided import Provided

logger = logging.getLogger(__name__)

MAX_FILES = 200
MAX_SHOWN_NAME_CHARS = 200

owner_of_files: Provided[[], int | None] = Provided("the owner of the files in the data folder")
"""The id of the owner of the server; None while there is none."""

Fingerprint = tuple[tuple[str, int, int, int], ...]


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
        known = {row.name: row for row in Agent.objects.filter(owner_id=owner_id, source=Agent.Source.FILE)}
        contents = _read_folder()
        for name, content in contents.items():
            _store(owner_id, name, content, known.get(name))
        # The owner of the server may be another one than before.
        Agent.objects.filter(source=Agent.Source.FILE).exclude(owner_id=owner_id).delete()
        gone = [row.pk for name, row in known.items() if name not in contents]
        if gone:
            Agent.objects.filter(pk__in=gone).delete()


def _fingerprint() -> Fingerprint:
    """Return names, sizes, times and inodes of the files, sorted."""
    try:
        with os.scandir(agents_folder()) as entries:
            found = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(SUFFIX)]
    except OSError:
        return ()
    return tuple(sorted((name, status.st_size, status.st_mtime_ns, status.st_ino) for name, status in found))


def _read_folder() -> Mapping[str, bytes | str]:
    """Return the content of each file by its name without the suffix; a text that says why it cannot be read."""
    try:
        paths = sorted(path for path in agents_folder().iterdir() if path.name.endswith(SUFFIX))
    except OSError:
        return {}
    if len(paths) > MAX_FILES:
        logger.warning("Only the first %d of %d files in %s are agents.", MAX_FILES, len(paths), agents_folder())
    return {_shown_name(path): _read(path) for path in paths[:MAX_FILES]}


def _shown_name(path: Path) -> str:
    """Return the name of a file without the suffix, with "?" in place of what a text cannot have."""
    return path.name.removesuffix(SUFFIX).encode("utf-8", "replace").decode()[:MAX_SHOWN_NAME_CHARS]


def _read(path: Path) -> bytes | str:
    try:
        # Without O_NONBLOCK, opening a FIFO waits for its other end.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "It is not a regular file."
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return f"It cannot be read: {error.strerror or error}."


def _store(owner_id: int, name: str, content: bytes | str, row: Agent | None) -> None:
    """Store what has changed of one file. An error leaves the definition as it is."""
    digest = hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
    if row is not None and row.digest == digest:
        return
    try:
        if isinstance(content, str):
            raise InvalidFile(content)
        agent = parse_file(f"{name}{SUFFIX}", content)
        changes = {
            "definition": agent.definition.as_data(),
            "is_enabled": agent.is_enabled,
            "problem": "",
            "problem_line": None,
        }
    except InvalidFile as error:
        logger.warning("The agent file %s.toml is not valid. The page of agents says why.", name)
        changes = {"problem": error.problem, "problem_line": error.line}
    if row is None:
        Agent.objects.create(owner_id=owner_id, source=Agent.Source.FILE, name=name, digest=digest, **changes)
    else:
        Agent.objects.filter(pk=row.pk).update(digest=digest, version=F("version") + 1, updated_at=Now(), **changes)
