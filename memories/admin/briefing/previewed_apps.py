"""The apps whose briefing an owner can preview."""

from __future__ import annotations

from dataclasses import dataclass

from common.provided import Provided


@dataclass(frozen=True, slots=True)
class PreviewedApp:
    """An app, its name, and the tags that its view is limited to; none for no limit."""

    client: str
    name: str
    tags: tuple[str, ...]


apps_of: Provided[[int], list[PreviewedApp]] = Provided("the connected apps of a user, by user id")
