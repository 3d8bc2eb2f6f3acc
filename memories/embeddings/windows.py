"""How a text too long for a model is cut into overlapping windows, so that none of it is lost."""

from __future__ import annotations

LONGEST_CHARACTER_BYTES = 4


def windows(length: int, size: int, overlap: int) -> list[slice]:
    """Slices of at most `size` that cover `range(length)` in order; at least one, also of nothing.

    Neighbours share `overlap` positions, the last two at least as many: the last window is moved back to be as
    long as the others, since a model says little about a handful of tokens. Needs 0 ≤ overlap < size.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap must be from 0 to {size - 1}, not {overlap}")
    if length <= size:
        return [slice(0, length)]
    last = length - size
    return [slice(start, start + size) for start in [*range(0, last, size - overlap), last]]


def text_windows(text: str, size_bytes: int, overlap_bytes: int) -> list[str]:
    """`text` in pieces of at most `size_bytes` of UTF-8; whatever one piece cuts stands whole in its neighbour.

    Bytes, because a byte-level tokenizer never makes more tokens than there are bytes, in any language.
    """
    if overlap_bytes < LONGEST_CHARACTER_BYTES:
        raise ValueError(f"overlap_bytes must be at least {LONGEST_CHARACTER_BYTES}, not {overlap_bytes}")
    encoded = text.encode("utf-8", "replace")
    # "ignore" drops the half of a character at an edge: the overlap holds all of it.
    return [encoded[part].decode("utf-8", "ignore") for part in windows(len(encoded), size_bytes, overlap_bytes)]
