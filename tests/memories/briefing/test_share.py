"""The share of one app in a briefing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.access import Actor, View
from memories.briefing.composition import compose_briefing
from memories.drafts import Draft
from memories.models import Memory
from memories.writing.briefing_places import place_memory
from memories.writing.remembering import RememberRequest, remember, remember_all
from oauthserver.models import User
from tests.support.factories import make_user, owner_actor

pytestmark = pytest.mark.django_db
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
COLOURS = ("amber", "beige", "coral", "denim", "ebony", "fawn", "gold", "henna", "ivory", "jade")


@pytest.fixture
def owner() -> User:
    return make_user()


def store(owner: User, client: str, text: str, **details: object) -> int:
    draft = Draft(text, **details)  # type: ignore[arg-type]
    return remember(Actor(View.whole(owner.pk), client), RememberRequest(draft)).memory_id


def words(word: str) -> str:
    """Return a text that resembles no other."""
    return f"{word}a {word}b {word}c"


def flood(owner: User, client: str = "pushy") -> set[int]:
    """Store 100 memories that their app calls most important, told by the owner, and about to expire."""
    drafts = [
        Draft(words(f"buy{number}"), importance=1.0, expires_at=TODAY + timedelta(days=9)) for number in range(100)
    ]
    outcomes = remember_all(Actor(View.whole(owner.pk), client), [RememberRequest(draft) for draft in drafts])
    return {outcome.memory_id for outcome in outcomes}  # type: ignore[union-attr]


def ids_in_briefing(owner: User) -> list[int]:
    return list(compose_briefing(View.whole(owner.pk), TODAY).memory_ids)


@pytest.mark.parametrize("age_days", [0, 700])
def test_an_app_that_rates_its_own_memories_up_leaves_half_to_the_others(owner: User, age_days: int) -> None:
    others = {store(owner, "modest", words(colour), importance=0.3) for colour in COLOURS}
    Memory.objects.update(last_confirmed_at=TODAY - timedelta(days=age_days))
    pushed = flood(owner)
    shown = ids_in_briefing(owner)
    assert others <= set(shown)
    assert pushed & set(shown)


def test_the_memories_of_the_owner_are_not_counted(owner: User) -> None:
    mine = {store(owner, "admin", words(colour), importance=1.0) for colour in COLOURS}
    for colour in COLOURS:
        store(owner, "app", words(f"cellar{colour}"), importance=0.0, capture_mode="inferred")
    assert set(ids_in_briefing(owner)[:10]) == mine


def test_an_app_alone_has_the_whole_briefing(owner: User) -> None:
    alone = flood(owner)
    with_others = ids_in_briefing(owner)
    assert set(with_others) <= alone
    store(owner, "modest", words("bicycle"))
    assert len(with_others) - len(set(ids_in_briefing(owner)) & alone) <= 1


def test_a_pinned_memory_of_an_app_is_first_and_not_counted(owner: User) -> None:
    pushed = min(flood(owner))
    store(owner, "modest", words("bicycle"), importance=0.0)
    place_memory(owner_actor(owner), pushed, Memory.BriefingPlace.PINNED)
    assert ids_in_briefing(owner)[0] == pushed


def test_an_app_outside_of_the_view_takes_nothing_from_one_inside(owner: User) -> None:
    shown = {store(owner, "modest", words(colour), tags=("cycling",)) for colour in COLOURS}
    before = compose_briefing(View(owner.pk, ("cycling",)), TODAY)
    flood(owner)
    after = compose_briefing(View(owner.pk, ("cycling",)), TODAY)
    assert set(before.memory_ids) == shown
    assert after == before


def test_every_app_has_candidates_however_many_apps_there_are(owner: User) -> None:
    stored = {store(owner, f"app-{number}", words(f"bicycle{number}"), importance=0.1) for number in range(15)}
    flood(owner)
    briefing = compose_briefing(View.whole(owner.pk), TODAY, max_tokens=1_000)
    assert stored <= set(briefing.memory_ids)


def test_apps_outside_of_the_view_leave_it_all_of_its_candidates(owner: User) -> None:
    shown = {store(owner, "modest", words(f"ride{number}"), tags=("cycling",)) for number in range(40)}
    for number in range(30):
        store(owner, f"app-{number}", words(f"other{number}"))
    briefing = compose_briefing(View(owner.pk, ("cycling",)), TODAY, max_tokens=2_000)
    assert set(briefing.memory_ids) >= set(sorted(shown)[-19:])
