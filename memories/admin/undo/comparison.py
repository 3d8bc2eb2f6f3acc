"""The page that compares two versions of a memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page
from common.pages.relative_times import exact_time
from memories.admin.base import acting_owner, given_id, owner_id
from memories.admin.changes.kinds import HIDDEN, PINNED, UNHIDDEN, UNPINNED, new_place
from memories.admin.history import FieldChange, field_changes
from memories.errors import NotFound
from memories.models import JournalEntry
from memories.undo.versions import Version, is_complete, versions_of
from memories.writing.journal import JOURNALLED_FIELDS

_OPERATIONS: Mapping[str, str] = {
    JournalEntry.Operation.REMEMBER: gettext_noop("added"),
    JournalEntry.Operation.REVIVE: gettext_noop("active again"),
    JournalEntry.Operation.UPDATE: gettext_noop("changed"),
    JournalEntry.Operation.CONFIRM: gettext_noop("confirmed"),
    JournalEntry.Operation.FORGET: gettext_noop("forgotten"),
    JournalEntry.Operation.RESTORE: gettext_noop("restored"),
    JournalEntry.Operation.ACCEPT: gettext_noop("kept"),
    JournalEntry.Operation.REJECT: gettext_noop("forgotten"),
    JournalEntry.Operation.UNDO: gettext_noop("undone"),
    JournalEntry.Operation.REDO: gettext_noop("redone"),
    JournalEntry.Operation.HARD_DELETE: gettext_noop("deleted permanently"),
    JournalEntry.Operation.SHOW: gettext_noop("looked at"),
    PINNED: gettext_noop("pinned"),
    UNPINNED: gettext_noop("unpinned"),
    HIDDEN: gettext_noop("hidden"),
    UNHIDDEN: gettext_noop("unhidden"),
}
"""The change that led to a version, in a word."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions, and the fields in which they differ."""

    earlier: Version
    later: Version
    changes: Sequence[FieldChange]


def comparison_page(request: HttpRequest) -> HttpResponse:
    """Compare the versions `one` and `other` of the memory `memory` in the query; by default the last two."""
    memory_id = given_id(request.GET.get("memory", ""))
    try:
        versions = versions_of(acting_owner(owner_id(request)), memory_id)
    except NotFound:
        raise Http404 from None
    context = {
        "memory_id": memory_id,
        "choices": [(version.number, _name(version)) for version in versions],
        "is_complete": is_complete(versions),
        "comparison": _compared(request, versions),
    }
    crumb = {"url": reverse("admin:memories_memory_change", args=[memory_id]), "title": gettext("Memory")}
    return owner_page(
        request, "memories/comparison.html", {**context, "crumb": crumb}, title=gettext("Compare versions")
    )


def _compared(request: HttpRequest, versions: Sequence[Version]) -> Comparison | None:
    """Return the comparison of the chosen versions, the earlier one first; None if there is only one version.

    By default, it shows the last change that made a difference: a confirmation makes none.
    """
    if len(versions) < 2:
        return None
    by_number = {version.number: version for version in versions}
    pairs = list(pairwise(versions))
    last = next((pair for pair in reversed(pairs) if _changes_between(*pair)), pairs[-1])
    one, other = (
        by_number.get(given_id(request.GET.get(name, str(default.number))))
        for name, default in zip(("one", "other"), last, strict=True)
    )
    if one is None or other is None:
        raise Http404
    earlier, later = sorted((one, other), key=lambda version: version.number)
    return Comparison(earlier, later, _changes_between(earlier, later))


def _changes_between(earlier: Version, later: Version) -> Sequence[FieldChange]:
    changed = [name for name in JOURNALLED_FIELDS if earlier.state[name] != later.state[name]]
    before, after = ({name: version.state[name] for name in changed} for version in (earlier, later))
    # Times can differ by seconds, which are not shown.
    return [change for change in field_changes(before, after) if change.before != change.after]


def _name(version: Version) -> str:
    done = new_place(version.operation, version.before, version.after) or version.operation
    operation = gettext(_OPERATIONS[done])
    return f"{version.number}, {operation}, {exact_time(version.at)}"
