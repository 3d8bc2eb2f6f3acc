"""Keys and names of files: any path of the file system as text that a database can store."""

from __future__ import annotations

import os
import unicodedata
from pathlib import PurePosixPath
from urllib.parse import quote, unquote_to_bytes

from common.texts import translatable

# Two slashes at the beginning occur in no relative path, so they mark the escaped ones.
ESCAPED = "//"
# Unicode, UAX 9: embeddings, overrides, isolates and marks. They change the order in which a name is shown.
BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
MAX_NAME_CHARS = 255


def key_of(path: bytes) -> str:
    """Return the key of a relative path: the path itself if it is UTF-8, otherwise `//` and its percent-encoding."""
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return ESCAPED + quote(path)


def path_of(key: str) -> bytes:
    """Return the relative path of a key. Raises ValueError for a key that leads out of its folder."""
    path = unquote_to_bytes(key.removeprefix(ESCAPED)) if key.startswith(ESCAPED) else key.encode("utf-8")
    if b"\0" in path or any(part in {b"", b".", b".."} for part in path.split(b"/")):
        raise ValueError(translatable("must be a relative path without `.` and `..`"))
    return path


def path_text(path: bytes) -> str:
    """Return a path for patterns: bytes that are not UTF-8 become surrogates."""
    return os.fsdecode(path)


def display_name(path: str) -> str:
    """Return the last part of `path` with a replacement for each character that is unprintable or reorders others."""
    return display_key(PurePosixPath(path).name)


def display_key(key: str) -> str:
    """Return a key or a name with a replacement for each character that is unprintable or reorders others."""
    shown = "".join("\ufffd" if _is_unprintable(character) else character for character in key)
    if len(shown) <= MAX_NAME_CHARS:
        return shown or "\ufffd"
    # The format is detected by the suffix.
    return shown[: MAX_NAME_CHARS - 20] + "…" + shown[-19:]


def _is_unprintable(character: str) -> bool:
    return character in BIDI_CONTROLS or unicodedata.category(character) in UNPRINTABLE
