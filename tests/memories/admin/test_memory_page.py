"""Tests of the page of one memory: what it shows, to whom, and at which cost."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape

from memories.access import Actor, View
from memories.admin.memory_list.merging import merge_address
from memories.admin.text_diff import Piece, diff
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.cleanup.search import search
from memories.drafts import Draft
from memories.models import CleanupFinding, Comparison, Memory, PastRecall
from memories.recall.pipeline import Query, recall
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import confirm_memory, forget_memory, restore_memory
from memories.writing.merging import merge_memories, split_memory
from memories.writing.remembering import RememberRequest, remember
from memories.writing.succession import succeed_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import (
    HOST,
    actor_for,
    infer,
    make_app,
    make_expired,
    make_memory,
    make_user,
    owner_actor,
    quarantined,
)

LIST = "/admin/memories/memory/"


def page_of(pages: Client, memory_id: int) -> str:
    response = pages.get(f"{LIST}{memory_id}/change/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def recalled(owner: User, memory_id: int, question: str, client: str = "tests") -> PastRecall:
    return PastRecall.objects.create(
        owner=owner,
        at=timezone.now() - timedelta(hours=2),
        client=client,
        tool="recall",
        milliseconds=3.0,
        query=question,
        mode="hybrid",
        limit=8,
        min_score=0.0,
        tags=[],
        only_tags=[],
        only_keywords=False,
        matches=[{"id": memory_id, "score": 0.8, "parts": {}}],
        near_misses=[],
    )


def test_an_expired_memory_says_so_and_is_active_again_if_it_is_still_true(owner: User, pages: Client) -> None:
    memory = make_expired(make_memory(owner, "Robin likes tea."))
    assert "<b>It expired</b>" in page_of(pages, memory.pk)
    posted = {"do": "confirm", "_selected_action": memory.pk, "back": f"{LIST}{memory.pk}/change/"}
    assert "Confirmed." in pages.post(LIST, posted, follow=True).content.decode()
    assert Memory.objects.active().filter(pk=memory.pk).exists()
    page = page_of(pages, memory.pk)
    assert "It expired" not in page
    assert "You made it active again" in page


def test_a_long_text_is_not_in_large_letters_and_shown_once_more_only_on_demand(owner: User, pages: Client) -> None:
    short, long = make_memory(owner, "Robin likes tea."), make_memory(owner, "Robin likes tea. " * 30)
    assert '<h1 class="big" dir="auto">' in page_of(pages, short.pk)
    assert "The whole text" not in page_of(pages, short.pk)
    assert '<h1 class="big long" dir="auto">' in page_of(pages, long.pk)
    assert page_of(pages, long.pk).count("The whole text</summary>") == 1
    update_memory(owner_actor(owner), long.pk, MemoryUpdate(text=long.text + " And coffee."))
    assert page_of(pages, long.pk).count("The whole text</summary>") == 1


def test_the_number_of_versions_is_beside_their_heading(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I live in Bern.")
    beside = r'<h2 id="versions">Versions</h2><span class="[^"]*\bgrow\b[^"]*">%s</span>'
    assert re.search(beside % 1, page_of(pages, memory.pk))
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="I live in Basel."))
    page = page_of(pages, memory.pk)
    assert re.search(beside % 2, page)
    assert "Compare versions" in page


def test_it_says_who_told_it_to_whom_and_who_used_it(owner: User, pages: Client) -> None:
    app = make_app("Claude <b>")
    actor = Actor(View.whole(owner.pk), app.client_id)
    memory_id = remember(actor, RememberRequest(Draft("Tom eats no fish.", tags=("food",)))).memory_id
    recalled(owner, memory_id, "dinner <ideas>", client=app.client_id)
    recalled(make_user(), memory_id, "the question of another owner")

    page = page_of(pages, memory_id)
    assert "You told Claude &lt;b&gt;, <time" in page
    assert '<q dir="auto">dinner &lt;ideas&gt;</q><small>Claude &lt;b&gt;, <time' in page
    assert "1 time<" in page
    assert "another owner" not in page
    assert "<b>Claude &lt;b&gt; added it</b>" in page


def test_recalls_whose_questions_were_not_kept_are_one_line(owner: User, pages: Client) -> None:
    memory_id = make_memory(owner, "Tom eats no fish.").pk
    recalled(owner, memory_id, "")
    assert "A question, whose words are not stored<small>tests, <time" in page_of(pages, memory_id)
    for client in ("tests", "tests", "<last>"):
        recalled(owner, memory_id, "", client)
    recalled(owner, memory_id, "dinner")
    page = page_of(pages, memory_id)
    assert page.count("not stored") == 1
    assert "4 questions, whose words are not stored<small>&lt;last&gt; and tests, last <time" in page
    assert '<q dir="auto">dinner</q><small>tests, <time' in page
    assert "5 times<" in page


def test_what_an_app_inferred_is_told_from_what_the_owner_said(owner: User, pages: Client) -> None:
    infer(actor_for(owner), "Robin may like jazz.")
    assert "tests inferred it" in page_of(pages, Memory.objects.get().pk) or "An app inferred it" in page_of(
        pages, Memory.objects.get().pk
    )
    mine = remember(owner_actor(owner), RememberRequest(Draft("The tram is yellow."))).memory_id
    assert "You added it, <time" in page_of(pages, mine)


def test_a_version_can_be_restored_and_that_undone(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Tom is vegetarian.", tags=("food",))
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="Tom eats no fish.", tags=["food", "tom"]))
    confirm_memory(owner_actor(owner), memory.pk)
    page = page_of(pages, memory.pk)
    assert "<b>You changed the text and the tags</b>" in page
    assert "Tom <del>is</del> <ins>eats</ins>" in page
    restore = re.findall(r'action="(/admin/undo/now/[^"]*)"', page)
    assert len(restore) == 1, "the second version has the same text and tags as the current one"

    restored = pages.post(unescape(restore[-1]), follow=True).content.decode()
    assert "The version was restored." in restored
    memory.refresh_from_db()
    assert (memory.text, memory.tags) == ("Tom is vegetarian.", ["food"])
    assert "<b>You restored an earlier version</b>" in page_of(pages, memory.pk)
    assert "You restored 1 memory" in pages.get("/admin/memories/journalentry/").content.decode()


def test_what_an_undo_brings_back_is_called_restored(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Tom is vegetarian.")
    actor = owner_actor(owner)
    forget_memory(actor, memory.pk)
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert "<b>You restored it</b>" in page_of(pages, memory.pk)


def test_a_version_that_was_forgotten_or_is_like_the_current_one_cannot_be_restored(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Tom is vegetarian.")
    forget_memory(owner_actor(owner), memory.pk)
    page = page_of(pages, memory.pk)
    assert 'name="restore"' in page
    assert "Restore this version" not in page, "it would do what the button Restore does"
    restore_memory(owner_actor(owner), memory.pk)
    page = page_of(pages, memory.pk)
    assert "<b>You forgot it</b>" in page
    assert "Restore this version" not in page


def test_a_replaced_memory_was_not_forgotten(owner: User, pages: Client) -> None:
    old, new = make_memory(owner, "Tom is vegetarian."), make_memory(owner, "Tom eats fish.")
    forget_memory(owner_actor(owner), old.pk, replaced_by_id=new.pk)
    page = page_of(pages, old.pk)
    assert "<b>You replaced it</b>" in page
    assert "You forgot it" not in page


def test_forgetting_asks_nothing_and_leads_back_with_undo(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Tom is vegetarian.")
    path = f"{LIST}{memory.pk}/change/"
    page = pages.post(LIST, {"forget": memory.pk, "back": path}, follow=True).content.decode()
    assert "It was forgotten" in page
    undo = re.search(r'action="(/admin/undo/now/\?change_set[^"]*)"', page)
    assert undo is not None
    assert pages.post(unescape(undo[1]))["Location"] == path
    memory.refresh_from_db()
    assert memory.deleted_at is None


def test_what_was_replaced_and_what_replaced_it_name_each_other(owner: User, pages: Client) -> None:
    old, new = make_memory(owner, "Tom lives in <i>Graz</i>."), make_memory(owner, "The tram is yellow.")
    forget_memory(owner_actor(owner), old.pk, replaced_by_id=new.pk)
    assert "It was replaced" in page_of(pages, old.pk)
    assert "The tram is yellow.</a>" in page_of(pages, old.pk)
    assert "“Tom lives in &lt;i&gt;Graz&lt;/i&gt;.”" in page_of(pages, new.pk)


def test_a_memory_that_was_split_names_all_of_its_parts(owner: User, pages: Client) -> None:
    whole = make_memory(owner, "Mochi is a Shiba, and her vet is Dr. Frei.")
    split_memory(owner_actor(owner), whole.pk, ["Mochi is a Shiba.", "Mochi's vet is Dr. Frei."])
    page = page_of(pages, whole.pk)
    state = page.partition('class="note after contra"')[2].partition("</section>")[0]
    assert "Mochi is a Shiba.</a> · <a" in state
    assert "Dr. Frei.</a>" in state
    assert "Split into" not in page


def test_a_merged_memory_links_its_successor_and_names_no_ids(owner: User, pages: Client) -> None:
    one, other = make_memory(owner, "Mochi is a dog."), make_memory(owner, "Mochi is a Shiba.")
    merge_memories(owner_actor(owner), [one.pk, other.pk], "Mochi is a dog, a Shiba.")
    page = page_of(pages, one.pk)
    assert "Mochi is a dog, a Shiba.</a>" in page
    assert "Merged into" not in page


def test_what_says_the_same_can_be_compared_and_merged(owner: User, pages: Client) -> None:
    text = "Robin's manager is <i>Ines</i>, and they meet every Tuesday morning at ten in the kitchen"
    memory, first, second = (make_memory(owner, f"{text}{end}") for end in ("", "!", "?!"))
    page = page_of(pages, memory.pk)
    assert '<p class="diff" dir="auto">Robin&#x27;s manager is &lt;i&gt;Ines&lt;/i&gt;, and they' in page
    assert "kitchen<ins>!</ins></p>" in page
    path = f"{LIST}{memory.pk}/change/"
    for others in ([first], [second], [first, second]):
        address = merge_address([memory.pk, *(each.pk for each in others)], path)
        swapped = merge_address([memory.pk, *(each.pk for each in reversed(others))], path)
        assert escape(address) in page or escape(swapped) in page
    assert "Merge all</a>" in page
    assert "Merge all</a>" not in page_of(pages, make_memory(owner, "The tram is yellow.").pk)


def test_of_two_that_contradict_each_other_one_is_kept(owner: User, pages: Client) -> None:
    first = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    second = make_memory(owner, "The weekly review meeting with the design team is on Thursday at ten.")
    page = page_of(pages, first.pk)
    assert "May contradict another memory. Which is true?" in page
    sent = {"do": "keep_second", "first": first.pk, "second": second.pk, "back": f"{LIST}{second.pk}/change/"}
    pages.post(LIST, sent, follow=True)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.replaced_by_id, second.deleted_at) == (second.pk, None)
    assert "May contradict" not in page_of(pages, second.pk)


def link_by_network(memory: Memory, other: Memory) -> None:
    """Store that the network has found that the two contradict each other."""
    Comparison.objects.create(memory=memory, text_hash=memory.text_hash, changes=[other.pk])


def test_what_only_the_network_calls_contradicting_is_listed_with_its_doubts(owner: User, pages: Client) -> None:
    trip, diet = make_memory(owner, "Robin was in Kyoto in 2019."), make_memory(owner, "Robin eats no meat since 2018.")
    link_by_network(trip, diet)
    for memory, other in ((trip, diet), (diet, trip)):
        page = page_of(pages, memory.pk)
        assert "May contradict another memory" not in page
        part = page.partition("Possible contradictions</h2>")[2].partition("</section>")[0]
        assert "Found by a small model, which is often wrong." in part
        assert other.text in part
    sent = {"do": "keep_both", "first": trip.pk, "second": diet.pk, "back": f"{LIST}{trip.pk}/change/"}
    pages.post(LIST, sent, follow=True)
    assert "Possible contradictions" not in page_of(pages, trip.pk)


def test_a_series_is_not_a_row_of_contradictions(owner: User, pages: Client) -> None:
    texts = [f"The rent of the flat in the old town was {number} euros a month." for number in range(801, 808)]
    memories = [make_memory(owner, text) for text in texts]
    assert "May contradict" not in page_of(pages, memories[0].pk)
    for memory in memories[2:]:
        memory.delete()
    assert page_of(pages, memories[0].pk).count("May contradict another memory") == 1


def test_two_that_do_not_contradict_each_other_are_not_called_so_again(owner: User, pages: Client) -> None:
    first = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    second = make_memory(owner, "The weekly review meeting with the design team is on Thursday at ten.")
    search(owner.pk)
    question = Query("When is the weekly review meeting with the design team?")
    assert all(match.conflicts_with for match in recall(View.whole(owner.pk), question).matches)
    sent = {"do": "keep_both", "first": second.pk, "second": first.pk, "back": f"{LIST}{second.pk}/change/"}
    assert "this is not shown again" in pages.post(LIST, sent, follow=True).content.decode()
    found = recall(View.whole(owner.pk), question).matches
    assert len(found) == 2
    assert not any(match.conflicts_with for match in found), "apps are not told otherwise"
    search(owner.pk)
    for memory in (first, second):
        page = page_of(pages, memory.pk)
        assert "May contradict" not in page
        assert "Similar memories" in page
    assert "Nothing to decide" in pages.get("/admin/review/").content.decode()


def test_a_plan_no_longer_replaces_one_of_two_that_are_both_true(owner: User, pages: Client) -> None:
    first = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    second = make_memory(owner, "The weekly review meeting with the design team is on Thursday at ten.")
    tea, jazz = make_memory(owner, "I like tea"), make_memory(owner, "I like jazz")
    alone = propose_plan(owner_actor(owner), [ProposedChange(Action.FORGET, [first.pk], replaced_by_id=second.pk)])
    others = [
        ProposedChange(Action.FORGET, [second.pk], replaced_by_id=first.pk),
        ProposedChange(Action.FORGET, [tea.pk], replaced_by_id=jazz.pk),
        ProposedChange(Action.CONFIRM, [first.pk]),
    ]
    mixed = propose_plan(Actor(View.whole(owner.pk), "app"), others)
    pages.post(LIST, {"do": "keep_both", "first": second.pk, "second": first.pk})
    assert list(alone.lines.values_list("state", flat=True)) == ["rejected"]
    assert list(mixed.lines.order_by("position").values_list("state", flat=True)) == ["rejected", "open", "open"]
    page = pages.get("/admin/cleanup/").content.decode()
    assert "wants to tidy up 2 memories" in page
    assert "To forget" not in page, "a plan without open lines is closed"


@pytest.mark.parametrize("second", ["", "0", "first", "foreign"])
def test_a_made_up_pair_is_refused(owner: User, pages: Client, second: str) -> None:
    first, foreign = make_memory(owner, "Mochi is a dog."), make_memory(make_user("other"), "Mochi is a cat.")
    given = {"first": first.pk, "foreign": foreign.pk}.get(second, second)
    pages.post(LIST, {"do": "keep_both", "first": first.pk, "second": given})
    assert not CleanupFinding.objects.exists()


def test_what_has_ended_contradicts_nothing_and_its_page_says_when_it_ended(owner: User, pages: Client) -> None:
    former = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    update = MemoryUpdate(text="The weekly review meeting with the design team is on Thursday at ten.")
    current_id = succeed_memory(owner_actor(owner), former.pk, update, timezone.now() - timedelta(days=3)).new_id
    assert current_id is not None
    for memory_id in (former.pk, current_id):
        page = page_of(pages, memory_id)
        assert "May contradict" not in page
        assert "Similar memories" in page
    page = page_of(pages, former.pk)
    assert "<b>You changed how long it is true</b>" in page
    assert re.search(r"Valid until: <bdi><ins>[^<]*20\d\d[^<]*</ins>", page)


def test_what_is_still_to_come_contradicts_nothing_yet(owner: User, pages: Client) -> None:
    make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    begins = timezone.now() + timedelta(days=30)
    change = make_memory(
        owner, "The weekly review meeting with the design team is on Thursday at ten.", valid_from=begins
    )
    page = page_of(pages, change.pk)
    assert "May contradict" not in page
    assert "Similar memories" in page


def test_a_version_says_that_a_date_was_removed_together_with_the_words(owner: User, pages: Client) -> None:
    memory_id = remember(owner_actor(owner), RememberRequest(Draft("I have lived in Porto since 2018."))).memory_id
    update_memory(owner_actor(owner), memory_id, MemoryUpdate(text="I have lived in Porto since 2019."))
    assert "Valid from:" not in page_of(pages, memory_id)
    update_memory(owner_actor(owner), memory_id, MemoryUpdate(text="I lived in Porto."))
    assert re.search(r"Valid from: <bdi><del>[^<]*2019[^<]*</del>", page_of(pages, memory_id))
    journal = pages.get("/admin/memories/journalentry/").content.decode()
    assert re.search(r'Valid from: <del dir="auto">[^<]*2019[^<]*</del> none', journal)


def test_what_is_in_the_inbox_can_be_accepted_there(owner: User, pages: Client) -> None:
    infer(quarantined(owner), "Robin may like jazz.")
    memory = Memory.objects.get()
    page = page_of(pages, memory.pk)
    (seen_at,) = re.findall(r'name="seen_at" value="([^"]*)"', page)
    pages.post(f"{LIST}accept/?ids={memory.pk}", {"seen_at": seen_at})
    memory.refresh_from_db()
    assert memory.quarantined_from is None


def test_a_memory_that_was_true_until_a_time_and_the_one_since_then_name_each_other(owner: User, pages: Client) -> None:
    since = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=13)
    old = make_memory(owner, "I drive a Berlingo.")
    other = make_memory(owner, "I drive to work.", valid_until=since - timedelta(seconds=1))
    new_id = succeed_memory(actor_for(owner), old.pk, MemoryUpdate(text="I drive a VW Caddy."), since).new_id
    assert new_id is not None
    link = f'<a class="link" dir="auto" href="{LIST}{new_id}/change/">I drive a VW Caddy.</a>'
    assert f"From {date_format(since)} on, this is true instead: {link}" in page_of(pages, old.pk)
    assert f'It replaced <a href="{LIST}{old.pk}/change/" dir="auto">“I drive a Berlingo.”</a>' in page_of(
        pages, new_id
    )
    assert "this is true instead" not in page_of(pages, other.pk)
    forget_memory(actor_for(owner), new_id)
    assert "this is true instead" not in page_of(pages, old.pk)


def test_the_page_costs_at_most_sixteen_queries(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    for number in range(5):
        make_memory(owner, f"The cat is called Mimi {number}.")
        recalled(owner, memory.pk, f"question {number}")
    for text in ("The dog is called Rex.", "The cat is called Momo."):
        update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text=text))
    pages.get(LIST)
    with CaptureQueriesContext(connection) as queries:
        page_of(pages, memory.pk)
    assert len(queries) <= 16, [each["sql"][:100] for each in queries]


@pytest.mark.parametrize("path", ["change/", "change/?fields=all", "edit/", "delete/"])
def test_others_and_visitors_do_not_see_it(owner: User, pages: Client, path: str) -> None:
    memory = make_memory(make_user(), "Somebody else's cat.")
    assert pages.get(f"{LIST}{memory.pk}/{path}").status_code == 404
    visitor = Client(headers={"host": HOST}).get(f"{LIST}{memory.pk}/{path}")
    assert visitor.status_code == 302
    assert visitor["Location"].startswith("/admin/login/")


def test_the_editor_saves_in_place_and_says_what_is_wrong(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    make_memory(owner, "Taken.")
    url = f"{LIST}{memory.pk}/edit/"
    part = {"x-part": "1"}
    assert pages.get(url, headers=part).content.decode().lstrip().startswith("<li data-editor>")

    taken = pages.post(url, {"text": "Taken.", "tags": "pets"}, headers=part).content.decode()
    assert "already has this text" in taken
    saved = pages.post(url, {"text": "The cat is called Momo.", "tags": "pets, cats"}, headers=part).content.decode()
    assert "The cat is called Momo." in saved
    assert "Saved." in saved
    assert "Undo" in saved
    memory.refresh_from_db()
    assert memory.tags == ["pets", "cats"]

    back = {"text": "The cat is called Mia.", "tags": "", "back": f"{LIST}?q=cat"}
    assert pages.post(url, back)["Location"] == f"{LIST}?q=cat"


def test_a_long_text_is_compared_as_a_whole() -> None:
    long = "word " * 700
    assert diff(long, "short") == [Piece("del", long), Piece("ins", "short")]
    assert diff("", "new") == [Piece("ins", "new")]
    assert diff("a b", "a c") == [Piece("same", "a "), Piece("del", "b"), Piece("ins", "c")]


def test_the_time_of_a_change_has_its_place_in_the_sentence_of_each_language(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    confirm_memory(owner_actor(owner), memory.pk)
    address = f"/admin/memories/memory/{memory.pk}/change/"
    assert re.search("<p><b>You confirmed it</b> <time[^>]*>just now</time></p>", pages.get(address).content.decode())
    german = pages.get(address, headers={"accept-language": "de"}).content.decode()
    assert re.search("<p><time[^>]*>gerade eben</time> <b>hast du sie bestätigt</b></p>", german)


def test_a_forgotten_memory_that_is_to_be_deleted_permanently_is_not_to_be_forgotten(
    owner: User, pages: Client
) -> None:
    memory = make_memory(owner, "The tram is yellow.")
    address = f"{LIST}{memory.pk}/delete/"
    assert "forget it</a> instead" in pages.get(address).content.decode()
    forget_memory(owner_actor(owner), memory.pk)
    page = pages.get(address).content.decode()
    assert "forget it</a> instead" not in page
    assert "It is already forgotten" in page
