"""The size of a JSON document in values, depth and characters, measured without parsing it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

PART_BYTES = 65_536
OPENING, CLOSING = b"[{", b"]}"

_KEPT = b'"[]{},:'
_DROPPED = bytes(set(range(256)) - set(_KEPT))
_CONTINUATION = bytes(range(0x80, 0xC0))
"""The second and later bytes of a character in UTF-8 (RFC 3629, section 3)."""

_STEPS = bytes.maketrans(OPENING + CLOSING, b"\2\2\0\0")
"""By bracket: the change of depth plus one, since a byte cannot be negative."""


class JsonScan:
    """The measurements of a document after the bytes that were fed.

    `separators` counts opening brackets, commas and colons outside of strings: a document has at most one value or key
    more. `depth` is the deepest nesting, 0 for a scalar. `characters` counts the decoded strings and the text around
    them; an escaped character beyond U+FFFF counts as two. If the bytes are not JSON, the figures are valid up to the
    error.

    It makes a few passes in C over each part: a parser in Python would take 50 times as long.
    """

    def __init__(self) -> None:
        self.separators = 0
        self.depth = 0
        self.characters = 0
        self._level = 0
        self._is_in_string = False
        self._held_back = b""

    def feed(self, part: bytes) -> None:
        """Count the next bytes of the document."""
        outside = self._outside_of_strings(self._without_escapes(part))
        opened = sum(map(outside.count, (b"[", b"{")))
        self.separators += opened + sum(map(outside.count, (b",", b":")))
        if self._level + opened > self.depth:
            steps = outside.translate(_STEPS, b",:")
            self.depth = max(self.depth, *accumulate((step - 1 for step in steps), initial=self._level))
        self._level += opened - sum(map(outside.count, (b"]", b"}")))

    def _without_escapes(self, part: bytes) -> bytes:
        """Count the characters of `part` and return it without escaped backslashes and quotes.

        A backslash at its end is held back for the next part, which begins with the character that it escapes.
        """
        part = self._held_back + part
        end = len(part) - (len(part) - len(part.rstrip(b"\\"))) % 2
        part, self._held_back = part[:end], part[end:]
        plain = part
        if b"\\" in part:
            plain = part.replace(b"\\\\", b"").replace(b'\\"', b"")
            # The backslash of \n is not a character of its own, nor are the four digits of \u00e9.
            self.characters -= plain.count(b"\\") + 4 * plain.count(b"\\u")
        self.characters += len(plain.translate(None, _CONTINUATION)) + (len(part) - len(plain)) // 2
        return plain

    def _outside_of_strings(self, part: bytes) -> bytes:
        """Return the brackets, commas and colons of `part` outside of strings. `part` must have no escaped quotes."""
        pieces = part.translate(None, _DROPPED).split(b'"')
        outside = b"".join(pieces[self._is_in_string :: 2])
        self._is_in_string ^= len(pieces) % 2 == 0
        return outside


def scans(document: bytes) -> Iterator[JsonScan]:
    """Scan `document` and yield the scan after each part, so that the caller can stop early."""
    scan = JsonScan()
    for start in range(0, len(document), PART_BYTES):
        scan.feed(document[start : start + PART_BYTES])
        yield scan


def may_exceed(document: bytes, *, separators: int, depth: int, characters: int) -> bool:
    """Return whether a scan could find more than these limits. A fast check: False for ordinary calls."""
    opened = document.count(b"[") + document.count(b"{")
    return (
        opened > depth
        or opened + document.count(b",") + document.count(b":") > separators
        or len(document) > characters
    )
