"""Tests of a view limited to some tags: for reads and writes, all other memories do not exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.access import Actor, View
from memories.comparisons.pending import PENDING
from memories.corpus import MEMORIES
from memories.drafts import Draft
from memories.errors import InvalidInput, NotFound
from memories.events.expiry import EXPIRED
from memories.models import JournalEntry, Memory, TagSynonym
from memories.queries.census import CENSUS
from memories.queries.selectors import MemoryFilters, filtered_memories, get_memory, list_tags, memory_stats
from memories.recall.matches import FOUND_BY_SEARCH
from memories.recall.names import KNOWN_NAMES, OWNER_NAMES
from memories.recall.pipeline import Mode, Query, recall
from memories.tags import canonical_tags
from memories.transfer.records import record_of
from memories.transfer.tombstone_import import Tombstone, import_tombstones
from memories.undo.storing import SET_BACK
from memories.validation.text import MAX_TAGS
from memories.vectors.duplicates import find_near_duplicates
from memories.writing.deduplication import DedupPolicy
from memories.writing.insertion import INSERT
from memories.writing.lifecycle import (
    confirm_memory,
    forget_memories,
    forget_memory,
    hard_delete_memory,
    restore_memory,
)
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, UpdateOutcome, update_memories, update_memory
from oauthserver.models import User
from ownsona_site.backup.snapshot import FORGOTTEN
from tests.support.concurrency import in_threads
from tests.support.factories import actor_for, make_expired, make_memory, make_user

ROOT = Path(__file__).resolve().parents[3]
MEETING = "We meet the whole team at the office every single Monday morning"


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def limited(user: User, *tags: str) -> Actor:
    """Return the actor of an app that may see the memories of `user` with any of `tags`."""
    return Actor(View(user.pk, tags), "limited")


def ids_of(memories: Iterable[Memory]) -> list[int]:
    return [memory.pk for memory in memories]


# --- Reads


def test_a_view_shows_memories_with_any_of_its_tags(owner: User) -> None:
    both = make_memory(owner, "tea at home", tags=("home", "drinks"))
    work = make_memory(owner, "tea at work", tags=("work",))
    make_memory(owner, "tea on holiday", tags=("travel",))
    make_memory(owner, "tea")
    make_memory(make_user(), "tea at home", tags=("home",))
    view = View(owner.pk, ("home", "work"))
    assert ids_of(Memory.objects.visible_to(view).order_by("pk")) == [both.pk, work.pk]
    assert Memory.objects.visible_to(View.whole(owner.pk)).count() == 4


@pytest.mark.parametrize("mode", Mode)
def test_memories_out_of_view_do_not_push_others_out_of_what_is_recalled(owner: User, mode: Mode) -> None:
    remember_all(actor_for(owner), [RememberRequest(Draft(f"tea {n}"), DedupPolicy.INSERT) for n in range(120)])
    shown = make_memory(owner, "a long story in which tea is served at the very end", tags=("home",))
    recalled = recall(View(owner.pk, ("home",)), Query("tea", mode=mode, limit=1))
    assert [match.memory.pk for match in recalled.matches] == [shown.pk]


def test_a_question_for_a_tag_finds_only_what_is_in_view_too(owner: User) -> None:
    make_memory(owner, "green tea", tags=("drinks",))
    shown = make_memory(owner, "black tea", tags=("drinks", "home"))
    view = View(owner.pk, ("home",))
    assert [match.memory.pk for match in recall(view, Query("tea", tags=["Drinks"])).matches] == [shown.pk]
    assert ids_of(filtered_memories(view, MemoryFilters(tags=["drinks"]))) == [shown.pk]


def test_counts_are_those_of_the_view_with_all_tags_of_what_it_shows(owner: User) -> None:
    make_memory(owner, "tea at home", tags=("home", "drinks"))
    make_memory(owner, "tea at work", tags=("work", "drinks"))
    view = View(owner.pk, ("home",))
    assert list_tags(view) == [("drinks", 1), ("home", 1)]
    assert (memory_stats(view).total, memory_stats(view).top_tags) == (1, list_tags(view))


def test_near_duplicates_are_looked_for_in_view_only(owner: User) -> None:
    first = make_memory(owner, MEETING, tags=("home",))
    second = make_memory(owner, f"{MEETING} again", tags=("home",))
    make_memory(owner, f"{MEETING} now", tags=("work",))
    found = find_near_duplicates(View(owner.pk, ("home",)), threshold=0.9, max_groups=5)
    assert [ids_of(group.memories) for group in found.shown] == [[first.pk, second.pk]]
    assert (found.group_count, found.pair_count) == (1, 1)


def test_what_replaced_a_tombstone_is_told_only_where_it_is_in_view(owner: User) -> None:
    hidden, shown = make_memory(owner, "I live on a ship", tags=("work",)), make_memory(owner, "Moved", tags=("home",))
    tombstones = [make_memory(owner, f"I live in {town}", tags=("home",)) for town in ("Paris", "Rome")]
    for tombstone, successor in zip(tombstones, (hidden, shown), strict=True):
        forget_memory(actor_for(owner), tombstone.pk, replaced_by_id=successor.pk)

    def told(view: View) -> list[int | None]:
        return [record_of(get_memory(view, tombstone.pk))["replaced_by_id"] for tombstone in tombstones]

    assert told(View(owner.pk, ("home",))) == [None, shown.pk]
    assert told(View.whole(owner.pk)) == [hidden.pk, shown.pk]


def test_a_memory_out_of_view_is_as_one_that_never_was(owner: User) -> None:
    hidden = make_memory(owner, "I like tea", tags=("work",))
    actor = limited(owner, "home")
    attempts: list[Callable[[int], object]] = [
        lambda memory_id: get_memory(actor.view, memory_id),
        lambda memory_id: update_memory(actor, memory_id, MemoryUpdate(importance=0.1)),
        lambda memory_id: update_memory(actor, memory_id, MemoryUpdate(text="I like coffee")),
        lambda memory_id: confirm_memory(actor, memory_id),
        lambda memory_id: forget_memory(actor, memory_id),
        lambda memory_id: hard_delete_memory(actor, memory_id),
        lambda memory_id: restore_memory(actor, memory_id),
    ]
    for attempt in attempts:
        messages = []
        for memory_id in (hidden.pk, 2**40):
            with pytest.raises(NotFound) as caught:
                attempt(memory_id)
            messages.append(str(caught.value).replace(str(memory_id), "…"))
        assert messages[0] == messages[1]
    (outcome,) = forget_memories(actor, [hidden.pk])
    assert isinstance(outcome, NotFound)
    assert JournalEntry.objects.filter(memory_id=hidden.pk).count() == 1


def test_a_successor_must_be_in_view(owner: User) -> None:
    shown, hidden = make_memory(owner, "I like tea", tags=("home",)), make_memory(owner, "I like milk", tags=("work",))
    with pytest.raises(InvalidInput, match="replaced_by_id: there is no active memory"):
        forget_memory(limited(owner, "home"), shown.pk, replaced_by_id=hidden.pk)
    assert not Memory.objects.get(pk=shown.pk).deleted_at


# --- Writes


def test_a_new_memory_must_have_a_tag_of_the_view(owner: User) -> None:
    actor = limited(owner, "home", "software", "family")
    with pytest.raises(InvalidInput) as caught:
        remember(actor, RememberRequest(Draft("I like tea", tags=("drinks",))))
    assert str(caught.value) == (
        "tags: this app is limited to memories tagged home, software or family. Give at least one of these tags."
    )
    with pytest.raises(InvalidInput, match=r"^tags: "):
        remember(actor, RememberRequest(Draft("I like tea")))
    outcome = remember(actor, RememberRequest(Draft("I like tea", tags=("drinks", "Home"))))
    assert get_memory(actor.view, outcome.memory_id).tags == ["drinks", "home"]
    assert Memory.objects.count() == 1


def test_a_variant_of_a_tag_of_the_view_will_do(owner: User) -> None:
    outcome = remember(limited(owner, "home", "software"), RememberRequest(Draft("I like Rust", tags=("coding",))))
    assert Memory.objects.get(pk=outcome.memory_id).tags == ["software"]


def test_the_only_tag_of_a_view_goes_without_saying(owner: User) -> None:
    actor = limited(owner, "home")
    outcome = remember(actor, RememberRequest(Draft("I like tea")))
    assert get_memory(actor.view, outcome.memory_id).tags == ["home"]
    outcome = remember(actor, RememberRequest(Draft("I like milk", tags=("drinks",))))
    assert get_memory(actor.view, outcome.memory_id).tags == ["drinks", "home"]
    for tags, stored in (([], ["home"]), (["cold"], ["cold", "home"]), (["home", "cold"], ["home", "cold"])):
        update_memory(actor, outcome.memory_id, MemoryUpdate(tags=tags))
        assert get_memory(actor.view, outcome.memory_id).tags == stored


def test_the_only_tag_of_a_view_counts_among_the_tags_of_a_memory(owner: User) -> None:
    tags = tuple(f"tag-{number}" for number in range(MAX_TAGS))
    with pytest.raises(InvalidInput, match=f"tags: {MAX_TAGS + 1} tags; at most {MAX_TAGS}"):
        remember(limited(owner, "home"), RememberRequest(Draft("I like tea", tags=tags)))
    assert not Memory.objects.exists()


def test_a_tag_of_the_view_stands_for_itself_whatever_synonyms_say(owner: User) -> None:
    TagSynonym.objects.create(owner=owner, variant="home", canonical="house")
    actor = limited(owner, "home")
    outcome = remember(actor, RememberRequest(Draft("I like tea", tags=("home",))))
    update_memory(actor, outcome.memory_id, MemoryUpdate(tags=["home", "drinks"]))
    assert get_memory(actor.view, outcome.memory_id).tags == ["home", "drinks"]
    assert canonical_tags(actor.view, ["home"]) == ["home"]
    assert canonical_tags(View.whole(owner.pk), ["home"]) == ["house"]


def test_in_a_batch_an_item_without_a_tag_of_the_view_fails_alone(owner: User) -> None:
    actor = limited(owner, "home", "work")
    drafts = [Draft("tea", tags=("home",)), Draft("milk"), Draft("", tags=("home",)), Draft("juice", tags=("work",))]
    outcomes = remember_all(actor, [RememberRequest(draft) for draft in drafts])
    assert [type(outcome) for outcome in outcomes] == [RememberOutcome, InvalidInput, InvalidInput, RememberOutcome]
    assert sorted(memory.text for memory in Memory.objects.all()) == ["juice", "tea"]


def test_an_update_cannot_take_a_memory_out_of_view(owner: User) -> None:
    memory = make_memory(owner, "I like tea", tags=("home", "drinks"))
    actor = limited(owner, "home", "work")
    for tags in ([], ["drinks"]):
        for dry_run in (True, False):
            with pytest.raises(InvalidInput, match="tagged home or work"):
                update_memory(actor, memory.pk, MemoryUpdate(tags=tags), dry_run=dry_run)
    items = [(memory.pk, MemoryUpdate(tags=["drinks"])), (memory.pk, MemoryUpdate(tags=["work"]))]
    assert [type(outcome) for outcome in update_memories(actor, items)] == [InvalidInput, UpdateOutcome]
    assert get_memory(actor.view, memory.pk).tags == ["work"]


def test_near_ones_out_of_view_are_neither_reported_nor_in_the_way(owner: User) -> None:
    make_memory(owner, MEETING, tags=("work",))
    forget_memory(actor_for(owner), make_memory(owner, f"{MEETING} again", tags=("work",)).pk)
    draft = Draft(f"{MEETING} now", tags=("home",))
    outcome = remember(limited(owner, "home"), RememberRequest(draft, DedupPolicy.SKIP_IF_NEAR))
    assert not outcome.is_duplicate
    assert (outcome.neighbours.active, outcome.neighbours.forgotten) == ([], [])


def test_near_ones_in_view_are_reported_however_many_others_are_nearer(owner: User) -> None:
    shown = make_memory(owner, MEETING, tags=("home",))
    requests = [
        RememberRequest(Draft(f"{MEETING} now {'.' * n}", tags=("work",)), DedupPolicy.INSERT) for n in range(60)
    ]
    remember_all(actor_for(owner), requests)
    outcome = remember(limited(owner, "home"), RememberRequest(Draft(f"{MEETING} now")))
    assert [memory.pk for memory, _ in outcome.neighbours.active] == [shown.pk]


# --- Duplicates outside the view


def test_a_known_text_out_of_view_comes_into_view_as_if_it_were_new(owner: User) -> None:
    hidden = make_memory(owner, "I like tea", tags=("work", "drinks"))
    actor = limited(owner, "home", "family")
    outcome = remember(actor, RememberRequest(Draft("i like TEA", tags=("hot", "family", "drinks"))))
    assert (outcome.memory_id, outcome.is_duplicate, outcome.indexed) == (hidden.pk, False, True)
    shown = get_memory(actor.view, hidden.pk)
    assert (shown.text, shown.tags) == ("I like tea", ["work", "drinks", "family"])
    entry = JournalEntry.objects.latest("pk")
    assert (entry.operation, entry.client) == ("update", "limited")
    assert entry.after == {"tags": ["work", "drinks", "family"]}
    assert remember(actor, RememberRequest(Draft("I like tea", tags=("home",)))).is_duplicate
    assert Memory.objects.count() == 1


def test_a_known_text_out_of_view_is_left_alone_where_a_near_one_answers(owner: User) -> None:
    hidden = make_memory(owner, MEETING, tags=("work",))
    near = make_memory(owner, f"{MEETING} now", tags=("home",))
    outcome = remember(limited(owner, "home"), RememberRequest(Draft(MEETING), DedupPolicy.SKIP_IF_NEAR))
    assert (outcome.memory_id, outcome.is_duplicate) == (near.pk, True)
    assert Memory.objects.get(pk=hidden.pk).tags == ["work"]


def test_a_known_text_out_of_view_that_has_expired_is_revived(owner: User) -> None:
    hidden = make_expired(make_memory(owner, "The pool is open", tags=("work",)))
    outcome = remember(limited(owner, "home"), RememberRequest(Draft("The pool is open")))
    assert (outcome.memory_id, outcome.is_duplicate) == (hidden.pk, False)
    hidden.refresh_from_db()
    assert (hidden.tags, hidden.expires_at) == (["work", "home"], None)
    operations = JournalEntry.objects.filter(client="limited").order_by("pk").values_list("operation", flat=True)
    assert list(operations) == ["update", "revive"]


@pytest.mark.django_db(transaction=True)
def test_a_known_text_out_of_view_said_by_many_at_once_stays_one_row() -> None:
    owner = make_user()
    hidden = make_memory(owner, "The pool is open", tags=("work",))
    actors = [limited(owner, "home"), limited(owner, "family"), actor_for(owner)]
    outcomes = in_threads(9, lambda number: remember(actors[number % 3], RememberRequest(Draft("The pool is open"))))
    assert {outcome.memory_id for outcome in outcomes} == {hidden.pk}
    assert sum(not outcome.is_duplicate for outcome in outcomes) == 2
    assert sorted(Memory.objects.get().tags) == ["family", "home", "work"]


@pytest.mark.django_db(transaction=True)
def test_batches_with_texts_in_and_out_of_view_at_once_leave_each_row_once() -> None:
    owner = make_user()
    for number in range(10):
        make_memory(owner, f"fact number {number}", tags=("work",))
    drafts = [Draft(f"fact number {number}", tags=("home",)) for number in range(20)]

    def store(number: int) -> int:
        given = drafts if number % 2 else drafts[::-1]
        outcomes = remember_all(limited(owner, "home"), [RememberRequest(draft, DedupPolicy.INSERT) for draft in given])
        return sum(isinstance(outcome, RememberOutcome) and not outcome.is_duplicate for outcome in outcomes)

    assert sum(in_threads(4, store)) == 20
    assert Memory.objects.filter(tags__contains=["home"]).count() == Memory.objects.count() == 20


def test_a_text_in_the_way_of_an_update_but_out_of_view_is_not_named(owner: User) -> None:
    hidden = make_memory(owner, "I live in Lyon", tags=("work",))
    memory = make_memory(owner, "I live in Paris", tags=("home",))
    with pytest.raises(InvalidInput, match=r"^text: ") as caught:
        update_memory(limited(owner, "home"), memory.pk, MemoryUpdate(text="I live in Lyon"))
    assert str(hidden.pk) not in str(caught.value)
    assert Memory.objects.get(pk=memory.pk).text == "I live in Paris"


def test_a_tombstone_out_of_view_cannot_be_brought_in(owner: User) -> None:
    gone = make_memory(owner, "gone")
    forget_memory(actor_for(owner), gone.pk)
    gone.refresh_from_db()
    assert gone.deleted_at is not None
    tombstone = Tombstone(Draft("old", tags=("work",)), gone.deleted_at)
    with pytest.raises(InvalidInput, match="tagged home or garden"):
        import_tombstones(limited(owner, "home", "garden"), [tombstone])
    assert Memory.objects.count() == 1


# --- Checks that every query uses a view


def test_an_unlimited_question_mentions_no_tags(owner: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        get_memory(View.whole(owner.pk), make_memory(owner, "tea").pk)
        recall(View.whole(owner.pk), Query("tea"))
        list_tags(View.whole(owner.pk))
    assert queries.captured_queries
    assert not [query["sql"] for query in queries.captured_queries if "tags &&" in query["sql"]]


UNLIMITED = {
    ("memories/vectors/indexing.py", "filter"),
    ("memories/admin/models_page.py", "count"),
    ("memories/transfer/archive/parts/memories.py", "bulk_create"),
    ("memories/transfer/tombstone_import.py", "bulk_create"),
}
"""The job process works for every owner, superusers see its progress, and new memories were checked before they are
inserted."""

FOR_THE_OWNER = {
    (f"memories/{name}.py", "visible_including_quarantined")
    for name in (
        "admin/memory",
        "admin/memory_list/editing",
        "admin/memory_list/excluding",
        "admin/memory_list/facets",
        "admin/memory_list/finding",
        "admin/memory_page/page",
        "admin/quick_add",
        "admin/changes/lines",
        "admin/changes/searching",
        "admin/cleanup/page",
        "admin/undo/lines",
        "events/replay",
        "queries/selectors",
        "writing/hidden_values",
        "writing/locking",
        "writing/quarantine",
        "writing/stated_times",
        "transfer/archive/journalling",
        "transfer/archive/parts/memories",
        "transfer/archive/parts/present",
        "transfer/tombstone_import",
        "undo/obstacles",
        "undo/selection",
    )
} | {
    ("mcpapi/admin/activity.py", "visible_including_quarantined"),
    ("ownsona_site/pages/review/decisions.py", "visible_including_quarantined"),
}
"""Uses of quarantined memories: for the owner, to find equal texts, and to hide them from apps."""


PACKAGES = ("memories", "documents", "agents", "workflows", "customtools", "mcpapi", "ownsona_site", "oauthserver")


def sources() -> list[Path]:
    return [
        path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "migrations" not in path.parts
    ]


def test_every_question_about_memories_begins_with_a_view() -> None:
    begun = {
        (str(path.relative_to(ROOT)), method)
        for path in sources()
        for method in re.findall(
            r"\bMemory\s*\.(?:objects|_default_manager)\s*\.(\w+)", path.read_text(encoding="utf-8")
        )
    }
    others = {found for found in begun if found[1] not in {"visible_to", "changeable_by"}}
    assert others == UNLIMITED | FOR_THE_OWNER
    of_every_owner = {
        path.stem for path in sources() if re.search(r"\.all_(items|vectors)\b", path.read_text(encoding="utf-8"))
    }
    assert of_every_owner == {"indexing", "room"}


def folded(statement: str) -> str:
    return " ".join(statement.split())


def test_every_statement_on_memories_has_the_restriction_of_a_view() -> None:
    statements = {
        constant.value
        for path in sources()
        for constant in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(constant, ast.Constant)
        and isinstance(constant.value, str)
        and re.search(r"FROM (memories_memory\b|\{corpus\.items\})", constant.value)
    }
    without = {folded(statement) for statement in statements if not re.search(r"\{(restriction|hidden)\}", statement)}
    assert len(statements) >= 4
    # Each stream gets only the expired memories in its view; names are read from postings and memories in the view; an
    # undo sets back memories that were locked in the view; matches of a search are those that the search within it has
    # found; the job process compares the memories of every owner, each with those in the whole view of its owner; a
    # backup counts the forgotten memories of every owner.
    in_view = [
        *(MEMORIES.inactive_ids, INSERT, CENSUS, EXPIRED, KNOWN_NAMES, OWNER_NAMES),
        *(SET_BACK, FOUND_BY_SEARCH, PENDING, FORGOTTEN),
    ]
    assert without == set(map(folded, in_view))
