"""Tests of agents in the REST API (seed schemas), as MCP prompts and as MCP resources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.changes import switch_agent
from agents.shipped import shipped_agents
from mcpapi.models import OwnPrompt
from oauthserver.models import Connection, User
from tests.agents.support import REVIEWER, make_agent, write_file
from tests.documents.support import added
from tests.support.factories import Assistant, actor_for, make_app, make_memory, make_user
from tests.support.mcp.rest_client import RestClient, assert_refused
from tests.support.mcp.rest_schemas import AGENTS, PROMPT, error, valid

ERROR_SCHEMA = error("not_found", "bad_request")


def test_the_list_has_the_shape_of_the_seed(program: RestClient, owner: User) -> None:
    make_agent(owner)
    agents = valid(program.get("/agents/list"), AGENTS)["agents"]
    assert [agent["name"] for agent in agents] == ["journal-keeper", "librarian", "reviewer", "tidier"]
    assert agents[2] == {
        "name": "reviewer",
        "description": "Reviews an incident.",
        "tools": ["recall", "search_documents"],
        "source": "toml",
        "arguments": [
            {"name": "service", "description": "The service.", "required": True},
            {"name": "severity", "description": "How bad. (one of: P1, P2; default: P2)", "required": False},
        ],
    }
    assert {agent["source"] for agent in agents if agent["name"] != "reviewer"} == {"toml"}


def test_the_source_of_every_agent_has_a_word_of_the_seed(program: RestClient, owner: User) -> None:
    make_agent(owner, "of-page")
    write_file("of-toml.toml", 'description = "x"\nsoul = "y"\n')
    write_file("of-lua.lua", 'agent = { description = "x", soul = "y" }')
    agents = valid(program.get("/agents/list"), AGENTS)["agents"]
    shipped = dict.fromkeys(shipped_agents(), "toml")
    expected = {**shipped, "of-page": "toml", "of-toml": "toml", "of-lua": "lua"}
    assert {agent["name"]: agent["source"] for agent in agents} == expected
    assert valid(program.post("/agents/of-lua/prompt"), PROMPT)["system"] == "y"


def test_a_prompt_has_the_shape_of_the_seed(program: RestClient, owner: User) -> None:
    make_agent(owner)
    memory = make_memory(owner, "The payments service is written in Go")
    answer = valid(program.post("/agents/reviewer/prompt", service="payments", severity="P1"), PROMPT)
    assert answer["system"] == "You review incidents of payments calmly."
    assert answer["tools"] == ["recall", "search_documents"]
    assert [message["role"] for message in answer["messages"]] == ["system", "user", "assistant"]
    said = answer["messages"][1]["content"]
    assert said.startswith("P1 in payments.\n")
    assert "never instructions" in said
    assert f"#{memory.pk}) The payments service is written in Go" in said


@pytest.mark.parametrize("name", list(shipped_agents()))
def test_a_shipped_agent_works_from_day_one(program: RestClient, name: str) -> None:
    arguments = {"question": "Who is my doctor?"} if name == "librarian" else {}
    answer = valid(program.post(f"/agents/{name}/prompt", **arguments), PROMPT)
    assert answer["messages"]
    assert "{" not in str(answer["messages"][0]["content"])


@pytest.mark.parametrize("name", ["nobody", "a%00b", "%2e%2e", "Librarian", "x" * 300, "ä"])
def test_an_unknown_agent_is_not_found(program: RestClient, name: str) -> None:
    response = program.ask(f"/agents/{name}/prompt")
    assert_refused(response, 404, "not_found")
    valid(response.json(), ERROR_SCHEMA)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "service: is required"),
        ({"service": ["x"]}, "service: must be a text"),
        ({"service": "x", "severity": "P9"}, "severity: must be one of: P1, P2"),
        ({"service": "x", "colour": "red"}, "colour: is not an argument"),
        ({"service": "nul \x00"}, "service: contains a NUL"),
        ({"service": "x" * 16_001}, "service: has 16,001 characters"),
    ],
)
def test_a_wrong_argument_is_named(program: RestClient, owner: User, given: dict[str, Any], said: str) -> None:
    make_agent(owner)
    response = program.ask("/agents/reviewer/prompt", **given)
    assert said in assert_refused(response, 400, "bad_request")["message"]
    valid(response.json(), ERROR_SCHEMA)


def test_values_are_not_searched_for_placeholders(program: RestClient, owner: User) -> None:
    make_agent(owner, messages=[{"role": "user", "content": "{service} {{service}} {severity}"}])
    make_memory(owner, "My secret hobby is knitting")
    answer = program.post("/agents/reviewer/prompt", service='{memories:"hobby"} {severity}')
    assert answer["messages"][0]["content"] == '{memories:"hobby"} {severity} {service} P2'


def test_reading_agents_needs_the_scope_for_it(owner: User) -> None:
    writer = RestClient.of(owner, "memory:write")
    assert writer.send("GET", "/agents/list").status_code == 403
    assert writer.ask("/agents/librarian/prompt", question="x").status_code == 403


def test_nobody_has_the_agents_of_another_owner(program: RestClient, owner: User) -> None:
    make_agent(owner)
    other = make_user()
    make_agent(other, "theirs")
    assert "theirs" not in {agent["name"] for agent in program.get("/agents/list")["agents"]}
    assert_refused(program.ask("/agents/theirs/prompt", service="x"), 404, "not_found")
    switch_agent(other.pk, "librarian", is_enabled=False)
    assert "librarian" in {agent["name"] for agent in program.get("/agents/list")["agents"]}


def test_a_disabled_agent_is_gone_everywhere(program: RestClient, assistant: Assistant, owner: User) -> None:
    switch_agent(owner.pk, "librarian", is_enabled=False)
    assert "librarian" not in {agent["name"] for agent in program.get("/agents/list")["agents"]}
    assert_refused(program.ask("/agents/librarian/prompt", question="x"), 404, "not_found")
    assert "librarian" not in {prompt["name"] for prompt in assistant.result("prompts/list")["prompts"]}
    assistant.rpc_error("prompts/get", name="librarian", arguments={"question": "x"})
    assistant.rpc_error("resources/read", uri="ownsona://agents/librarian/SOUL.md")
    switch_agent(owner.pk, "librarian", is_enabled=True)
    assert program.post("/agents/librarian/prompt", question="x")["messages"]


# --- Views


def test_a_limited_app_gets_only_what_it_may_see(owner: User) -> None:
    """Two worlds: what lies outside of the app's view must make no difference."""
    make_agent(owner, messages=[{"role": "user", "content": "{memories:service} {documents:service}"}])
    limited = RestClient.of(owner, tags=["work"])
    make_memory(owner, "The payments service is at the office", tags=("work",))
    added(actor_for(owner), "# Payments\n\nThe payments service at work.", tags=("work",))
    before = limited.post("/agents/reviewer/prompt", service="payments service")
    assert "at the office" in before["messages"][0]["content"]
    make_memory(owner, "The payments service annoys my wife", tags=("family",))
    added(actor_for(owner), "# Diary\n\nThe payments service annoys me.", tags=("family",))
    assert limited.post("/agents/reviewer/prompt", service="payments service") == before
    whole = RestClient.of(owner).post("/agents/reviewer/prompt", service="payments service")
    assert "annoys my wife" in whole["messages"][0]["content"]


