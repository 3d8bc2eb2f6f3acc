"""The page with the list of memories, and its timeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page
from memories.access import View
from memories.admin.base import owners_view
from memories.admin.memory_list.facets import facets_of_all
from memories.admin.memory_list.finding import Found, find
from memories.admin.memory_list.search import MAX_CHARS, Search, Term, read_search
from memories.admin.memory_list.states import ACTIVE, STATES
from memories.admin.proposers import proposers_of
from memories.admin.rows import MemoryRow, memory_row
from memories.admin.sources import shown_name
from memories.cleanup.stored_findings import contradicting

CHIPS = 6
"""Number of filters that are offered below the search box."""

SORT_LABELS = {
    "": gettext_noop("Newest first"),
    "oldest": gettext_noop("Oldest first"),
    "confirmed": gettext_noop("Last confirmed first"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter that can be chosen or, if it is chosen, removed. `count` is None if it is not known."""

    label: str
    url: str
    count: int | None = None
    is_current: bool = False


def memory_list_page(request: HttpRequest, *, is_timeline: bool = False) -> HttpResponse:
    """Show the memories that the query finds, with their tags, apps and states to narrow the list down."""
    view = owners_view(request)
    search = read_search(request.GET, STATES)
    sort = request.GET.get("sort", "")
    page = _page_number(request.GET.get("p", ""))
    every = facets_of_all(view)
    found = find(view, search, every, page, sort)
    links = _Links(request.path, sort)
    context = {
        "rows": _rows(view, found),
        "found": found,
        "search": search,
        "typed": request.GET.get("q", "")[:MAX_CHARS] if search.problems else str(search),
        "problems": [*search.problems, *([found.problem] if found.problem else [])],
        "chosen": [Choice(term.label, links.to(search.without(term))) for term in search.terms],
        "offered": _offered(search, found, links),
        "facets": list(_facet_groups(search, found, links)),
        "sorts": [
            Choice(gettext(label), _Links(request.path, name).to(search), is_current=name == sort)
            for name, label in SORT_LABELS.items()
        ],
        "sort": sort,
        "next_url": links.to(search, page + 1) if found.has_next else "",
        "is_empty": not every.states[ACTIVE] and not search.terms and not search.words,
        "has_state": bool(search.values("is")),
        "forgotten_url": links.to(Search(search.words, (Term("is", "all"),))),
        "is_timeline": is_timeline,
        "list_url": reverse("admin:memories_memory_changelist"),
    }
    return owner_page(
        request, "memories/list.html", context, title=gettext("Timeline") if is_timeline else gettext("Memories")
    )


def _rows(view: View, found: Found) -> list[MemoryRow]:
    """Return the rows of the memories, with what only other tables know. At most four queries."""
    passages, proposers = found.passages or {}, proposers_of(view.owner_id, found.memories)
    doubtful = contradicting(view, [memory.pk for memory in found.memories]) if found.memories else set()
    return [
        memory_row(
            memory,
            passage=passages.get(memory.pk, ""),
            proposer=proposers.get(memory.pk, ""),
            is_contradicting=memory.pk in doubtful,
        )
        for memory in found.memories
    ]


@dataclass(frozen=True, slots=True)
class _Links:
    """Links to the same list with another search."""

    path: str
    sort: str

    def to(self, search: Search, page: int = 1) -> str:
        parameters = {"q": str(search), "sort": self.sort, "p": str(page) if page > 1 else ""}
        given = {name: value for name, value in parameters.items() if value}
        return f"{self.path}?{urlencode(given)}" if given else self.path


def _page_number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 6 else 1


def _offered(search: Search, found: Found, links: _Links) -> list[Choice]:
    """Return the filters below the search box: those that leave the most, but not all."""
    facets = found.facets
    terms = [(Term("tag", tag), tag, count) for tag, count in facets.tags]
    terms += [(Term("app", app), shown_name(app), count) for app, count in facets.apps]
    terms = [item for item in terms if item[0] not in search.terms and (item[2] < found.total or not search.terms)]
    best = sorted(terms, key=lambda item: -item[2])[:CHIPS]
    is_counted = not (found.is_ranked and found.is_sample)
    offered = [
        Choice(label, links.to(search.with_term(term)), count if is_counted else None) for term, label, count in best
    ]
    if not search.values("is"):
        for state in (gettext_noop("pinned"), gettext_noop("expired")):
            if state in facets.states:
                count = None if search.is_narrowed else facets.states[state]
                offered.append(Choice(gettext(state), links.to(search.with_term(Term("is", state))), count))
    return offered


def _facet_groups(search: Search, found: Found, links: _Links) -> Iterable[tuple[str, Sequence[Choice]]]:
    """Yield the groups beside the list."""
    facets = found.facets

    def choices(name: str, counted: Iterable[tuple[str, int]]) -> list[Choice]:
        found_choices = [_choice(search, Term(name, value), count, links) for value, count in counted]
        # Of very many that have the words, only some were looked at: their numbers would say little.
        is_counted = not (found.is_ranked and found.is_sample)
        return [choice if is_counted else replace(choice, count=None) for choice in found_choices]

    yield gettext("Tags"), choices("tag", facets.tags)
    yield gettext("Apps"), choices("app", facets.apps)
    states = [_choice(search, Term("is", state), count, links) for state, count in facets.states.items()]
    if search.is_narrowed:
        # The states are counted over all memories. Of what the search leaves, only the shown state is known.
        total = None if found.is_sample else found.total
        states = [replace(choice, count=total if choice.is_current else None) for choice in states]
    yield gettext("State"), states


def _choice(search: Search, term: Term, count: int, links: _Links) -> Choice:
    is_default = term == Term("is", ACTIVE) and not search.values("is")
    is_current = term in search.terms or is_default
    label = capfirst(gettext(term.value)) if term.name == "is" else shown_name(term.value)
    target = search.without(term) if term in search.terms else search if is_default else search.with_term(term)
    if term == Term("is", ACTIVE):
        others = (
            other for other in search.terms if other.name != "is" or (other.is_excluded and other.value != ACTIVE)
        )
        target = Search(search.words, tuple(others))
    return Choice(label if term.name != "tag" else term.value, links.to(target), count, is_current)
