"""Tests of the pages on which the owner views and judges recalls."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memories.access import View
from memories.admin.recall_reasons import reasons_of
from memories.admin.recalls import HEADING_CHARS
from memories.models import Memory, PastRecall, Verdict
from memories.recall.pipeline import Mode, Query
from memories.recall.signals import SIGNALS
from memories.recall_log.judgements import Judgement
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_app, make_memory, make_user
from tests.support.recalls import ask, say

ROOT = Path(__file__).resolve().parents[3]
LIST = "/admin/memories/pastrecall/"


@pytest.fixture(autouse=True)
def questions_are_kept(settings: Settings) -> None:
    settings.AUDIT_QUERIES = True


@pytest.fixture
def tea(owner: User) -> Memory:
    return make_memory(owner, "The tea is in the drawer", tags=("kitchen",))


@pytest.fixture
def past(owner: User, tea: Memory) -> PastRecall:
    return ask(View.whole(owner.pk), Query("where is the tea?"))


def page_of(pages: Client, path: str = "") -> str:
    response = pages.get(LIST + path)
    assert response.status_code == 200
    return response.content.decode()


def page_of_recall(pages: Client, past: PastRecall, query: str = "") -> str:
    return page_of(pages, f"{past.pk}/change/{query}")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((90, 1000, True), ("Each time an app gets memories", "keeps the questions of your apps")),
        ((90, 1000, False), ("Questions are not stored", "keeps what your apps got, but not their questions")),
        ((90, 0, True), ("Recalls are not logged", "does not keep what your apps asked")),
        ((0, 1000, True), ("Recalls are not logged", "does not keep what your apps asked")),
    ],
)
def test_the_pages_say_truly_what_is_kept(
    owner: User, pages: Client, settings: Settings, values: tuple[int, int, bool], said: tuple[str, str]
) -> None:
    settings.AUDIT_DAYS, settings.AUDIT_RECALLS, settings.AUDIT_QUERIES = values
    of_list, of_ask = said
    assert of_list in page_of(pages)
    assert ("Each time an app gets memories" in page_of(pages)) == all(values[:2])
    ask_page = pages.get("/admin/ask/").content.decode()
    assert of_ask in ask_page
    assert ask_page.count("OwnSona keeps") + ask_page.count("OwnSona does not keep") == 1


def judged(pages: Client, past: PastRecall, memory_id: object, word: str) -> Any:
    return pages.post(f"{LIST}{past.pk}/judge/", {"memory": memory_id, "word": word})


# --- The list


def test_a_line_says_who_asked_what_and_what_came_of_it(owner: User, pages: Client, tea: Memory) -> None:
    client = make_app("Desktop Helper").client_id
    past = ask(View.whole(owner.pk), Query("where is the tea?"), client=client)
    pot = make_memory(owner, "The tea pot is white")
    for memory, word in ((tea, Judgement.USEFUL), (pot, Judgement.WRONG)):
        say(past, memory, word)
    page = page_of(pages)
    for shown in ("Desktop Helper", "where is the tea?", "1 useful</span><span>1 wrong"):
        assert shown in page
    assert f'href="{LIST}{past.pk}/change/' in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"green", "black", "white"}),
        ("?app=editor", {"white"}),
        ("?verdict=useful", {"green"}),
        ("?verdict=wrong", {"black"}),
        ("?verdict=none", {"white"}),
        ("?q=BLACK", {"black"}),
        ("?q=nothing+of+it", set()),
    ],
)
def test_the_list_is_narrowed_by_app_verdict_and_words(
    owner: User, pages: Client, tea: Memory, query: str, shown: set[str]
) -> None:
    view = View.whole(owner.pk)
    say(ask(view, Query("green question")), tea, Judgement.USEFUL)
    say(ask(view, Query("black question")), tea, Judgement.WRONG)
    ask(view, Query("white question"), client="editor")
    page = page_of(pages, query)
    assert {colour for colour in ("green", "black", "white") if f"{colour} question" in page} == shown


def test_the_list_costs_as_many_queries_for_twenty_recalls_as_for_two(owner: User, pages: Client, tea: Memory) -> None:
    def queries_for(count: int) -> int:
        while PastRecall.objects.count() < count:
            say(ask(View.whole(owner.pk), Query("tea")), tea, Judgement.USEFUL)
        with CaptureQueriesContext(connection) as queries:
            page_of(pages)
        return len(queries)

    assert queries_for(2) == queries_for(20)


def test_the_list_says_that_questions_are_not_kept_and_how_to_change_that(
    owner: User, pages: Client, settings: Settings
) -> None:
    settings.AUDIT_QUERIES = False
    past = ask(View.whole(owner.pk), Query("where is the tea?"))
    page = page_of(pages)
    assert "AUDIT_QUERIES=true" in page
    page = page_of_recall(pages, past)
    assert "AUDIT_QUERIES=true" in page
    assert "/judge/" not in page


def test_a_recall_whose_question_was_not_stored_is_named_by_its_best_match(
    owner: User, pages: Client, settings: Settings
) -> None:
    settings.AUDIT_QUERIES = False
    tea = make_memory(owner, "The tea is in the kitchen.")
    past = ask(View.whole(owner.pk), Query("where is the tea in the kitchen?"))
    nothing = PastRecall.objects.get(pk=past.pk)
    nothing.pk, nothing.matches = None, []
    nothing.save()
    shown = {row.text: str(row.said[1]) for _, _, row in pages.get(LIST).context["rows"]}
    assert shown == {f"Returned “{tea.text}”": "1 memory", "A question": "nothing found"}
    asked = pages.get(f"{LIST}{past.pk}/delete/").content.decode()
    assert "The memories stay." in asked


@pytest.mark.parametrize("setting", ["AUDIT_DAYS", "AUDIT_RECALLS"])
def test_the_list_says_that_no_recalls_are_kept(pages: Client, settings: Settings, setting: str) -> None:
    setattr(settings, setting, 0)
    assert "Recalls are not logged" in page_of(pages)


# --- One recall


def test_the_page_shows_matches_and_near_misses_with_their_parts(owner: User, pages: Client, tea: Memory) -> None:
    pot = make_memory(owner, "The tea pot is white")
    past = ask(View.whole(owner.pk), Query("where is the tea, in which drawer?", limit=1, tags=["kitchen", "garden"]))
    assert "Not returned" not in page_of_recall(pages, past)
    past = ask(View.whole(owner.pk), Query("where is the tea, in which drawer?", limit=1))
    page = page_of_recall(pages, past)
    returned, not_returned = page.split("Not returned")
    assert tea.text in returned
    assert pot.text not in returned
    assert pot.text in not_returned
    assert "beyond the limit of 1" in not_returned
    assert "Its meaning is close to the question" in returned
    assert re.search(r"meaning \d\.\d\d", returned)
    assert f"as the score: {past.matches[0]['score']:.2f}." in returned


def test_a_near_miss_of_a_recall_that_found_less_than_its_limit_is_less_relevant(
    owner: User, pages: Client, tea: Memory
) -> None:
    make_memory(owner, "The tea pot is white")
    past = ask(View.whole(owner.pk), Query("where is the tea, in which drawer?", limit=1))
    PastRecall.objects.filter(pk=past.pk).update(limit=8)
    not_returned = page_of_recall(pages, past).split("Not returned")[1]
    assert "less relevant" in not_returned
    assert "beyond the limit" not in not_returned


def test_every_signal_is_called_as_it_is_in_the_documentation() -> None:
    documented = (ROOT / "docs" / "recall.md").read_text(encoding="utf-8")
    for signal in SIGNALS:
        assert f"| {signal.label} | `{signal.name}` | {round(signal.weight * signal.maximum, 2)} |" in documented


def test_no_two_parts_of_a_reason_have_the_same_colour_and_their_sum_is_the_rank() -> None:
    style = (ROOT / "ownsona_site" / "static" / "ownsona" / "shell.css").read_text(encoding="utf-8")
    parts = {signal.name: signal.weight for signal in SIGNALS}
    for has_session in (True, False):
        reasons = reasons_of(parts, "Who likes tea?", "Tom likes tea.", 2.0, has_session=has_session)
        colours = [part.colour for part in reasons.parts]
        assert len(colours) == len(set(colours)) == 7
        assert all(f".{colour} {{ --c:" in style for colour in colours)
        assert sum(part.value for part in reasons.parts) == pytest.approx(reasons.rank)


def test_the_parts_that_are_shown_add_up_to_the_rank_that_is_shown() -> None:
    reasons = reasons_of({"similarity": 0.744, "words": 0.744}, "Who likes tea?", "Tom likes tea.", 2.0)
    assert [part.value for part in reasons.parts] == [0.74, 0.74]
    assert reasons.rank == 1.48


def test_the_buttons_are_named_by_the_text_and_not_by_the_number(owner: User, pages: Client) -> None:
    kept = make_memory(owner, "Ada drinks <b>green</b> tea", tags=("food", "home"))
    page = page_of_recall(pages, ask(View.whole(owner.pk), Query("tea")))
    assert 'aria-label="“Ada drinks &lt;b&gt;green&lt;/b&gt; tea” was useful"' in page
    assert "<span>food, home</span>" in page
    assert f"#{kept.pk}<" not in page


def test_the_page_costs_as_many_queries_for_ten_answers_as_for_one(owner: User, pages: Client, tea: Memory) -> None:
    for number in range(10):
        make_memory(owner, f"Ada has {number} cups of tea")

    def queries_for(limit: int) -> int:
        past = ask(View.whole(owner.pk), Query("tea", limit=limit))
        say(past, tea, Judgement.USEFUL)
        with CaptureQueriesContext(connection) as queries:
            assert page_of_recall(pages, past).count("was useful") >= limit
        return len(queries)

    assert queries_for(1) == queries_for(10)


def test_a_near_miss_says_that_its_score_was_too_low(owner: User, pages: Client, tea: Memory) -> None:
    past = ask(View.whole(owner.pk), Query("entirely different", min_score=0.99, mode=Mode.SEMANTIC))
    page = page_of_recall(pages, past)
    assert "No memory was returned." in page
    assert "below the required score of 0.99" in page


def test_memories_are_shown_as_they_are_today(owner: User, pages: Client) -> None:
    kept, changed, forgotten, gone = (make_memory(owner, f"The {name} tea") for name in ("red", "pale", "old", "cold"))
    past = ask(View.whole(owner.pk), Query("tea"))
    update_memory(actor_for(owner), changed.pk, MemoryUpdate(text="The hot drink"))
    forget_memory(actor_for(owner), forgotten.pk)
    hard_delete_memory(actor_for(owner), gone.pk)
    page = page_of_recall(pages, past)
    for shown in (kept.text, "The hot drink", "changed since", "forgotten", "permanently deleted", f"#{gone.pk}"):
        assert shown in page
    assert changed.text not in page
    assert gone.text not in page


def test_the_buttons_keep_replace_and_take_back_a_word(pages: Client, past: PastRecall, tea: Memory) -> None:
    assert 'aria-pressed="true"' not in page_of_recall(pages, past)
    response = judged(pages, past, tea.pk, "useful")
    assert response.url == f"{LIST}{past.pk}/change/#memory-{tea.pk}"
    judged(pages, past, tea.pk, "useful")
    assert page_of_recall(pages, past).count('aria-pressed="true"') == 1
    judged(pages, past, tea.pk, "wrong")
    assert Verdict.objects.get().is_useful is False
    judged(pages, past, tea.pk, "nothing")
    assert not Verdict.objects.exists()


def test_what_should_have_come_is_looked_up_and_added(owner: User, pages: Client, past: PastRecall) -> None:
    missing = make_memory(owner, "Darjeeling: on the upper shelf")
    assert missing.text not in page_of_recall(pages, past)
    for wanted in ("shelf", missing.pk, f"%23{missing.pk}"):
        assert missing.text in page_of_recall(pages, past, f"?look={wanted}")
    judged(pages, past, missing.pk, "useful")
    page = page_of_recall(pages, past)
    assert missing.text in page.split("Missing memories")[1]
    assert page.count('aria-pressed="true"') == 1


def test_a_memory_that_was_returned_is_not_missing(pages: Client, past: PastRecall, tea: Memory) -> None:
    assert tea.pk in [match["id"] for match in past.matches]
    for wanted in ("tea", tea.pk):
        page = page_of_recall(pages, past, f"?look={wanted}")
        assert "should have been returned" not in page.lower().split("missing memories")[1]


def test_a_score_that_is_unknown_is_said_to_be(pages: Client, past: PastRecall) -> None:
    past.matches[0]["score"] = None
    past.save()
    assert "the similarity of the meaning was unknown" in page_of_recall(pages, past)
    assert "0.00" not in page_of(pages)


def test_a_search_that_finds_nothing_or_cannot_be_made_says_so(pages: Client, past: PastRecall) -> None:
    assert "No other active memory" in page_of_recall(pages, past, "?look=xylophone")
    assert "at most 16,000 are allowed" in page_of_recall(pages, past, f"?look={'x' * 16_001}")


@pytest.mark.parametrize(("question", "folds"), [("tea " * 2_000, 1), ("tea?\n" * 40, 1), ("tea? " * 50, 0)])
def test_a_question_of_more_than_a_few_lines_is_folded(owner: User, pages: Client, question: str, folds: int) -> None:
    page = page_of_recall(pages, ask(View.whole(owner.pk), Query(question)))
    heading = page.partition("“")[2].partition("”")[0]
    assert len(heading) <= HEADING_CHARS
    assert page.count('<details class="whole">') == folds
    assert question in page


def test_a_question_with_markup_is_text(owner: User, pages: Client) -> None:
    past = ask(View.whole(owner.pk), Query("<script>alert(1)</script>"))
    for page in (page_of(pages), page_of_recall(pages, past)):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_a_recall_with_a_signal_that_is_known_no_longer_can_be_looked_at(pages: Client, past: PastRecall) -> None:
    past.matches[0]["parts"] = {"luck": 0.2}
    past.save()
    assert "other 0.20" in page_of_recall(pages, past)


def test_a_recall_can_be_deleted_with_its_verdicts(pages: Client, past: PastRecall, tea: Memory) -> None:
    say(past, tea, Judgement.USEFUL)
    assert pages.get(f"{LIST}{past.pk}/delete/").status_code == 200
    assert pages.post(f"{LIST}{past.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not PastRecall.objects.exists()
    assert Memory.objects.filter(pk=tea.pk).exists()


# --- Other owners' recalls, and forged requests


def test_recalls_are_ones_own(pages: Client, past: PastRecall) -> None:
    stranger = make_user()
    theirs = make_memory(stranger, "Somebody else's tea")
    foreign = ask(View.whole(stranger.pk), Query("somebody's tea?"))
    assert "somebody" not in page_of(pages)
    assert pages.get(f"{LIST}{foreign.pk}/change/").status_code == 404
    assert pages.get(f"{LIST}{foreign.pk}/delete/").status_code == 404
    assert judged(pages, foreign, theirs.pk, "useful").status_code == 404
    assert judged(pages, past, theirs.pk, "useful").status_code == 302
    assert not Verdict.objects.exists()
    assert theirs.text not in page_of_recall(pages, past, f"?look={theirs.pk}")


@pytest.mark.parametrize(
    ("attempt", "status"),
    [
        (lambda pages, path: pages.get(f"{path}judge/"), 405),
        (lambda pages, path: pages.post(f"{path}change/", {"query": "forged"}), 405),
        (lambda pages, path: pages.get(f"{LIST}add/"), 403),
        (lambda pages, path: pages.get(f"{LIST}x/change/"), 404),
        (lambda pages, path: pages.post(f"{path}judge/", {"memory": "x", "word": "useful"}), 404),
        (lambda pages, path: pages.post(f"{path}judge/", {"memory": "1", "word": "fine"}), 400),
        (lambda pages, path: pages.get(f"{path}change/?look=%00"), 400),
    ],
)
def test_what_no_page_has_sent_is_refused(
    pages: Client, past: PastRecall, attempt: Callable[[Client, str], Any], status: int
) -> None:
    assert attempt(pages, f"{LIST}{past.pk}/").status_code == status
