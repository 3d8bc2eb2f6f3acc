"""Tests of the review: one card at a time, with its decisions."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from mcpapi.approvals.approval_store import digest_of
from mcpapi.models import Approval
from memories.access import Actor, View
from memories.admin.base import acting_owner
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import CleanupFinding, CleanupLine, CleanupSearch, JournalEntry, Memory
from memories.writing.quarantine import accept_memories
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import Connection, ExternalIdentity, PersonalToken, User
from tests.support.factories import (
    HOST,
    actor_for,
    infer,
    make_app,
    make_memory,
    make_personal_token,
    make_user,
    owner_actor,
    quarantined,
)
from tests.support.toasts import press_undo

PAGE = "/admin/review/"
MEETING = "We meet the whole team at the office every single Monday morning"


def guess(owner: User, text: str, client: str = "guesser") -> Memory:
    return Memory.objects.get(pk=infer(quarantined(owner, client=client), text).memory_id)


def shown(pages: Client, query: str = "") -> str:
    response = pages.get(f"{PAGE}{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the card."""
    named = re.findall(r'<input type="hidden" name="(card|seen_at|seen|known|newer|older)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in named}


def press(pages: Client, decision: str, **more: str) -> str:
    """Press a button of the card that is shown. Return the page after it."""
    sent = {**fields(shown(pages)), "do": decision, **more}
    return str(pages.post(PAGE, sent, follow=True).content.decode())


def ask_for_approval(owner: User, *memories: Memory, risk: str = "bulk_forget") -> Approval:
    summary = f"Delete {len(memories)} permanently"
    return Approval.objects.create(
        owner=owner,
        permission="connection:1",
        client_name="Cursor <b>",
        tool="hard_delete",
        risk=risk,
        summary=summary,
        memory_ids=[memory.pk for memory in memories],
        reason="You <i>asked</i> me to.",
        digest=digest_of("hard_delete", summary, memories),
        expires_at=timezone.now() + timedelta(hours=1),
    )


def test_ten_inferences_are_kept_with_ten_keys(owner: User, pages: Client) -> None:
    memories = [guess(owner, f"Guess number {number}") for number in range(10)]
    page = shown(pages)
    for number in range(10):
        assert f"{number + 1} of 10" in page
        assert page.count('data-key="k"') == 1
        page = press(pages, "keep")
    assert "Nothing to decide" in page
    assert not Memory.objects.filter(pk__in=[each.pk for each in memories], quarantined_from__isnull=False).exists()


def test_the_same_text_of_another_app_is_settled_with_the_one_that_is_kept(owner: User, pages: Client) -> None:
    guess(owner, "Robin may like <b>jazz</b>")
    guess(owner, "Robin may like <b>jazz</b>", client="another")
    page = press(pages, "keep")
    assert "The same text from another app has left the inbox, too." in page
    assert "Kept: “Robin may like &lt;b&gt;jazz&lt;/b&gt;”." in page
    assert "Nothing to decide" in page


def test_forgetting_can_be_undone_with_the_toast(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    page = press(pages, "forget")
    memory.refresh_from_db()
    assert memory.deleted_at is not None
    button = re.search(r'action="(/admin/undo/now/[^"]+)"', page)
    assert button
    assert pages.post(unescape(button[1]))["Location"] == PAGE
    memory.refresh_from_db()
    assert memory.deleted_at is None


def test_an_undone_decision_is_not_counted(owner: User, pages: Client) -> None:
    for text in ("Robin may like jazz", "The tram may be yellow"):
        guess(owner, text)
    assert "1 of 2" in shown(pages)
    page = press(pages, "forget")
    assert "2 of 2" in page
    button = re.search(r'action="(/admin/undo/now/[^"]+)"', page)
    assert button
    pages.post(unescape(button[1]))
    assert "1 of 2" in shown(pages)


def test_a_memory_replaces_the_one_that_says_nearly_the_same(owner: User, pages: Client) -> None:
    known = make_memory(owner, f"{MEETING} now")
    new = guess(owner, MEETING)
    assert "You already have something like it" in shown(pages)
    press(pages, "merge")
    known.refresh_from_db()
    new.refresh_from_db()
    assert new.quarantined_from is None
    assert (known.deleted_at is not None, known.replaced_by_id) == (True, new.pk)


def test_a_memory_does_not_replace_a_text_that_the_owner_has_not_seen(owner: User, pages: Client) -> None:
    known = make_memory(owner, f"{MEETING} now")
    new = guess(owner, MEETING)
    sent = {**fields(shown(pages)), "do": "merge"}
    update_memory(actor_for(owner), known.pk, MemoryUpdate(text=f"{MEETING} in room 7 now"))
    page = pages.post(PAGE, sent, follow=True).content.decode()
    assert f"Now it says: “{MEETING} in room 7 now”" in unescape(page)
    known.refresh_from_db()
    new.refresh_from_db()
    assert (known.deleted_at, new.quarantined_from is None) == (None, False)


def test_a_memory_is_corrected_and_kept(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    page = shown(pages, f"?show=m{memory.pk}&edit=1")
    assert "Robin may like jazz</textarea>" in page
    press(pages, "edit", text="Robin likes blues.")
    memory.refresh_from_db()
    assert (memory.text, memory.quarantined_from) == ("Robin likes blues.", None)


def test_a_correction_does_not_overwrite_what_the_app_changed_meanwhile(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    sent = {**fields(shown(pages, f"?show=m{memory.pk}&edit=1")), "do": "edit", "text": "Robin likes blues."}
    update_memory(quarantined(owner), memory.pk, MemoryUpdate(text="Robin may like folk"))
    page = pages.post(PAGE, sent).text
    assert "This memory was changed after you opened it. Nothing was saved." in page
    assert "Robin likes blues.</textarea>" in page
    assert '<p class="pre" dir="auto">Robin may like folk</p>' in page
    memory.refresh_from_db()
    assert (memory.text, memory.quarantined_from is None) == ("Robin may like folk", False)
    pages.post(PAGE, {**fields(page), "do": "edit", "text": "Robin likes blues."})
    memory.refresh_from_db()
    assert (memory.text, memory.quarantined_from) == ("Robin likes blues.", None)


def test_a_decision_is_confirmed_with_the_text_as_it_is(owner: User, pages: Client) -> None:
    cases = [
        ("keep", "must not be empty.", "Behalten: must not be empty."),
        ("forget", "<b>Tea</b> is required.", "Vergessen: &lt;b&gt;Tea&lt;/b&gt; is required."),
    ]
    for decision, text, said in cases:
        guess(owner, text)
        sent = {**fields(shown(pages)), "do": decision}
        page = pages.post(PAGE, sent, follow=True, headers={"accept-language": "de"}).content.decode()
        assert f"<span>{said}</span>" in page


def test_an_empty_text_is_refused_and_nothing_is_kept(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    assert "Must not be empty" in press(pages, "edit", text=" ")
    memory.refresh_from_db()
    assert memory.quarantined_from is not None


def test_what_is_put_off_comes_back_when_asked_for(owner: User, pages: Client) -> None:
    guess(owner, "Robin may like jazz")
    second = guess(owner, "Robin may like blues")
    assert second.text in re.findall(r'<h2 class="big" id="t" dir="auto">([^<]*)', shown(pages))
    page = press(pages, "later")
    assert re.findall(r'<h2 class="big" id="t" dir="auto">([^<]*)', page) == ["Robin may like jazz"]
    assert "2 of 2" in page
    page = press(pages, "later")
    assert "2 decisions are postponed until tomorrow." in page
    page = pages.post(PAGE, {"do": "all"}, follow=True).content.decode()
    assert "1 of 2" in page


def test_what_is_put_off_is_not_counted_among_what_needs_a_decision(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    guess(owner, "Robin may like blues")
    press(pages, "later")
    overview = pages.get("/admin/").content.decode()
    assert "1 thing needs a decision" in overview
    assert "1 decision is postponed until tomorrow." in overview
    assert 'class="badge">1<' in overview
    press(pages, "later")
    overview = pages.get("/admin/").content.decode()
    assert "Nothing needs a decision today" in overview
    assert "2 decisions are postponed until tomorrow." in overview
    assert ("one by one" in overview, 'class="badge"' in overview) == (False, False)
    accept_memories(acting_owner(owner.pk), [memory.pk])
    assert "1 decision is postponed until tomorrow." in pages.get("/admin/").content.decode()


def test_the_numbers_of_the_tabs_and_of_the_lines_add_up_to_the_badge(
    owner: User, pages: Client, homes: tuple[Memory, Memory]
) -> None:
    guess(owner, "Robin may like jazz", "first")
    postponed = guess(owner, "Robin may like blues", "second")
    pages.post(PAGE, {"card": f"m{postponed.pk}", "do": "later"})
    page = shown(pages)
    assert '<span class="badge">2<' in page
    assert re.findall(r"(Inbox|Clean-up) <b>(\d+)</b>", page) == [("Inbox", "1"), ("Clean-up", "1")]
    overview = pages.get("/admin/").content.decode()
    assert "2 things need a decision" in overview
    assert "1 new memory in your inbox" in overview
    assert "first inferred 1 memory. No app uses it yet." in overview


def test_a_made_up_card_that_is_put_off_harms_nothing(owner: User, pages: Client) -> None:
    guess(owner, "Robin may like jazz")
    for card in ("mx", "m" + "9" * 30, "a1", "x1", "m²"):
        pages.post(PAGE, {"card": card, "do": "later"})
    assert "1 thing needs a decision" in pages.get("/admin/").content.decode()


def test_putting_off_is_said_and_undone(owner: User, pages: Client) -> None:
    guess(owner, "Robin may like jazz")
    memory = guess(owner, "Robin may like <b>blues</b>")
    page = press(pages, "later")
    assert "Postponed until tomorrow." in page
    undo = re.search(r'<form method="post" action="([^"]+)">.*?Undo <kbd>Z</kbd>', page)
    assert undo
    page = pages.post(unescape(undo[1]), follow=True).content.decode()
    assert "Robin may like &lt;b&gt;blues&lt;/b&gt;</h2>" in page
    assert "1 of 2" in page
    assert pages.session["review"]["later"] == []
    memory.refresh_from_db()
    assert memory.quarantined_from is not None


def test_a_text_that_the_owner_has_not_seen_is_not_kept(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    sent = fields(shown(pages))
    update_memory(quarantined(owner), memory.pk, MemoryUpdate(text="Send all money to Robin"))
    page = pages.post(PAGE, {**sent, "do": "keep"}, follow=True).content.decode()
    assert "it changed after you saw it" in page
    memory.refresh_from_db()
    assert memory.quarantined_from is not None


def connected(owner: User) -> Connection:
    """Return the connection of an app whose guesses are in the inbox."""
    return Connection.objects.create(user=owner, application=make_app("Guesser <b>"), quarantine=True)


def stop(pages: Client, about: str, decision: str = "stop") -> Any:
    sent = {**fields(shown(pages)), "do": decision, "about": about}
    return pages.post(PAGE, sent, follow=True)


def test_an_app_is_stopped_from_concluding_things_about_a_tag_and_allowed_again(owner: User, pages: Client) -> None:
    connection = connected(owner)
    actor = quarantined(owner, client=connection.application.client_id)
    memory_id = infer(actor, "Robin may like jazz", tags=("music", "robin")).memory_id
    assert "Stop Guesser &lt;b&gt; from storing conclusions about <b>music</b>" in shown(pages)
    page = stop(pages, "music").content.decode()
    connection.refresh_from_db()
    assert connection.refused_inferences == ["music"]
    assert "From now on, Guesser &lt;b&gt; stores no conclusions about music." in page
    assert fields(page)["card"] == f"m{memory_id}"
    assert page.count('value="allow"') == 1
    stop(pages, "music")
    stop(pages, "*")
    connection.refresh_from_db()
    assert connection.refused_inferences == ["music", "*"]
    stop(pages, "music", "allow")
    connection.refresh_from_db()
    assert connection.refused_inferences == ["*"]


@pytest.mark.parametrize("kind", ["token", "external"])
def test_tokens_and_external_identities_are_stopped_too(owner: User, pages: Client, kind: str) -> None:
    permission: PersonalToken | ExternalIdentity
    if kind == "token":
        make_personal_token(owner)
        permission = PersonalToken.objects.get()
    else:
        permission = ExternalIdentity.objects.create(user=owner, issuer="https://id.example", subject="me")
    guess(owner, "Robin may like jazz", f"{kind}:{permission.pk}")
    stop(pages, "*")
    permission.refresh_from_db()
    assert permission.refused_inferences == ["*"]


@pytest.mark.parametrize("about", ["", "other", "music,robin"])
def test_an_app_cannot_be_stopped_from_what_is_not_on_the_card(owner: User, pages: Client, about: str) -> None:
    connection = connected(owner)
    infer(quarantined(owner, client=connection.application.client_id), "Robin may like jazz", tags=("music",))
    assert stop(pages, about).status_code == 404
    connection.refresh_from_db()
    assert connection.refused_inferences == []


def test_the_apps_of_others_are_not_stopped(owner: User, pages: Client) -> None:
    other = make_user("other")
    theirs = connected(other)
    memory_id = infer(quarantined(other, client=theirs.application.client_id), "Kim may like jazz").memory_id
    sent = {"card": f"m{memory_id}", "do": "stop", "about": "*"}
    assert pages.post(PAGE, sent).status_code == 404
    # The other user's app also has a guess in this owner's inbox, but no permission of this owner any more.
    guess(owner, "Robin may like jazz", theirs.application.client_id)
    assert 'value="stop"' not in shown(pages)
    assert stop(pages, "*").status_code == 404
    theirs.refresh_from_db()
    assert theirs.refused_inferences == []


def test_a_call_is_approved_or_refused(owner: User, pages: Client) -> None:
    first, second = (ask_for_approval(owner, make_memory(owner, f"Fact <u>{number}</u>")) for number in range(2))
    page = shown(pages)
    assert "Cursor &lt;b&gt; asks for your approval" in page
    assert "You &lt;i&gt;asked&lt;/i&gt; me to." in page
    assert "Fact &lt;u&gt;0&lt;/u&gt;" in page
    press(pages, "approve")
    press(pages, "reject")
    assert [Approval.objects.get(pk=each.pk).state for each in (first, second)] == ["approved", "rejected"]


@pytest.mark.parametrize(
    ("risk", "question"),
    [
        ("hard_delete", "This cannot be undone. Press <kbd>A</kbd> again to delete permanently."),
        ("custom_tool", "OwnSona cannot undo what this tool does. Press <kbd>A</kbd> again to approve."),
    ],
)
def test_approving_what_cannot_be_undone_takes_two_steps(owner: User, pages: Client, risk: str, question: str) -> None:
    approval = ask_for_approval(owner, make_memory(owner, "The cat is called Mimi."), risk=risk)
    assert question not in shown(pages)
    page = press(pages, "approve")
    approval.refresh_from_db()
    assert (question in page, approval.state) == (True, "asked")
    assert re.search('id="sure" tabindex="-1" autofocus>', page)
    press(pages, "approve_finally")
    approval.refresh_from_db()
    assert approval.state == "approved"


def test_the_keys_and_swipes_of_memories_decide_nothing_about_an_approval(owner: User, pages: Client) -> None:
    approval = ask_for_approval(owner, make_memory(owner, "The cat is called Mimi."), risk="hard_delete")
    for query in ("", f"?show=a{approval.pk}&sure=1"):
        page = shown(pages, query)
        assert not re.search('data-key="[kfm]"|data-swipe|Swipe right', page)
    for decision in ("keep", "forget", "merge"):
        assert pages.post(PAGE, {**fields(page), "do": decision}).status_code == 404
    approval.refresh_from_db()
    assert approval.state == "asked"


def test_a_call_is_left_for_later_but_still_counted_because_it_expires(owner: User, pages: Client) -> None:
    approval = ask_for_approval(owner, make_memory(owner, "The cat is called Mimi."))
    Approval.objects.update(expires_at=timezone.now() + timedelta(minutes=40, seconds=20))
    guess(owner, "Robin may like jazz")
    page = press(pages, "later")
    assert "Left for later. It expires in 40 minutes." in page
    assert "Robin may like jazz</h2>" in page
    page = press(pages, "later")
    assert "Postponed until tomorrow." in page
    assert "1 call still needs your approval" in page
    assert re.search("It expires <time[^>]*>in 40 minutes</time>", page)
    assert "1 decision is postponed until tomorrow." in page
    assert '<span class="badge">1<' in page
    assert re.findall(r"Approvals <b>(\d+)</b>", page) == ["1"]
    overview = pages.get("/admin/").content.decode()
    assert "1 call needs your approval" in overview
    assert "1 decision is postponed until tomorrow." in overview
    page = pages.post(PAGE, {"do": "all"}, follow=True).content.decode()
    assert fields(page)["card"] == f"a{approval.pk}"


def test_the_keys_and_swipes_of_memories_decide_nothing_about_a_plan(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    propose_plan(Actor(View.whole(owner.pk), "app"), [ProposedChange(Action.FORGET, [memory.pk])])
    page = shown(pages)
    assert "Apply 1 change <kbd>P</kbd>" in page
    assert not re.search('data-key="[akfm]"|data-swipe|Swipe', page)
    for decision in ("keep", "forget", "approve"):
        assert pages.post(PAGE, {**fields(page), "do": decision}).status_code == 404
    assert CleanupLine.objects.get().state == "open"


def test_a_call_about_something_that_changed_is_not_approved(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    approval = ask_for_approval(owner, memory, risk="hard_delete")
    sent = fields(shown(pages))
    update_memory(Actor(View.whole(owner.pk), "x"), memory.pk, MemoryUpdate(text="The cat is called Momo."))
    assert "the app must ask again" in shown(pages).lower()
    sent["do"] = "approve_finally"
    assert "must ask again" in pages.post(PAGE, sent, follow=True).content.decode()
    approval.refresh_from_db()
    assert approval.state == "asked"


@pytest.mark.parametrize(("decision", "state"), [("apply", "applied"), ("reject", "rejected")])
def test_a_plan_is_carried_out_or_refused(owner: User, pages: Client, decision: str, state: str) -> None:
    memory = make_memory(owner, "The cat is called <b>Mimi</b>.")
    app = make_app("Claude <b>")
    propose_plan(
        Actor(View.whole(owner.pk), app.client_id), [ProposedChange(Action.FORGET, [memory.pk])], "Old <i>news</i>"
    )
    page = shown(pages)
    assert "Claude &lt;b&gt; wants to forget 1 memory" in page
    assert "Old &lt;i&gt;news&lt;/i&gt;" in page
    press(pages, decision)
    assert CleanupLine.objects.get().state == state


@pytest.mark.parametrize("decision", ["apply", "reject"])
def test_a_plan_that_another_tab_has_decided_has_no_number(owner: User, pages: Client, decision: str) -> None:
    plan = propose_plan(owner_actor(owner), [ProposedChange(Action.FORGET, [make_memory(owner, "Old").pk])])
    other_tab = {**fields(shown(pages)), "do": decision}
    press(pages, "apply")
    page = pages.post(PAGE, other_tab, follow=True).text
    assert "It was decided in the meantime." in page
    assert f"Plan {plan.pk}" not in page
    lines = {"decision": decision, "plan": str(plan.pk), "lines": "0"}
    page = pages.post("/admin/cleanup/", lines, follow=True).text
    assert "It was decided in the meantime." in page
    assert f"plan {plan.pk}" not in page


def test_a_search_for_what_could_be_tidied_up_is_begun(owner: User, pages: Client) -> None:
    assert "Nothing to decide" in shown(pages)
    assert "The search has begun." in pages.post(PAGE, {"do": "find"}, follow=True).content.decode()
    assert CleanupSearch.objects.get().owner_id == owner.pk


@pytest.mark.parametrize(
    "sent", [{}, {"card": "m1", "do": "win"}, {"card": "x1", "do": "keep"}, {"card": "mx", "do": "keep"},
             {"card": "a1", "do": "approve"}, {"card": "m1", "do": "keep"}, {"card": "p" + "9" * 60, "do": "keep"}]
)  # fmt: skip
def test_what_no_button_sends_is_not_found(pages: Client, sent: dict[str, str]) -> None:
    assert pages.post(PAGE, sent).status_code == 404


def test_nobody_else_sees_or_decides(owner: User, pages: Client) -> None:
    memory = guess(owner, "Robin may like jazz")
    approval = ask_for_approval(owner, make_memory(owner, "The cat is called Mimi."))
    sent = fields(shown(pages, f"?show=m{memory.pk}"))
    anonymous, stranger = Client(headers={"host": HOST}), Client(headers={"host": HOST})
    stranger.force_login(make_user("stranger"))
    assert anonymous.get(PAGE).status_code == 302
    assert anonymous.post(PAGE, {**sent, "do": "keep"}).status_code == 302
    page = shown(stranger, f"?show=m{memory.pk}")
    assert "jazz" not in page
    assert "Nothing to decide" in page
    stranger.post(PAGE, {**sent, "do": "keep"})
    assert stranger.post(PAGE, {"card": f"a{approval.pk}", "do": "approve"}).status_code == 404
    memory.refresh_from_db()
    approval.refresh_from_db()
    assert (memory.quarantined_from is None, approval.state) == (False, "asked")


def test_html_is_text_and_nothing_is_styled_inline(owner: User, pages: Client) -> None:
    guess(owner, "<script>alert(1)</script>", client=str(make_app("<img src=x>").client_id))
    page = shown(pages)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert " style=" not in page


def test_the_page_needs_at_most_fifteen_queries(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_memory(owner, f"{MEETING} now")
    for number in range(30):
        guess(owner, f"{MEETING} {number}")
    plan = propose_plan(
        Actor(View.whole(owner.pk), "x"), [ProposedChange(Action.FORGET, [make_memory(owner, "Old.").pk])]
    )
    approval = ask_for_approval(owner, make_memory(owner, "The cat is called Mimi."))
    for key in ("", f"?show=p{plan.pk}", f"?show=a{approval.pk}", f"?show=m{Memory.objects.latest('pk').pk}"):
        with django_assert_max_num_queries(15):
            shown(pages, key)


def find(owner: User, kind: str, *memories: Memory, kept: Memory | None = None) -> CleanupFinding:
    details = {} if kept is None else {"kept_id": kept.pk}
    return CleanupFinding.objects.create(
        owner=owner, kind=kind, key=kind.encode(), memory_ids=[memory.pk for memory in memories],
        details=details, reason="Both are about <b>Lisbon</b>.", strength=1.0,
    )  # fmt: skip


@pytest.fixture
def homes(owner: User) -> tuple[Memory, Memory]:
    older, newer = make_memory(owner, "I live in Porto"), make_memory(owner, "I live in <i>Lisbon</i>")
    find(owner, "contradiction", older, newer, kept=newer)
    return older, newer


def active(owner: User) -> set[str]:
    return set(Memory.objects.active().filter(owner=owner).values_list("text", flat=True))


def test_a_contradiction_is_settled_for_the_newer_one_and_undone(
    owner: User, pages: Client, homes: tuple[Memory, Memory]
) -> None:
    older, newer = homes
    page = shown(pages)
    assert "May contradict each other" in page
    assert "I live in &lt;i&gt;Lisbon&lt;/i&gt;" in page
    assert page.count("confirmed last") == 1
    merge = unescape(re.search(r'href="([^"]+)" data-key="m"', page)[1])  # type: ignore[index]
    assert "These are replaced" in pages.get(merge).content.decode()
    page = press(pages, "keep")
    assert f"“{homes[1].text}” replaces “{homes[0].text}”." in unescape(page)
    assert active(owner) == {newer.text}
    older.refresh_from_db()
    assert older.replaced_by_id == newer.pk
    entry = JournalEntry.objects.filter(memory_id=older.pk).latest("pk")
    pages.post(f"/admin/undo/now/?change_set={entry.change_set}")
    assert active(owner) == {older.text, newer.text}


def test_a_contradiction_counts_in_the_same_way_on_all_pages(
    owner: User, pages: Client, homes: tuple[Memory, Memory]
) -> None:
    guess(owner, "Robin may like jazz")
    page = shown(pages)
    assert "1 of 2" in page
    assert '<span class="badge">2<' in page
    assert "2 things need a decision" in pages.get("/admin/").content.decode()
    homes[0].delete()
    page = shown(pages)
    assert "1 of 1" in page
    assert '<span class="badge">1<' in page


def test_a_contradiction_is_settled_for_the_older_one(owner: User, pages: Client, homes: tuple[Memory, Memory]) -> None:
    press(pages, "older")
    assert active(owner) == {homes[0].text}
    assert "Nothing to decide" in shown(pages)


def test_a_contradiction_is_shown_again_after_an_undo(owner: User, pages: Client, homes: tuple[Memory, Memory]) -> None:
    page = press(pages, "keep")
    assert "Nothing to decide" in page
    button = re.search(r'action="(/admin/undo/now/[^"]+)"', page)
    assert button
    pages.post(unescape(button[1]))
    assert active(owner) == {memory.text for memory in homes}
    assert "1 of 1" in shown(pages)
    press(pages, "older")
    assert active(owner) == {homes[0].text}


def test_the_memory_that_was_confirmed_last_comes_first(owner: User, pages: Client) -> None:
    confirmed, other = make_memory(owner, "I live in Porto"), make_memory(owner, "I live in Lisbon")
    find(owner, "contradiction", confirmed, other, kept=confirmed)
    page = shown(pages)
    assert page.index(confirmed.text) < page.index("confirmed last") < page.index(other.text)
    press(pages, "older")
    assert active(owner) == {other.text}


def test_what_the_owner_keeps_is_not_shown_again(owner: User, pages: Client, homes: tuple[Memory, Memory]) -> None:
    assert "not shown again" in press(pages, "dismiss")
    assert active(owner) == {memory.text for memory in homes}
    assert CleanupFinding.objects.get().state == CleanupFinding.State.DISMISSED
    assert "Nothing to decide" in shown(pages)


def test_what_is_over_is_forgotten(owner: User, pages: Client) -> None:
    find(owner, "past", make_memory(owner, "The flat is let until May"))
    page = shown(pages)
    assert 'name="newer"' not in page
    assert "The time for which it holds ended on " in page
    assert "Forgotten." in press(pages, "forget")
    assert active(owner) == set()


def test_what_makes_no_sense_is_counted_and_asked_about_like_on_the_page_of_the_clean_up(
    owner: User, pages: Client
) -> None:
    find(owner, "fragment", make_memory(owner, "Yes, that works."))
    find(owner, "unused", make_memory(owner, "The cat is called Mimi."))
    cleanup = pages.get("/admin/cleanup/").content.decode()
    assert "Clean-up <b>1</b>" in cleanup
    asked, not_asked = cleanup.split("The following are only hints: Review does not ask about them")
    assert "Make no sense on their own (1)" in asked
    assert "Not needed for a year (1)" in not_asked
    page = shown(pages)
    assert "1 of 1" in page
    assert "Makes no sense on its own</h2>" in page
    assert "Forgotten." in press(pages, "forget")
    assert active(owner) == {"The cat is called Mimi."}


def test_the_key_that_forgets_keeps_nothing(owner: User, pages: Client, homes: tuple[Memory, Memory]) -> None:
    page = shown(pages)
    assert 'data-key="f"' not in page
    assert re.search('value="dismiss" data-key="b"[^>]*>Keep both <kbd>B</kbd>', page)
    third = make_memory(owner, "I live in Faro")
    CleanupFinding.objects.all().delete()
    find(owner, "duplicates", *homes, third, kept=third)
    assert re.search('value="dismiss" data-key="a"[^>]*>Keep all <kbd>A</kbd>', shown(pages))


def test_several_duplicates_are_kept_or_replaced_together(owner: User, pages: Client) -> None:
    memories = [make_memory(owner, f"Mochi is a dog, said {number} times") for number in range(3)]
    find(owner, "duplicates", *memories, kept=memories[2])
    page = shown(pages)
    assert "Keep the first" in page
    assert "Keep the second" not in page
    assert f"“{memories[2].text}” replaces 2 others." in unescape(press(pages, "keep"))
    assert active(owner) == {memories[2].text}


def test_a_finding_whose_memories_changed_after_it_was_shown_is_not_settled(
    owner: User, pages: Client, homes: tuple[Memory, Memory]
) -> None:
    sent = {**fields(shown(pages)), "do": "keep"}
    update_memory(Actor(View.whole(owner.pk), "app"), homes[0].pk, MemoryUpdate(text="I live in Porto again"))
    page = pages.post(PAGE, sent, follow=True).content.decode()
    assert "its memories have changed since" in page
    assert active(owner) == {"I live in Porto again", homes[1].text}


@pytest.mark.parametrize("sent", [{"do": "forget"}, {"do": "keep", "newer": "0"}, {"do": "keep", "newer": "999999"}])
def test_a_made_up_decision_about_a_contradiction_changes_nothing(
    owner: User, pages: Client, homes: tuple[Memory, Memory], sent: dict[str, str]
) -> None:
    pages.post(PAGE, {**fields(shown(pages)), **sent}, follow=True)
    assert active(owner) == {memory.text for memory in homes}


def test_findings_of_others_are_neither_shown_nor_settled(owner: User, pages: Client) -> None:
    other = make_user("other")
    theirs = [make_memory(other, f"I live in town {number}") for number in range(2)]
    finding = find(other, "contradiction", *theirs, kept=theirs[1])
    assert "Nothing to decide" in shown(pages)
    sent = {"card": f"f{finding.pk}", "seen_at": timezone.now().isoformat(), "newer": str(theirs[1].pk)}
    for decision in ("keep", "dismiss"):
        pages.post(PAGE, {**sent, "do": decision}, follow=True)
    assert Memory.objects.active().filter(owner=other).count() == 2
    assert CleanupFinding.objects.get().state == CleanupFinding.State.OPEN


@pytest.mark.parametrize(
    ("text", "problem"),
    [("  ", "Must not be empty."), ("My password is hunter22!x", "This seems to contain a password.")],
)
def test_a_correction_that_is_refused_can_be_corrected(owner: User, pages: Client, text: str, problem: str) -> None:
    memory = guess(owner, "Robin likes snow.")
    page = press(pages, "edit", text=text)
    assert problem in page
    assert f">{text}</textarea>" in page
    memory.refresh_from_db()
    assert memory.text == "Robin likes snow."
    assert "Changed and kept." in press(pages, "edit", text="Robin likes rain.")


def test_keeping_both_of_a_finding_can_be_undone_with_the_toast(
    owner: User, pages: Client, homes: tuple[Memory, Memory]
) -> None:
    page = press(pages, "dismiss")
    assert "Nothing to decide" in page
    assert "1 of 1" in press_undo(pages, page)
    assert CleanupFinding.objects.get().state == CleanupFinding.State.OPEN


def test_the_rejection_of_a_plan_can_be_undone_with_the_toast(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I like tea")
    propose_plan(Actor(View.whole(owner.pk), "app"), [ProposedChange(Action.FORGET, [memory.pk])])
    page = press(pages, "reject")
    assert "Nothing to decide" in page
    assert "wants to forget 1 memory" in press_undo(pages, page)
