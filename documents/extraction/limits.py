"""Limits of one extraction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one extraction may use and return. How they were chosen: docs/decisions/document-formats.md.

    `seconds` is elapsed time, `cpu_seconds` the processor time of each process, `memory_mb` the memory of all of them
    together. Of a longer document, the first `pages` pages and the first `output_chars` characters are returned.
    """

    seconds: float = 180.0
    cpu_seconds: int = 150
    memory_mb: int = 1024
    file_mb: int = 512
    output_chars: int = 10_000_000
    pages: int = 2_000
