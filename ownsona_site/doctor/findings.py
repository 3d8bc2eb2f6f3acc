"""What a step of the check found, apart from how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CheckOutcome(StrEnum):
    """How a step went. A warning keeps some clients out, or will; a failure keeps out all of them."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """`seen` is what happened, one sentence; `fix` is what to do, for a person who is no engineer."""

    outcome: CheckOutcome
    seen: str
    fix: str = ""


class CheckStopped(Exception):
    """A step cannot go on. `finding` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.seen)
        self.finding = finding


def passed(seen: str) -> Finding:
    """All is well."""
    return Finding(CheckOutcome.PASSED, seen)


def warning(seen: str, fix: str) -> Finding:
    """It works, but not for everyone or not for long."""
    return Finding(CheckOutcome.WARNING, seen, fix)


def failed(seen: str, fix: str) -> Finding:
    """A client gives up here."""
    return Finding(CheckOutcome.FAILED, seen, fix)


def skipped(seen: str) -> Finding:
    """There was nothing to try, or no way to."""
    return Finding(CheckOutcome.SKIPPED, seen)
