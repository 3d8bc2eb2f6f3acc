"""Tests of the page that shows what an app would receive."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from memories.admin.recall_reasons import common_words, reasons_of
from memories.models import Memory, PastRecall
from memories.recall.pipeline import GatheredCandidates
from memories.recall.relevance import MIN_CONFIDENCE, Precision
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection, PersonalToken, User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import (
    HOST,
    Assistant,
    make_access_token,
    make_app,
    make_memory,
    make_personal_token,
    make_user,
)

PAGE = "/admin/ask/"


def shown(pages: Client, **query: str) -> str:
    response = pages.get(PAGE, query)
    assert response.status_code == 200
    return str(response.content.decode())


def test_it_shows_what_an_app_would_receive_and_why(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Tom eats no fish, except <b>trout</b>.", tags=("family",))
    page = shown(pages, q="does Tom eat fish?")
    assert "An app would receive 1 memory" in page
    assert "Tom eats no fish, except &lt;b&gt;trout&lt;/b&gt;." in page
    assert re.search(r"<b>Why\?</b> [A-Z][^<]+\.", page)
    assert re.search(r"meaning \d\.\d\d", page)
    assert f"/admin/memories/memory/{memory.pk}/edit/?back=%2Fadmin%2Fask%2F%3Fq" in page
    assert " style=" not in page


def test_answers_that_may_contradict_each_other_name_each_other(owner: User, pages: Client) -> None:
    for day in ("Monday", "Friday"):
        Assistant.of(owner).call("remember", text=f"The paper bin is emptied on {day} mornings", dedup_policy="insert")
    page = shown(pages, q="When is the paper bin emptied?")
    assert "may not fit answer 2" in page
    assert "may not fit answer 1" in page


def test_it_shows_the_prompt_that_the_tool_would_return(owner: User, pages: Client) -> None:
    make_memory(owner, "Tom eats no fish, except <b>trout</b>.")
    make_memory(owner, "Fish is on the menu on Friday.")
    for question in ("does Tom eat <i>fish</i>?", "rain"):
        prompt = Assistant.of(owner).call("build_context_prompt", user_prompt=question)["prompt"]
        assert escape(prompt) in shown(pages, q=question)


def test_a_memory_that_is_not_relevant_enough_is_left_out_with_that_reason(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_memory(owner, "Tom eats no fish.")
    monkeypatch.setattr(GatheredCandidates, "precision", lambda self, query: query.precision)
    monkeypatch.setitem(MIN_CONFIDENCE, Precision.BALANCED, 1.1)
    page = shown(pages, q="does Tom eat fish?")
    assert "would receive nothing" in page
    assert "Not relevant enough" in page
    assert "Tom eats no fish." in page


def test_it_names_the_app_that_stored_a_memory(owner: User, pages: Client) -> None:
    Assistant.of(owner, app=make_app("Notebook <b>")).call("remember", text="Tom eats no fish.")
    assert "Notebook &lt;b&gt;" in shown(pages, q="does Tom eat fish?").partition("would receive 1 memory")[2]


def test_nonsense_finds_only_weak_matches_and_the_page_says_so(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    texts = ("The tram runs every ten minutes.", "The boiler is serviced in September.", "The cat is called Mimi.")
    for text in texts:
        make_memory(owner, text)
    page = shown(pages, q="qqqzzz")
    assert re.search("Probably nothing is known. An app would receive [1-3] weak match", page)
    assert re.search(r"answer the question with a probability of \d\d? %", page)
    assert "is close to the question" not in page
    assert "Nothing else was closer." in page
    page = shown(pages, q="What is the cat called?")
    assert "Probably nothing is known" not in page
    assert re.search(r"answer the question with a probability of \d\d %", page)
    assert "Its meaning is close to the question" in page


def test_matches_of_a_doubtful_result_are_called_weak(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    make_memory(owner, "The cat is called Mimi.")
    monkeypatch.setattr("ownsona_site.pages.ask.answers.DOUBTFUL", 1.1)
    assert "Probably nothing is known. An app would receive 1 weak match." in shown(pages, q="What is the cat called?")


def test_apps_with_the_same_name_can_be_told_apart(owner: User, pages: Client) -> None:
    for day, name in enumerate(("Planner", "Planner", "Notebook"), start=1):
        make_access_token(owner, app=make_app(name))
        made = Connection.objects.latest("pk")
        Connection.objects.filter(pk=made.pk).update(created_at=datetime(2026, 4, day, 7, 9, tzinfo=UTC))
    options = re.findall(r"<option [^>]*>([^<]*)<", shown(pages))
    assert options[1] == "Notebook"
    assert options[2].startswith("Planner, allowed on 1 Apr 2026")
    assert options[3].startswith("Planner, allowed on 2 Apr 2026")


def test_it_says_that_an_app_cannot_use_the_memory_at_the_moment(owner: User, pages: Client) -> None:
    make_memory(owner, "Tom eats no fish.")
    make_access_token(owner, app=make_app("Notebook"))
    connection = Connection.objects.get()
    sentence = "Notebook cannot use your memory at the moment. If it could, it would receive this."
    query = {"q": "does Tom eat fish?", "app": connection.application.client_id}
    assert sentence not in shown(pages, **query)
    Connection.objects.update(paused_at=timezone.now())
    assert sentence in shown(pages, **query)
    Connection.objects.update(paused_at=None)
    disconnect(connection)
    assert sentence in shown(pages, **query)
    make_personal_token(owner, "Script")
    token = PersonalToken.objects.get()
    query["app"] = f"token:{token.pk}"
    assert "Script cannot use" not in shown(pages, **query)
    PersonalToken.objects.update(expires_at=timezone.now())
    assert "Script cannot use your memory at the moment." in shown(pages, **query)


def test_asking_is_not_recorded(owner: User, pages: Client) -> None:
    make_memory(owner, "Tom eats no fish.")
    shown(pages, q="does Tom eat fish?")
    assert not PastRecall.objects.exists()


def test_an_app_that_is_limited_to_tags_receives_only_those(owner: User, pages: Client) -> None:
    make_memory(owner, "Tom eats no fish.", tags=("family",))
    make_memory(owner, "The fish market opens at six.", tags=("work",))
    app = make_app("Helper <b>")
    make_access_token(owner, app=app, tags=("work",))
    page = shown(pages, app=app.client_id, q="fish")
    assert "Helper &lt;b&gt; would receive 1 memory" in page
    assert "The fish market opens at six." in page
    assert "Tom eats no fish." not in page
    page = shown(pages, app=app.client_id)
    assert "Tom eats no fish." not in page


def test_without_a_question_it_shows_the_briefing(owner: User, pages: Client) -> None:
    make_memory(owner, "Tom eats no fish.")
    page = shown(pages)
    assert "Always sent first" in page
    assert "Tom eats no fish." in page


def test_what_cannot_be_searched_is_said(pages: Client) -> None:
    assert "would receive nothing" in shown(pages, q="anything")
    assert "An app would receive" in shown(pages, app="unknown", q="anything")


def test_nobody_sees_the_memories_and_apps_of_another(owner: User, pages: Client) -> None:
    stranger = make_user("stranger")
    app = make_app("Secret app")
    make_access_token(stranger, app=app)
    make_memory(stranger, "Tom eats no fish.")
    page = shown(pages, app=app.client_id, q="fish")
    assert "Tom eats" not in page
    assert "Secret app" not in page
    assert Client(headers={"host": HOST}).get(PAGE).status_code == 302


def test_it_needs_at_most_fifteen_queries(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        make_memory(owner, f"Tom eats no fish on day {number}.", tags=("family",))
    app = make_app("Helper")
    make_access_token(owner, app=app, tags=("family",))
    for query in ({}, {"q": "fish"}, {"q": "fish", "app": app.client_id}):
        with django_assert_max_num_queries(15):
            shown(pages, **query)


def test_the_reasons_are_sentences() -> None:
    both = reasons_of({"similarity": 0.5, "words": 0.2, "past": -0.05}, "Tom and fish", "Tom eats no fish.", 0.7)
    assert both.sentence == (
        "Its meaning is close to the question, and it has the words “fish” and “Tom”. "
        "It is past, which lowers its rank a little."
    )
    assert [part.label for part in both.parts] == ["meaning", "words", "other"]
    three = reasons_of(
        {"words": 0.2}, "When is the release meeting at Tom's?", "Tom's release meeting is on the 3rd.", 0.7
    )
    assert three.sentence == "It has the words “release”, “meeting” and “Tom”."
    assert (
        reasons_of({"words": 0.2}, "Where is the cat?", "The dog", 0.7).sentence == "It shares words with the question."
    )
    assert reasons_of({"importance": 0.01}, "x", "y", 0.0).sentence == "Nothing else was closer."
    assert reasons_of({"similarity": 0.18, "stated": 0.2}, "zzqq", "y", 0.4).sentence == "Nothing else was closer."


def test_a_word_that_most_answers_have_is_no_reason() -> None:
    texts = ["Robin likes tea.", "Robin eats fish.", "Robin sings.", "Robin lives in Bern.", "The cat is called Mimi."]
    common = common_words(texts)
    parts = {"similarity": 0.5, "words": 0.2}
    said = [reasons_of(parts, "Does Robin sing, like tea?", text, 0.7, common=common).sentence for text in texts[:2]]
    assert said == [
        "Its meaning is close to the question, and it has the word “tea”.",
        "Its meaning is close to the question.",
    ]
    only = reasons_of({"words": 0.2}, "Robin?", texts[1], 0.7, common=common).sentence
    assert only == "It has the word “Robin”."
    assert common_words(texts[:3]) == frozenset()


def test_a_memory_without_a_session_has_no_conversation_as_a_reason() -> None:
    parts = {"similarity": 0.5, "session": 0.19}
    assert reasons_of(parts, "x", "y", 0.7).sentence == "Its meaning is close to the question."
    said = reasons_of(parts, "x", "y", 0.7, has_session=True).sentence
    assert said == "Its meaning is close to the question, and its conversation was about the same topic."


def test_headings_of_the_briefing_are_headings(owner: User, pages: Client) -> None:
    for text, tag in (("The boat is red.", "sea"), ("The mast is tall.", "sea"), ("The car is old.", "road")):
        make_memory(owner, text, tags=[tag])
    Memory.objects.filter(tags=["road"]).update(briefing_place=Memory.BriefingPlace.PINNED)
    page = pages.get(PAGE).content.decode()
    assert "<h3>" in page
    assert "## " not in page


@pytest.mark.parametrize("question", ["?", "..."])
def test_a_question_without_words_has_no_answer(owner: User, pages: Client, question: str) -> None:
    make_memory(owner, "Tom eats no fish?")
    page = shown(pages, q=question)
    assert "The question has no words. Ask in words." in page
    assert "Tom eats no fish?" not in page
