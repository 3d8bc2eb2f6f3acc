"""Tests of identifiers in questions that no memory has."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall.identifiers import MAX_CHARS, has_unknown_identifier
from memories.recall.pipeline import Query, recall
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import make_memory, make_user

TERMS = ["e4021", "max", "retri", "pars", "manifest", "1500", "9fceb02", "api", "port"]


@pytest.mark.parametrize(
    "text",
    [
        "error code E7777 in heron",
        "HER-1501",
        "What does commit 9fceb03 change?",
        "what is FF_DARK_MODE",
        "Was bedeutet E7777?",
        "MAX_CONNECTIONS",
    ],
)
def test_what_no_memory_has_is_unknown(text: str) -> None:
    assert has_unknown_identifier(text, TERMS)


@pytest.mark.parametrize(
    "text",
    [
        "error code e4021",
        "HER-1500",
        "9fceb02",
        "MAX_RETRIES",
        "parse_the_manifest",
        "Which port does the API use?",
        "Is it at 10am, 19h30, on the 20th, 250ml or 2026-05-17?",
        "Does v2 run on port 8080 of api.example2.org?",
        "My phone is 0043-664-1234567",
    ],
)
def test_what_memories_have_and_what_is_no_identifier_is_not(text: str) -> None:
    assert not has_unknown_identifier(text, TERMS)


def test_a_long_text_is_not_about_its_identifiers() -> None:
    assert has_unknown_identifier("E7777".ljust(MAX_CHARS), TERMS)
    assert not has_unknown_identifier("E7777".ljust(MAX_CHARS + 1), TERMS)


@pytest.fixture
def owner(db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    use_shipped_model(monkeypatch)
    return make_user()


def test_a_question_about_an_unknown_code_is_less_certain(owner: User) -> None:
    make_memory(owner, "Error code E4021 in Heron means that the VAT number could not be validated by VIES.")
    make_memory(owner, "Error code E5003 in Heron is raised when the PDF renderer takes too long.")
    make_memory(owner, "The Heron API listens on port 8080.")

    def confidence(text: str) -> float:
        return recall(View.whole(owner.pk), Query(text)).confidence

    assert confidence("error code E7777 in heron") < 0.5 < confidence("error code E4021 in heron")
