"""The table of a map: its groups, each with the tags or words that are typical of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.utils.translation import gettext

from memories.relations.vocabulary import FUNCTION_WORDS
from ownsona_site.pages.memory_map.points import Point
from ownsona_site.pages.memory_map.schemes import NAMED, Scheme

MIN_SHARE = 0.15
"""Share of the points of a group that a tag or word must have to be in its name."""

Value = TypeVar("Value")

_WORDS_OF_NO_TOPIC = """
seem seems might maybe perhaps probably likely today tomorrow yesterday currently usually always never often sometimes
again still since already soon every each recently later really also only very rather almost
scheint vielleicht vermutlich wahrscheinlich jetzt heute morgen gestern derzeit aktuell gerade meistens immer manchmal
wieder noch schon bald jede jeden jeder jedes neulich später wirklich auch sehr ziemlich fast seit nämlich eigentlich
bisher künftig
maintenant aujourd demain hier toujours jamais souvent parfois encore déjà bientôt chaque vraiment aussi très presque
depuis peut être
ahora mañana ayer siempre nunca veces todavía pronto cada también quizás desde casi
adesso oggi domani ieri sempre spesso volte ancora presto ogni anche forse quasi
"""
"""Words of time and degree and of inferences: English, German, French, Spanish and Italian."""

_NO_TOPICS = frozenset(_WORDS_OF_NO_TOPIC.split())

_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Topic:
    """A group of points, its most frequent tag with its colour, app and age, and the middle of its points."""

    number: int
    name: str
    memories: int
    documents: int
    newest: datetime
    tag: str
    app: str
    age: str
    colour: int
    x: int
    y: int


def topics_of(points: Sequence[Point], schemes: Sequence[Scheme]) -> list[Topic]:
    """Return the groups of these points."""
    members: dict[int, list[int]] = {}
    for place, point in enumerate(points):
        members.setdefault(point.group, []).append(place)
    names = _names(members, points)
    return [_topic(number, places, points, schemes, names[number]) for number, places in sorted(members.items())]


def _topic(number: int, places: list[int], points: Sequence[Point], schemes: Sequence[Scheme], name: str) -> Topic:
    mine = [points[place] for place in places]
    by_tag, _, by_age = schemes
    documents = sum(point.is_document for point in mine)
    tag = _most_frequent([tag for point in mine for tag in point.tags], "")
    return Topic(
        number=number,
        name=name or gettext("Group %(number)s") % {"number": number + 1},
        memories=len(mine) - documents,
        documents=documents,
        newest=max(point.created_at for point in mine),
        tag=tag,
        app=_most_frequent([point.app for point in mine if point.app], ""),
        age=by_age.names[_most_frequent([by_age.colours[place] for place in places], 0)],
        colour=1 + _colour(by_tag, tag, places),
        x=sorted(point.x for point in mine)[len(mine) // 2],
        y=sorted(point.y for point in mine)[len(mine) // 2],
    )  # fmt: skip


def _colour(by_tag: Scheme, tag: str, places: Sequence[int]) -> int:
    """Return the number of the colour of a group's main tag. If it has none, that of most of the points."""
    # The names that a scheme does not use are empty, too.
    if tag and tag in by_tag.names[:NAMED]:
        return by_tag.names.index(tag)
    return _most_frequent([by_tag.colours[place] for place in places], NAMED)


def _most_frequent(values: Sequence[Value], default: Value) -> Value:
    """Return the most frequent of the values; `default` if there are none."""
    return Counter(values).most_common(1)[0][0] if values else default


def _names(members: Mapping[int, Sequence[int]], points: Sequence[Point]) -> dict[int, str]:
    """Return a different name for each group: its tags. Words are added where tags are missing or shared by groups."""
    tags = _Typical([set(point.tags) for point in points])
    words = _Typical([_words(point) for point in points])
    of_tags = {number: tags.of(places) for number, places in members.items()}
    shared = Counter(frozenset(each) for each in of_tags.values())
    names = {}
    for number, places in members.items():
        name = ", ".join(of_tags[number])
        more = ", ".join(words.of(places)) if shared[frozenset(of_tags[number])] > 1 or not name else ""
        names[number] = (
            gettext("%(tags)s: %(words)s") % {"tags": name, "words": more} if name and more else name or more
        )
    return _numbered(names)


def _words(point: Point) -> set[str]:
    """Return the words of a text that say what it is about and that are not among its tags."""
    return set(_WORD.findall(point.text.casefold())) - FUNCTION_WORDS - _NO_TOPICS - set(point.tags)


def _numbered(names: Mapping[int, str]) -> dict[int, str]:
    """Add the number of its group to each name that several groups have."""
    shared = Counter(names.values())
    return {number: f"{name} ({number + 1})" if name and shared[name] > 1 else name for number, name in names.items()}


class _Typical:
    """The tags or words of points, and how frequent each is."""

    def __init__(self, values: Sequence[Collection[str]]) -> None:
        self.values = values
        self.everywhere = Counter(value for each in values for value in each)

    def of(self, places: Sequence[int]) -> list[str]:
        """Return the at most two values that are frequent in a group and rare elsewhere."""
        here = Counter(value for place in places for value in self.values[place])
        frequent = [value for value, count in here.items() if count >= max(2, len(places) * MIN_SHARE)]
        frequent.sort(key=lambda value: (-here[value] * here[value] / self.everywhere[value], value))
        return frequent[:2]
