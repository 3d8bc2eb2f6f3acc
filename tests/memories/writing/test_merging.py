"""Tests of merging and splitting memories."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.access import Actor, View
from memories.drafts import Draft
from memories.errors import InvalidInput, NotFound
from memories.models import Comparison, Memory
from memories.queries.selectors import parts_of
from memories.recall.pipeline import Query, recall
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.briefing_places import place_memory
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory
from memories.writing.merging import merge_memories, split_memory
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, infer, make_memory, make_user, owner_actor, quarantined

MARCH, MAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
YEAR_2090, YEAR_2095 = datetime(2090, 1, 1, tzinfo=UTC), datetime(2095, 1, 1, tzinfo=UTC)


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def test_the_merged_memory_has_what_all_of_them_had(owner: User) -> None:
    one = make_memory(
        owner, "The dog is called Mochi", tags=("pets",), importance=0.9, last_confirmed_at=MARCH, created_at=MARCH,
        source_provider="Claude", session_id="walk", expires_at=YEAR_2090,
    )  # fmt: skip
    two = make_memory(
        owner, "Mochi is a Shiba", tags=("dog", "pets"), last_confirmed_at=MAY, created_at=MAY,
        source_provider="Claude", session_id="vet", expires_at=YEAR_2095,
    )  # fmt: skip
    place_memory(owner_actor(owner), two.pk, Memory.BriefingPlace.PINNED)
    merged = merge_memories(actor_for(owner), [one.pk, two.pk], "The dog Mochi is a Shiba")
    memory = Memory.objects.get(pk=merged.new_ids[0])
    assert active(owner) == ["The dog Mochi is a Shiba"]
    assert (memory.tags, memory.importance, memory.last_confirmed_at) == (["pets", "dog"], 0.9, MAY)
    assert (memory.source_provider, memory.session_id, memory.expires_at) == ("Claude", None, YEAR_2095)
    assert memory.briefing_place == "pinned"
    for former in (one, two):
        former.refresh_from_db()
        assert (former.replaced_by_id, former.forget_reason) == (memory.pk, f"Merged into memory {memory.pk}.")


def test_one_of_them_is_kept_if_it_says_it_already(owner: User) -> None:
    one = make_memory(owner, "I live in Bern", tags=("home",), expires_at=YEAR_2090)
    two = make_memory(owner, "My home is in Bern", tags=("city",))
    merged = merge_memories(actor_for(owner), [one.pk, two.pk], "I live in  BERN")
    one.refresh_from_db()
    assert (list(merged.new_ids), list(merged.replaced_ids)) == ([one.pk], [two.pk])
    assert (sorted(one.tags), one.expires_at) == (["city", "home"], None)
    assert len(active(owner)) == 1


def test_a_memory_is_split_and_leads_to_its_parts(owner: User) -> None:
    whole = make_memory(
        owner, "Mochi is a Shiba and the vet is Dr. Frei", tags=("pets",), importance=0.8, created_at=MARCH
    )
    split = split_memory(actor_for(owner), whole.pk, ["Mochi is a Shiba", "Mochi's vet is Dr. Frei"])
    parts = list(Memory.objects.filter(pk__in=split.new_ids).order_by("pk"))
    assert [(part.text, part.tags, part.importance, part.created_at) for part in parts] == [
        ("Mochi is a Shiba", ["pets"], 0.8, MARCH),
        ("Mochi's vet is Dr. Frei", ["pets"], 0.8, MARCH),
    ]
    whole.refresh_from_db()
    assert whole.replaced_by_id == split.new_ids[0]
    assert parts_of(View.whole(owner.pk), whole) == list(split.new_ids)
    assert active(owner) == ["Mochi is a Shiba", "Mochi's vet is Dr. Frei"]


@pytest.mark.parametrize("is_merge", [True, False])
def test_merging_and_splitting_are_undone_in_one_step(owner: User, is_merge: bool) -> None:
    one, two = make_memory(owner, "Mochi is a dog"), make_memory(owner, "Mochi is a Shiba")
    before = active(owner)
    actor = owner_actor(owner)
    if is_merge:
        merge_memories(actor, [one.pk, two.pk], "The dog Mochi is a Shiba")
    else:
        split_memory(actor, one.pk, ["Mochi is an animal", "Mochi barks"])
    assert active(owner) != before
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert active(owner) == before
    assert parts_of(View.whole(owner.pk), Memory.objects.get(pk=one.pk)) == []


def test_nothing_happens_in_a_dry_run(owner: User) -> None:
    one, two = make_memory(owner, "Mochi is a dog"), make_memory(owner, "Mochi is a Shiba")
    assert merge_memories(actor_for(owner), [one.pk, two.pk], "Mochi", dry_run=True).replaced_ids == [one.pk, two.pk]
    assert split_memory(actor_for(owner), one.pk, ["a b", "c d"], dry_run=True).replaced_ids == [one.pk]
    assert active(owner) == ["Mochi is a dog", "Mochi is a Shiba"]


def test_bad_requests_change_nothing(owner: User) -> None:
    actor = actor_for(owner)
    one, two = make_memory(owner, "Mochi is a dog"), make_memory(owner, "Mochi is a Shiba")
    known, gone = make_memory(owner, "Mochi sleeps"), make_memory(owner, "Mochi is a cat")
    forget_memory(actor, gone.pk)
    guess = infer(quarantined(owner), "Mochi may be old").memory_id
    for ids, text, message in (
        ([one.pk], "Mochi", "ids: must be 2 to 50 different ones, not 1."),
        ([one.pk, one.pk], "Mochi", "ids: must be 2 to 50 different ones, not 1."),
        ([one.pk, gone.pk], "Mochi", "is forgotten"),
        ([one.pk, two.pk], "Mochi sleeps", f"memory {known.pk} already has the text"),
    ):
        with pytest.raises(InvalidInput, match=message):
            merge_memories(actor, ids, text)
    for missing in (10**9, guess):
        with pytest.raises(NotFound):
            merge_memories(actor, [one.pk, missing], "Mochi")
    for texts, message in (
        (["only one"], "texts: must be 2 to 20"),
        (["fine so far", "\x00"], r"texts\.1: "),
        (["the same", "The  same"], "texts: two of them are the same"),
        (["Mochi is a dog", "Mochi barks"], f"memory {one.pk} already has the text"),
    ):
        with pytest.raises(InvalidInput, match=message):
            split_memory(actor, one.pk, texts)
    assert active(owner) == ["Mochi is a dog", "Mochi is a Shiba", "Mochi sleeps"]


def test_an_app_merges_only_what_it_sees(owner: User) -> None:
    limited = Actor(View(owner.pk, ("work",)), "app")
    home, work = make_memory(owner, "The door is red", tags=("home",)), make_memory(owner, "It is late", tags=("work",))
    hidden = remember(actor_for(owner), RememberRequest(Draft("A secret", ("home",)), DedupPolicy.INSERT)).memory_id
    with pytest.raises(NotFound):
        merge_memories(limited, [home.pk, work.pk], "x y")
    other = make_memory(owner, "It is early", tags=("work",))
    with pytest.raises(InvalidInput, match="another memory already has the text") as refused:
        merge_memories(limited, [work.pk, other.pk], "A secret")
    assert str(hidden) not in str(refused.value)
    merged = merge_memories(limited, [work.pk, other.pk], "It is some time")
    assert Memory.objects.get(pk=merged.new_ids[0]).tags == ["work"]


@pytest.mark.parametrize("rearranges", ["split", "merge"])
def test_a_correction_stays_in_front_of_what_was_split_or_merged(
    owner: User, rearranges: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)

    def stored(text: str, confirmed_at: datetime = MARCH) -> int:
        return remember(actor, RememberRequest(Draft(text, last_confirmed_at=confirmed_at))).memory_id

    correction = stored("Anna is not allergic to penicillin, the test in October was negative.", MAY)
    if rearranges == "split":
        whole = stored("I'm allergic to walnuts; Anna is allergic to penicillin.")
        old = split_memory(actor, whole, ["I'm allergic to walnuts.", "Anna is allergic to penicillin."]).new_ids[1]
    else:
        parts = [stored("Anna has an allergy"), stored("Penicillin is what she cannot take")]
        old = merge_memories(actor, parts, "Anna is allergic to penicillin.").new_ids[0]
    assert Memory.objects.get(pk=old).last_confirmed_at == MARCH
    found = recall(View.whole(owner.pk), Query("Is Anna allergic to penicillin?")).matches
    assert [match.memory.id for match in found if match.memory.id in (correction, old)] == [correction, old]
    assert Comparison.objects.get(memory_id=old).changes == [correction]
