"""Atomic groups of renames: all of them take effect or none, even if the process is killed between two of them.

A file records the renames before the first one and is removed after the last one. While it exists, OwnSona refuses the
data folder, because neither the old state nor the new one is complete.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from common.new_file import new_file, sync_folder

Move = tuple[Path, Path]


def move_all(moves: Sequence[Move], record: Path) -> None:
    """Rename the first path of each move to the second. After an error all renames are undone. Raises OSError."""
    with new_file(record, overwrite=True) as stream:
        stream.write(json.dumps([[str(old), str(new)] for old, new in moves]).encode())
    try:
        for old, new in moves:
            old.rename(new)
    except BaseException:
        take_back(record)
        raise
    _sync(moves)
    _forget(record)


def take_back(record: Path) -> bool:
    """Undo the recorded renames that took place. Return whether there was a record. Raises OSError."""
    try:
        recorded = json.loads(record.read_bytes())
    except FileNotFoundError:
        return False
    moves = [(Path(old), Path(new)) for old, new in recorded]
    for old, new in reversed(moves):
        if os.path.lexists(new) and not os.path.lexists(old):
            new.rename(old)
    _sync(moves)
    _forget(record)
    return True


def _sync(moves: Sequence[Move]) -> None:
    for folder in {path.parent for move in moves for path in move}:
        if folder.is_dir():
            sync_folder(folder)


def _forget(record: Path) -> None:
    record.unlink()
    sync_folder(record.parent)