def test_a_document_outside_the_view_is_not_inserted(owner: User) -> None:
    make_agent(owner, messages=[{"role": "user", "content": "{document:service}"}])
    document = added(actor_for(owner), "# Diary\n\nI like tea.", tags=("family",)).document
    uri = f"ownsona://documents/{document.pk}"
    assert "I like tea" in RestClient.of(owner).post("/agents/reviewer/prompt", service=uri)["messages"][0]["content"]
    limited = RestClient.of(owner, tags=["work"])
    hidden = assert_refused(limited.ask("/agents/reviewer/prompt", service=uri), 400, "bad_request")
    unknown = assert_refused(limited.ask("/agents/reviewer/prompt", service="x"), 400, "bad_request")
    assert hidden == unknown
    assert hidden["message"].startswith("service: must be the URI of a document")


def test_only_tools_that_the_app_may_use_are_named(owner: User) -> None:
    make_agent(owner)
    app = make_app()
    client = RestClient.of(owner, app=app)
    Connection.objects.filter(application=app).update(tools=["recall"])
    assert client.post("/agents/reviewer/prompt", service="x")["tools"] == ["recall"]
    assert {tool for agent in client.get("/agents/list")["agents"] for tool in agent["tools"]} == {"recall"}


# --- MCP


def test_an_agent_is_a_prompt(assistant: Assistant, owner: User) -> None:
    make_agent(owner)
    prompt = next(each for each in assistant.result("prompts/list")["prompts"] if each["name"] == "reviewer")
    assert (prompt["title"], prompt["description"]) == ("Reviewer", "Reviews an incident.")
    assert [argument["name"] for argument in prompt["arguments"]] == ["service", "severity"]
    result = assistant.result("prompts/get", name="reviewer", arguments={"service": "payments"})
    assert [message["role"] for message in result["messages"]] == ["user", "user", "user", "assistant"]
    assert result["messages"][0]["content"]["text"] == "You review incidents of payments calmly."
    error = assistant.rpc_error("prompts/get", name="reviewer", arguments={"service": "x", "severity": "P9"})
    assert error["code"] == -32602
    assert "severity: must be one of: P1, P2" in error["message"]


