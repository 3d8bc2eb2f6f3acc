"""Tests of the list of memories: its content, filters, search and cost."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from memories.access import Actor, View
from memories.admin.memory_list import finding
from memories.admin.memory_list.search import Search, Term
from memories.cleanup.search import search
from memories.cleanup.stored_findings import contradicting
from memories.drafts import Draft
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryVector, TagSynonym
from memories.recall.pipeline import Query, RecallOutcome
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.briefing_places import place_memory
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import PersonalToken, User
from tests.support.embeddings.embedders import use_shipped_model, use_windows
from tests.support.factories import (
    actor_for,
    make_app,
    make_expired,
    make_memory,
    make_personal_token,
    make_user,
    owner_actor,
)

LIST = "/admin/memories/memory/"


def listed(pages: Client, query: str = "") -> list[str]:
    """Return the texts in the list, in its order."""
    response = pages.get(LIST + query)
    assert response.status_code == 200
    return [row.text for row in response.context["rows"]]


def counts(pages: Client, group: str, query: str = "") -> dict[str, int | None]:
    """Return the counts of a group beside the list."""
    groups = dict(pages.get(LIST + query).context["facets"])
    return {choice.label: choice.count for choice in groups[group]}


@pytest.fixture
def one_of_each(owner: User) -> None:
    """One memory in each state."""
    make_memory(owner, "Active.")
    make_expired(make_memory(owner, "Expired."))
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    waiting = make_memory(owner, "Waiting.")
    MemoryVector.objects.filter(memory=waiting).delete()


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", {"Active.", "Waiting."}),
        ("?state=waiting", {"Waiting."}),
        ("?q=is:pending", {"Waiting."}),
        ("?q=is:forgotten", {"Forgotten."}),
        ("?q=is:active+is:expired", {"Active.", "Waiting."}),
        ("?state=expired", {"Expired."}),
        ("?state=forgotten", {"Forgotten."}),
        ("?state=all", {"Active.", "Expired.", "Forgotten.", "Waiting."}),
    ],
)
def test_the_list_shows_the_active_ones_unless_another_state_is_chosen(
    pages: Client, query: str, texts: set[str]
) -> None:
    assert set(listed(pages, query)) == texts


def test_a_row_says_that_its_memory_may_contradict_another_one_while_its_page_asks(owner: User, pages: Client) -> None:
    tuesday = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    thursday = make_memory(owner, "The weekly review meeting with the design team is on Thursday at ten.")
    make_memory(owner, "The bicycle is in the cellar.")

    def marked() -> set[str]:
        rows = pages.get(LIST).context["rows"]
        return {row.text for row in rows if "may contradict another" in [flag.text for flag in row.flags]}

    def asks(memory: Memory) -> bool:
        return "Which is true?" in pages.get(f"{LIST}{memory.pk}/change/").content.decode()

    assert marked() == set()
    search(owner.pk)
    assert marked() == {tuesday.text, thursday.text}
    assert asks(tuesday)
    assert asks(thursday)
    pages.post(LIST, {"do": "keep_both", "first": tuesday.pk, "second": thursday.pk, "back": LIST})
    assert marked() == set()
    assert not asks(tuesday)


def test_a_changed_memory_is_not_said_to_contradict_another_one_before_the_next_search(
    owner: User, pages: Client
) -> None:
    tuesday = make_memory(owner, "The weekly review meeting with the design team is on Tuesday at ten.")
    thursday = make_memory(owner, "The weekly review meeting with the design team is on Thursday at ten.")
    search(owner.pk)
    assert contradicting(View.whole(owner.pk), [tuesday.pk, thursday.pk]) == {tuesday.pk, thursday.pk}
    assert contradicting(View.whole(owner.pk), [thursday.pk]) == {thursday.pk}
    assert contradicting(View.whole(make_user().pk), [tuesday.pk, thursday.pk]) == set()
    update_memory(owner_actor(owner), tuesday.pk, MemoryUpdate(text="The weekly review meeting is no longer held."))
    assert contradicting(View.whole(owner.pk), [tuesday.pk, thursday.pk]) == set()


@pytest.mark.usefixtures("one_of_each")
def test_a_row_says_exceptions_only(pages: Client) -> None:
    rows = {row.text: [flag.text for flag in row.flags] for row in pages.get(f"{LIST}?state=all").context["rows"]}
    assert rows == {"Active.": [], "Expired.": ["expired"], "Forgotten.": ["forgotten"], "Waiting.": []}


def test_the_counts_of_states_never_contradict_a_narrowed_list(owner: User, pages: Client) -> None:
    make_memory(owner, "Tea, not coffee.", tags=["food"])
    make_memory(owner, "The cat is called Mimi.")
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    assert counts(pages, "State") == {"Active": 2, "Forgotten": 1}
    assert counts(pages, "State", "?q=is:forgotten") == {"Active": 2, "Forgotten": 1}
    assert counts(pages, "State", "?tag=food") == {"Active": 1, "Forgotten": None}
    assert counts(pages, "State", "?q=before:2000") == {"Active": 0, "Forgotten": None}


def test_what_an_undo_took_away_is_not_among_the_forgotten_ones(owner: User, pages: Client) -> None:
    forget_memory(owner_actor(owner), make_memory(owner, "Forgotten.").pk)
    undo(owner_actor(owner), Selection(memory_id=make_memory(owner, "Undone.").pk))
    assert listed(pages, "?q=is:forgotten") == ["Forgotten."]
    assert listed(pages, "?q=is:undone") == ["Undone."]
    assert counts(pages, "State") == {"Active": 0, "Forgotten": 1, "Undone": 1}


def test_what_was_replaced_is_not_among_the_forgotten_ones(owner: User, pages: Client) -> None:
    kept = make_memory(owner, "Kept.")
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    forget_memory(actor_for(owner), make_memory(owner, "Replaced.").pk, replaced_by_id=kept.pk)
    assert listed(pages, "?q=is:forgotten") == ["Forgotten."]
    assert listed(pages, "?q=is:replaced") == ["Replaced."]
    assert counts(pages, "State") == {"Active": 1, "Forgotten": 1, "Replaced": 1}


def test_each_row_says_where_it_comes_from(owner: User, pages: Client) -> None:
    view = View.whole(owner.pk)
    make_memory(owner, "By an assistant that says which.", source_provider="claude")
    for text, client in [
        ("By the owner.", "admin"),
        ("By an app.", make_app("Desktop Helper").client_id),
        ("From a file.", "import"),
        ("By an app that is gone.", "gone"),
    ]:
        remember(Actor(view, client), RememberRequest(Draft(text), DedupPolicy.INSERT))
    rows = [row.app for row in pages.get(LIST).context["rows"]]
    assert rows == ["", "An import", "Desktop Helper", "You", "Claude"]


def test_a_search_with_very_many_matches_does_not_claim_to_have_counted_them(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(finding, "MAX_CONTAINING", 3)
    monkeypatch.setattr(finding, "MAX_RANKED", 2)
    settings.MAX_RECALL_LIMIT = 1
    for number in range(4):
        make_memory(owner, f"A cup of tea, number {number}", tags=("food",))
    page = pages.get(LIST, {"q": "tea"}).content.decode()
    assert "4 memories</b>, the best 2 are shown" in page
    assert "food <b>4</b>" in page
    make_memory(owner, "A cup of tea, number 4", tags=("food",))
    page = pages.get(LIST, {"q": "tea"}).content.decode()
    assert "More than 3 memories</b>, the best 2 are shown" in page
    assert "food <b>" not in page


def test_a_list_leads_to_the_next_page(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "PAGE_SIZE", 2)
    for number in range(5):
        make_memory(owner, f"Fact {number}.")
    for page, texts, has_next in (("", 2, True), ("?p=2", 2, True), ("?p=3", 1, False)):
        assert len(listed(pages, page)) == texts
        shown = pages.get(LIST + page).content.decode()
        assert ("data-more" in shown) is has_next
        assert "5 memories" in shown


def test_a_page_past_the_end_is_the_last_one(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "PAGE_SIZE", 2)
    for number in range(5):
        make_memory(owner, f"Fact {number}.")
    for query in ("?p=4", "?p=9999", "?p=9999&q=before:2999"):
        assert listed(pages, query) == ["Fact 0."]


@pytest.mark.parametrize("typed", ["{}", "#{}", " #{} "])
def test_the_id_of_a_memory_finds_it_whatever_its_state(owner: User, pages: Client, typed: str) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    query = f"?{urlencode({'q': typed.format(memory.pk)})}"
    mentioned = make_memory(owner, f"Ticket #{memory.pk} is open.")
    assert listed(pages, query) == [memory.text, mentioned.text]
    assert pages.get(LIST + query).context["found"].total == 2
    forget_memory(owner_actor(owner), memory.pk)
    assert listed(pages, query) == [memory.text, mentioned.text]
    theirs = make_memory(make_user("other"), "Somebody else's cat")
    assert theirs.text not in listed(pages, f"?q=%23{theirs.pk}")


def test_the_source_filter_offers_what_the_list_shows_whatever_the_case(owner: User, pages: Client) -> None:
    app, other = make_app("Claude"), make_app("Notebook")
    make_memory(owner, "Said.", source_provider="claude")
    make_memory(owner, "Said, too.", source_provider="claude")
    make_memory(owner, "Named.", source_provider="CLAUDE")
    for client, text in (
        (app.client_id, "Brought."),
        (other.client_id, "Noted."),
        ("admin", "Typed."),
        ("gone", "Old."),
    ):
        remember(Actor(View.whole(owner.pk), client), RememberRequest(Draft(text), DedupPolicy.INSERT))
    remember(Actor(View.whole(make_user().pk), other.client_id), RememberRequest(Draft("Foreign."), DedupPolicy.INSERT))

    assert counts(pages, "Apps") == {"Claude": 4, "Notebook": 1, "You": 1}

    assert set(listed(pages, "?source=claude")) == {"Said.", "Said, too.", "Named.", "Brought."}
    assert (
        set(listed(pages, "?source=CLAUDE"))
        == set(listed(pages, "?source=Claude"))
        == set(listed(pages, "?source=claude"))
    )
    assert listed(pages, "?source=Notebook") == ["Noted."]
    assert listed(pages, "?source=you") == ["Typed."]
    assert listed(pages, "?q=app:note") == ["Noted."]
    assert listed(pages, "?q=app:nobody") == []
    assert Memory.objects.get(text="Named.").source_provider == "CLAUDE"


def test_filters_narrow_by_tag_source_and_way_of_capture(owner: User, pages: Client) -> None:
    make_memory(owner, "One.", tags=("home",), source_provider="claude")
    make_memory(owner, "Two.", tags=("home", "garden"), source_provider="cursor", capture_mode="inferred")

    assert listed(pages, "?tag=garden") == ["Two."]
    assert listed(pages, "?source=claude") == ["One."]
    assert listed(pages, "?q=is:inferred") == ["Two."]
    assert listed(pages, "?q=tag:home+tag:garden") == ["Two."]
    assert listed(pages, '?q=tag:"home"+app:cursor') == ["Two."]
    assert listed(pages, "?tag=home&source=cursor") == ["Two."]
    assert listed(pages, "?tag=nobody-has-it") == []


def test_apps_have_their_usual_spelling_however_a_source_spells_them(owner: User, pages: Client) -> None:
    for text, source in (
        ("One.", "chatgpt"),
        ("Two.", "claude-code"),
        ("Three.", "Claude Code"),
        ("Four.", "obsidian"),
        ("Five.", "my-script"),
    ):
        make_memory(owner, text, source_provider=source)
    assert counts(pages, "Apps") == {"Claude Code": 2, "ChatGPT": 1, "my-script": 1, "obsidian": 1}
    rows = pages.get(LIST).context["rows"]
    assert {row.app for row in rows} == {"Claude Code", "ChatGPT", "my-script", "obsidian"}
    assert set(listed(pages, "?q=app:claude-code")) == set(listed(pages, '?q=app:"Claude+Code"')) == {"Two.", "Three."}
    assert listed(pages, "?q=app:ChatGPT") == ["One."]
    memory = Memory.objects.get(text="One.")
    assert "You told ChatGPT, " in pages.get(f"{LIST}{memory.pk}/change/").content.decode()


def test_the_memories_of_an_agent_can_be_listed_and_name_it(owner: User, pages: Client) -> None:
    make_memory(owner, "The librarian found the tea book.", agent="librarian", tags=("tea",))
    make_memory(owner, "The tidier found tea.", agent="tidier")
    make_memory(owner, "I like tea.")
    assert listed(pages, "?q=agent:librarian") == ["The librarian found the tea book."]
    german = pages.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert re.search('<span>Agent <a href="[^"]+">librarian</a></span>', german)
    assert listed(pages, "?q=agent:Librarian+tag:tea+tea") == ["The librarian found the tea book."]
    assert listed(pages, "?q=agent:nobody") == []
    assert listed(pages, "?q=agent:librarian+agent:tidier+tea") == []
    page = pages.get(f"{LIST}?q=tea")
    assert page.content.decode().count(f'agent <a href="{LIST}?q=agent%3Alibrarian">librarian</a>') == 1
    assert [row.agent for row in page.context["rows"] if row.text == "I like tea."] == [""]
    (chosen,) = pages.get(f"{LIST}?q=agent:tidier").context["chosen"]
    assert (chosen.label, chosen.url) == ("agent: tidier", LIST)


def test_the_tag_filter_says_how_many_memories_have_each_tag(owner: User, pages: Client) -> None:
    make_memory(owner, "One.", tags=("home",))
    make_memory(owner, "Two.", tags=("home", "garden"))
    assert counts(pages, "Tags") == {"home": 2, "garden": 1}
    assert counts(pages, "Tags", "?q=tag:garden") == {"garden": 1, "home": 1}
    make_memory(owner, "Three.", tags=("garden",))
    assert counts(pages, "Tags") == {"home": 2, "garden": 2}


def test_an_empty_list_says_where_the_rest_is(owner: User, pages: Client) -> None:
    assert "No memories yet" in pages.get(LIST).content.decode()
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    page = pages.get(f"{LIST}?q=tag:dragon").content.decode()
    assert "Nothing matches" in page
    assert "Forgotten and expired memories are not searched." in page
    page = pages.get(f"{LIST}?q=is:forgotten+xyzzy").content.decode()
    assert "Try other words, or remove a filter." in page
    assert "are not searched" not in page
    page = pages.get(f"{LIST}?q=is:forgotten+%3Cb%3Ekayak").content.decode()
    assert "No memory matches “&lt;b&gt;kayak”" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "before:yesterday",
            "“before:yesterday” is not a date. Write before:2026, before:2026-03 or before:2026-03-15.",
        ),
        ("after:2026-13", "“after:2026-13” is not a date."),
        ("is:nonsense", "There is no state “nonsense”. Use one of active, pinned,"),
        ('tag:""', "“tag:” needs a value, such as tag:work."),
        ('agent:""', "“agent:” needs a value, such as agent:librarian."),
        ('agent:"two words"', "“agent:&quot;two words&quot;” is not an agent. The name of an agent has letters"),
    ],
)
def test_a_filter_that_makes_no_sense_is_explained_and_stays_in_the_box(
    owner: User, pages: Client, query: str, said: str
) -> None:
    make_memory(owner, "Fact.")
    response = pages.get(LIST, {"q": query})
    assert said in response.content.decode()
    assert response.context["typed"] == query
    assert [row.text for row in response.context["rows"]] == ["Fact."]


def test_filters_by_time_are_in_the_owners_time_zone(owner: User, pages: Client, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    make_memory(owner, "New year in Tokyo.", created_at=datetime(2025, 12, 31, 16, tzinfo=UTC))
    make_memory(owner, "Old year in Tokyo.", created_at=datetime(2025, 12, 31, 14, tzinfo=UTC))
    assert listed(pages, "?q=after:2026") == ["New year in Tokyo."]
    assert listed(pages, "?q=before:2026-01-01") == ["Old year in Tokyo."]
    assert listed(pages, "?q=after:2025-12+before:2026-02") == ["New year in Tokyo.", "Old year in Tokyo."]


def test_chips_remove_a_filter_and_add_one(owner: User, pages: Client) -> None:
    make_memory(owner, "One.", tags=("home",))
    make_memory(owner, "Two.", tags=("home", "my garden"))
    response = pages.get(LIST, {"q": "tag:home cats"})
    (chosen,) = response.context["chosen"]
    assert (chosen.label, chosen.url) == ("tag: home", f"{LIST}?q=cats")
    offered = {choice.label: choice.url for choice in pages.get(LIST, {"q": "tag:home"}).context["offered"]}
    assert offered["my-garden"] == f"{LIST}?q=tag%3Ahome+tag%3Amy-garden"


def test_the_timeline_has_a_heading_for_each_day(owner: User, pages: Client, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC
    for day in (3, 3, 5):
        make_memory(owner, f"On {day} {Memory.objects.count()}.", created_at=datetime(2026, 3, day, 12, tzinfo=UTC))
    page = pages.get(f"{LIST}timeline/").content.decode()
    assert re.findall(r'class="day">([^<]*)<', page) == ["Thursday, 5 March 2026", "Tuesday, 3 March 2026"]


def test_markup_in_a_memory_is_text(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "<script>alert(1)</script> & <b>co</b>", source_provider="<i>x</i>", tags=("a",))
    for path in (LIST, f"{LIST}{memory.pk}/change/", f"{LIST}{memory.pk}/edit/", f"{LIST}timeline/"):
        page = pages.get(path).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;co&lt;/b&gt;" in page
        assert "<script>" not in page
        assert "<i>x" not in page
    assert "&lt;img" in pages.get(LIST, {"q": '"><img src=x>'}).content.decode()


def test_the_newest_come_first(owner: User, pages: Client) -> None:
    now = timezone.now()
    for days in (2, 1, 3):
        make_memory(owner, f"{days} days ago.", created_at=now - timedelta(days=days))
    assert listed(pages) == ["1 days ago.", "2 days ago.", "3 days ago."]


def test_searching_by_words_finds_a_part_of_the_text_in_any_case(owner: User, pages: Client) -> None:
    make_memory(owner, "The cat is called Mimi.")
    make_memory(owner, "100% wool only.")
    assert listed(pages, "?q=CALLED+mi")[0] == "The cat is called Mimi."
    assert listed(pages, "?q=%25+wool")[0] == "100% wool only."
    forget_memory(actor_for(owner), Memory.objects.get(text="100% wool only.").pk)
    assert listed(pages, "?q=is:forgotten+WOOL") == ["100% wool only."]


def test_a_memory_with_a_word_as_its_tag_has_the_word_and_comes_after_those_with_it_in_the_text(
    owner: User, pages: Client
) -> None:
    TagSynonym.objects.get_or_create(owner=owner, variant="relatives", canonical="family")
    make_memory(owner, "The twins go to the school in Mill Road.", tags=("family", "school"))
    make_memory(owner, "Ole starts with sailing in spring.", tags=("family",))
    make_memory(owner, "The family car is a grey Volvo.")
    tagged = {"The twins go to the school in Mill Road.", "Ole starts with sailing in spring."}
    response = pages.get(f"{LIST}?q=Family")
    texts = [row.text for row in response.context["rows"]]
    assert texts[0] == "The family car is a grey Volvo."
    assert set(texts[1:]) == tagged
    assert "3 memories" in response.content.decode()
    assert set(listed(pages, "?q=relatives")[:2]) == tagged
    both = pages.get(f"{LIST}?q=family+sailing")
    assert both.context["rows"][0].text == "Ole starts with sailing in spring."
    assert both.context["found"].similar_from == 1
    for query in ("?q=school", "?q=family+school"):
        assert pages.get(LIST + query).context["found"].similar_from == 1


def test_many_memories_with_a_tag_do_not_displace_one_with_the_word_in_its_text(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MAX_CONTAINING", 3)
    monkeypatch.setattr(finding, "_recalled", lambda view, search: RecallOutcome([]))
    make_memory(owner, "The Straße is closed.", created_at=timezone.now() - timedelta(days=9))
    for number in range(5):
        make_memory(owner, f"Fact {number}.", tags=("straße",))
    response = pages.get(f"{LIST}?q=Straße")
    assert response.context["rows"][0].text == "The Straße is closed."
    assert "More than 3 memories" in response.content.decode()


def test_searching_forgives_a_typing_error(owner: User, pages: Client) -> None:
    make_memory(owner, "Planning to cycle the Danube from Passau to Vienna.")
    make_memory(owner, "The tram runs every ten minutes.")
    assert listed(pages, "?q=Danbue")[0] == "Planning to cycle the Danube from Passau to Vienna."
    assert listed(pages, "?q=minuts")[0] == "The tram runs every ten minutes."


def test_searching_by_meaning_puts_the_nearest_first(owner: User, pages: Client) -> None:
    make_memory(owner, "The tram runs every ten minutes.")
    make_memory(owner, "The cat is called Mimi and sleeps on the sofa.")
    found = listed(pages, "?q=the+cat+sleeps+on+the+sofa")
    assert found[0] == "The cat is called Mimi and sleeps on the sofa."


def test_searching_by_meaning_shows_the_part_of_a_long_text_that_is_nearest(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_windows(monkeypatch, 60)
    make_memory(owner, "The boat was sold in spring. Mimi the cat sleeps on the sofa. The fence needs new paint.")
    make_memory(owner, "The tram runs every ten minutes.")
    page = pages.get(f"{LIST}?q=the+cat+sleeps+on+the+sofa").content.decode()
    assert "…Mimi the cat sleeps on the sofa." in page
    assert "The boat was sold" not in page
    assert "…The boat was sold" not in pages.get(f"{LIST}?q=the+boat+sold+in+spring").content.decode()


@pytest.mark.parametrize(("typed", "is_found"), [("doctor", False), ("direcotr", True), ("drector", True)])
def test_only_words_that_are_spelled_almost_alike_count_as_misspelled(
    owner: User, pages: Client, typed: str, is_found: bool
) -> None:
    make_memory(owner, "The choir director is Philip Marsh.")
    assert finding._almost(View.whole(owner.pk), typed) == ([Memory.objects.get().pk] if is_found else [])


def test_a_search_for_nonsense_shows_few_memories_and_says_that_they_are_hardly_related(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    monkeypatch.setattr(finding, "MIN_RELEVANCE", 0.0)
    monkeypatch.setattr(finding, "MAX_WEAK", 2)
    for text in ("The tram runs every ten minutes.", "The boiler is serviced in September.", "The cat is called Mimi."):
        make_memory(owner, text)
    response = pages.get(f"{LIST}?q=qqqzzz")
    assert len(response.context["rows"]) == 2
    assert "No memory has this word.</b> These are the nearest, but hardly fit." in response.content.decode()
    assert "the nearest, but hardly fit" not in pages.get(f"{LIST}?q=what+is+the+pet+called").content.decode()


@pytest.mark.parametrize(
    ("estimated", "shown"), [((0.09, 0.02, 0.02), 1), ((0.2, 0.02, 0.02), 3), ((0.02, 0.02, 0.02), 3)]
)
def test_weak_matches_are_left_out_if_others_are_hardly_better(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch, estimated: tuple[float, ...], shown: int
) -> None:
    for text in ("The tram runs every ten minutes.", "The boiler is serviced in September.", "The cat is called Mimi."):
        make_memory(owner, text)
    search = finding._recalled

    def recalled(view: View, given: Search) -> RecallOutcome:
        matches = [
            replace(match, relevance=relevance)
            for match, relevance in zip(search(view, given).matches, estimated, strict=True)
        ]
        return RecallOutcome(matches, is_calibrated=True)

    monkeypatch.setattr(finding, "_recalled", recalled)
    assert len(listed(pages, "?q=feline")) == shown


def test_memories_that_are_only_close_in_meaning_come_last_below_a_heading_and_are_few(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    animals = ("dog", "kitten", "rabbit", "hamster", "parrot", "horse", "goat", "hen", "mouse", "fish", "pony", "duck")
    pets = {make_memory(owner, f"Robin would like to have a {animal} as a pet.").text for animal in animals}
    for text in ("The tram runs every ten minutes.", "The boiler is serviced in September.", "The cat is called Mimi."):
        make_memory(owner, text)
    response = pages.get(f"{LIST}?q=what+pet+does+Robin+want")
    texts = [row.text for row in response.context["rows"]]
    assert len(texts) == finding.MAX_SIMILAR < len(pets)
    assert set(texts) < pets
    page = response.content.decode()
    assert f"No memory has all of these words.</b> {len(texts)} are close in meaning" in page
    make_memory(owner, "Nobody knows what pet does suit Robin, and what they want.")
    response = pages.get(f"{LIST}?q=what+pet+does+Robin+want")
    first, second, *_ = [row.text for row in response.context["rows"]]
    page = response.content.decode()
    assert page.index(first) < page.index("Close in meaning") < page.index(second)
    tram = pages.get(f"{LIST}?q=tram")
    assert [row.text for row in tram.context["rows"]] == ["The tram runs every ten minutes."]
    assert "Close in meaning" not in tram.content.decode()


def test_searching_by_meaning_keeps_to_the_chosen_tag(owner: User, pages: Client) -> None:
    make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    make_memory(owner, "The cat next door is called Tom.", tags=("neighbours",))
    assert listed(pages, "?q=what+is+the+cat+called&tag=pets") == ["The cat is called Mimi."]


def test_a_search_by_meaning_that_fails_says_why(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: View, query: Query) -> RecallOutcome:
        raise EmbeddingError("The embedding endpoint does not answer.")

    monkeypatch.setattr(finding, "recall", broken)
    response = pages.get(f"{LIST}?q=cats")
    assert response.status_code == 200
    assert "The embedding endpoint does not answer." in response.content.decode()


def test_nobody_sees_the_memories_of_another_not_even_a_superuser(owner: User, pages: Client) -> None:
    make_memory(make_user(), "Somebody else's cat.", tags=("xylophone",), source_provider="elsewhere")
    owner.is_superuser = True
    owner.save()
    page = pages.get(LIST).content.decode()
    for query in ("", "?state=all", "?q=cat", "?q=cat&by=meaning", "?tag=xylophone"):
        assert listed(pages, query) == []
    assert "xylophone" not in page
    assert "elsewhere" not in page


def test_the_list_costs_as_many_queries_for_thirty_memories_as_for_three(owner: User, pages: Client) -> None:
    def queries_for(count: int) -> list[str]:
        while Memory.objects.visible_to(View.whole(owner.pk)).count() < count:
            make_memory(owner, f"Fact {Memory.objects.count()}.", tags=("numbered",))
        with CaptureQueriesContext(connection) as queries:
            assert len(listed(pages)) == count
        return [query["sql"] for query in queries]

    few, many = queries_for(3), queries_for(30)
    assert len(many) == len(few) <= 13


@pytest.mark.parametrize(
    ("query", "most"), [("?q=tag:numbered", 12), ("?q=app:you+before:2100", 12), ("?q=fact+tag:numbered", 15)]
)
def test_a_search_costs_at_most_fifteen_queries(owner: User, pages: Client, query: str, most: int) -> None:
    for number in range(5):
        make_memory(owner, f"Fact {number}.", tags=("numbered",))
    listed(pages)
    with CaptureQueriesContext(connection) as queries:
        listed(pages, query)
    assert len(queries) <= most, [each["sql"][:90] for each in queries]


@pytest.mark.parametrize(
    "query",
    [
        "?q=%00",
        "?q=tag:%00",
        "?q=agent:%00+cat",
        "?q=app:%25+before:0001-01-01+after:9999-12-31",
        "?q=" + "a+" * 900,
        "?sort=nonsense",
        "?q=%00&by=meaning",
        "?by=nonsense&q=cat",
        "?state=nonsense",
        "?tag=%00",
        "?source=%00",
        "?created_at__gte=the+day+before+yesterday",
        "?created_at__gte=300000-01-01",
        "?capture_mode__exact=%00",
        "?owner__id=1",
        "?owner__password__startswith=a",
        "?p=x",
        "?p=99999999999",
        "?o=99.-x",
        "?q=" + "x" * 20_000,
        "?by=meaning&q=" + "x" * 20_000,
    ],
)
def test_no_query_breaks_the_list(owner: User, pages: Client, query: str) -> None:
    make_memory(owner, "The cat is called Mimi.")
    response = pages.get(LIST + query, follow=True)
    assert response.status_code in {200, 400}


def test_what_a_script_calls_itself_is_not_another_app(owner: User, pages: Client) -> None:
    make_personal_token(owner, name="Workshop phone")
    script = Actor(View.whole(owner.pk), f"token:{PersonalToken.objects.get().pk}")
    for text, source in (("The saw is sold.", "iphone"), ("The oven is new.", None)):
        remember(script, RememberRequest(Draft(text, source_provider=source)))
    make_memory(owner, "From a file.", source_provider="mem0")
    assert counts(pages, "Apps") == {"Workshop phone": 2, "mem0": 1}
    assert "iphone" not in pages.get(LIST).text
    assert set(listed(pages, "?q=app:workshop")) == {"The saw is sold.", "The oven is new."}
    assert listed(pages, "?q=app:iphone") == ["The saw is sold."]
    page = pages.get(f"{LIST}{Memory.objects.get(text='The saw is sold.').pk}/change/").text
    assert "You told Workshop phone" in page


def test_each_state_with_memories_is_offered_and_selects_as_many_as_it_counts(owner: User, pages: Client) -> None:
    now = timezone.now()
    make_memory(owner, "Plain.")
    make_memory(owner, "Until June.", valid_until=now - timedelta(days=9), last_confirmed_at=now - timedelta(days=30))
    confirmed = make_memory(owner, "Confirmed since.", valid_until=now - timedelta(days=9))
    Memory.objects.filter(pk=confirmed.pk).update(last_confirmed_at=now - timedelta(days=1))
    make_memory(owner, "For a week.", expires_at=now + timedelta(days=7))
    make_memory(owner, "Guessed.", capture_mode="inferred")
    place_memory(owner_actor(owner), make_memory(owner, "Not in briefings.").pk, Memory.BriefingPlace.HIDDEN)
    make_expired(make_memory(owner, "For a day.", capture_mode="inferred"))
    offered = counts(pages, "State")
    assert offered == {"Active": 6, "Hidden": 1, "Past": 1, "Expiring": 1, "Inferred": 1, "Expired": 1}
    for state, count in offered.items():
        assert len(listed(pages, f"?q=is:{state.lower()}")) == count, state


@pytest.fixture
def work(owner: User) -> None:
    make_memory(owner, "The rent is due.", tags=("work", "money"))
    make_memory(owner, "The office has parking.", tags=("work",))
    pinned = make_memory(owner, "The desk is at -5 degrees.", tags=("home",))
    place_memory(owner_actor(owner), pinned.pk, Memory.BriefingPlace.PINNED)


RENT, OFFICE, DESK = "The rent is due.", "The office has parking.", "The desk is at -5 degrees."


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(
    ("typed", "found", "chips", "shown"),
    [
        ("tag:work -tag:money", {OFFICE}, ["tag: work", "not tag: money"], "tag:work -tag:money"),
        ("-tag:work", {DESK}, ["not tag: work"], "-tag:work"),
        ("NOT tag:work", {DESK}, ["not tag: work"], "-tag:work"),
        ("not  Tag:work", {DESK}, ["not tag: work"], "-tag:work"),
        ("-is:pinned", {RENT, OFFICE}, ["not pinned"], "-is:pinned"),
        ("-is:active", set(), ["not active"], "-is:active"),
        ("-is:pinned -is:active is:all", set(), ["not pinned", "not active", "all"], "-is:pinned -is:active is:all"),
        ("-parking", {RENT, DESK}, ["not “parking”"], "-parking"),
        ("-home", {RENT, OFFICE}, ["not “home”"], "-home"),
        ('-"has  parking"', {RENT, DESK}, ["not “has parking”"], '-"has parking"'),
        ("-app:nobody", {RENT, OFFICE, DESK}, ["not app: nobody"], "-app:nobody"),
        ("-agent:librarian", {RENT, OFFICE, DESK}, ["not agent: librarian"], "-agent:librarian"),
    ],
)
def test_a_minus_excludes(pages: Client, typed: str, found: set[str], chips: list[str], shown: str) -> None:
    query = f"?{urlencode({'q': typed})}"
    assert set(listed(pages, query)) == found
    context = pages.get(LIST + query).context
    assert [chip.label for chip in context["chosen"]] == chips
    assert context["typed"] == shown


@pytest.mark.usefixtures("work")
def test_words_are_searched_without_what_is_excluded(pages: Client) -> None:
    assert OFFICE in listed(pages, f"?{urlencode({'q': 'the'})}")
    assert OFFICE not in listed(pages, f"?{urlencode({'q': 'the -parking'})}")
    assert RENT not in listed(pages, f"?{urlencode({'q': 'rent -tag:money'})}")


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("typed", ["-5", "well-known", "- degrees", "do NOT ring", "x-tag:work"])
def test_what_is_no_exclusion_stays_as_typed(pages: Client, typed: str) -> None:
    context = pages.get(f"{LIST}?{urlencode({'q': typed})}").context
    assert not any(term.is_excluded for term in context["search"].terms)


def test_a_day_cannot_be_excluded_and_a_tag_that_is_excluded_can_be_chosen(owner: User, pages: Client) -> None:
    make_memory(owner, "One.")
    page = pages.get(f"{LIST}?{urlencode({'q': '-before:2026-03'})}").content.decode()
    assert "“before:2026-03” cannot be excluded. Use after:2026-03 instead." in page
    excluded = Search("", (Term("tag", "work", is_excluded=True),))
    assert str(excluded.with_term(Term("tag", "work"))) == "tag:work"


def test_the_beginning_of_a_name_finds_apps_and_sources(owner: User, pages: Client) -> None:
    make_personal_token(owner, name="Claude Code")
    app = Actor(View.whole(owner.pk), f"token:{PersonalToken.objects.get().pk}")
    for text, source in (("One.", "claude"), ("Two.", None)):
        remember(app, RememberRequest(Draft(text, source_provider=source)))
    make_memory(owner, "Three.", source_provider="Cursor")
    assert set(listed(pages, "?q=app:claude")) == {"One.", "Two."}
    assert set(listed(pages, "?q=-app:claude")) == {"Three."}
