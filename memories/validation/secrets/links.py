"""Links between the name of a secret and its value: "is", ":", "changed to", "as the", or nothing at all."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.passages import Passage
from memories.validation.secrets.values import YEAR

GAP_CHARS = 80
LIKE_CHARS = 50

_END = r"(?![^\W_])"
_FILLERS = rf"(?:\s*(?<![^\W_]){any_of('fillers')}{_END}){{0,4}}"
_LINK = lazy_pattern(
    rf"(?:[.?,:]?\s+(?:it|this|er|sie|es|ce|c|lo|la)?\s*(?<![^\W_]){any_of('links')}{_END}|[:=|]+|[-=]>|→|\s-\s|,\s(?=\d))"
    rf"{_FILLERS}\s*[:=]?\s*"
)
_NOTHING = lazy_pattern(
    r"(?:'s\s|\s+\((?=[^)]{3,60}\))|\s+(?:(?:no|nr|number|nummer|numero|n°|nº|#|of)\.?\s*)?(?=\S)|\s+(?=[\"“„«`']\S))"
)
_BLANK = r"[^\S\n]+"
_THING = "|".join(map(any_of, ("locks", "devices", "networks", "accounts")))
# A preposition, an article, one more word, the thing, and its place or owner: "for the blue card of Ben 4711".
_OF_THING = lazy_pattern(
    rf"(?P<of>{_BLANK}{any_of('of')}(?![^\W_]))?(?:{_BLANK}{any_of('owned')}(?![^\W_]))?"
    rf"(?:{_BLANK}[^\W\d_][\w'-]*)?{_BLANK}(?:[^\W\d_]{{1,2}}')?(?:{_THING})(?![^\W_])"
    rf"(?:{_BLANK}{any_of('of')}(?:{_BLANK}[^\W\d_][\w'-]*){{1,2}}|(?P<name>{_BLANK}[^\W\d_][\w'-]*))?"
    rf"{_BLANK}(?=\S*\d)"
)
_TO = lazy_pattern(rf"(?<![^\W_]){any_of('to')}{_END}(?:\s*{any_of('fillers')}{_END}){{0,2}}\s+")
_FORMER = r"(?:\s+[^\W\d_][\w-]*){0,2}"
_OPENING_OF = {'"': '"', "”": "“„", "“": "„", "»": "«", "`": "`", "'": "'"}
_LIKE = lazy_pattern(rf"[,]?\s+(?<![^\W_])(?:{any_of('like')}|{any_of('mine')}){_FORMER}\s*$")


class Join(enum.Enum):
    """The connection between the name of a secret and a possible value."""

    NOTHING = enum.auto()
    THING = enum.auto()
    """Only the thing that the secret opens: "passcode iPad 112233", "code for the garage 4471"."""
    PREPOSITION = enum.auto()
    ORIGIN = enum.auto()
    """A verb and the date that the value is: "is Grandma's birth year"."""
    VERB = enum.auto()
    """A verb such as "is", or a colon."""

    @property
    def is_bare(self) -> bool:
        """Whether neither a word nor a sign announces a value."""
        return self in {Join.NOTHING, Join.THING}


_ORIGIN = lazy_pattern(
    rf"[^.!?;\n\d]{{0,40}}?(?P<origin>(?<![^\W_]){any_of('origins')}){_END}(?:[^!?;\n\d.]|\.(?=[\w,])){{0,30}}?(?=\d)"
)
_WITH = lazy_pattern(r"(?<![^\W_])(?:with|avec|con) (?:(?:the|my|our|le|la|mon|notre|mi|nuestra|mia|nostra) ){1,2}$")
"""Words before a name right after which its value stands: "with the password tulip"."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a secret in a passage, where its sentence begins and ends, and where the next name begins.

    A value belongs to the name right before it. So no part of a text is read for more than one name.
    """

    passage: Passage
    start: int
    end: int
    sentence_start: int
    sentence_end: int
    next_start: int

    @classmethod
    def all_in(cls, passage: Passage, pattern: re.Pattern[str]) -> Iterator[Name]:
        """Yield the names that a pattern finds in the folded text."""
        spans = [found.span() for found in pattern.finditer(passage.folded)]
        following = [*(start for start, _ in spans[1:]), len(passage.folded)]
        for (start, end), next_start in zip(spans, following, strict=False):
            yield cls(passage, start, end, *passage.sentence(start, end), next_start)

    @property
    def before(self) -> str:
        """The folded text of the sentence before the name."""
        return self.passage.folded[self.sentence_start : self.start]

    def has(self, field_name: str) -> bool:
        """Return whether the sentence has a word of a field of `Vocabulary`."""
        return self.passage.has(field_name, self.sentence_start, self.sentence_end)


def value_places(name: Name) -> Iterator[tuple[int, Join]]:
    """Yield the positions where the value of a name may begin, and what joins them."""
    passage, folded = name.passage, name.passage.folded
    if nothing := _NOTHING.match(folded, name.end):
        yield nothing.end(), Join.VERB if _WITH.search(name.before) else Join.NOTHING
    if (end := _end_of_thing(name)) is not None:
        yield end, Join.THING
    for link in _LINK.finditer(folded, name.end, min(name.next_start, name.end + GAP_CHARS)):
        if not passage.is_one_sentence(name.end, link.start()) or passage.has("breaks", name.end, link.start()):
            break
        # A cell of a table says less than a verb, and so does another key: "password=$PW dbname=shop".
        is_weak = "|" in link[0] or _is_of_other_key(folded, name.end, link)
        yield link.end(), Join.PREPOSITION if is_weak else Join.VERB
        origin = _ORIGIN.match(folded, link.end(), name.next_start)
        if origin and not passage.has("breaks", link.end(), origin.start("origin")):
            yield origin.end(), Join.ORIGIN
    if name.has("changes"):
        for preposition in _TO.finditer(folded, name.end, min(name.next_start, name.sentence_end)):
            if not YEAR.match(folded, preposition.end()):
                yield preposition.end(), Join.PREPOSITION


def _is_of_other_key(folded: str, name_end: int, link: re.Match[str]) -> bool:
    """Return whether a link is the sign "=" right after another word than the name of a secret."""
    return link[0] == "=" and " " in folded[name_end : link.start()] and folded[link.start() - 1].isalnum()


def _end_of_thing(name: Name) -> int | None:
    """Return the end of the thing after a name that the name belongs to: "for the garage", "iPad", "card of Ben"."""
    text, folded = name.passage.text, name.passage.folded
    found = _OF_THING.match(folded, name.end, min(name.next_start, name.end + GAP_CHARS))
    if found is None or name.passage.has("breaks", *found.span()):
        return None
    # Pins are also things: "pin connector laptop".
    is_pin = found["of"] or folded[name.start : name.end] != "pin" or text[name.start : name.end].isupper()
    is_named = found["name"] is None or text[found.start("name") : found.end("name")].lstrip()[0].isupper()
    return found.end() if is_pin and is_named else None


def value_before(name: Name) -> tuple[int, int] | None:
    """Return where a value before its name is: "1234" in "1234 is my PIN"; None if there is no word.

    A text in quotation marks begins at the first of them.
    """
    folded, first = name.passage.folded, max(name.sentence_start, name.start - LIKE_CHARS)
    found = _LIKE.search(folded[first : name.start])
    if found is None:
        return None
    before = name.passage.text[name.sentence_start : first + found.start()].rstrip()
    if not before:
        return None
    start = max(before.rfind(" "), before.rfind("\n")) + 1
    opening = _OPENING_OF.get(before[-1])
    if opening and before[start] not in opening:
        # Without an opening mark, everything before belongs to the value.
        start = max(0, *(before.rfind(mark, 0, -1) for mark in opening))
    return name.sentence_start + start, name.sentence_start + len(before)
