"""Messages between the server and the process of a script: JSON after its length in four bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, Final

from customtools.limits import MAX_RESULT_BYTES, MAX_SOURCE_CHARS

HEADER: Final = struct.Struct("!I")
MAX_FRAME_BYTES: Final = MAX_RESULT_BYTES * 2 + MAX_SOURCE_CHARS * 6
"""A result that was escaped, or a script with its arguments."""


class InvalidFrame(Exception):
    """Bytes that are not a message."""


def encode_frame(message: Mapping[str, Any]) -> bytes:
    """Return the message as bytes. Raises InvalidFrame if it is too large."""
    content = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(content) > MAX_FRAME_BYTES:
        raise InvalidFrame
    return HEADER.pack(len(content)) + content


def frame_length(header: bytes) -> int:
    """Return the length of the content after `header`. Raises InvalidFrame if it is too long."""
    length: int = HEADER.unpack(header)[0]
    if length > MAX_FRAME_BYTES:
        raise InvalidFrame
    return length


def decode_frame(content: bytes) -> dict[str, Any]:
    """Return the message. Raises InvalidFrame for anything but a JSON object."""
    try:
        message = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidFrame from None
    if not isinstance(message, dict):
        raise InvalidFrame
    return message
