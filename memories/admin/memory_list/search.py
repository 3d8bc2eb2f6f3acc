"""The text of the search box: words, and filters such as `tag:work -app:claude before:2026-03`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext

MAX_CHARS = 2000
"""Characters of the search box that are read."""

_TERM = re.compile(
    r'(?P<minus>(?<!\S)(?:-|not\s+))?(?P<name>\w+):(?:"(?P<quoted>[^"]*)"|(?P<plain>\S+))', re.IGNORECASE
)
# A number with a minus is a number. NOT before a word is a word: "do NOT ring".
_EXCLUDED_WORD = re.compile(r'(?<!\S)-(?:"(?P<quoted>[^"]*[^"\s][^"]*)"|(?P<plain>[^\W\d_]\S*))')
WORD = "word"
"""The name of the filter `-word`, which is always excluded."""
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_AGENT = re.compile(r"[a-z0-9-]+")
NAMES = {
    "tag": "tag",
    "app": "app",
    "source": "app",
    "agent": "agent",
    "before": "before",
    "after": "after",
    "is": "is",
    "state": "is",
}
"""The names of filters, with other spellings of them."""

_PARAMETERS = {"tag": "tag", "source": "app", "app": "app", "state": "is", "briefing": "is"}
"""Query parameters that links of other pages and bookmarks use, and their filters."""

_OLD_STATES = {"waiting": "pending", "taken-back": "withdrawn"}


@dataclass(frozen=True, slots=True)
class Term:
    """A filter, such as `tag:work`. `name` is one of the values of NAMES, or WORD.

    With `is_excluded`, it is typed as `-tag:work`, and finds what it would not find otherwise.
    """

    name: str
    value: str
    is_excluded: bool = False

    def __str__(self) -> str:
        value = f'"{self.value}"' if re.search(r"\s", self.value) else self.value
        return f"{'-' if self.is_excluded else ''}{'' if self.name == WORD else f'{self.name}:'}{value}"

    @property
    def label(self) -> str:
        """The words of the chip. What the owner types, such as `tag:`, is the same in every language."""
        if self.name == WORD:
            what = f"“{self.value}”"
        else:
            what = gettext(self.value) if self.name == "is" else f"{self.name}: {self.value}"
        return gettext("not %(what)s") % {"what": what} if self.is_excluded else what


@dataclass(frozen=True, slots=True)
class Search:
    """The words and the filters of a search. All filters must be met; of several tags, all."""

    words: str = ""
    terms: tuple[Term, ...] = ()
    problems: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return " ".join([*map(str, self.terms), self.words]).strip()

    def values(self, name: str) -> list[str]:
        """Return the values of the filters called `name`, without excluded ones."""
        return [term.value for term in self.terms if term.name == name and not term.is_excluded]

    def excluded(self, name: str) -> list[str]:
        """Return the values that filters called `name` exclude."""
        return [term.value for term in self.terms if term.name == name and term.is_excluded]

    def without(self, term: Term) -> Search:
        """Return the search without one of its filters."""
        return replace(self, terms=tuple(other for other in self.terms if other != term))

    def with_term(self, term: Term) -> Search:
        """Return the search with one more filter. It replaces a state, and one that excludes what it is for."""
        opposite = replace(term, is_excluded=not term.is_excluded)
        others = [
            other
            for other in self.terms
            if other != opposite and not (term.name == other.name == "is" and not other.is_excluded)
        ]
        return replace(self, terms=(*others, term))

    @property
    def is_narrowed(self) -> bool:
        """Whether there are words, or filters beside the state."""
        return bool(self.words) or any(term.name != "is" for term in self.terms)

    @property
    def has_one_word(self) -> bool:
        """Whether there is only one word."""
        return len(self.words.split()) == 1

    @property
    def since(self) -> datetime | None:
        """The latest `after:`, from the beginning of the day."""
        return max((_first_day(value) for value in self.values("after")), default=None)

    @property
    def until(self) -> datetime | None:
        """The earliest `before:`. The named day, month or year itself is not included."""
        return min((_first_day(value) for value in self.values("before")), default=None)


def read_search(query: QueryDict, states: Mapping[str, object]) -> Search:
    """Return the search of a query. Filters that make no sense are problems.

    `states` are the allowed values of `is:`.
    """
    typed = query.get("q", "")[:MAX_CHARS]
    terms: list[Term] = []
    problems: list[str] = []
    for term in [*_terms_of(typed), *_terms_of_parameters(query)]:
        problem = _problem_with(term, states)
        if problem:
            problems.append(problem)
        elif term not in terms:
            terms.append(term)
    return Search(" ".join(_EXCLUDED_WORD.sub("", _without_terms(typed)).split()), tuple(terms), tuple(problems))


def _without_terms(typed: str) -> str:
    return _TERM.sub(lambda found: "" if found["name"].lower() in NAMES else found[0], typed)


def _terms_of(typed: str) -> Iterator[Term]:
    for found in _TERM.finditer(typed):
        name = NAMES.get(found["name"].lower())
        value = (found["quoted"] if found["quoted"] is not None else found["plain"]).strip()
        if name:
            yield Term(name, value.lower() if name in {"is", "agent"} else value, bool(found["minus"]))
    for found in _EXCLUDED_WORD.finditer(_without_terms(typed)):
        yield Term(WORD, " ".join((found["quoted"] or found["plain"]).split()), is_excluded=True)


def _terms_of_parameters(query: QueryDict) -> Iterator[Term]:
    for parameter, name in _PARAMETERS.items():
        if value := query.get(parameter, "").strip()[:MAX_CHARS]:
            yield Term(name, _OLD_STATES.get(value, value))


def _problem_with(term: Term, states: Mapping[str, object]) -> str:
    if not term.value:
        example = f"{term.name}:{_EXAMPLES[term.name]}"
        return gettext("“%(name)s:” needs a value, such as %(example)s.") % {"name": term.name, "example": example}
    if term.name == "is" and term.value not in states:
        return gettext("There is no state “%(value)s”. Use one of %(list)s.") % {
            "value": term.value,
            "list": ", ".join(states),
        }
    if term.name == "agent" and not _AGENT.fullmatch(term.value):
        text = gettext("“%(term)s” is not an agent. The name of an agent has letters from a to z, digits and hyphens.")
        return text % {"term": term}
    if term.is_excluded and term.name in {"before", "after"}:
        text = gettext("“%(term)s” cannot be excluded. Use %(other)s:%(value)s instead.")
        other = "after" if term.name == "before" else "before"
        return text % {"term": replace(term, is_excluded=False), "other": other, "value": term.value}
    if term.name in {"before", "after"} and _as_day(term.value) is None:
        return gettext("“%(term)s” is not a date. Write %(name)s:2026, %(name)s:2026-03 or %(name)s:2026-03-15.") % {
            "term": term,
            "name": term.name,
        }
    return ""


_EXAMPLES = {
    "tag": "work",
    "app": "claude",
    "agent": "librarian",
    "before": "2026-03",
    "after": "2026-03",
    "is": "forgotten",
}


def _as_day(value: str) -> date | None:
    found = _DATE.fullmatch(value)
    if not found:
        return None
    try:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return None


def _first_day(value: str) -> datetime:
    day = _as_day(value)
    assert day is not None, "problems were left out"
    # Two days from the ends of the calendar, so that no time zone leaves it.
    day = min(max(day, date.min + timedelta(days=2)), date.max - timedelta(days=2))
    return datetime.combine(day, time.min, timezone.get_current_timezone())
