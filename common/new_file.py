"""Atomic creation of files: a file gets its name only when it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import IO


class UnusableTarget(Exception):
    """The error that a file cannot be created under its name. `str(error)` gives the reason and a remedy."""


@contextmanager
def new_file(target: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `target`, which becomes `target` at the end of the block.

    The file is synced to the disk and readable by its owner only. After an error it is removed. Raises UnusableTarget
    if `target` is a folder, or exists and `overwrite` is false, and OSError.
    """
    if target.is_dir():
        raise UnusableTarget(f"{target} is a folder. Name a file in it.")
    if target.exists() and not overwrite:
        raise _taken(target)
    aside = target.with_name(f".{target.name}.{token_hex(4)}.partial")
    # The name is known before the file exists: a stop signal may arrive as soon as it does.
    try:
        with open(aside, "x+b", opener=partial(os.open, mode=0o600)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            _give_name(aside, target, overwrite=overwrite)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Sync the entries of `folder` to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _give_name(aside: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        aside.replace(target)
        return
    try:
        # Unlike a rename, this fails if another process has created the file meanwhile.
        target.hardlink_to(aside)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # The file system has no hard links, as on most USB sticks.
        aside.rename(target)
    else:
        aside.unlink()


def _taken(target: Path) -> UnusableTarget:
    return UnusableTarget(f"{target} already exists. Choose another name, or replace it with --overwrite.")
