"""Tests of repeating judged questions."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from pytest_django import Settings

from memories.access import View
from memories.errors import EmbeddingError
from memories.management.commands.evaluate_recall import SHOWN_CHARS
from memories.models import PastRecall
from memories.recall.pipeline import Mode, Query
from memories.recall_log.evaluation import Comparison, JudgedMemory, RecallMetrics, compare, compute_metrics
from memories.recall_log.judgements import Judgement
from memories.writing.lifecycle import forget_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import actor_for, make_memory, make_user
from tests.support.recalls import ask, say


@pytest.fixture
def owner(db: None, settings: Settings) -> User:
    """A superuser whose questions are stored with the recalls."""
    settings.AUDIT_QUERIES = True
    user = make_user()
    user.is_superuser = True
    user.save()
    return user


@pytest.fixture
def view(owner: User) -> View:
    return View.whole(owner.pk)


def test_each_judged_memory_has_its_place_then_and_now(owner: User, view: View) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    pot = make_memory(owner, "The tea pot is white")
    garden = make_memory(owner, "The lawn is green")
    past = ask(view, Query("where is the tea, in which drawer?", limit=2, mode=Mode.KEYWORD))
    assert [found["id"] for found in past.matches] == [drawer.pk, pot.pk]
    say(past, pot, Judgement.WRONG)
    say(past, drawer, Judgement.USEFUL)
    say(past, garden, Judgement.USEFUL)
    update_memory(actor_for(owner), garden.pk, MemoryUpdate(text="Tea, tea, tea: in the drawer, the upper drawer"))
    (comparison,) = compare(view)
    assert comparison.recall == past
    assert comparison.judged == [
        JudgedMemory(drawer.pk, True, place_then=1, place_now=2),
        JudgedMemory(garden.pk, True, place_then=None, place_now=1),
        JudgedMemory(pot.pk, False, place_then=2, place_now=3),
    ]


def figures_of(*questions: tuple[int, list[tuple[bool, int | None]]]) -> RecallMetrics:
    """Return the metrics of questions. Each is a limit and, for each memory, whether it is useful and its place."""
    comparisons = [
        Comparison(PastRecall(limit=limit), [JudgedMemory(0, is_useful, place, None) for is_useful, place in judged])
        for limit, judged in questions
    ]
    return compute_metrics(comparisons, lambda item: item.place_then)


def test_the_figures_are_means_over_questions_of_the_useful_memories_returned() -> None:
    found = figures_of((10, [(True, 1), (True, 7), (False, 4), (False, 6)]), (10, [(True, 2)]), (10, [(False, None)]))
    assert found == RecallMetrics({5: 0.75, 10: 1.0}, wrong=1)


def test_what_the_limit_left_out_does_not_count_as_returned() -> None:
    assert figures_of((3, [(True, 3), (True, 4), (False, 5)])) == RecallMetrics({5: 0.5, 10: 0.5}, wrong=0)


def test_without_anything_useful_there_is_no_share() -> None:
    assert figures_of((3, [(False, 1)])) == RecallMetrics({5: None, 10: None}, wrong=1)


def test_a_near_miss_had_a_place_behind_the_limit_unless_its_score_was_too_low(owner: User, view: View) -> None:
    teas = [make_memory(owner, f"tea {'tea ' * number}") for number in range(3)]
    far = make_memory(owner, "the lawn is green")
    by_limit = ask(view, Query("tea", limit=2, mode=Mode.KEYWORD))
    second = ask(view, Query("tea", limit=1, min_score=0.5))
    missed = by_limit.near_misses[0]["id"]
    say(by_limit, next(tea for tea in teas if tea.pk == missed), Judgement.USEFUL)
    say(second, far, Judgement.WRONG)
    places = [comparison.judged for comparison in compare(view)]
    assert places == [[JudgedMemory(missed, True, 3, 3)], [JudgedMemory(far.pk, False, None, None)]]


def test_a_memory_out_of_force_is_left_out_and_so_is_a_question_that_had_nothing_else(owner: User, view: View) -> None:
    drawer, pot = make_memory(owner, "The tea is in the drawer"), make_memory(owner, "The tea pot is white")
    one, both = ask(view, Query("which drawer?")), ask(view, Query("tea?"))
    for past, memory in ((one, drawer), (both, drawer), (both, pot)):
        say(past, memory, Judgement.USEFUL)
    forget_memory(actor_for(owner), drawer.pk)
    (comparison,) = compare(view)
    assert comparison.recall == both
    assert [item.memory_id for item in comparison.judged] == [pot.pk]


def test_a_memory_that_the_filters_no_longer_let_through_is_left_out(owner: User, view: View) -> None:
    tea = make_memory(owner, "The tea is in the drawer", tags=("kitchen",))
    say(ask(view, Query("tea", tags=["kitchen"])), tea, Judgement.USEFUL)
    update_memory(actor_for(owner), tea.pk, MemoryUpdate(tags=["garden"]))
    assert list(compare(view)) == []


def test_what_a_question_says_of_time_is_reckoned_from_when_it_was_asked(owner: User, view: View) -> None:
    late = make_memory(owner, "The tea was green!", created_at=timezone.now().replace(year=2024))
    early = make_memory(owner, "The tea was green.", created_at=timezone.now().replace(year=2021))
    past = ask(view, Query("what was green last year?"))
    PastRecall.objects.filter(pk=past.pk).update(at=past.at.replace(year=2022))
    say(past, late, Judgement.WRONG)
    say(past, early, Judgement.USEFUL)
    (comparison,) = compare(view)
    assert [item.place_now for item in comparison.judged] == [1, 2]


def test_an_app_sees_no_more_than_it_did(owner: User) -> None:
    work = make_memory(owner, "Tea for work", tags=("work",))
    make_memory(owner, "Which tea for which work?", tags=("family",))
    view = View(owner.pk, ("work",))
    say(ask(view, Query("which tea for work?")), work, Judgement.USEFUL)
    (comparison,) = compare(View.whole(owner.pk))
    assert comparison.judged == [JudgedMemory(work.pk, True, 1, 1)]


def test_nobody_elses_questions_are_asked(owner: User) -> None:
    other = make_user()
    tea = make_memory(other, "The tea is in the drawer")
    say(ask(View.whole(other.pk), Query("tea")), tea, Judgement.USEFUL)
    assert list(compare(View.whole(owner.pk))) == []


# --- The command


def printed(*options: str) -> str:
    out = StringIO()
    call_command("evaluate_recall", *options, stdout=out)
    return out.getvalue()


def test_the_command_prints_places_and_figures(owner: User, view: View) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    missing = make_memory(owner, "Something else entirely")
    past = ask(view, Query("where is\nthe tea?", mode=Mode.KEYWORD))
    say(past, drawer, Judgement.USEFUL)
    say(past, missing, Judgement.WRONG)
    lines = [" ".join(line.split()) for line in printed().splitlines()]
    assert lines == [
        "then now",
        "where is the tea?",
        f"1 1 useful #{drawer.pk}",
        f"– – wrong #{missing.pk}",
        "",
        "1 question then now",
        "recall@5 1.000 1.000",
        "recall@10 1.000 1.000",
        "wrong among the first 5 0 0",
    ]


def test_the_command_prints_a_question_on_one_line_and_nothing_that_a_terminal_obeys(owner: User, view: View) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    say(ask(view, Query(f"tea\x1b[2J\r\n{'again ' * 100}")), drawer, Judgement.USEFUL)
    question = printed().splitlines()[1].strip()
    assert question.startswith("tea [2J again again")
    assert len(question) == SHOWN_CHARS


def test_a_question_that_cannot_be_asked_today_is_named_and_the_others_are_compared(
    owner: User, view: View, settings: Settings
) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    for question in ("tea?", "and where is the tea?"):
        say(ask(view, Query(question)), drawer, Judgement.USEFUL)
    settings.MAX_TEXT_CHARS = 10
    assert [(comparison.recall.query, len(comparison.judged)) for comparison in compare(view)] == [
        ("tea?", 1),
        ("and where is the tea?", 0),
    ]
    lines = [" ".join(line.split()) for line in printed().splitlines()]
    assert "cannot be repeated: query: has 21 characters; at most 10 are allowed." in lines
    assert "1 question then now" in lines
    refusals = [question["refusal"] for question in json.loads(printed("--json"))["questions"]]
    assert refusals == [None, "query: has 21 characters; at most 10 are allowed."]


def test_the_command_prints_json(owner: User, view: View) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    past = ask(view, Query("tea"))
    say(past, drawer, Judgement.USEFUL)
    document: dict[str, Any] = json.loads(printed("--json", "--user", owner.username))
    assert document["now"] == document["then"] == {"recall@5": 1.0, "recall@10": 1.0, "wrong@5": 0}
    (question,) = document["questions"]
    assert (question["recall"], question["query"], question["mode"]) == (past.pk, "tea", "hybrid")
    assert question["memories"] == [{"id": drawer.pk, "verdict": "useful", "place_then": 1, "place_now": 1}]


def test_without_verdicts_the_command_says_where_to_give_them(owner: User) -> None:
    assert "on the page Recalls" in printed()
    assert json.loads(printed("--json"))["questions"] == []


def test_without_embedder_nothing_is_compared(owner: User, view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    drawer = make_memory(owner, "The tea is in the drawer")
    say(ask(view, Query("tea")), drawer, Judgement.USEFUL)

    def fail() -> None:
        raise EmbeddingError("the endpoint is down")

    use_embedder(monkeypatch, fail)
    with pytest.raises(CommandError, match="did not respond"):
        printed()
