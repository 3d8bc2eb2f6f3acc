"""The record in a folder of exported files: which files an export wrote, and with which contents."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import orjson

from common.new_file import UnusableTarget
from memories.transfer.private_files import replace_file

INDEX_NAME = ".ownsona-export.json"
_OWN_NAME = re.compile(r"memory-[0-9]{1,19}\.md")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class FolderIndex:
    """The SHA-256 in hex of each file that exports have written to `folder`, by the file's name.

    `contents` has digests of what an owner can edit in the file: see `edits.content_digest`.
    """

    folder: Path
    hashes: dict[str, str]
    contents: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the index in a folder, an empty one if there is none. Raises UnusableTarget if it is damaged."""
        try:
            stored = orjson.loads((folder / INDEX_NAME).read_bytes())
            hashes, contents = stored["files"], stored.get("contents", {})
            # A name leads to the removal of a file, so only names of exported files are accepted.
            for digests in (hashes, contents):
                if not all(_OWN_NAME.fullmatch(name) and _HASH.fullmatch(digest) for name, digest in digests.items()):
                    raise ValueError
        except FileNotFoundError:
            return cls(folder, {})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UnusableTarget(
                f"{folder / INDEX_NAME} is damaged. Remove it, and export again with --overwrite."
            ) from None
        return cls(folder, hashes, contents)

    def write(self) -> None:
        """Store the index in the folder. Raises OSError."""
        contents = {name: digest for name, digest in self.contents.items() if name in self.hashes}
        content = {"format": 1, "files": self.hashes, "contents": contents}
        replace_file(self.folder / INDEX_NAME, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")

    def current_hash(self, name: str) -> str | None:
        """Return the hash of a file as it is now; None if there is none. A link or a folder has an empty one."""
        path = self.folder / name
        if path.is_symlink() or path.is_dir():
            return ""
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            return None
