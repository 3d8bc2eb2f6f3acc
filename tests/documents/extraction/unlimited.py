"""A process that misbehaves where the system enforces no limits, as macOS does with the memory."""

from __future__ import annotations

from documents.extraction import child
from tests.documents.extraction import hostile


def main() -> None:
    """Run the hostile process without limits of its own."""
    child.limit_this_process = lambda limits: None  # type: ignore[attr-defined]
    hostile.main()
