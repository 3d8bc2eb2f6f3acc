"""The reason for a failed start, found in the logs of the server."""

from __future__ import annotations

from pathlib import Path

TAIL_BYTES = 65_536
START_LOG = "start.log"
"""The file with the server's output before it switches to its daily log. Each start overwrites it."""
NEXT_LOG = "redirecting log output"


def last_error_message(logs: Path) -> str:
    """Return the newest FATAL or PANIC message as a sentence, or the last line of a start that got no further."""
    at_start = _last_lines(logs / START_LOG)
    if complaint := _complaint(at_start):
        return complaint
    if at_start and not any(NEXT_LOG in line for line in at_start):
        # The server never switched to its daily log, so errors in the other logs are from earlier starts.
        return _sentence(at_start[-1].removeprefix("postgres:"))
    others = (path for path in logs.glob("*.log") if path.name != START_LOG)
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True):
        if complaint := _complaint(_last_lines(path)):
            return complaint
    return "it gave no reason."


def _last_lines(path: Path) -> list[str]:
    """Return the non-empty lines in the last `TAIL_BYTES` of `path`; none if there is no such file."""
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
