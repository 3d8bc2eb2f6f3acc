"""Tests of the reading of the first candidates: those that answer the question move forward."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memories.access import View
from memories.errors import EmbeddingError
from memories.recall import reading
from memories.recall.answering import read_answers
from memories.recall.pipeline import Mode, Query, recall
from memories.recall.ranking import Ranked, with_signal
from memories.recall.reading import MAX_DISTANCE, READ, answers_among
from memories.recall.signals import HYBRID, Candidate, Moment
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import make_memory, make_user

QUESTION = "Which car do I drive?"
SKODA, OTHER = "I bought a grey Skoda Octavia in May.", "The car wash on Elm Street is closed."
WEIGHT = HYBRID["answers"]


def ranked(*ranks: float) -> list[Ranked]:
    """Return candidates with these ranks. Their ids begin with 1."""
    return [Ranked(Candidate(pk, None, 0.0), rank, HYBRID, Moment(0.0)) for pk, rank in enumerate(ranks, start=1)]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were read. Each seems to answer with a probability of 0.5."""
    texts: list[str] = []

    def answers(question: str, given: Sequence[str]) -> list[float]:
        texts.extend(given)
        return [0.5] * len(given)

    monkeypatch.setattr(reading, "read_answers", answers)
    return texts


def test_what_answers_the_question_is_more_likely_than_what_shares_its_words() -> None:
    skoda, other = read_answers(QUESTION, [SKODA, OTHER])
    assert 0 <= other < skoda <= 1


@pytest.mark.parametrize("texts", [[], [""], ["\ud800 🚢"], ["one " * 5_000]])
def test_any_text_can_be_read(texts: list[str]) -> None:
    answers = read_answers("? " * 1_000, texts)
    assert len(answers) == len(texts)
    assert all(0 <= answer <= 1 for answer in answers)


def test_only_candidates_near_the_first_one_are_read(read: list[str]) -> None:
    texts = {1: "one", 2: "two", 3: "three"}
    assert answers_among(QUESTION, ranked(1.0, 1.01 - MAX_DISTANCE, 0.99 - MAX_DISTANCE), texts) == {1: 0.5, 2: 0.5}
    assert read == ["one", "two"]


def test_no_more_than_the_first_ones_that_still_exist_are_read(read: list[str]) -> None:
    texts = {pk: str(pk) for pk in range(2, 2 * READ)}
    answers = answers_among(QUESTION, ranked(*[1.0] * 2 * READ), texts)
    assert list(answers) == list(range(2, READ + 2))


def test_nothing_is_read_if_a_candidate_is_in_another_language(read: list[str]) -> None:
    texts = {1: SKODA, 2: "Der Nutzer fährt mit dem Rad zur Arbeit."}
    assert answers_among(QUESTION, ranked(1.0, 1.0), texts) == {}
    assert answers_among(QUESTION, [], {}) == {}
    assert read == []


def test_without_the_network_nothing_is_read_and_the_log_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(question: str, texts: Sequence[str]) -> list[float]:
        raise EmbeddingError("The file cannot be written.")

    said: list[str] = []
    monkeypatch.setattr(reading, "read_answers", fail)
    monkeypatch.setattr(reading.logger, "warning", lambda text, error: said.append(text % error))
    assert answers_among(QUESTION, ranked(1.0), {1: SKODA}) == {}
    assert said == ["Answers cannot be read for now: The file cannot be written."]


def test_a_signal_that_is_added_counts_in_the_rank_and_in_the_order() -> None:
    first, second = with_signal(ranked(1.0, 0.9), "answers", {2: 1.0})
    assert (first.candidate.item_id, first.rank, first.parts["answers"]) == (2, 0.9 + WEIGHT, WEIGHT)
    assert (second.candidate.item_id, second.rank, second.parts["answers"]) == (1, 1.0, 0)


@pytest.mark.django_db
class TestRecall:
    """Recall with the model that comes with OwnSona."""

    @pytest.fixture
    def owner(self, monkeypatch: pytest.MonkeyPatch) -> User:
        use_shipped_model(monkeypatch)
        owner = make_user()
        for text in (OTHER, SKODA, "I drive to Graz on Fridays."):
            make_memory(owner, text)
        return owner

    def test_the_memory_that_answers_comes_first(self, owner: User) -> None:
        first, *others = recall(View.whole(owner.pk), Query(QUESTION)).matches
        assert first.memory.text == SKODA
        assert first.parts["answers"] > max(match.parts["answers"] for match in others)
        assert first.rank == pytest.approx(sum(first.parts.values()))

    @pytest.mark.parametrize(("question", "mode"), [("Welches Auto fahre ich?", Mode.HYBRID), (QUESTION, Mode.KEYWORD)])
    def test_in_other_languages_and_modes_nothing_is_read(
        self, owner: User, read: list[str], question: str, mode: Mode
    ) -> None:
        assert recall(View.whole(owner.pk), Query(question, mode=mode)).matches
        assert read == []

    def test_with_another_model_nothing_is_read(self, read: list[str]) -> None:
        owner = make_user()
        make_memory(owner, SKODA)
        assert recall(View.whole(owner.pk), Query("Which car did I buy?")).matches
        assert read == []
