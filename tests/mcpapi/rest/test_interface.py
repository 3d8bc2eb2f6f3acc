"""Tests that each response has exactly the shape of the interface that the REST API follows, with its codes."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from memories.errors import EmbeddingError
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.customtools.support import make_http_tool, make_tool, parameters
from tests.documents.support import make_document
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import make_memory
from tests.support.mcp import rest_schemas
from tests.support.mcp.rest_client import RestClient, assert_refused
from tests.support.mcp.rest_schemas import valid


@pytest.fixture
def everything(owner: User) -> None:
    """A memory, a document, an agent, and a custom tool of each kind."""
    make_memory(owner, "The oil of the car is changed in May", tags=("car",))
    make_document(owner, title="Handbook", source_url="https://example.com/boat")
    make_tool(
        owner,
        'if params.fail then error("no oil") end return { params.number }',
        declared=parameters(number="integer", fail="boolean"),
    )
    make_tool(owner, "while true do end", name="endless")
    make_http_tool(owner, {"url": "https://api.example.com"})
    make_agent(owner)


@pytest.mark.usefixtures("everything")
def test_search(program: RestClient) -> None:
    for arguments in (
        {"query": "when is the oil changed"},
        {"query": "oil", "mode": "keyword", "limit": 1},
        {
            "query": "oil",
            "mode": "semantic",
            "filters": {"source": None, "tags": ["car"], "since": None, "until": None},
        },
        {"query": "oil", "filters": {"source": "documents", "tags": [], "since": "2020-01-01T00:00:00Z"}},
    ):
        assert valid(program.post("/tools/search", **arguments), rest_schemas.SEARCH)["results"]
    empty = program.post("/tools/search", query="oil", filters={"tags": ["nothing"]})
    assert valid(empty, rest_schemas.SEARCH)["results"] == []


@pytest.mark.usefixtures("everything")
def test_get(program: RestClient) -> None:
    for found in program.post("/tools/search", query="oil")["results"]:
        assert valid(program.post("/tools/get", id=found["id"]), rest_schemas.GET)["id"] == found["id"]


def test_sources(program: RestClient) -> None:
    names = [source["name"] for source in valid(program.get("/tools/sources"), rest_schemas.SOURCES)["sources"]]
    assert "memory" in names


@pytest.mark.usefixtures("everything")
def test_list(program: RestClient) -> None:
    tools = valid(program.get("/tools/list"), rest_schemas.TOOLS)["tools"]
    assert {tool["name"] for tool in tools if not tool["builtin"]} == {"attempt", "endless", "ask_server"}


@pytest.mark.usefixtures("everything")
def test_a_custom_tool(program: RestClient) -> None:
    assert valid(program.post("/tools/attempt", number=7), rest_schemas.TOOL_RESULT) == {"result": [7]}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize(
    ("path", "arguments", "status", "code"),
    [
        ("/tools/attempt", {"fail": True}, 500, "tool_error"),
        ("/tools/ask_server", {}, 500, "tool_error"),
        ("/tools/endless", {}, 408, "timeout"),
        ("/tools/nothing", {}, 404, "not_found"),
        ("/tools/get", {"id": str(10**9)}, 404, "not_found"),
        ("/tools/get", {"id": "7d444840-9dc0-11d1-b245-5ffdce74fad2"}, 404, "not_found"),
        ("/tools/get", {}, 400, "bad_request"),
        ("/tools/search", {}, 400, "bad_request"),
        ("/tools/search", {"query": "x", "mode": "magic"}, 400, "bad_request"),
        ("/tools/search", {"query": "x", "filters": {"since": "yesterday"}}, 400, "bad_request"),
        ("/agents/nothing/prompt", {}, 404, "not_found"),
        ("/agents/reviewer/prompt", {}, 400, "bad_request"),
    ],
)
def test_an_error(program: RestClient, path: str, arguments: dict[str, Any], status: int, code: str) -> None:
    response = program.ask(path, **arguments)
    assert_refused(response, status, code)
    valid(response.json(), rest_schemas.error(code))


@pytest.mark.parametrize("path", ["/tools/search", "/tools/get", "/tools/attempt", "/agents/reviewer/prompt"])
def test_malformed_json(program: RestClient, owner: User, path: str) -> None:
    make_tool(owner, "return 1")
    make_agent(owner)
    response = program.send("POST", path, b'{"query": ')
    assert_refused(response, 400, "bad_request")
    valid(response.json(), rest_schemas.error("bad_request"))


def test_a_search_by_meaning_without_embeddings(program: RestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise EmbeddingError("no model")

    use_embedder(monkeypatch, fail)
    response = program.ask("/tools/search", query="oil", mode="semantic")
    assert_refused(response, 400, "embeddings_disabled")
    valid(response.json(), rest_schemas.error("embeddings_disabled"))


def test_an_unexpected_failure(program: RestClient, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    settings.DEBUG = False
    for place, path in (
        ("mcpapi.rest.agents.list_agents", "/agents/list"),
        ("mcpapi.rest.views.list_all_sources", "/tools/sources"),
        ("mcpapi.rest.views.listed_tools", "/tools/list"),
    ):
        monkeypatch.setattr(place, fail)
        response = program.send("GET", path)
        assert_refused(response, 500, "internal")
        assert "secret" not in valid(response.json(), rest_schemas.error("internal"))["error"]["message"]


@pytest.mark.usefixtures("everything")
def test_agents(program: RestClient) -> None:
    assert "reviewer" in {agent["name"] for agent in valid(program.get("/agents/list"), rest_schemas.AGENTS)["agents"]}
    prompt = program.post("/agents/reviewer/prompt", service="payments-api", severity="P1")
    assert valid(prompt, rest_schemas.PROMPT)["messages"]
