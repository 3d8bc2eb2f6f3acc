"""The ways to colour a map: by tag, by app and by age. Each has at most six colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from ownsona_site.pages.memory_map.points import Point

NAMED = 5
"""Number of tags and apps that have a colour of their own. The sixth is that of all others."""

_AGES = (
    (timedelta(days=7), gettext_noop("Last 7 days")),
    (timedelta(days=30), gettext_noop("Last 30 days")),
    (timedelta(days=90), gettext_noop("Last 90 days")),
    (timedelta(days=365), gettext_noop("Last 365 days")),
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to colour: the names of its colours, and the number of the colour of each point."""

    key: str
    title: str
    names: Sequence[str]
    colours: Sequence[int]

    @property
    def legend(self) -> list[tuple[int, str, int, int]]:
        """The colours that are used: the number, the name, the number of points, and the number of the CSS class."""
        counts = Counter(self.colours)
        # The last class is grey, for all that has no colour of its own.
        return [(number, name, counts[number], number + 1) for number, name in enumerate(self.names) if counts[number]]


def schemes_of(points: Sequence[Point]) -> list[Scheme]:
    """Return the three ways to colour these points."""
    return [_by_tag(points), _by_app(points), _by_age(points, timezone.now())]


def _by_tag(points: Sequence[Point]) -> Scheme:
    named = _covering([point.tags for point in points])
    colours = [_first(named, point.tags) for point in points]
    return Scheme("tag", gettext("tag"), [*_padded(named), gettext("Everything else")], colours)


def _covering(tags_of_points: Sequence[Sequence[str]]) -> list[str]:
    """Return the tags that colour most points. One that only occurs together with another of them would colour none."""
    named: list[str] = []
    uncovered = tags_of_points
    while len(named) < NAMED and (counts := Counter(tag for tags in uncovered for tag in tags)):
        [(tag, _)] = counts.most_common(1)
        named.append(tag)
        uncovered = [tags for tags in uncovered if tag not in tags]
    return named


def _by_app(points: Sequence[Point]) -> Scheme:
    named = [app for app, _ in Counter(point.app for point in points if point.app).most_common(NAMED)]
    colours = [_first(named, [point.app]) for point in points]
    return Scheme("app", gettext("app"), [*_padded(named), gettext("Everything else")], colours)


def _by_age(points: Sequence[Point], now: datetime) -> Scheme:
    colours = [
        next((number for number, (age, _) in enumerate(_AGES) if now - point.created_at <= age), NAMED)
        for point in points
    ]
    return Scheme("age", gettext("age"), [*_padded([gettext(name) for _, name in _AGES]), gettext("Older")], colours)


def _padded(names: Sequence[str]) -> list[str]:
    return [*names, *[""] * (NAMED - len(names))]


def _first(named: Sequence[str], values: Sequence[str]) -> int:
    return next((number for number, name in enumerate(named) if name in values), NAMED)