def test_the_choices_of_an_argument_are_completed(assistant: Assistant, owner: User) -> None:
    make_agent(owner)
    ref = {"type": "ref/prompt", "name": "reviewer"}
    result = assistant.result("completion/complete", ref=ref, argument={"name": "severity", "value": "p"})
    assert result["completion"]["values"] == ["P1", "P2"]
    ref = {"type": "ref/resource", "uri": "ownsona://agents/{id}/SOUL.md"}
    result = assistant.result("completion/complete", ref=ref, argument={"name": "id", "value": "re"})
    assert result["completion"]["values"] == ["reviewer"]


def test_the_personality_and_the_configuration_are_resources(assistant: Assistant, owner: User) -> None:
    make_agent(owner)
    uris = [resource["uri"] for resource in assistant.result("resources/list")["resources"]]
    assert "ownsona://agents/reviewer/SOUL.md" in uris
    assert "ownsona://agents/reviewer/config" in uris
    (soul,) = assistant.result("resources/read", uri="ownsona://agents/reviewer/SOUL.md")["contents"]
    assert (soul["mimeType"], soul["text"]) == ("text/markdown", REVIEWER["soul"])
    (config,) = assistant.result("resources/read", uri="ownsona://agents/reviewer/config")["contents"]
    assert config["mimeType"] == "application/json"
    told = json.loads(config["text"])
    assert (told["id"], told["name"], told["source"], told["config"]) == ("reviewer",) * 2 + (
        "toml",
        REVIEWER["config"],
    )


@pytest.mark.parametrize(
    "uri", ["ownsona://agents/", "ownsona://agents/nobody/config", "ownsona://agents/%00/SOUL.md", "ownsona://agents/x"]
)
def test_other_resources_do_not_exist(assistant: Assistant, uri: str) -> None:
    assert assistant.rpc_error("resources/read", uri=uri)["data"]["reason"] == "resource_not_found"


def test_a_prompt_of_the_owner_replaces_an_agent_of_its_name(assistant: Assistant, owner: User) -> None:
    OwnPrompt.objects.create(owner=owner, name="librarian", messages=[{"role": "user", "text": "Hello."}])
    names = [prompt["name"] for prompt in assistant.result("prompts/list")["prompts"]]
    assert names.count("librarian") == 1
    (message,) = assistant.result("prompts/get", name="librarian")["messages"]
    assert message["content"]["text"] == "Hello."
