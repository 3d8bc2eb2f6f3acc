"""The findings of a check as text for a terminal and as data for scripts."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter

from django.utils.translation import gettext, ngettext

from ownsona_site.doctor.findings import CheckOutcome
from ownsona_site.doctor.refused_apps import RefusedApp
from ownsona_site.doctor.runner import CheckResult

COLUMNS = 80
MARGIN = " " * 10

Paint = Callable[[str], str]


def as_text(lines: Sequence[CheckResult], paints: Mapping[CheckOutcome, Paint]) -> Iterator[str]:
    """Yield the lines of the report, at most `COLUMNS` wide. `paints` colours the outcomes."""
    for line in filter(attrgetter("was_tried"), lines):
        outcome = line.finding.outcome
        yield f"{paints[outcome](f'{outcome:<{len(MARGIN)}}')}{line.title}"
        if outcome is not CheckOutcome.PASSED:
            yield from _wrapped(line.finding.seen)
        if line.finding.fix:
            yield from _wrapped(f"→ {line.finding.fix}")
    yield ""
    if waiting := sum(not line.was_tried for line in lines):
        yield f"{waiting} more steps were skipped, because a step that they need has failed."
    yield summary(lines)


def refused_as_text(refused: Sequence[RefusedApp]) -> Iterator[str]:
    """Yield the lines about the refused apps, at most `COLUMNS` wide. Yield nothing if there are none."""
    if refused:
        yield "\nRefused apps, newest first:\n"
    for app in refused:
        record = app.record
        yield from textwrap.wrap(
            f"{record.last_at:%Y-%m-%d %H:%M} UTC  {app.who}, {record.get_step_display()}", COLUMNS
        )
        often = f" ({record.count} times)" if record.count > 1 else ""
        yield from _wrapped(f"{record.details or record.reason}{often}")
        yield from _wrapped(f"→ {app.remedy}")


def summary(lines: Sequence[CheckResult]) -> str:
    """Summarize the results in a sentence or two."""
    counts = Counter(line.finding.outcome for line in lines)
    if counts[CheckOutcome.FAILED]:
        return gettext("%(number)s failed: fix the first one, then check again.") % {
            "number": counts[CheckOutcome.FAILED]
        }
    if warnings := counts[CheckOutcome.WARNING]:
        text = ngettext(
            "Apps can connect. There is %(number)s warning.",
            "Apps can connect. There are %(number)s warnings.",
            warnings,
        )
        return text % {"number": warnings}
    return gettext("Everything works: apps can connect.")


def has_failed(lines: Sequence[CheckResult]) -> bool:
    """Return whether any step failed, so that a client could not connect."""
    return any(line.finding.outcome is CheckOutcome.FAILED for line in lines)


def as_data(url: str, lines: Sequence[CheckResult]) -> dict[str, object]:
    """Return the report for a script: `url`, `ok`, and `steps` with `title`, `outcome`, `seen` and `fix`."""
    steps = [
        {
            "title": line.title,
            "outcome": line.finding.outcome.value,
            "seen": line.finding.seen,
            "fix": line.finding.fix,
        }
        for line in lines
    ]
    return {"url": url, "ok": not has_failed(lines), "steps": steps}


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent=MARGIN, subsequent_indent=MARGIN, break_on_hyphens=False)
