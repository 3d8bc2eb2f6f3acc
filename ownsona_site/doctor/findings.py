"""The findings of the steps, independent of their presentation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext_noop


class CheckOutcome(StrEnum):
    """The outcome of a step. A warning prevents some clients from connecting, now or later; a failure prevents all."""

    PASSED = gettext_noop("passed")
    WARNING = gettext_noop("warning")
    FAILED = gettext_noop("failed")
    SKIPPED = gettext_noop("skipped")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a step: `seen` says in one sentence what happened, `fix` tells a non-engineer what to do."""

    outcome: CheckOutcome
    seen: str
    fix: str = ""


class CheckStopped(Exception):
    """The error of a step that cannot continue. `finding` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.seen)
        self.finding = finding


def passed(seen: str) -> Finding:
    """Return the finding of a step without a problem."""
    return Finding(CheckOutcome.PASSED, seen)


def warning(seen: str, fix: str) -> Finding:
    """Return the finding of a step that works, but not for every client or not for long."""
    return Finding(CheckOutcome.WARNING, seen, fix)


def failed(seen: str, fix: str) -> Finding:
    """Return the finding of a step at which a client would give up."""
    return Finding(CheckOutcome.FAILED, seen, fix)


def skipped(seen: str) -> Finding:
    """Return the finding of a step that does not apply or could not be tried."""
    return Finding(CheckOutcome.SKIPPED, seen)
