"""Sources in the words of the pages: kinds, locations, schedules and outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from common.pages.relative_times import exact_time, number
from common.pages.translated import translated
from documents.admin.source_pages.setting_fields import label_of
from documents.connectors.parts.keys import display_key
from documents.connectors.registry import CONNECTORS
from documents.models import Source
from documents.sources.selectors import health_problem


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sources: its name, and what it imports."""

    name: str | Promise
    description: str | Promise = ""


KINDS = {
    "folder": Kind(_("Folder"), _("Files in a folder of the server, and in the folders below it.")),
    "git": Kind(_("Git repository"), _("Files of a branch, over https or ssh, or from a repository on the server.")),
    "web": Kind(_("Web pages"), _("Pages, feeds (RSS, Atom, JSON Feed) and sitemaps.")),
    "s3": Kind(_("S3 bucket"), _("Files in a bucket of Amazon S3 or a compatible server, such as MinIO.")),
}

SCHEDULE = {
    0: gettext_noop("Only manually"),
    15: gettext_noop("Every 15 minutes"),
    60: gettext_noop("Every hour"),
    360: gettext_noop("Every 6 hours"),
    1440: gettext_noop("Every day"),
    10080: gettext_noop("Every week"),
}
"""The intervals that the forms offer, by minutes. The commands accept others, too."""


class Outcome(StrEnum):
    """The outcome of the last sync of a source."""

    NEVER = gettext_noop("not synced yet")
    RUNNING = gettext_noop("being synced")
    DONE = gettext_noop("synced")
    FAILED = gettext_noop("failed")


def kind_of(kind: str) -> Kind:
    """Return the kind with this name in the table of connectors."""
    return KINDS.get(kind) or Kind(kind.capitalize())


def schedule_in_words(minutes: int) -> str:
    """Return the time between two syncs."""
    if name := SCHEDULE.get(minutes):
        return gettext(name)
    return ngettext("Every %(number)s minute", "Every %(number)s minutes", minutes) % {"number": number(minutes)}


def location_of(source: Source) -> str:
    """Return the place that a source reads: a path, an address, or the first of several with their number."""
    settings = source.settings
    if "bucket" in settings:
        parts = (settings.get("endpoint"), settings["bucket"], settings.get("prefix"))
        return display_key("/".join(str(part) for part in parts if part))
    urls = settings.get("urls") or [settings.get("url") or settings.get("path") or ""]
    first = display_key(str(urls[0]))
    if len(urls) == 1:
        return first
    return gettext("%(first)s and %(number)s more") % {"first": first, "number": number(len(urls) - 1)}


def outcome_of(source: Source) -> Outcome:
    """Return the outcome of the last sync. A source that cannot be opened has failed, too."""
    if is_running(source):
        return Outcome.RUNNING
    if health_problem(source):
        return Outcome.FAILED
    return Outcome.NEVER if source.started_at is None else Outcome.DONE


def problem_of(source: Source) -> str:
    """Return why the last sync failed, in the words of the page."""
    return problem_in_words(health_problem(source))


def problem_in_words(problem: str) -> str:
    """Return the problem of a source in the language of the page, with the label of a setting instead of its name.

    A sentence needs neither of them. Catalogues have the sentences with the names.
    """
    name, _, text = translated(problem).partition(": ")
    if name not in _PREFIXES:
        return translated(problem)
    return text if _is_sentence(text) else f"{gettext(label_of(name))}: {text}"


def _is_sentence(text: str) -> bool:
    """Return whether a problem needs no subject before it. Sentences may begin with an address, phrases do not.

    Those of pydantic are phrases, such as "Field required".
    """
    first = text.partition(" ")[0]
    return first not in ("Field", "Input") and (first[:1].isupper() or not first.isalpha())


_PREFIXES = frozenset({"git"}).union(*(connector.settings_model.model_fields for connector in CONNECTORS.values()))
"""The prefixes of problems: the name of the setting to change, or of the program that is missing."""


def is_running(source: Source) -> bool:
    """Return whether a sync of the source has begun and not ended. One that was killed is continued by the next one."""
    return source.started_at is not None and source.finished_at is None


def next_sync_in_words(source: Source, shown_time: Callable[[datetime], str] = exact_time) -> str:
    """Return when the next sync is due."""
    if source.paused_at is not None:
        return gettext("paused")
    if source.next_run_at is None:
        return gettext("only manually")
    if source.next_run_at <= timezone.now():
        return gettext("within a minute")
    return shown_time(source.next_run_at)
