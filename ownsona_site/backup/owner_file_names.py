"""The names of the owner's files in an archive."""

from __future__ import annotations

from pathlib import PurePosixPath

FOLDERS = ("agents", "tools")
"""The folders in the data folder that the owner writes files to."""


def is_owner_file(name: str) -> bool:
    """Return whether a member of an archive may be one of the owner's files. Nothing outside of `FOLDERS` is."""
    parts = PurePosixPath(name).parts
    is_plain = str(PurePosixPath(*parts)) == name and not {"\\", "\0"} & set(name)
    return is_plain and len(parts) > 1 and parts[0] in FOLDERS and ".." not in parts
