"""Tests that custom tools, agents and workflows show an app only what it may see, and an owner only what is theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memories.models import Memory
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.customtools.support import allow, make_http_tool, make_secret, make_tool
from tests.mcpapi.tools import test_limited_apps, test_quarantine
from tests.support.factories import Assistant, make_memory, make_user
from tests.support.mcp.rest_client import RestClient
from tests.support.mcp.two_worlds import (
    HIDDEN,
    HIDDEN_DOCUMENT,
    HIDDEN_TOMBSTONE,
    MEETING,
    SHOWN,
    hidden_rows,
    without_times,
)
from tests.workflows.support import make_workflow, steps_workflow

pytestmark = pytest.mark.django_db

EVERYTHING = f"""
local seen = {{}}
local function try(...) seen[#seen + 1] = table.pack(pcall(...)) end
for _, mode in ipairs({{ "hybrid", "semantic", "keyword" }}) do
  try(context.recall, "{MEETING} kettle", {{ mode = mode, precision = "all", include_documents = true }})
end
try(context.recall, "kettle", {{ tags = {{ "hushed" }} }})
try(context.search, "{MEETING} kettle")
for _, id in ipairs({{ "{HIDDEN}", "{HIDDEN_TOMBSTONE}", "{SHOWN}", "{HIDDEN_DOCUMENT}" }}) do
  try(context.get, id)
end
try(context.remember, "{MEETING} with tea", {{ dedup_policy = "skip_if_near" }})
return seen
"""
MESSAGES = [
    {"role": "user", "content": f'{{memories:"{MEETING}"}} {{documents:"kettle"}} {{own_memories:"kettle"}}'},
    {"role": "user", "content": "{document:service}"},
]


def seen_by(assistant: Assistant) -> list[Any]:
    """Return what an app sees of the memories and documents of its owner, through definitions of the owner."""
    owner = User.objects.latest("pk")
    make_tool(owner, EVERYTHING, name="look_around", declared='scope = "memory:write",')
    steps_workflow(owner, {"tool": "look_around"}, name="by-steps")
    make_agent(owner, messages=MESSAGES[:1])
    make_agent(owner, "inserting", messages=MESSAGES[1:])
    client = RestClient(assistant.token)
    hidden = client.ask("/agents/inserting/prompt", service=HIDDEN_DOCUMENT)
    ran = assistant.call("run_workflow", id="by-steps")
    told = [
        assistant.call("look_around"),
        client.post("/agents/reviewer/prompt", service="kettle"),
        [hidden.status_code, hidden.json()],
        {name: value for name, value in ran.items() if name != "run_id"},
        assistant.result("prompts/get", name="reviewer", arguments={"service": "kettle"}),
    ]
    return without_times(told)


WORLDS: dict[str, Callable[[bool, tuple[str, ...]], Assistant]] = {
    "hidden by its tags": lambda has_more, tags: test_limited_apps.assistant_among(hidden_memories=has_more, tags=tags),
    "awaiting review": lambda has_more, tags: test_quarantine.assistant_among(waiting=has_more, tags=tags),
}


@pytest.mark.parametrize("world", WORLDS)
def test_definitions_tell_a_limited_app_nothing_of_other_memories(world: str) -> None:
    expected = seen_by(WORLDS[world](False, ("home",)))
    limited = WORLDS[world](True, ("home",))
    before = hidden_rows()
    assert seen_by(limited) == expected
    assert hidden_rows() == before
    assert [len(rows) for rows in before] == [4, 4, 5, 1, 1]


def test_the_definitions_would_show_what_is_hidden_to_an_app_that_sees_everything() -> None:
    world = WORLDS["hidden by its tags"]
    without, with_more = seen_by(world(False, ())), seen_by(world(True, ()))
    assert [one == other for one, other in zip(without, with_more, strict=True)] == [False] * 5


# --- Owners


def listed(user: User) -> list[Any]:
    """Return all that programs of a user list."""
    assistant, client = Assistant.of(user), RestClient.of(user)
    complete = {"ref": {"type": "ref/resource", "uri": "ownsona://agents/{id}/config"}}
    return [
        *(assistant.result(f"{kind}/list") for kind in ("tools", "prompts", "resources", "resources/templates")),
        assistant.result("completion/complete", **complete, argument={"name": "id", "value": "the"}),
        client.get("/tools/list"),
        client.get("/agents/list"),
    ]


@pytest.fixture
def other() -> User:
    """Another owner, with a definition of each kind."""
    other = make_user()
    make_memory(other, "The salary is high.")
    make_tool(other, 'return context.recall("salary")', name="theirs")
    make_http_tool(other, {"url": "https://api.example.com"}, name="their_server")
    make_agent(other, "their-agent")
    make_workflow(other, "their-flow")
    allow(other, "http://127.0.0.1:9")
    make_secret(other, "their_secret", "s3cret-value")
    return other


def test_an_owner_lists_nothing_of_another() -> None:
    owner = make_user()
    make_tool(owner, "return 1", name="mine")
    before = listed(owner)
    assert "mine" in str(before[0])
    theirs = make_user()
    make_tool(theirs, "return 1", name="theirs")
    make_agent(theirs, "their-agent")
    make_workflow(theirs, "their-flow")
    assert listed(owner) == before
    assert all(name in str(listed(theirs)) for name in ("theirs", "their-agent", "their-flow"))


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "theirs", "arguments": {}}),
        ("tools/call", {"name": "their_server", "arguments": {}}),
        ("tools/call", {"name": "run_workflow", "arguments": {"id": "their-flow", "arguments": {"fact": "x"}}}),
        ("prompts/get", {"name": "their-agent", "arguments": {"service": "x"}}),
        ("prompts/get", {"name": "their-flow", "arguments": {"fact": "x"}}),
        ("resources/read", {"uri": "ownsona://agents/their-agent/SOUL.md"}),
        ("resources/read", {"uri": "ownsona://agents/their-agent/config"}),
        ("resources/read", {"uri": "ownsona://workflows/their-flow"}),
    ],
)
def test_what_another_owner_has_is_as_unknown_as_what_nobody_has(
    other: User, method: str, params: dict[str, Any]
) -> None:
    assistant = Assistant.of(make_user())
    nobodys = {name: _of_nobody(value) for name, value in params.items()}
    answers = [assistant.request(method, each) for each in (params, nobodys)]
    assert answers[0].status_code == answers[1].status_code
    theirs, unknown = ({**answer.json(), "id": 0} for answer in answers)
    assert _of_nobody(theirs) == unknown
    assert Memory.objects.exclude(owner=other).count() == 0


@pytest.mark.parametrize("path", ["/tools/theirs", "/tools/their_server", "/agents/their-agent/prompt"])
def test_the_rest_api_finds_nothing_of_another_owner(other: User, path: str) -> None:
    client = RestClient.of(make_user())
    theirs, unknown = client.ask(path), client.ask(_of_nobody(path))
    assert (theirs.status_code, unknown.status_code) == (404, 404)
    assert _of_nobody(theirs.json()) == unknown.json()


def test_a_script_has_neither_the_hosts_nor_the_secrets_of_another_owner(other: User) -> None:
    owner = make_user()
    make_tool(
        owner,
        'return { select(2, pcall(context.secret, "their_secret")), select(2, pcall(context.http.get, params.url)) }',
        declared='parameters = { type = "object", properties = { url = { type = "string" } } },',
    )
    result = str(Assistant.of(owner).call("attempt", url="http://127.0.0.1:9/")["result"])
    assert "Requests to http://127.0.0.1:9 are not allowed" in result
    assert "no secret" in result.lower()
    assert "s3cret" not in result


def _of_nobody(value: Any) -> Any:
    """Return `value` with the names of the other owner replaced by names that nobody has."""
    match value:
        case str():
            for name in ("their-agent", "their-flow", "their_server", "theirs"):
                value = value.replace(name, "x" * len(name))
            return value
        case dict():
            return {key: _of_nobody(each) for key, each in value.items()}
        case list():
            return [_of_nobody(each) for each in value]
    return value
