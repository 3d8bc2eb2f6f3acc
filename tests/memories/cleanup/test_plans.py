"""Tests of plans that propose to tidy up memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.detection.found import FindingKind
from memories.cleanup.findings import next_finding
from memories.cleanup.plans import (
    ALREADY_SO,
    ChangesNothing,
    apply_plan,
    get_plan,
    open_plans,
    propose_plan,
    reject_lines,
    skipped_lines,
    stale_lines,
)
from memories.errors import InvalidInput, NotFound, SecretRejected
from memories.models import CleanupLine, Memory
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, make_memory, make_user, owner_actor

_TRIPS = [f"The {place} trip lasts until Friday." for place in ("Paris", "Rome", "Oslo")]
YEAR_2090 = datetime(2090, 1, 1, tzinfo=UTC)


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def app(owner: User, *tags: str, client: str = "claude") -> Actor:
    return Actor(View(owner.pk, tags), client)


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def states(plan_id: int) -> list[str]:
    return list(CleanupLine.objects.filter(plan=plan_id).order_by("position").values_list("state", flat=True))


def test_every_action_is_applied_and_undone_as_one(owner: User) -> None:
    texts = ("Mochi is a dog", "Mochi is a Shiba", "Red car, blue bike", "I live in Bern", "Tea", "Rain", "Old", "True")
    made = [make_memory(owner, text) for text in texts]
    dog, shiba, both, city, tea, rain, old, true = (memory.pk for memory in made)
    confirmed = Memory.objects.get(pk=true).last_confirmed_at
    changes = [
        ProposedChange(Action.MERGE, [dog, shiba], text="The dog Mochi is a Shiba"),
        ProposedChange(Action.SPLIT, [both], texts=["The car is red", "The bike is blue"]),
        ProposedChange(Action.CORRECT, [city], text="I live in Basel"),
        ProposedChange(Action.RETAG, [tea], tags=["drinks"]),
        ProposedChange(Action.EXPIRE, [rain], expires_at=YEAR_2090),
        ProposedChange(Action.FORGET, [old], replaced_by_id=tea, reason="Outdated"),
        ProposedChange(Action.CONFIRM, [true]),
    ]
    plan = propose_plan(app(owner), changes, "Spring cleaning")
    assert active(owner) == list(texts)
    applying = owner_actor(owner)
    assert {outcome.state for outcome in apply_plan(applying, plan.pk)} == {"applied"}
    assert active(owner) == [
        "I live in Basel", "Tea", "Rain", "True", "The dog Mochi is a Shiba", "The car is red", "The bike is blue"
    ]  # fmt: skip
    assert Memory.objects.get(pk=tea).tags == ["drinks"]
    assert Memory.objects.get(pk=rain).expires_at == YEAR_2090
    assert (Memory.objects.get(pk=old).forget_reason, Memory.objects.get(pk=old).replaced_by_id) == ("Outdated", tea)
    assert Memory.objects.get(pk=true).last_confirmed_at > confirmed
    assert not open_plans(owner_actor(owner)).exists()
    undo(owner_actor(owner), Selection(change_set=applying.change_set))
    assert active(owner) == list(texts)


def test_lines_whose_memories_changed_since_are_stale_and_skipped(owner: User) -> None:
    tea, city = make_memory(owner, "I like tea"), make_memory(owner, "I live in Bern")
    plan = propose_plan(
        app(owner),
        [
            ProposedChange(Action.FORGET, [tea.pk]),
            ProposedChange(Action.CORRECT, [city.pk], text="I live in Basel"),
        ],
    )
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(text="I love tea"))
    assert stale_lines(owner_actor(owner), plan) == {0}
    assert [outcome.state for outcome in apply_plan(owner_actor(owner), plan.pk)] == ["stale", "applied"]
    assert active(owner) == ["I love tea", "I live in Basel"]
    with pytest.raises(InvalidInput, match="has no open lines"):
        apply_plan(owner_actor(owner), plan.pk)


def test_several_lines_about_one_memory_are_applied_in_order(owner: User) -> None:
    tea = make_memory(owner, "I like tea")
    changes = [
        ProposedChange(Action.CORRECT, [tea.pk], text="I like green tea"),
        ProposedChange(Action.RETAG, [tea.pk], tags=["drinks"]),
    ]
    plan = propose_plan(app(owner), changes)
    apply_plan(owner_actor(owner), plan.pk)
    tea.refresh_from_db()
    assert (tea.text, tea.tags) == ("I like green tea", ["drinks"])


def test_what_changes_nothing_gets_no_line(owner: User) -> None:
    tea = make_memory(owner, "I like tea", tags=("food", "drinks"))
    rain = make_memory(owner, "It rains", expires_at=YEAR_2090)
    needless = [
        ProposedChange(Action.RETAG, [tea.pk], tags=["Drinks", "food"]),
        ProposedChange(Action.CORRECT, [tea.pk], text=" I like tea "),
        ProposedChange(Action.EXPIRE, [rain.pk], expires_at=YEAR_2090),
    ]
    with pytest.raises(ChangesNothing, match="changes: would change nothing"):
        propose_plan(app(owner), needless)
    forget = ProposedChange(Action.FORGET, [rain.pk])
    back = ProposedChange(Action.RETAG, [rain.pk], tags=[])
    plan = propose_plan(app(owner), [*needless, forget, replace(forget, reason="Again"), back])
    assert [(line.position, line.action) for line in plan.lines.all()] == [(0, "forget"), (1, "retag")]


def test_a_line_that_would_change_nothing_is_skipped(owner: User) -> None:
    tea, jazz = make_memory(owner, "I like tea", tags=("food",)), make_memory(owner, "I like jazz")
    plan = propose_plan(
        app(owner),
        [ProposedChange(Action.RETAG, [tea.pk], tags=["drinks"]), ProposedChange(Action.FORGET, [jazz.pk])],
    )
    # As in a plan of an earlier version, which kept such lines.
    plan.lines.filter(position=0).update(details={"tags": ["food"]})
    plan = get_plan(owner_actor(owner), plan.pk)
    assert skipped_lines(owner_actor(owner), plan) == {0: ALREADY_SO}
    assert [(each.state, each.message) for each in apply_plan(owner_actor(owner), plan.pk)] == [
        ("stale", ALREADY_SO),
        ("applied", ""),
    ]


def test_a_plan_that_is_proposed_again_is_not_stored_twice(owner: User) -> None:
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    changes = [ProposedChange(Action.FORGET, [tea.pk]), ProposedChange(Action.CORRECT, [jazz.pk], text="I like blues")]
    plan = propose_plan(app(owner), changes)
    assert propose_plan(app(owner), [replace(each, reason="Once more") for each in changes], "Again") == plan
    other = propose_plan(app(owner, client="chatgpt"), changes)
    shorter = propose_plan(app(owner), changes[:1])
    assert len({plan.pk, other.pk, shorter.pk}) == 3
    # Its lines are stale, so the same plan about the new text is another one, and replaces it.
    update_memory(owner_actor(owner), jazz.pk, MemoryUpdate(text="I like old jazz"))
    newer = propose_plan(app(owner), changes)
    assert newer != plan
    assert states(plan.pk) == ["stale", "stale"]
    assert set(open_plans(app(owner))) == {newer, shorter}
    reject_lines(owner_actor(owner), newer.pk)
    assert propose_plan(app(owner), changes) not in (plan, newer, shorter)


def test_a_plan_is_accepted_in_part(owner: User) -> None:
    memories = [make_memory(owner, text) for text in ("I like tea", "I like jazz", "I like rain")]
    plan = propose_plan(app(owner), [ProposedChange(Action.FORGET, [memory.pk]) for memory in memories])
    apply_plan(owner_actor(owner), plan.pk, [1])
    assert states(plan.pk) == ["open", "applied", "open"]
    assert reject_lines(owner_actor(owner), plan.pk, [2]) == [2]
    for positions in ([1], [7]):
        with pytest.raises(InvalidInput, match="lines: line"):
            apply_plan(owner_actor(owner), plan.pk, positions)
    assert active(owner) == ["I like tea", "I like rain"]
    reject_lines(owner_actor(owner), plan.pk)
    assert get_plan(owner_actor(owner), plan.pk).closed_at is not None


def test_lines_whose_changes_are_undone_await_the_decision_again_until_that_is_undone(owner: User) -> None:
    memories = [make_memory(owner, text) for text in ("I like tea", "I like jazz", "I like rain", "I like snow")]
    tea, jazz, rain, snow = (memory.pk for memory in memories)
    changes = [
        ProposedChange(Action.MERGE, [tea, jazz], text="I like tea and jazz"),
        ProposedChange(Action.FORGET, [rain]),
        ProposedChange(Action.CONFIRM, [snow]),
    ]
    plan = propose_plan(app(owner), changes)
    applying, undoing, redoing = (owner_actor(owner) for _ in range(3))
    apply_plan(applying, plan.pk)
    assert get_plan(owner_actor(owner), plan.pk).closed_at is not None
    undo(undoing, Selection(change_set=applying.change_set))
    assert states(plan.pk) == ["open"] * 3
    assert list(open_plans(owner_actor(owner))) == [plan]
    assert stale_lines(owner_actor(owner), get_plan(owner_actor(owner), plan.pk)) == set()
    undo(redoing, Selection(change_set=undoing.change_set))
    assert states(plan.pk) == ["applied"] * 3
    assert not open_plans(owner_actor(owner)).exists()
    undo(owner_actor(owner), Selection(change_set=redoing.change_set))
    apply_plan(owner_actor(owner), plan.pk)
    assert active(owner) == ["I like snow", "I like tea and jazz"]


def test_a_line_stays_applied_if_not_all_of_its_memories_are_set_back(owner: User) -> None:
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    changes = [ProposedChange(Action.CORRECT, [tea.pk], text="I like mint"), ProposedChange(Action.FORGET, [jazz.pk])]
    plan, applying = propose_plan(app(owner), changes), owner_actor(owner)
    apply_plan(applying, plan.pk)
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(text="I like water"))
    undo(owner_actor(owner), Selection(change_set=applying.change_set))
    assert states(plan.pk) == ["applied", "open"]


def test_a_line_that_is_refused_fails_alone(owner: User) -> None:
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    changes = [
        ProposedChange(Action.CORRECT, [tea.pk], text="I like wine"),
        ProposedChange(Action.FORGET, [jazz.pk]),
    ]
    plan = propose_plan(app(owner), changes)
    make_memory(owner, "I like wine")
    first, second = apply_plan(owner_actor(owner), plan.pk)
    assert (first.state, "already has this text" in first.message, second.state) == ("failed", True, "applied")
    assert active(owner) == ["I like tea", "I like wine"]


def test_what_cannot_be_done_cannot_be_proposed(owner: User) -> None:
    tea, gone = make_memory(owner, "I like tea"), make_memory(owner, "I like rain")
    forget_memory(actor_for(owner), gone.pk)
    forget = ProposedChange(Action.FORGET, [tea.pk])
    for change, error, message in (
        (ProposedChange(Action.CORRECT, [tea.pk]), InvalidInput, r"changes\.1\.text: is required for correct"),
        (ProposedChange(Action.CORRECT, [tea.pk], text=""), InvalidInput, r"changes\.1\.text"),
        (ProposedChange(Action.CORRECT, [gone.pk], text="x y"), NotFound, r"changes\.1: Memory \d+ is forgotten"),
        (ProposedChange(Action.CONFIRM, [10**9]), NotFound, r"changes\.1: There is no memory"),
        (ProposedChange(Action.CONFIRM, [tea.pk], tags=["x"]), InvalidInput, r"changes\.1\.tags: is not an argument"),
        (ProposedChange(Action.FORGET, [tea.pk, gone.pk]), InvalidInput, r"changes\.1\.ids: forget takes exactly one"),
        (ProposedChange(Action.MERGE, [tea.pk], text="x y"), InvalidInput, r"changes\.1\.ids: must be 2 to 50"),
        (
            ProposedChange(Action.CORRECT, [tea.pk], text=f"my key is sk-{'a1' * 20}"),
            SecretRejected,
            r"changes\.1\.text",
        ),
    ):
        with pytest.raises(error, match=message):
            propose_plan(app(owner), [forget, change])
    assert not CleanupLine.objects.exists()


def test_apps_see_and_apply_only_their_own_plans(owner: User) -> None:
    tea = make_memory(owner, "I like tea")
    plan = propose_plan(app(owner), [ProposedChange(Action.FORGET, [tea.pk])])
    for stranger in (app(owner, client="cursor"), owner_actor(make_user())):
        assert not open_plans(stranger).exists()
        with pytest.raises(NotFound, match="There is no plan"):
            apply_plan(stranger, plan.pk)
    assert [found.pk for found in open_plans(app(owner))] == [plan.pk]


def test_an_app_proposes_nothing_about_what_it_cannot_see(owner: User) -> None:
    home = make_memory(owner, "The door is red", tags=("home",))
    with pytest.raises(NotFound, match="There is no memory"):
        propose_plan(app(owner, "work"), [ProposedChange(Action.CONFIRM, [home.pk])])


def test_a_hard_delete_removes_what_plans_say_about_the_memory(owner: User) -> None:
    tea = make_memory(owner, "I like tea")
    propose_plan(app(owner), [ProposedChange(Action.CORRECT, [tea.pk], text="I like green tea")])
    hard_delete_memory(owner_actor(owner), tea.pk)
    assert not CleanupLine.objects.exists()


# --- Findings


def test_duplicates_come_first_and_plans_about_them_are_not_asked_for_twice(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    pair = [make_memory(owner, text).pk for text in ("My dog is called Mochi", "The name of my dog is Mochi")]
    make_memory(owner, "The bike is blue")
    actor = owner_actor(owner)
    finding = next_finding(actor)
    assert finding is not None
    assert (finding.kind, sorted(memory.pk for memory in finding.memories)) == (FindingKind.DUPLICATES, pair)
    assert next_finding(actor, skipped_ids=pair) is None
    propose_plan(actor, [ProposedChange(Action.MERGE, pair, text="Mochi is the name of my dog")])
    assert next_finding(actor) is None


def test_what_the_owner_rejected_is_not_asked_about_again(owner: User) -> None:
    over = make_memory(owner, "The Paris trip lasts until Friday.")
    ended = timezone.now() - timedelta(days=30)
    Memory.objects.filter(pk=over.pk).update(valid_until=ended, last_confirmed_at=ended)
    plan = propose_plan(owner_actor(owner), [ProposedChange(Action.FORGET, [over.pk])])
    assert next_finding(owner_actor(owner)) is None
    reject_lines(owner_actor(owner), plan.pk)
    assert next_finding(owner_actor(owner)) is None
    CleanupLine.objects.all().delete()
    assert next_finding(owner_actor(owner)) is not None


def test_what_is_over_is_found_unless_it_was_confirmed_since(owner: User) -> None:
    ended = timezone.now() - timedelta(days=30)
    over, confirmed, recent = (make_memory(owner, text) for text in _TRIPS)
    Memory.objects.filter(pk__in=[over.pk, confirmed.pk]).update(
        valid_until=ended, last_confirmed_at=ended - timedelta(days=9)
    )
    Memory.objects.filter(pk=recent.pk).update(valid_until=timezone.now() - timedelta(days=1), last_confirmed_at=ended)
    Memory.objects.filter(pk=confirmed.pk).update(last_confirmed_at=timezone.now())
    finding = next_finding(owner_actor(owner))
    assert finding is not None
    assert (finding.kind, [memory.pk for memory in finding.memories]) == (FindingKind.PAST, [over.pk])
