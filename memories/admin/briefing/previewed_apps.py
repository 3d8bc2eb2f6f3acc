"""The apps whose briefing an owner can preview."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from common.pages.distinct_names import distinct_names
from common.provided import Provided


@dataclass(frozen=True, slots=True)
class PreviewedApp:
    """An app, its name, and the tags that its view is limited to; none for no limit.

    `is_usable` is false for an app that is paused or disconnected, and for a token that has expired. `label` is the
    name in a list of apps, where two may have the same one.
    """

    client: str
    name: str
    tags: tuple[str, ...]
    is_usable: bool
    label: str = ""


def with_labels(apps: Iterable[tuple[PreviewedApp, datetime]]) -> list[PreviewedApp]:
    """Return apps by name, with their labels. Each is given with the time at which the owner allowed it."""
    found = sorted(apps, key=lambda each: (each[0].name.casefold(), each[1], each[0].client))
    labels = distinct_names([(app.name, allowed_at) for app, allowed_at in found])
    return [replace(app, label=label) for (app, _), label in zip(found, labels, strict=True)]


apps_of: Provided[[int], list[PreviewedApp]] = Provided("the connected apps of a user, by user id")
