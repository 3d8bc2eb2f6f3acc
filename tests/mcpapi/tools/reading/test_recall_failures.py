"""Tests of the result of all recalling tools when the embedding provider fails."""

from __future__ import annotations

from typing import Any

import pytest

from memories.errors import EmbeddingError
from oauthserver.models import User
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import Assistant, make_memory
from tests.support.mcp.rest_client import RestClient

NOTICE = "The embedding provider failed: the search used keywords only, without min_score."
NO_SCORES = "The embedding provider failed: there are no scores, and min_score was ignored."
RECALLING: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"query": "boiler"}),
    ("recall", {"query": "boiler", "mode": "keyword"}),
    ("search_memory", {"query": "boiler"}),
    ("memory.search", {"query": "boiler"}),
    ("build_context_prompt", {"user_prompt": "boiler"}),
    ("search", {"query": "boiler"}),
]


@pytest.fixture(autouse=True)
def boiler(owner: User) -> None:
    make_memory(owner, "The boiler was repaired")


@pytest.fixture
def broken_embedder(boiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise EmbeddingError("the endpoint is down")

    use_embedder(monkeypatch, fail)


@pytest.mark.usefixtures("broken_embedder")
@pytest.mark.parametrize(("tool", "arguments"), RECALLING)
def test_without_the_embedder_every_answer_says_what_it_lacks(
    assistant: Assistant, tool: str, arguments: dict[str, Any]
) -> None:
    answer = assistant.call(tool, **arguments)
    assert answer.pop("notice") == (NO_SCORES if arguments.get("mode") == "keyword" else NOTICE)
    assert "The boiler was repaired" in str(answer)


@pytest.mark.usefixtures("broken_embedder")
def test_by_rest_it_is_said_as_well(assistant: Assistant) -> None:
    answer = RestClient(assistant.token).post("/tools/search", query="boiler")
    assert (answer["notice"], len(answer["results"])) == (NOTICE, 1)
    answer = RestClient(assistant.token).post("/tools/search", query="boiler", mode="keyword")
    assert (answer["notice"], len(answer["results"])) == (NO_SCORES, 1)


@pytest.mark.parametrize(("tool", "arguments"), RECALLING)
def test_a_search_that_is_whole_has_no_notice(assistant: Assistant, tool: str, arguments: dict[str, Any]) -> None:
    answer = assistant.call(tool, **arguments)
    assert "The boiler was repaired" in str(answer)
    assert "notice" not in answer
