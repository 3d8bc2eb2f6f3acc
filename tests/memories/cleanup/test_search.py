"""Tests of the search for findings, and of what the owner decides about them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from memories.access import Actor, View
from memories.cleanup.detection.found import FindingKind
from memories.cleanup.findings import next_finding
from memories.cleanup.plans import apply_plan
from memories.cleanup.search import owners_with_searches, search
from memories.cleanup.stored_findings import count_findings, dismiss_findings, open_findings, plan_findings
from memories.drafts import Draft
from memories.errors import InvalidInput, NotFound
from memories.models import CleanupFinding, Comparison, Memory, RecalledMemory
from memories.recall.pipeline import Query, recall
from memories.recall_log.past_recalls import pending_recalls, record_recall
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import make_memory, make_user, owner_actor

LONG_AGO = timezone.now() - timedelta(days=500)


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def texts(owner: User, kind: FindingKind, *tags: str) -> list[list[str]]:
    actor = Actor(View(owner.pk, tags), "app") if tags else owner_actor(owner)
    return [[memory.text for memory in found.memories] for found in open_findings(actor, kind, 10)]


def ids(owner: User) -> list[int]:
    return list(CleanupFinding.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))


def test_the_settings_name_every_kind() -> None:
    assert set(settings.FINDING_KINDS) == {kind.value for kind in FindingKind}


def test_what_the_network_read_as_a_change_does_not_count_as_the_same(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    allergy = make_memory(owner, "Robin is allergic to walnuts; hazelnuts are fine.")
    retest = make_memory(owner, "The allergist retested Robin, and Robin can eat walnuts now.")
    search(owner.pk)
    assert texts(owner, FindingKind.DUPLICATES) == [[allergy.text, retest.text]]
    Comparison.objects.create(memory=retest, text_hash=retest.text_hash, changes=[allergy.pk], repeats=[])
    search(owner.pk)
    assert texts(owner, FindingKind.DUPLICATES) == []
    assert texts(owner, FindingKind.CONTRADICTION) == [[allergy.text, retest.text]]


def test_what_names_something_more_is_no_duplicate(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "Dad is allergic to penicillin.")
    same = RememberRequest(Draft("My dad is allergic to penicillin"), DedupPolicy.SKIP_IF_NEAR)
    assert remember(owner_actor(owner), same).is_duplicate
    more = RememberRequest(Draft("Dad is allergic to penicillin and latex."), DedupPolicy.SKIP_IF_NEAR)
    outcome = remember(owner_actor(owner), more)
    assert (outcome.is_duplicate, outcome.neighbours.active) == (False, [])
    search(owner.pk)
    assert not CleanupFinding.objects.exists()


HOME = "I live at 14 Chapel Road in Cork with my husband and our two children."
MOVE = "We have moved: we now live at 3 Albert Terrace in Douglas, since the first of November 2026."


def test_a_correction_is_found_in_other_words_than_what_it_corrects(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    for text in (HOME, "Niamh plays the cello.", "The harp needs new strings.", MOVE):
        make_memory(owner, text)
    make_memory(owner, "Niamh has given up the cello and now plays the double bass.")
    search(owner.pk)
    assert sorted(texts(owner, FindingKind.CONTRADICTION)) == [
        [HOME, MOVE],
        ["Niamh plays the cello.", "Niamh has given up the cello and now plays the double bass."],
    ]


def test_a_correction_of_what_has_ended_or_was_confirmed_later_is_none(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    home = make_memory(owner, HOME, valid_until=LONG_AGO)
    make_memory(owner, MOVE)
    search(owner.pk)
    assert texts(owner, FindingKind.CONTRADICTION) == []
    Memory.objects.filter(pk=home.pk).update(valid_until=None, last_confirmed_at=timezone.now())
    search(owner.pk)
    assert texts(owner, FindingKind.CONTRADICTION) == []


def test_a_search_finds_each_kind_with_its_reason(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "My dog is called Mochi", tags=("pet",))
    make_memory(owner, "The name of my dog is Mochi", tags=("pets",))
    make_memory(owner, "Ann lives in Bern", created_at=LONG_AGO, tags=("pets",))
    make_memory(owner, "Ann lives in Zurich", tags=("pets",))
    make_memory(owner, "That is too expensive.", tags=("pets",))
    make_memory(owner, "Concert on 3 May 2020", created_at=timezone.now().replace(year=2020, month=4), tags=("pets",))
    make_memory(owner, "I was a member of the choir", valid_until=LONG_AGO, tags=("pets",))
    assert search(owner.pk) == 5
    assert texts(owner, FindingKind.DUPLICATES) == [["My dog is called Mochi", "The name of my dog is Mochi"]]
    assert texts(owner, FindingKind.CONTRADICTION) == [["Ann lives in Bern", "Ann lives in Zurich"]]
    assert texts(owner, FindingKind.FRAGMENT) == [["That is too expensive."]]
    assert texts(owner, FindingKind.PAST) == [["Concert on 3 May 2020"]]
    [tags] = open_findings(owner_actor(owner), FindingKind.SAME_TAGS, 10)
    assert (tags.details, tags.memories) == ({"tags": ["pet"], "into": "pets"}, [])
    assert all(finding.reason for finding in CleanupFinding.objects.all())
    assert search(owner.pk) == 5


def test_a_series_contains_no_contradictions(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    for number in range(20, 29):
        make_memory(owner, f"Sprint {number} of Lighthouse ended with 3 open tickets.")
    make_memory(owner, "Ann lives in Bern", created_at=LONG_AGO)
    make_memory(owner, "Ann lives in Zurich")
    search(owner.pk)
    assert texts(owner, FindingKind.CONTRADICTION) == [["Ann lives in Bern", "Ann lives in Zurich"]]


@pytest.mark.parametrize("later", ["From {} the studio rent goes up to 310 euros.", "The studio rent is 310 euros."])
def test_a_change_that_is_still_to_come_contradicts_nothing_until_then(
    owner: User, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "The studio rent is 285 euros.", created_at=LONG_AGO)
    begins = timezone.now() + timedelta(days=60)
    change = make_memory(owner, later.format(f"{begins:%-d %B %Y}"), valid_from=begins)
    search(owner.pk)
    assert texts(owner, FindingKind.CONTRADICTION) == []
    Memory.objects.filter(pk=change.pk).update(valid_from=timezone.now() - timedelta(days=1))
    search(owner.pk)
    assert texts(owner, FindingKind.CONTRADICTION) == [["The studio rent is 285 euros.", change.text]]


def test_a_dismissed_finding_never_comes_back(owner: User) -> None:
    make_memory(owner, "That is too expensive.")
    search(owner.pk)
    assert dismiss_findings(owner_actor(make_user()), ids(owner)) == []
    assert dismiss_findings(owner_actor(owner), open_ids := ids(owner)) == open_ids
    assert search(owner.pk) == 0
    assert texts(owner, FindingKind.FRAGMENT) == []


def test_findings_become_a_plan_that_is_applied_and_undone(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    old = make_memory(owner, "Ann lives in Bern", created_at=LONG_AGO)
    new = make_memory(owner, "Ann lives in Zurich")
    fragment = make_memory(owner, "That is too expensive.")
    search(owner.pk)
    plan = plan_findings(owner_actor(owner), ids(owner))
    assert texts(owner, FindingKind.CONTRADICTION) == []
    actor = owner_actor(owner)
    assert {outcome.state for outcome in apply_plan(actor, plan.pk)} == {"applied"}
    for memory in (old, fragment):
        memory.refresh_from_db()
    assert (old.replaced_by_id, fragment.deleted_at is not None) == (new.pk, True)
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert Memory.objects.filter(owner=owner, deleted_at=None).count() == 3
    # What was decided once is not asked again.
    assert search(owner.pk) == 0


def test_tags_are_suggested_from_the_nearest_memories(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    for text in ("My dog Mochi is a Shiba", "Mochi gets dog food twice a day", "We walk the dog in the park",
                 "The dog is afraid of thunder", "Our dog likes the park"):  # fmt: skip
        make_memory(owner, text, tags=("pets",))
    untagged = make_memory(owner, "I feed the dog in the morning")
    search(owner.pk)
    assert texts(owner, FindingKind.TAG_SUGGESTION) == [["I feed the dog in the morning"]]
    plan = plan_findings(owner_actor(owner), [open_findings(owner_actor(owner), FindingKind.TAG_SUGGESTION, 1)[0].id])
    apply_plan(owner_actor(owner), plan.pk)
    untagged.refresh_from_db()
    assert untagged.tags == ["pets"]


def test_memories_that_were_not_recalled_for_a_year_are_found_once_that_is_known(owner: User) -> None:
    unused, used = (make_memory(owner, text, created_at=LONG_AGO) for text in ("Old thing", "Used thing"))
    make_memory(owner, "Very important", created_at=LONG_AGO, importance=1.0)
    query = Query("used thing")
    record_recall(
        View.whole(owner.pk), query, recall(View.whole(owner.pk), query), client="x", tool="t", milliseconds=1
    )
    pending_recalls.flush()
    assert RecalledMemory.objects.get(pk=used.pk).last_on == timezone.now().date()
    RecalledMemory.objects.exclude(pk=used.pk).delete()
    search(owner.pk)
    assert texts(owner, FindingKind.UNUSED) == []
    RecalledMemory.objects.update(first_on=LONG_AGO.date())
    search(owner.pk)
    assert texts(owner, FindingKind.UNUSED) == [[unused.text]]


def test_a_limited_app_is_given_only_findings_in_its_view(owner: User) -> None:
    make_memory(owner, "That is too expensive.", tags=("secret",))
    make_memory(owner, "It costs 40 euros a month.", tags=("home",))
    search(owner.pk)
    assert texts(owner, FindingKind.FRAGMENT, "home") == [["It costs 40 euros a month."]]
    assert texts(owner, FindingKind.SAME_TAGS, "home") == []
    task = next_finding(Actor(View(owner.pk, ("home",)), "app"))
    assert task is not None
    assert [memory.text for memory in task.memories] == ["It costs 40 euros a month."]


def test_changed_and_deleted_memories_are_left_out(owner: User) -> None:
    first, second = make_memory(owner, "That is too expensive."), make_memory(owner, "He said no.")
    search(owner.pk)
    forget_memory(owner_actor(owner), first.pk)
    assert texts(owner, FindingKind.FRAGMENT) == [["He said no."]]
    assert count_findings(owner_actor(owner))[FindingKind.FRAGMENT] == 1
    hard_delete_memory(owner_actor(owner), second.pk)
    assert count_findings(owner_actor(owner))[FindingKind.FRAGMENT] == 0
    with pytest.raises(NotFound, match="Search again"):
        plan_findings(owner_actor(owner), ids(owner))


def test_tags_and_too_many_findings_do_not_become_plans(owner: User) -> None:
    make_memory(owner, "One", tags=("pet",))
    make_memory(owner, "Two", tags=("pets",))
    search(owner.pk)
    with pytest.raises(InvalidInput, match="page of tags"):
        plan_findings(owner_actor(owner), ids(owner))
    with pytest.raises(InvalidInput, match="At most 50"):
        plan_findings(owner_actor(owner), range(51))
    assert owners_with_searches() == [owner.pk]
