"""The apps whose briefing an owner can preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from common.pages.relative_times import exact_time
from common.provided import Provided


@dataclass(frozen=True, slots=True)
class PreviewedApp:
    """An app, its name, and the tags that its view is limited to; none for no limit.

    `label` is the name in a list of apps, where two may have the same one.
    """

    client: str
    name: str
    tags: tuple[str, ...]
    label: str


def with_labels(apps: Iterable[tuple[str, str, Sequence[str], datetime]]) -> list[PreviewedApp]:
    """Return apps by name. Each is given by its client, name and tags, and the time at which the owner allowed it."""
    found = sorted(apps, key=lambda app: (app[1].casefold(), app[3], app[0]))
    counts = Counter(name for _, name, _, _ in found)
    return [
        PreviewedApp(client, name, tuple(tags), _dated(name, allowed_at) if counts[name] > 1 else name)
        for client, name, tags, allowed_at in found
    ]


def _dated(name: str, allowed_at: datetime) -> str:
    return gettext("%(name)s, allowed on %(time)s") % {"name": name, "time": exact_time(allowed_at)}


apps_of: Provided[[int], list[PreviewedApp]] = Provided("the connected apps of a user, by user id")
