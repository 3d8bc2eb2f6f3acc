"""Tests of the page on which the owner reviews plans."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan, reject_lines
from memories.cleanup.search import search
from memories.models import CleanupFinding, CleanupLine, Memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import HOST, make_app, make_memory, make_user, owner_actor
from tests.support.toasts import press_undo

PAGE = "/admin/cleanup/"


def active(owner: User) -> list[str]:
    return list(Memory.objects.visible_to(View.whole(owner.pk)).active().order_by("pk").values_list("text", flat=True))


def proposed(owner: User, *changes: ProposedChange, reason: str = "") -> int:
    client = str(make_app("Claude <b>").client_id)
    return propose_plan(Actor(View.whole(owner.pk), client), changes, reason).pk


def test_five_duplicates_are_merged_through_a_plan_and_that_is_taken_back(owner: User, pages: Client) -> None:
    twins = [make_memory(owner, f"Mochi is my dog, part {number}").pk for number in range(5)]
    plan = proposed(
        owner, ProposedChange(Action.MERGE, twins, text="Mochi is my <i>dog</i>", reason="The same"), reason="Dogs & co"
    )
    page = pages.get(PAGE).content.decode()
    assert "Claude &lt;b&gt; wants to merge 5 memories" in page
    assert "Dogs &amp; co" in page
    assert "<ins>Mochi is my &lt;i&gt;dog&lt;/i&gt;</ins>" in page
    assert page.count("<del>Mochi is my dog, part") == 5
    told = pages.post(PAGE, {"plan": plan, "lines": ["0"], "decision": "apply"}, follow=True).content.decode()
    assert "1 change applied." in told
    assert active(owner) == ["Mochi is my <i>dog</i>"]
    button = re.search(r'action="(/admin/undo/now/\?change_set=[^"]+)"', told)
    assert button
    pages.post(unescape(button[1]))
    assert len(active(owner)) == 5


def test_a_finding_that_a_plan_is_about_is_asked_about_only_there(owner: User, pages: Client) -> None:
    twins = [make_memory(owner, f"Mochi is my dog, part {number}").pk for number in range(2)]
    CleanupFinding.objects.create(
        owner=owner, kind="duplicates", key=b"x", memory_ids=twins, details={"kept_id": twins[1]}, strength=1.0
    )
    assert "May say the same" in pages.get(PAGE).content.decode()
    plan = proposed(owner, ProposedChange(Action.FORGET, twins[:1]))
    assert "May say the same" in pages.get(PAGE).content.decode()
    reject_lines(owner_actor(owner), plan)
    plan = proposed(owner, ProposedChange(Action.MERGE, twins, text="Mochi is my dog"))
    page = pages.get(PAGE).content.decode()
    assert "May say the same" not in page
    assert '<span class="badge">1<' in page
    assert "1 of 1" in pages.get("/admin/review/").content.decode()
    reject_lines(owner_actor(owner), plan)
    assert "May say the same" in pages.get(PAGE).content.decode()


@pytest.mark.parametrize("action", [Action.FORGET, Action.MERGE])
def test_a_group_with_a_pair_that_a_plan_is_about_is_not_offered_besides(
    owner: User, pages: Client, action: Action
) -> None:
    dogs = [make_memory(owner, f"Mochi is my dog, part {number}").pk for number in range(3)]
    CleanupFinding.objects.create(
        owner=owner, kind="duplicates", key=b"x", memory_ids=dogs, details={"kept_id": dogs[2]}, strength=1.0
    )
    change = {
        Action.FORGET: ProposedChange(Action.FORGET, dogs[:1], replaced_by_id=dogs[1]),
        Action.MERGE: ProposedChange(Action.MERGE, dogs[:2], text="Mochi is my dog"),
    }[action]
    plan = proposed(owner, change)
    page = pages.get(PAGE).content.decode()
    assert "May say the same" not in page
    assert "Clean-up <b>1</b>" in page
    reject_lines(owner_actor(owner), plan)
    assert "May say the same" in pages.get(PAGE).content.decode()


def test_what_was_postponed_is_marked_because_the_number_of_the_tab_leaves_it_out(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, text) for text in ("I like tea", "That is too expensive.", "It is the other one.")]
    proposed(owner, ProposedChange(Action.FORGET, [memories[0].pk]))
    search(owner.pk)
    assert CleanupFinding.objects.count() == 2
    page = pages.get(PAGE).content.decode()
    assert "Clean-up <b>3</b>" in page
    assert "Postponed until tomorrow" not in page
    for key in (f"p{CleanupLine.objects.get().plan_id}", f"f{CleanupFinding.objects.latest('pk').pk}"):
        pages.post("/admin/review/", {"card": key, "do": "later"})
    pages.get(PAGE)
    page = pages.get(PAGE).content.decode()
    assert "Clean-up <b>1</b>" in page
    assert page.count("Postponed until tomorrow") == 2
    title, hint, _ = page.partition("wants to forget 1 memory")
    assert hint
    assert "Postponed until tomorrow" not in title


def test_a_change_of_tags_does_not_look_like_the_loss_of_the_text(owner: User, pages: Client) -> None:
    tea, jazz = make_memory(owner, "I like tea", tags=("drinks",)), make_memory(owner, "I like jazz", tags=("music",))
    rain = make_memory(owner, "It rains")
    proposed(
        owner,
        ProposedChange(Action.RETAG, [tea.pk], tags=["drinks", "food"]),
        ProposedChange(Action.RETAG, [jazz.pk], tags=[]),
        ProposedChange(Action.EXPIRE, [rain.pk], expires_at=datetime(2031, 5, 4, 12, tzinfo=UTC)),
    )
    for page in (pages.get(PAGE).content.decode(), pages.get("/admin/review/").content.decode()):
        assert "Tags until now: drinks. New tags: drinks, food." in page
        assert "Tags until now: music. New tags: none." in page
        assert "Expires: 4 May 2031" in page
        assert "<del>" not in page
        assert "<ins>" not in page


def test_stale_and_refused_lines_are_named(owner: User, pages: Client) -> None:
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    plan = proposed(
        owner,
        ProposedChange(Action.FORGET, [tea.pk]),
        ProposedChange(Action.CORRECT, [jazz.pk], text="I like blues"),
    )
    update_memory(owner_actor(owner), tea.pk, MemoryUpdate(text="I love tea"))
    make_memory(owner, "I like blues")
    assert "changed since, so it would be skipped" in pages.get(PAGE).content.decode()
    told = pages.post(PAGE, {"plan": plan, "lines": ["0", "1"], "decision": "apply"}, follow=True).content.decode()
    assert "Change 1 was not applied. Its memories have changed since it was proposed." in told
    assert "Change 2 was not applied." in told
    assert active(owner) == ["I love tea", "I like jazz", "I like blues"]


def test_the_message_about_a_stale_line_is_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    for address in (PAGE, "/admin/review/"):
        memory = make_memory(owner, f"I like tea, says {address}")
        plan = proposed(owner, ProposedChange(Action.FORGET, [memory.pk]))
        update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text=f"I love tea, says {address}"))
        card = re.search('name="card" value="([^"]+)"', pages.get("/admin/review/").content.decode())
        assert card
        decision = {"plan": plan, "lines": ["0"], "decision": "apply", "card": card[1], "do": "apply"}
        german = pages.post(address, decision, follow=True, headers={"accept-language": "de"}).content.decode()
        assert "Änderung 1 wurde nicht angewendet. Ihre Erinnerungen haben sich seit dem Vorschlag geändert." in german


def test_lines_are_rejected(owner: User, pages: Client) -> None:
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    plan = proposed(owner, *(ProposedChange(Action.FORGET, [memory.pk]) for memory in (tea, jazz)))
    pages.post(PAGE, {"plan": plan, "lines": ["0"], "decision": "reject"})
    assert list(CleanupLine.objects.order_by("position").values_list("state", flat=True)) == ["rejected", "open"]
    pages.post(PAGE, {"plan": plan, "lines": ["1"], "decision": "reject"})
    assert "Nothing to tidy up" in pages.get(PAGE).content.decode()
    assert active(owner) == ["I like tea", "I like jazz"]


@pytest.mark.parametrize("decision", ["apply", "reject"])
def test_without_a_selected_line_nothing_is_decided(owner: User, pages: Client, decision: str) -> None:
    plan = proposed(owner, ProposedChange(Action.FORGET, [make_memory(owner, "I like tea").pk]))
    page = pages.post(PAGE, {"plan": plan, "decision": decision}, follow=True).content.decode()
    assert "Select at least one change." in page
    assert CleanupLine.objects.get().state == "open"
    assert active(owner) == ["I like tea"]


def test_a_finding_becomes_a_plan_in_one_click(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "My dog is called Mochi")
    make_memory(owner, "The name of my dog is Mochi")
    page = pages.post(PAGE, {"decision": "find"}, follow=True).content.decode()
    assert "A search for what could be tidied up is under way." in page
    assert "cleanup.js" in page
    assert "Nothing to tidy up" not in page
    search(owner.pk)
    page = pages.get(PAGE).content.decode()
    assert "May say the same (1)" in page
    assert "“The name of my dog is Mochi” was confirmed last, on " in page
    assert "Nothing to tidy up" not in page
    assert "cleanup.js" not in page
    told = pages.post(PAGE, {"decision": "plan", "findings": [CleanupFinding.objects.get().pk]}, follow=True)
    assert "A plan was created." in told.content.decode()
    line = CleanupLine.objects.get()
    pages.post(PAGE, {"plan": line.plan_id, "lines": [line.position], "decision": "apply"})
    assert active(owner) == ["The name of my dog is Mochi"]


def test_of_contradictions_none_is_selected(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "My dog is called Mochi")
    make_memory(owner, "The name of my dog is Mochi")
    make_memory(owner, "Ann lives in Bern")
    make_memory(owner, "Ann lives in Zurich")
    search(owner.pk)
    page = pages.get(PAGE).content.decode()
    for finding in CleanupFinding.objects.all():
        is_selected = f'name="findings" value="{finding.pk}" checked' in page
        assert is_selected == (finding.kind == "duplicates")
    assert CleanupFinding.objects.count() == 2


def test_findings_are_dismissed_and_tags_are_merged_on_their_page(owner: User, pages: Client) -> None:
    make_memory(owner, "That is too expensive.", tags=("shop",))
    make_memory(owner, "A shop", tags=("shops",))
    make_memory(owner, "Another shop", tags=("shops",))
    search(owner.pk)
    fragment = CleanupFinding.objects.get(kind="fragment")
    assert "1 dismissed." in pages.post(
        PAGE, {"decision": "dismiss", "findings": [fragment.pk]}, follow=True
    ).content.decode()  # fmt: skip
    page = pages.get(PAGE).content.decode()
    assert "That is too expensive." not in page
    assert '<input type="hidden" name="into" value="shops">' in page
    assert "Select at least one finding." in pages.post(PAGE, {"decision": "plan"}, follow=True).content.decode()


def test_nobody_else_sees_or_decides(owner: User) -> None:
    tea = make_memory(owner, "I like tea")
    plan = proposed(owner, ProposedChange(Action.FORGET, [tea.pk]))
    anonymous, stranger = Client(headers={"host": HOST}), Client(headers={"host": HOST})
    stranger.force_login(make_user("stranger"))
    assert anonymous.get(PAGE).status_code == 302
    assert "I like tea" not in stranger.get(PAGE).content.decode()
    told = stranger.post(PAGE, {"plan": plan, "lines": ["0"], "decision": "apply"}, follow=True).content.decode()
    assert f"There is no plan with id {plan}." in told
    assert active(owner) == ["I like tea"]


@pytest.mark.parametrize("sent", [{"plan": "x", "decision": "apply"}, {"plan": "1", "lines": "x"}, {"plan": "1"}])
def test_a_made_up_form_is_not_found(pages: Client, sent: dict[str, str]) -> None:
    assert pages.post(PAGE, sent).status_code == 404


def test_many_plans_need_few_queries(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        memory = make_memory(owner, f"Fact number {number}")
        propose_plan(owner_actor(owner), [ProposedChange(Action.FORGET, [memory.pk])])
    with django_assert_max_num_queries(15):
        assert "There are more plans" in pages.get(PAGE).content.decode()


def test_a_rejection_is_taken_back_with_the_toast(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, text) for text in ("I like tea", "I like jazz")]
    plan = proposed(owner, *(ProposedChange(Action.FORGET, [memory.pk]) for memory in memories))
    page = pages.post(PAGE, {"plan": plan, "lines": ["0", "1"], "decision": "reject"}, follow=True).content.decode()
    assert "wants to forget" not in page
    after = press_undo(pages, page)
    assert "It awaits your decision again." in after
    assert "wants to forget 2 memories" in after


def test_a_line_that_was_applied_is_not_asked_about_again_by_a_made_up_address(owner: User, pages: Client) -> None:
    plan = proposed(owner, ProposedChange(Action.FORGET, [make_memory(owner, "I like tea").pk]))
    pages.post(PAGE, {"plan": plan, "lines": ["0"], "decision": "apply"})
    page = pages.post(f"{PAGE}reopen/?plan={plan}&lines=0", follow=True).content.decode()
    assert "Nothing was changed." in page
    assert pages.post(f"{PAGE}reopen/?plan=x&lines=0").status_code == 404
    assert pages.get(f"{PAGE}reopen/?plan={plan}&lines=0").status_code == 405


def test_dismissed_findings_are_shown_again_with_the_toast(owner: User, pages: Client) -> None:
    make_memory(owner, "That is too expensive.")
    search(owner.pk)
    finding = CleanupFinding.objects.get()
    page = pages.post(PAGE, {"decision": "dismiss", "findings": [finding.pk]}, follow=True).content.decode()
    assert "1 dismissed." in page
    press_undo(pages, page)
    finding.refresh_from_db()
    assert finding.state == CleanupFinding.State.OPEN


def test_the_findings_and_plans_of_others_are_not_reopened(owner: User, pages: Client) -> None:
    other = make_user("other")
    plan = proposed(other, ProposedChange(Action.FORGET, [make_memory(other, "That is too expensive.").pk]))
    search(other.pk)
    CleanupFinding.objects.update(state=CleanupFinding.State.DISMISSED)
    CleanupLine.objects.update(state=CleanupLine.State.REJECTED)
    pages.post(f"{PAGE}reopen/?findings={CleanupFinding.objects.get().pk}")
    pages.post(f"{PAGE}reopen/?plan={plan}&lines=0")
    assert CleanupFinding.objects.get().state == CleanupFinding.State.DISMISSED
    assert CleanupLine.objects.get().state == CleanupLine.State.REJECTED
