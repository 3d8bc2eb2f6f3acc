"""Finds in the server's log why it did not start."""

from __future__ import annotations

from pathlib import Path

TAIL_BYTES = 65_536
START_LOG = "start.log"
"""The file with what the server says before it writes to its log of the day. Each start begins it anew."""
NEXT_LOG = "redirecting log output"


def last_error_message(logs: Path) -> str:
    """The newest FATAL or PANIC message, as a sentence."""
    at_start = _last_lines(logs / START_LOG)
    if complaint := _complaint(at_start):
        return complaint
    if at_start and not any(NEXT_LOG in line for line in at_start):
        # It got no further. Complaints in its other logs are about earlier starts.
        return _sentence(at_start[-1].removeprefix("postgres:"))
    others = (path for path in logs.glob("*.log") if path.name != START_LOG)
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True):
        if complaint := _complaint(_last_lines(path)):
            return complaint
    return "it did not say why."


def _last_lines(path: Path) -> list[str]:
    """The lines at the end of `path` that are not empty."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    except FileNotFoundError:
        return []


def _complaint(lines: list[str]) -> str:
    for line in reversed(lines):
        for severity in ("FATAL:", "PANIC:"):
            if severity in line:
                return _sentence(line.partition(severity)[2])
    return ""


def _sentence(words: str) -> str:
    return words.strip().rstrip(".") + "."
