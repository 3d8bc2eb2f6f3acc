"""Tests of the history page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from memories.access import Actor, View
from memories.admin.base import acting_owner
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import apply_plan, propose_plan
from memories.drafts import Draft
from memories.models import JournalEntry, Memory
from memories.undo.selection import Selection as UndoSelection
from memories.undo.undoing import undo
from memories.writing.briefing_places import place_memory, remove_from_place
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory, restore_memory
from memories.writing.merging import merge_memories
from memories.writing.remembering import RememberRequest, remember, remember_all
from memories.writing.synonyms import add_synonym
from memories.writing.tag_changes import merge_tags, rename_tag
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import PersonalToken, User
from tests.documents.support import make_document
from tests.support.factories import (
    infer,
    make_app,
    make_memory,
    make_personal_token,
    make_user,
    owner_actor,
    quarantined,
)

LIST = "/admin/memories/journalentry/"
PINNED, HIDDEN = Memory.BriefingPlace.PINNED, Memory.BriefingPlace.HIDDEN


def test_an_empty_journal_offers_nothing_to_search_or_undo(owner: User, pages: Client) -> None:
    page = pages.get(LIST).content.decode()
    assert "Nothing has changed yet" in page
    assert "Search what changed" not in page
    assert "Undo what an app did" not in page
    make_memory(owner, "The cat is called Mimi.")
    for path in (LIST, f"{LIST}?q=dog"):
        page = pages.get(path).content.decode()
        assert "Search what changed" in page
        assert "Undo what an app did" in page


def test_the_history_names_the_app_that_made_a_change(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    update_memory(
        Actor(View.whole(owner.pk), make_app("Desktop Helper").client_id), memory.pk, MemoryUpdate(importance=0.9)
    )
    page = pages.get(LIST).content.decode()
    assert "Desktop Helper" in page
    assert "Select record" not in page
    assert "Desktop Helper changed 1 memory" in page
    assert 'Importance: <del dir="auto">0.5</del> <ins dir="auto">0.9</ins>' in page
    german = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert 'Wichtigkeit: <del dir="auto">0,5</del> <ins dir="auto">0,9</ins>' in german
    assert f'href="/admin/memories/memory/{memory.pk}/change/"' in page


def test_an_expiry_at_the_end_of_a_day_is_shown_as_a_day(owner: User, pages: Client, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Europe/Berlin")
    memory = make_memory(owner, "The project runs.")
    for end in (datetime(2091, 2, 3, 13, 30, tzinfo=UTC), datetime(2090, 1, 31, tzinfo=UTC)):
        update_memory(owner_actor(owner), memory.pk, MemoryUpdate(expires_at=end))
    page = pages.get(LIST).content.decode()
    assert 'Expires: <del dir="auto">3 Feb 2091, 14:30</del> <ins dir="auto">31 Jan 2090</ins>' in page
    page = pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    assert "<ins>31 Jan 2090</ins>" in page
    assert "<dt>Expires</dt><dd>31 Jan 2090</dd>" in page


def test_the_history_names_the_script_that_made_a_change(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    token = PersonalToken.objects.create(user=owner, name="Nightly script", token_sha256="f" * 64)
    update_memory(Actor(View.whole(owner.pk), f"token:{token.pk}"), memory.pk, MemoryUpdate(importance=0.9))
    assert "Nightly script" in pages.get(LIST).content.decode()
    assert "Nightly script" in pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()


def test_the_names_of_apps_are_written_as_their_owner_did(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    token = PersonalToken.objects.create(user=owner, name="backup-script", token_sha256="f" * 64)
    update_memory(Actor(View.whole(owner.pk), f"token:{token.pk}"), memory.pk, MemoryUpdate(importance=0.9))
    for page in (LIST, "/admin/undo/", f"/admin/memories/memory/{memory.pk}/change/"):
        shown = pages.get(page).content.decode()
        assert "backup-script" in shown
        assert "Backup-script" not in shown
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(importance=0.8))
    german = pages.get("/admin/undo/", headers={"accept-language": "de"}).content.decode()
    assert ">Deine eigenen Änderungen</option>" in german


def test_a_tag_synonym_is_named_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    pages.post("/admin/memories/tagsynonym/add/", {"variant": "haus", "canonical": "home"})
    assert "Tag haus" in pages.get(LIST).content.decode()
    german = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "Schlagwort haus" in german
    assert "Tag haus" not in german


def test_a_renamed_tag_is_named_instead_of_its_synonyms(owner: User, pages: Client) -> None:
    for text in ("Reads a lot.", "Writes a lot."):
        make_memory(owner, text, tags=("family", "home"))
    make_document(owner, tags=("family",))
    rename_tag(owner_actor(owner), "family", "kin")
    page = pages.get(LIST).content.decode()
    assert "You renamed the tag “family” to “kin” in 2 memories and 1 document" in page
    assert "tag synonyms" not in page
    german = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "Du hast das Schlagwort „family“ bei 2 Erinnerungen und 1 Dokument in „kin“ umbenannt" in german
    merge_tags(Actor(View.whole(owner.pk), make_app("Cursor <b>").client_id), ["kin", "home"], "people")
    page = pages.get(LIST).content.decode()
    assert "Cursor &lt;b&gt; merged the tags “kin” and “home” into “people” in 2 memories and 1 document" in page


def test_new_synonyms_are_no_renaming(owner: User, pages: Client) -> None:
    actor, memory = owner_actor(owner), make_memory(owner, "Reads a lot.")
    with transaction.atomic():
        add_synonym(actor, "books", "reading")
        add_synonym(actor, "walks", "hikes")
        update_memory(actor, memory.pk, MemoryUpdate(importance=0.9))
    assert "You changed 1 memory and 2 tag synonyms" in pages.get(LIST).content.decode()


def test_the_reason_of_a_forget_is_no_inserted_text(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I live in Porto.")
    forget_memory(Actor(View.whole(owner.pk), "admin"), memory.pk, reason="Wrong")
    assert "Reason: <bdi>Wrong</bdi>" in pages.get(LIST).content.decode()
    page = pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    assert "Wrong" in page
    assert "<ins>Wrong" not in page


def test_a_replacement_quotes_the_memory_that_replaced_it(owner: User, pages: Client) -> None:
    old, new = make_memory(owner, "I live in Porto."), make_memory(owner, "I live in Lisbon.")
    forget_memory(Actor(View.whole(owner.pk), "admin"), old.pk, replaced_by_id=new.pk)
    assert "Replaced by: <bdi>“I live in Lisbon.”</bdi>" in pages.get(LIST).content.decode()


@pytest.mark.parametrize("is_undone", [False, True])
def test_an_applied_plan_names_the_app_that_proposed_it(owner: User, pages: Client, is_undone: bool) -> None:
    texts = ("The cat is called Mimi <3", "The cat has the name Mimi")
    memories = [make_memory(owner, text) for text in texts]
    app = make_app("Kitchen <b>Tablet")
    merge = ProposedChange(Action.MERGE, [memory.pk for memory in memories], text="Our cat is Mimi")
    plan = propose_plan(Actor(View.whole(owner.pk), app.client_id), [merge])
    applied = acting_owner(owner.pk)
    ((merged_id,),) = [outcome.new_ids for outcome in apply_plan(applied, plan.pk)]
    name = "Kitchen &lt;b&gt;Tablet"
    if is_undone:
        undo(acting_owner(owner.pk), UndoSelection(change_set=applied.change_set))
    else:
        assert f"<span>proposed by {name}</span>" in pages.get("/admin/memories/memory/").content.decode()
    assert f"You added 1 memory and replaced 2, as {name} proposed" in pages.get(LIST).content.decode()
    page = pages.get(f"/admin/memories/memory/{merged_id}/change/").content.decode()
    assert f"You added it, as {name} proposed" in page
    assert re.search(f"<b>You added it</b> <time [^>]*>just now</time>, as {name} proposed", page)
    page = pages.get(f"/admin/memories/memory/{memories[0].pk}/change/").content.decode()
    assert re.search(f"<b>You replaced it</b> <time [^>]*>just now</time>, as {name} proposed", page)


def test_what_the_owner_does_without_a_plan_of_an_app_was_proposed_by_nobody(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi")
    actor = acting_owner(owner.pk)
    apply_plan(actor, propose_plan(actor, [ProposedChange(Action.FORGET, [memory.pk])]).pk)
    for address in (LIST, f"/admin/memories/memory/{memory.pk}/change/", "/admin/memories/memory/"):
        assert "proposed" not in pages.get(address).content.decode()


def test_a_merge_is_listed_without_ids_and_without_empty_changes(owner: User, pages: Client) -> None:
    ids = [make_memory(owner, text).pk for text in ("I live in Porto.", "Porto is home.")]
    merge_memories(Actor(View.whole(owner.pk), "admin"), ids, "My home is Porto.")
    page = pages.get(LIST).content.decode()
    assert "You added 1 memory and replaced 2" in page
    assert ">Replaced<" in page
    assert page.count("Replaced by: <bdi>“My home is Porto.”</bdi>") == 2
    assert "Merged into memory" not in page


def test_each_period_has_its_number_whatever_is_chosen(owner: User, pages: Client) -> None:
    for days in (1, 10, 100):
        memory = make_memory(owner, f"I was there {days} days ago.")
        moment = timezone.now() - timedelta(days=days)
        JournalEntry.objects.filter(memory_id=memory.pk).update(at=moment)
    forget_memory(owner_actor(owner), memory.pk)
    for query, numbers in (("", [2, 3, 4]), ("?days=7", [2, 3, 4]), ("?days=7&kind=added", [1, 2, 3])):
        assert [facet.count for facet in pages.get(f"{LIST}{query}").context["facets"].periods] == numbers


def test_the_numbers_of_the_filters_are_those_of_the_search(owner: User, pages: Client) -> None:
    make_memory(owner, "I live in Porto.")
    make_memory(owner, "I like tea.")
    page = pages.get(f"{LIST}?q=porto")
    assert [facet.count for facet in page.context["facets"].kinds] == [1]
    assert page.context["facets"].periods[-1].count == 1
    assert pages.get(f"{LIST}?q=nothing").context["facets"].periods[-1].count == 0


def test_the_name_of_a_source_is_in_quotation_marks(owner: User, pages: Client) -> None:
    remember(Actor(View.whole(owner.pk), "source:my <recipes>"), RememberRequest(Draft("Tea is hot")))
    page = pages.get(LIST).content.decode()
    assert "The source “my &lt;recipes&gt;” added 1 memory" in page
    german = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "Die Quelle „my &lt;recipes&gt;“ hat 1 Erinnerung hinzugefügt" in german


def test_an_import_has_an_icon_and_no_letters(owner: User, pages: Client) -> None:
    remember(Actor(View.whole(owner.pk), "import"), RememberRequest(Draft("The cat is called Mimi.")))
    page = pages.get(LIST).content.decode()
    assert "icons.svg#upload" in page
    assert ">Ai<" not in page


def test_a_deletion_for_good_is_listed_without_a_link(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    hard_delete_memory(Actor(View.whole(owner.pk), "admin"), memory.pk)
    page = pages.get(LIST).content.decode()
    assert "You permanently deleted 1 memory" in page
    assert "A memory that no longer exists" in page
    assert f"/admin/memories/memory/{memory.pk}/change/" not in page


def test_the_history_is_read_only_and_ones_own(owner: User, pages: Client) -> None:
    make_memory(make_user(), "Somebody else's cat.")
    foreign = JournalEntry.objects.get()
    make_memory(owner, "The cat is called Mimi.")
    own = JournalEntry.objects.latest("id")

    assert "Somebody" not in pages.get(LIST).content.decode()
    assert pages.get(f"{LIST}{foreign.pk}/change/").status_code == 404
    assert pages.post(f"{LIST}{own.pk}/change/", {"client": "forged"}).status_code == 403
    assert pages.get(f"{LIST}add/").status_code == 403
    assert pages.post(f"{LIST}{own.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_history_costs_as_many_queries_for_twenty_lines_as_for_two(owner: User, pages: Client) -> None:
    def queries_for(count: int) -> int:
        while JournalEntry.objects.count() < count:
            make_memory(owner, f"Fact {JournalEntry.objects.count()}.")
        with CaptureQueriesContext(connection) as queries:
            pages.get(LIST)
        return len(queries)

    assert queries_for(2) == queries_for(20)


def test_a_deletion_for_good_out_of_the_inbox_tells_nothing_either(owner: User, pages: Client) -> None:
    hard_delete_memory(owner_actor(owner), infer(quarantined(owner), "The cat is called Mimi.").memory_id)
    page = pages.get(LIST).content.decode()
    assert "that no longer exists" in page
    assert "Inbox:" not in page
    assert "Mimi" not in page


def test_the_changes_of_one_call_are_one_change_set(owner: User, pages: Client) -> None:
    app = Actor(View.whole(owner.pk), make_app("Desktop Helper").client_id)
    remember_all(app, [RememberRequest(Draft(f"The bed {number} has asters.")) for number in range(7)])
    page = pages.get(LIST).content.decode()
    assert "Desktop Helper added 7 memories" in page
    assert page.count("has asters.") == 5
    assert "2 more" in page
    assert "Undo all 7" in page
    change_set = pages.get(f"{LIST}{JournalEntry.objects.latest('id').pk}/change/").content.decode()
    assert change_set.count("has asters.") == 7


def test_a_change_shows_what_it_was_before(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The opening is on 24 April.")
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="The opening is on 8 May."))
    page = pages.get(LIST).content.decode()
    assert "You changed 1 memory" in page
    assert "<del>24</del>" in page
    assert "<ins>8</ins>" in page


def test_the_word_in_front_of_a_memory_says_what_its_sentence_says(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    confirm_memory(owner_actor(owner), memory.pk)
    page = pages.get(LIST).content.decode()
    assert "You confirmed 1 memory" in page
    assert '<span class="kind">Confirmed</span>' in page


def test_html_in_texts_and_names_is_text(owner: User, pages: Client) -> None:
    evil = "<script>alert(1)</script>"
    app = Actor(View.whole(owner.pk), make_app(f"Evil {evil}").client_id)
    remember_all(app, [RememberRequest(Draft(f"A text {evil}", (evil,)))])
    page = pages.get(LIST).content.decode()
    assert evil not in page
    assert "A text &lt;script&gt;" in page
    assert " style=" not in page


def sentences(pages: Client, query: str) -> list[str]:
    """Return what the journal says about the change sets that `query` leaves."""
    return re.findall(r"<b>([^<]+)</b><p class=\"meta\">", pages.get(f"{LIST}{query}").content.decode())


def test_the_journal_is_filtered_and_searched(owner: User, pages: Client) -> None:
    app = make_app("Helper")
    actor = Actor(View.whole(owner.pk), app.client_id)
    remember_all(actor, [RememberRequest(Draft("The cat is called Mimi."))])
    mine = make_memory(owner, "The tram runs every ten minutes.")
    forget_memory(owner_actor(owner), mine.pk)
    assert sentences(pages, "") == ["You forgot 1 memory", "tests added 1 memory", "Helper added 1 memory"]
    assert sentences(pages, f"?app={app.client_id}") == ["Helper added 1 memory"]
    assert sentences(pages, "?kind=forgot") == ["You forgot 1 memory"]
    assert sentences(pages, "?q=TRAM") == ["You forgot 1 memory", "tests added 1 memory"]
    assert sentences(pages, f"?q=%23{mine.pk}&kind=added") == ["tests added 1 memory"]
    assert sentences(pages, "?q=nothing") == []
    assert len(sentences(pages, "?days=7&kind=nonsense")) == 3
    JournalEntry.objects.filter(client="admin").update(at=timezone.now() - timedelta(days=8))
    assert len(sentences(pages, "?days=7")) == 2


def test_changes_are_found_by_what_a_memory_said_before(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Robin moved to Ghent.")
    make_memory(owner, "The tram is yellow.")
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="Robin moved to Bergen."))
    assert (
        sentences(pages, "?q=ghent")
        == sentences(pages, "?q=bergen")
        == ["You changed 1 memory", "tests added 1 memory"]
    )


def test_what_was_undone_says_so_and_cannot_be_undone_again(owner: User, pages: Client) -> None:
    memory, other = make_memory(owner, "The cat is called Mimi."), make_memory(owner, "The tram is yellow.")
    actor = owner_actor(owner)
    for each in (memory, other):
        forget_memory(actor, each.pk)
    address = f"/admin/undo/?change_set={actor.change_set}"
    assert address in pages.get(LIST).content.decode()
    (first, _) = JournalEntry.objects.filter(change_set=actor.change_set)
    undo(owner_actor(owner), UndoSelection(entry_id=first.pk))
    page = pages.get(LIST).content.decode()
    assert address in page
    assert page.count('<span class="sm quiet part">Undone</span>') == 1
    undo(owner_actor(owner), UndoSelection(change_set=actor.change_set))
    page = pages.get(LIST).content.decode()
    assert address not in page
    assert page.count("This has been undone.") == 1


def test_the_undo_of_an_undo_is_called_redoing(owner: User, pages: Client) -> None:
    memory, actor, undoing = make_memory(owner, "The cat is called Mimi."), owner_actor(owner), owner_actor(owner)
    forget_memory(actor, memory.pk)
    undo(undoing, UndoSelection(change_set=actor.change_set))
    redone = undo(owner_actor(owner), UndoSelection(change_set=undoing.change_set))
    assert redone.is_redo
    assert sentences(pages, "")[:2] == ["You redid changes to 1 memory", "You undid changes to 1 memory"]
    assert "<b>You forgot it again</b>" in pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()


def test_redoing_a_change_or_a_restoration_says_what_happened(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    forget_memory(owner_actor(owner), memory.pk)
    steps = [owner_actor(owner) for _ in range(6)]
    restore_memory(steps[0], memory.pk)
    undo(steps[1], UndoSelection(change_set=steps[0].change_set))
    undo(steps[2], UndoSelection(change_set=steps[1].change_set))
    update_memory(steps[3], memory.pk, MemoryUpdate(text="The cat is called Momo."))
    undo(steps[4], UndoSelection(change_set=steps[3].change_set))
    undo(steps[5], UndoSelection(change_set=steps[4].change_set))
    page = pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    assert page.count("<b>You restored it</b>") == 2
    assert "<b>You changed it again</b>" in page
    assert "redid" not in page


def test_a_sentence_about_an_import_has_small_letters_in_german(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    JournalEntry.objects.filter(memory_id=memory.pk).update(client="import")
    address = f"/admin/memories/memory/{memory.pk}/change/"
    page = " ".join(pages.get(address, headers={"accept-language": "de"}).content.decode().split())
    assert "hat ein Import sie hinzugefügt" in page
    assert "An import added it" in pages.get(address).content.decode()


@pytest.mark.parametrize(
    ("places", "label", "verb"),
    [
        ([PINNED], "Pinned", "pinned {}"),
        ([PINNED, None], "Unpinned", "unpinned {}"),
        ([HIDDEN], "Hidden", "hid {} from the briefing"),
        ([PINNED, HIDDEN], "Hidden", "hid {} from the briefing"),
        ([HIDDEN, None], "Unhidden", "unhid {}"),
    ],
)
def test_places_in_the_briefing_have_words_of_their_own(
    owner: User, pages: Client, places: list[Memory.BriefingPlace | None], label: str, verb: str
) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    for before, place in pairwise([None, *places]):
        if place:
            place_memory(owner_actor(owner), memory.pk, place)
        elif before:
            remove_from_place(owner_actor(owner), memory.pk, before)
    assert sentences(pages, "")[0] == f"You {verb.format('1 memory')}"
    assert f'<span class="kind">{label}</span>' in pages.get(LIST).content.decode()
    assert (
        f"<b>You {verb.format('it')}</b>" in pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    )
    compared = pages.get(f"/admin/versions/?memory={memory.pk}").content.decode()
    assert f"{len(places) + 1}, {label.lower()}, " in compared


def test_older_change_sets_are_on_the_next_pages(owner: User, pages: Client) -> None:
    for number in range(25):
        make_memory(owner, f"Fact {number}.")
    first = pages.get(LIST)
    older = re.search(r'href="(\?before=[0-9]+)"', first.content.decode())
    assert older
    second = pages.get(f"{LIST}{older[1]}")
    shown = [re.findall(r"Fact [0-9]+", page.content.decode()) for page in (first, second)]
    assert len(set(shown[0])) == 20
    assert len(set(shown[1])) == 5
    assert not set(shown[0]) & set(shown[1])
    assert pages.get(f"{LIST}?before=x").status_code == 404


def test_the_journal_costs_at_most_fifteen_queries(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(25):
        make_memory(owner, f"Fact {number}.")
    app = make_app("Helper")
    remember_all(Actor(View.whole(owner.pk), app.client_id), [RememberRequest(Draft(f"Bed {n}")) for n in range(100)])
    make_personal_token(owner)
    with django_assert_max_num_queries(15):
        pages.get(f"{LIST}?q=a")


def test_the_successor_of_a_memory_is_quoted_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    old, new = make_memory(owner, "I live in Porto."), make_memory(owner, "I live in Lisbon.")
    forget_memory(owner_actor(owner), old.pk, replaced_by_id=new.pk)
    page = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "„I live in Lisbon.“" in page
    assert "“I live in Lisbon.”" not in page
