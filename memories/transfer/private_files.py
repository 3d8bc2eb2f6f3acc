"""Folders and small files that only their owner may read."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from common.new_file import UnusableTarget


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may read, unless it exists. Raises UnusableTarget for a file, and OSError."""
    if folder.exists() and not folder.is_dir():
        raise UnusableTarget(f"{folder} is a file. Name a folder.")
    folder.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or replace it at once; a link is replaced, not followed. Raises OSError.

    Unlike `common.new_file`, this does not wait for the disk: an export of 100,000 files would take an hour.
    """
    aside = path.with_name(f".{path.name}.partial")
    aside.unlink(missing_ok=True)
    try:
        with open(aside, "xb", opener=partial(os.open, mode=0o600)) as stream:
            stream.write(content)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
