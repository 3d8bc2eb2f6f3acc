"""Tests of renaming, merging and deleting tags, and of undoing that."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.access import Actor, View
from memories.errors import InvalidInput, NotFound
from memories.models import JournalEntry, Memory, TagSynonym
from memories.tags import canonical_tags
from memories.undo.selection import Selection
from memories.undo.undoing import preview, undo
from memories.writing.lifecycle import forget_memory
from memories.writing.synonyms import add_synonym, remove_synonym
from memories.writing.tag_changes import delete_tags, merge_tags, rename_tag
from oauthserver.models import User
from tests.support.concurrency import in_threads
from tests.support.factories import infer, make_memory, make_user, owner_actor, quarantined


@pytest.fixture
def owner(db: None) -> User:
    """An owner without synonyms."""
    user = make_user()
    TagSynonym.objects.filter(owner=user).delete()
    return user


def tags_of(memory: Memory) -> list[str]:
    memory.refresh_from_db()
    return memory.tags


def synonyms(owner: User) -> dict[str, str]:
    return dict(TagSynonym.objects.filter(owner=owner).values_list("variant", "canonical"))


def test_merging_replaces_tags_in_every_memory_and_can_be_undone(owner: User) -> None:
    both = make_memory(owner, "One", tags=("pets", "cat", "home", "kitty"))
    other = make_memory(owner, "Two", tags=("kitty",))
    forgotten = make_memory(owner, "Three", tags=("cat",))
    forget_memory(owner_actor(owner), forgotten.pk)
    untouched = make_memory(owner, "Four", tags=("home",))
    strangers = make_memory(make_user(), "Five", tags=("cat",))
    planned = merge_tags(owner_actor(owner), ["cat", "kitty"], "Cats", dry_run=True)
    assert (planned.memories, planned.forgotten, planned.target) == (2, 1, "cats")
    assert tags_of(both) == ["pets", "cat", "home", "kitty"]
    actor = owner_actor(owner)
    done = merge_tags(actor, ["cat", "kitty"], "Cats")
    assert (done.memories, done.forgotten, set(done.synonyms)) == (2, 1, {"cat", "kitty"})
    assert [tags_of(memory) for memory in (both, other, forgotten, untouched, strangers)] == [
        ["pets", "cats", "home"], ["cats"], ["cats"], ["home"], ["cat"]
    ]  # fmt: skip
    assert canonical_tags(View.whole(owner.pk), ["kitty"]) == ["cats"]
    entries = JournalEntry.objects.filter(change_set=actor.change_set)
    assert {(entry.memory_id or entry.variant, entry.operation) for entry in entries} == {
        *((memory.pk, "update") for memory in (both, other, forgotten)),
        *((variant, "update") for variant in ("cat", "kitty")),
    }
    selection = Selection(change_set=actor.change_set)
    assert (len(preview(owner_actor(owner), selection).restored), preview(owner_actor(owner), selection).synonyms) == (
        3,
        2,
    )
    undoing = owner_actor(owner)
    assert undo(undoing, selection).synonyms == 2
    assert [tags_of(memory) for memory in (both, other)] == [["pets", "cat", "home", "kitty"], ["kitty"]]
    assert synonyms(owner) == {}
    undo(owner_actor(owner), Selection(change_set=undoing.change_set))
    assert (tags_of(other), synonyms(owner)) == (["cats"], {"cat": "cats", "kitty": "cats"})


def test_deleting_takes_a_tag_off_and_leaves_the_others(owner: User) -> None:
    memory = make_memory(owner, "One", tags=("a1", "b2", "c3"))
    assert delete_tags(owner_actor(owner), ["b2", "A1"]).memories == 1
    assert tags_of(memory) == ["c3"]
    with pytest.raises(NotFound, match="No memory or document has the tag b2"):
        delete_tags(owner_actor(owner), ["b2"])


def test_a_tag_is_renamed_unless_the_new_name_is_in_use(owner: User) -> None:
    memory = make_memory(owner, "One", tags=("k8s",))
    make_memory(owner, "Two", tags=("cloud",))
    with pytest.raises(InvalidInput, match="into: cloud is already in use"):
        rename_tag(owner_actor(owner), "k8s", "cloud")
    rename_tag(owner_actor(owner), "k8s", "Kubernetes", keeps_synonyms=False)
    assert (tags_of(memory), synonyms(owner)) == (["kubernetes"], {})


def test_synonyms_of_a_merged_tag_lead_to_the_new_one(owner: User) -> None:
    TagSynonym.objects.create(owner=owner, variant="kitten", canonical="cat")
    TagSynonym.objects.create(owner=owner, variant="cats", canonical="animals")
    make_memory(owner, "One", tags=("cat",))
    actor = owner_actor(owner)
    merge_tags(actor, ["cat"], "cats")
    # A target that was a variant itself is one no longer: it would never be stored.
    assert synonyms(owner) == {"kitten": "cats", "cat": "cats"}
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert synonyms(owner) == {"kitten": "cat", "cats": "animals"}


def test_a_synonym_is_added_and_removed_with_undo(owner: User) -> None:
    actor = owner_actor(owner)
    add_synonym(actor, "kitty", "cats")
    with pytest.raises(InvalidInput, match="into: kitty is a synonym of cats"):
        add_synonym(owner_actor(owner), "tom", "kitty")
    assert undo(owner_actor(owner), Selection(change_set=actor.change_set)).synonyms == 1
    with pytest.raises(NotFound, match="kitty is not a synonym"):
        remove_synonym(owner_actor(owner), "kitty")


def test_a_synonym_that_was_changed_since_is_not_set_back(owner: User) -> None:
    actor = owner_actor(owner)
    add_synonym(actor, "kitty", "cats")
    add_synonym(owner_actor(owner), "kitty", "pets")
    with pytest.raises(NotFound):
        undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert synonyms(owner) == {"kitty": "pets"}


@pytest.mark.parametrize(
    ("tags", "into", "problem"),
    [
        (["cat"], "!", "into: a tag must have at least two letters"),
        (["!"], "cats", "tags: a tag must have"),
        (["cats"], "cats", "tags: must have a tag that differs"),
        ([], "cats", "tags: must have a tag"),
        (["cat"], "x" * 65, "into: a tag has 65 characters"),
    ],
)
def test_bad_tags_are_refused(owner: User, tags: list[str], into: str, problem: str) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    with pytest.raises(InvalidInput, match=problem):
        merge_tags(owner_actor(owner), tags, into)
    assert tags_of(memory) == ["cat"]


def test_an_app_limited_to_tags_cannot_change_any(owner: User) -> None:
    memory = make_memory(owner, "One", tags=("cat",))
    with pytest.raises(InvalidInput, match="limited to some tags"):
        delete_tags(Actor(View(owner.pk, ("cat",)), "app"), ["cat"])
    assert tags_of(memory) == ["cat"]


def test_quarantined_memories_of_other_apps_are_changed_by_the_owner_alone(owner: User) -> None:
    guessed = infer(quarantined(owner), "One", tags=("cat",)).memory_id
    make_memory(owner, "Two", tags=("cat",))
    assert merge_tags(Actor(View.whole(owner.pk), "another"), ["cat"], "cats").memories == 1
    assert Memory.objects.get(pk=guessed).tags == ["cat"]
    assert merge_tags(owner_actor(owner), ["cat"], "cats").memories == 1


@pytest.mark.django_db(transaction=True)
def test_merges_in_opposite_directions_at_once_leave_one_tag() -> None:
    owner = make_user()
    TagSynonym.objects.filter(owner=owner).delete()
    for number in range(20):
        make_memory(owner, f"Fact {number}", tags=("one", "two") if number % 2 else ("two",))

    def merge(number: int) -> str:
        try:
            tags = ("one", "two") if number else ("two", "one")
            merge_tags(owner_actor(owner), [tags[0]], tags[1])
        except NotFound:
            return "nothing left"
        return "merged"

    assert "merged" in in_threads(2, merge)
    used = {tag for tags in Memory.objects.filter(owner=owner).values_list("tags", flat=True) for tag in tags}
    assert len(used) == 1
    known = synonyms(owner)
    assert not set(known) & set(known.values())


def test_the_journal_of_synonyms_names_client_and_time(owner: User) -> None:
    add_synonym(Actor(View.whole(owner.pk), "cursor", session_id="s1"), "kitty", "cats")
    change = JournalEntry.objects.get(owner=owner, variant="kitty")
    assert (change.client, change.session_id) == ("cursor", "s1")
    assert (change.before, change.after) == ({"canonical": None}, {"canonical": "cats"})
    assert change.at > datetime(2020, 1, 1, tzinfo=UTC)
