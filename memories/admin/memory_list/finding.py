"""The memories that a search of the list finds: by meaning and words together, else newest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain

from django.conf import settings
from django.db.models import Q

from common.pages.admin_list import first_of_last_page
from memories.access import View
from memories.admin.memory_list.excluding import from_any, without_excluded
from memories.admin.memory_list.facets import Facets, facets_among
from memories.admin.memory_list.search import Search
from memories.admin.memory_list.states import ACTIVE, ALL, STATES
from memories.admin.memory_list.words import Words, words_of
from memories.admin.sources import with_source
from memories.database import fetch_rows
from memories.errors import MemoriesError
from memories.models import Memory, MemoryQuerySet
from memories.recall.pipeline import Mode, Query, RecallOutcome, recall
from memories.recall.relevance import WEAK, Precision
from memories.tags import apply_synonyms, synonyms_of
from memories.validation.text import clean_tags

PAGE_SIZE = 50

SAMPLE = 5000
"""Number of memories of a narrowed list whose tags and apps are counted."""

MAX_CONTAINING = 200
"""Number of memories that contain the words, or almost, of which the best are shown."""

MAX_COMPARED = 2000
"""Number of memories with almost the same words that are compared. With more, the words say little."""

MAX_RANKED = 100
"""Number of matches of words that are shown, best first. More would be many bytes that nobody reads."""

MAX_SIMILAR = 10
MIN_RELEVANCE = 0.01
"""Of memories that are only close in meaning: the most that are shown, and the least relevance. Apps get more, because
models leave out what does not help; a person has to read it."""

CLEAR = 0.15
"""The relevance of the best match from which on weak ones are shown, too: many memories that answer equally well share
the relevance, so that each has little."""

MAX_WEAK = 3
"""Number of weak matches that are shown if there are only such."""

MIN_ALIKE = 0.75
"""Least similarity of a word and a misspelled one, 0–1, as `difflib` computes it."""

READ_CHARS = 4_000
"""Number of characters of a memory in which such words are looked for."""

_WORD = re.compile(r"\w{3,}")

MAX_PAGE = 2000

_ID = re.compile(r"#?([0-9]{1,18})", re.ASCII)
"""The id of a memory, as its page shows it."""

SORTS = {"": ("-created_at", "-id"), "oldest": ("created_at", "id"), "confirmed": ("-last_confirmed_at", "-id")}
"""The orders of the list, by the value of the parameter `sort`."""

# Below the default of 0.6, so that two swapped letters of a short word still match. Only words of four letters count.
_ALMOST = """
SELECT id, left(text, %(read)s) FROM (
    SELECT id, text FROM memories_memory
    WHERE owner_id = %(owner)s AND upper(%(words)s) <%% upper(text) {restriction}
    LIMIT %(compared)s
) AS almost
ORDER BY word_similarity(upper(%(words)s), upper(text)) DESC, id DESC LIMIT %(limit)s
"""
# For the connection, not for a transaction, which would cost two queries more: nothing else uses the threshold.
_THRESHOLD = "SELECT set_config('pg_trgm.word_similarity_threshold', '0.42', false)"


@dataclass(frozen=True, slots=True)
class Found:
    """A page of memories, and the counts of what the search found.

    - `total`: how many there are; with `is_sample`, there are more, and `facets` counts only some of them.
    - `similar_from`: the place from which on memories are only close in meaning, without the words.
    - `are_weak`: they are only the nearest ones, and hardly related to the words.
    - `passages`: by id, the part of a long text that answers the words.
    - `problem`: why the search could not be carried out as asked.
    """

    memories: Sequence[Memory]
    facets: Facets
    total: int
    has_next: bool = False
    is_sample: bool = False
    is_ranked: bool = False
    similar_from: int = 0
    are_weak: bool = False
    passages: Mapping[int, str] | None = None
    problem: str = ""


def find(view: View, search: Search, every: Facets, page: int = 1, sort: str = "") -> Found:
    """Return a page (1 to MAX_PAGE, at most the last one) of the memories that `search` finds.

    `every` are the counts of all memories.
    """
    try:
        tags, excluded = (
            [clean_tags([tag]) or [tag] for tag in values] for values in (search.values("tag"), search.excluded("tag"))
        )
    except MemoriesError as error:
        return Found((), facets_among((), every), 0, problem=str(error))
    words = words_of(search.words)
    synonyms = synonyms_of(view, filter(None, [*chain.from_iterable([*tags, *excluded]), *words.tags.values()]))
    narrowed = _narrowed(view, search, [apply_synonyms(each, synonyms) for each in tags], every)
    narrowed = without_excluded(view, narrowed, search, [apply_synonyms(each, synonyms) for each in excluded], every)
    if search.words:
        found = _find_by_words(view, narrowed, search, words.with_synonyms(synonyms), every)
        meant = _meant(view, narrowed, search)
        return _put_first(meant, found, every) if meant else found
    order = SORTS.get(sort, SORTS[""])
    rows = _page(narrowed, (min(max(page, 1), MAX_PAGE) - 1) * PAGE_SIZE, order)
    if not rows and page > 1:
        rows = _page(narrowed, first_of_last_page(narrowed.order_by().count(), PAGE_SIZE), order)
    shown, has_next = rows[:PAGE_SIZE], len(rows) > PAGE_SIZE
    if not search.terms:
        return Found(shown, every, every.states[ACTIVE], has_next)
    sample = list(narrowed.order_by().values_list("tags", "source_provider", "stored_by")[: SAMPLE + 1])
    facets = facets_among(sample[:SAMPLE], every)
    return Found(shown, facets, min(len(sample), SAMPLE), has_next, is_sample=len(sample) > SAMPLE)


def _page(memories: MemoryQuerySet, first: int, order: Sequence[str]) -> list[Memory]:
    """Return the memories of a page that begins with number `first` (0, 1, …), and the one after it."""
    ordered = memories.order_by(*order)
    if first:
        # PostgreSQL would read the whole row and its source for each memory before the page, too.
        ids = list(ordered.values_list("pk", flat=True)[first : first + PAGE_SIZE + 1])
        first, ordered = 0, memories.filter(pk__in=ids).order_by(*order)
    return list(with_source(ordered)[first : first + PAGE_SIZE + 1])


def _narrowed(view: View, search: Search, tags: Iterable[Sequence[str]], every: Facets) -> MemoryQuerySet:
    """Return the memories that meet all filters of `search`, whose canonical tags are `tags`."""
    default = ALL if ACTIVE in search.excluded("is") else ACTIVE
    memories = STATES[next(iter(search.values("is")), default)](Memory.objects.visible_including_quarantined(view))
    for tag in tags:
        memories = memories.tagged(tag)
    for name in search.values("app"):
        memories = memories.filter(from_any(every.origins_called(name)))
    for agent in search.values("agent"):
        memories = memories.filter(agent=agent)
    return memories.created_between(search.since, search.until)


def _meant(view: View, narrowed: MemoryQuerySet, search: Search) -> Memory | None:
    """Return the memory whose id was typed.

    Without filters, it may have any state, because its page shows its id in any state, too.
    """
    number = _ID.fullmatch(search.words)
    if not number:
        return None
    known = narrowed if search.terms else Memory.objects.visible_including_quarantined(view)
    return with_source(known.filter(pk=int(number[1]))).first()


def _put_first(meant: Memory, found: Found, every: Facets) -> Found:
    """Return what was found with one memory in front, and without weak matches."""
    named, similar = found.memories[: found.similar_from], found.memories[found.similar_from :]
    named = [meant, *(memory for memory in named if memory != meant)]
    similar = [memory for memory in similar if memory != meant and not found.are_weak]
    memories = [*named, *similar]
    total = max(found.total, len(memories)) if found.is_sample else len(memories)
    facts = [(memory.tags, memory.source_provider, memory.stored_by) for memory in memories]
    facets = found.facets if found.is_sample else facets_among(facts, every)
    return replace(found, memories=memories, facets=facets, total=total, similar_from=len(named), are_weak=False)


def _find_by_words(view: View, narrowed: MemoryQuerySet, search: Search, words: Words, every: Facets) -> Found:
    """Return the memories with the words, best first: in their text, as a tag, then only close in meaning."""
    problem = ""
    passages: dict[int, str] = {}
    relevance: dict[int, float] = {}
    almost: list[int] = []
    is_calibrated = False
    try:
        outcome = _recalled(view, search)
        relevance = {match.memory.pk: match.relevance for match in outcome.matches}
        passages = {match.memory.pk: match.passage.text for match in outcome.matches if match.passage}
        is_calibrated = outcome.is_calibrated
        ids = list(relevance)
    except MemoriesError as error:
        ids, problem = [], str(error)
    found, is_sample = _with_words(narrowed, words, ids)
    if not any(words.are_in(memory) for memory in found):
        # Words that no memory contains may be misspelled.
        almost = _almost(view, search.words)[:PAGE_SIZE]
        ids = list(dict.fromkeys([*almost, *ids]))
        found += with_source(narrowed.filter(pk__in=set(almost) - {memory.pk for memory in found}))
    place = {memory_id: number for number, memory_id in enumerate(ids)}
    found.sort(key=lambda memory: (not words.are_in_text(memory), place.get(memory.pk, len(place))))
    named = [memory for memory in found if memory.pk in almost or words.are_in(memory)]
    others = [memory for memory in found if memory not in named]
    near = [memory for memory in others if relevance.get(memory.pk, 0) >= MIN_RELEVANCE]
    best = max((relevance[memory.pk] for memory in near), default=0.0)
    are_weak = is_calibrated and not named and best < WEAK
    least = WEAK if is_calibrated and WEAK <= best < CLEAR else 0.0
    similar = [memory for memory in near if relevance[memory.pk] >= least][: MAX_WEAK if are_weak else MAX_SIMILAR]
    found = [*named, *similar]
    facts = [(memory.tags, memory.source_provider, memory.stored_by) for memory in found]
    return Found(
        memories=found[:MAX_RANKED],
        facets=facets_among(facts, every),
        total=MAX_CONTAINING if is_sample else len(found),
        is_sample=is_sample,
        is_ranked=True,
        similar_from=len(named),
        are_weak=are_weak,
        passages=passages,
        problem=problem,
    )


def _with_words(narrowed: MemoryQuerySet, words: Words, ids: Sequence[int]) -> tuple[list[Memory], bool]:
    """Return the memories with the words or these ids, newest first, and whether some were left out.

    Those with a word only as a tag come after the others: of a common tag, there are too many to displace the others.
    """
    most = MAX_CONTAINING + len(ids)
    found = list(with_source(narrowed.filter(Q(pk__in=ids) | words.in_text).newest_first())[: most + 1])
    if len(found) <= most:
        tagged = with_source(narrowed.filter(words.only_with_tags).exclude(pk__in=ids).newest_first())
        found += tagged[: most + 1 - len(found)]
    return found, len(found) > most


def _recalled(view: View, search: Search) -> RecallOutcome:
    """Return the active memories that answer the words. Raises MemoriesError."""
    query = Query(
        search.words,
        settings.MAX_RECALL_LIMIT,
        tags=tuple(search.values("tag")),
        agent=next(iter(search.values("agent")), None),
        mode=Mode.HYBRID,
        since=search.since,
        until=search.until,
        precision=Precision.BALANCED,
        argument="q",
    )
    return recall(view, query)


def _almost(view: View, words: str) -> list[int]:
    """Return the ids of memories with words that are spelled almost like the typed ones, most similar first."""
    long_words = " ".join(word for word in words.split() if len(word) >= 4)[:100]
    if not long_words:
        return []
    parameters = {
        "owner": view.owner_id,
        "words": long_words,
        "only_tags": list(view.only_tags),
        "limit": MAX_CONTAINING,
        "compared": MAX_COMPARED,
        "read": READ_CHARS,
    }
    fetch_rows(_THRESHOLD, {})
    rows = fetch_rows(_ALMOST.format(restriction=view.restriction), parameters)
    asked = long_words.casefold().split()
    return [memory_id for memory_id, text in rows if _has_almost(text, asked)]


def _has_almost(text: str, words: Sequence[str]) -> bool:
    """Return whether half of the words at least are in a text, almost spelled alike. "Director" is not "doctor"."""
    own = set(_WORD.findall(text.casefold()))
    return 2 * sum(bool(get_close_matches(word, own, n=1, cutoff=MIN_ALIKE)) for word in words) >= len(words)
