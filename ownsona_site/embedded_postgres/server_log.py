"""Finds in the server's log why it did not start."""

from __future__ import annotations

from pathlib import Path

TAIL_BYTES = 65_536


def last_complaint(logs: Path) -> str:
    """The newest FATAL or PANIC message, as a sentence."""
    newest_first = sorted(logs.glob("*.log"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in newest_first:
        with open(path, "rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
        for line in reversed(lines):
            for severity in ("FATAL:", "PANIC:"):
                if severity in line:
                    return line.partition(severity)[2].strip().rstrip(".") + "."
    return "it did not say why."
