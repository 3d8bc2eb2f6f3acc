"""The apps whose briefing an owner can preview."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from common.pages.distinct_names import distinct_names
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
    labels = distinct_names([(name, allowed_at) for _, name, _, allowed_at in found])
    return [
        PreviewedApp(client, name, tuple(tags), label)
        for (client, name, tags, _), label in zip(found, labels, strict=True)
    ]


apps_of: Provided[[int], list[PreviewedApp]] = Provided("the connected apps of a user, by user id")
