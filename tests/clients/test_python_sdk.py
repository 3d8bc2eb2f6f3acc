"""The official Python SDK over real HTTP, from a bare URL to every tool."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference, TextContent, TextResourceContents

from tests.clients.owner import OwnerBrowser, parameters
from tests.support.live_server import LiveServer, free_port, live_server

REDIRECT_URI = "http://127.0.0.1:33418/callback"


class Storage:
    """The tokens and client information that the SDK keeps between runs."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client_info: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client_info = client_info


class App:
    """An app that knows only the server's URL, and its owner."""

    def __init__(self, url: str, login: tuple[str, str], decision: str = "allow") -> None:
        self.url = url
        self.browser = OwnerBrowser(*login)
        self.storage = Storage()
        self.decision = decision
        self.visits = 0
        self.answer: dict[str, str] = {}

    async def open_browser(self, url: str) -> None:
        self.visits += 1
        self.answer = parameters(await asyncio.to_thread(self.browser.authorize, url, self.decision))

    async def wait_for_answer(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"], iss=self.answer.get("iss"))

    async def use(self, work: Callable[[Client], Awaitable[Any]]) -> Any:
        """Connect, authorizing if needed, and do `work`."""
        metadata = OAuthClientMetadata.model_validate(
            {
                "client_name": "SDK test",
                "redirect_uris": [REDIRECT_URI],
                "scope": "memory:read memory:write memory:admin",
            }
        )
        self.provider = OAuthClientProvider(self.url, metadata, self.storage, self.open_browser, self.wait_for_answer)
        async with (
            httpx2.AsyncClient(auth=self.provider, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            return await work(client)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error is False, result
    payload: dict[str, Any] = result.structured_content
    assert payload["ok"] is True
    return payload


async def tidy_up(do: Callable[..., Awaitable[dict[str, Any]]], memory_id: int) -> None:
    """Call each tool that tidies up."""
    twins = [(await do("remember", text=text))["memory_id"] for text in ("Mochi is a dog", "Mochi is a Shiba")]
    assert (await do("merge_memories", ids=twins, text="The dog Mochi is a Shiba"))["replaced"] == twins
    long_one = (await do("remember", text="The car is red and the bike is blue"))["memory_id"]
    assert len((await do("split_memory", id=long_one, texts=["The car is red", "The bike is blue"]))["parts"]) == 2
    assert (await do("tidy_next"))["memories"] == []
    plan_id = (await do("propose_cleanup", changes=[{"action": "confirm", "ids": [memory_id]}]))["plan_id"]
    assert (await do("list_cleanup_plans"))["plans"][0]["plan_id"] == plan_id
    assert (await do("apply_cleanup", id=plan_id))["applied"] == 1
    assert (await do("manage_tags", action="rename", tags=["pets"], into="animals"))["memories"] == 1


async def use_every_tool(client: Client) -> set[str]:
    """Call each tool on real memories. Return the names of the called tools."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    called = set()

    async def do(tool: str, **arguments: Any) -> dict[str, Any]:
        called.add(tool)
        return await call(client, tool, **arguments)

    memory_id = (await do("remember", text="My dog is called Mochi", tags=["Pets"]))["memory_id"]
    batch = await do("remember_batch", items=[{"text": "I live in Lyon"}, {"text": "I like green tea"}])
    assert batch["summary"]["inserted"] == 2
    for name in ("recall", "search_memory"):
        assert (await do(name, query="what is my dog called"))["matches"][0]["id"] == memory_id
    assert "Mochi" in (await do("build_context_prompt", user_prompt="Who is Mochi?"))["prompt"]
    assert memory_id in (await do("briefing"))["memory_ids"]
    assert len((await do("list_memories"))["memories"]) >= 3
    assert (await do("update_memory", id=memory_id, importance=0.9))["changed_fields"] == ["importance"]
    ids = [result["memory_id"] for result in batch["results"]]
    assert (await do("update_memory_batch", items=[{"id": ids[0], "tags": ["home"]}]))["summary"]["updated"] == 1
    assert (await do("confirm", id=memory_id))["message"] == "Confirmed"
    assert (await do("text_search", text="LYON"))["matches"][0]["id"] == ids[0]
    assert (await do("get_memory", id=memory_id))["memory"]["importance"] == 0.9
    assert (await do("count_memories"))["count"] >= 3
    assert (await do("memory_stats"))["active"] >= 3
    assert {"tag": "pets", "count": 1} in (await do("list_tags"))["tags"]
    assert (await do("find_near_duplicates"))["summary"]["groups"] == 0
    assert (await do("forget", id=ids[0], reason="moved"))["message"] == "Forgotten"
    assert (await do("forget_batch", ids=[ids[1]]))["summary"]["deleted"] == 1
    assert (await do("export_memories"))["count"] >= 3
    assert (await do("memory_history", id=ids[0]))["versions"][-1]["operation"] == "forget"
    await tidy_up(do, memory_id)
    await do("forget", id=memory_id)
    latest = (await do("list_changes", limit=1))["change_sets"][0]
    assert (latest["app"], latest["changes"][0]["memory_id"]) == ("SDK test", memory_id)
    assert (await do("undo", change_set=latest["change_set"]))["restored"] == [memory_id]
    found = (await do("search", query="what is my dog called"))["results"][0]
    assert (await do("fetch", id=found["id"]))["text"] == "My dog is called Mochi"
    document_id = (await do("add_document", text="# Boat\n\nThe oil is changed in May."))["document_id"]
    assert (await do("search_documents", query="when is the oil changed"))["results"][0]["id"] == document_id
    assert (await do("get_document", id=document_id))["body"].endswith("in May.")
    assert [found["title"] for found in (await do("list_documents"))["documents"]] == ["Boat"]
    assert (await do("forget_document", id=document_id))["message"] == "Forgotten"
    assert [source["name"] for source in (await do("list_sources"))["sources"]] == ["memory", "documents"]
    called.add("sync_source")
    unknown = await client.call_tool("sync_source", {"name": "notes"})
    assert unknown.structured_content["error"]["code"] == "NOT_FOUND"
    called.add("run_workflow")
    unknown = await client.call_tool("run_workflow", {"id": "nothing"})
    assert unknown.structured_content["error"]["code"] == "NOT_FOUND"
    assert (await do("ping", message="hello"))["message"] == "hello"
    # With the scopes to erase and to export, the app sees all tools.
    assert called == {tool.name for tool in (await client.list_tools()).tools} > names
    return called


async def read_and_ask(client: Client) -> str:
    """Use lists, completion, a prompt and a resource like a person with a menu. Return the text of the resource."""
    await call(client, "remember", text="Our boat is called Nelly", tags=["boats"])
    memory = next(found for found in (await client.list_resources()).resources if found.name.startswith("Our boat"))
    templates = (await client.list_resource_templates()).resource_templates
    assert "ownsona://tags/{tag}" in {template.uri_template for template in templates}
    tagged = ResourceTemplateReference(type="ref/resource", uri="ownsona://tags/{tag}")
    assert (await client.complete(tagged, {"name": "tag", "value": "boa"})).completion.values == ["boats"]
    prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    assert prompts["what-do-you-know-about"].arguments
    (message,) = (await client.get_prompt("what-do-you-know-about", {"topic": "Nelly"})).messages
    assert isinstance(message.content, TextContent)
    assert "Nelly" in message.content.text
    with pytest.raises(MCPError, match="Resource not found"):
        await client.read_resource("ownsona://memory/999999999")
    (contents,) = (await client.read_resource(memory.uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


MAKE_DEFINITIONS = """
from agents.changes import create_agent
from agents.definitions import read_definition as read_agent
from customtools.models import CustomTool
from customtools.storing import ToolDraft, add_tool
from oauthserver.models import User
from workflows.changes import create_workflow
from workflows.definitions import read_definition as read_workflow

owner = User.objects.get(is_superuser=True).pk
source = '''tool = {
  name = "count_letters", description = "Counts letters.",
  parameters = { type = "object", properties = { text = { type = "string" } }, required = { "text" } },
}
function tool.execute(params, context)
  if params.text == "" then error("there is nothing to count") end
  return { letters = utf8.len(params.text) }
end'''
add_tool(owner, ToolDraft(CustomTool.Kind.LUA, source, is_enabled=True))
create_agent(owner, "counter", read_agent({
    "description": "Counts.", "soul": "You count {what}.", "arguments": [{"name": "what", "required": True}],
}))
create_workflow(owner, "count-it", read_workflow({
    "description": "Counts.", "arguments": [{"name": "what", "required": True}],
    "steps": [{"id": "count", "tool": "count_letters", "arguments": {"text": "{what}"}}],
    "output": "{steps.count.result.letters}",
}))
"""
DELETE_DEFINITIONS = """
from agents.models import Agent
from customtools.models import CustomTool
from workflows.models import Workflow
for model in (Agent, CustomTool, Workflow):
    model.objects.all().delete()
"""


async def use_definitions(client: Client) -> None:
    """Use a custom tool, an agent and a workflow of the owner."""
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert listed["count_letters"].meta == {"ownsona/builtin": False}
    assert (await call(client, "count_letters", text="Mochi"))["result"] == {"letters": 5}
    failed = await client.call_tool("count_letters", {"text": ""})
    assert failed.is_error
    expected = {"code": "tool_error", "message": "line 6: there is nothing to count"}
    assert failed.structured_content["error"] == expected
    wrong = await client.call_tool("count_letters", {"text": 5.5, "colour": "red"})
    assert wrong.structured_content["error"]["code"] == "INVALID_INPUT"
    prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    assert {"counter", "count-it", "librarian"} <= prompts.keys()
    (message,) = (await client.get_prompt("counter", {"what": "stars"})).messages
    assert isinstance(message.content, TextContent)
    assert message.content.text == "You count stars."
    for uri in ("ownsona://agents/counter/SOUL.md", "ownsona://agents/counter/config", "ownsona://workflows/count-it"):
        (contents,) = (await client.read_resource(uri)).contents
        assert isinstance(contents, TextResourceContents)
        assert "ount" in contents.text
    run = await call(client, "run_workflow", id="count-it", arguments={"what": "four"})
    assert (run["state"], run["output"]) == ("done", 4)


async def ping(client: Client) -> dict[str, Any]:
    return await call(client, "ping", message="hello")


def test_an_app_that_knows_only_the_url_uses_every_tool(server: LiveServer) -> None:
    app = App(f"{server.url}/mcp", server.login)
    asyncio.run(app.use(use_every_tool))
    # One visit to connect, and one when a tool needed a scope that the challenge had not named.
    assert app.visits == 2


def test_an_app_reads_memories_as_resources_and_fills_in_prompts(server: LiveServer) -> None:
    app = App(f"{server.url}/mcp", server.login)
    assert asyncio.run(app.use(read_and_ask)) == "Our boat is called Nelly"


def test_an_app_uses_the_tools_agents_and_workflows_of_its_owner(server: LiveServer) -> None:
    server.run(MAKE_DEFINITIONS)
    try:
        asyncio.run(App(f"{server.url}/mcp", server.login).use(use_definitions))
    finally:
        server.run(DELETE_DEFINITIONS)


@pytest.mark.parametrize("path", ["/mcp/", "/mcp/http"])
def test_the_other_names_of_the_endpoint_work_too(server: LiveServer, path: str) -> None:
    app = App(f"{server.url}{path}", server.login)
    assert asyncio.run(app.use(ping))["message"] == "hello"
    assert app.visits == 1


def test_the_name_localhost_works_too(server: LiveServer) -> None:
    app = App(f"http://localhost:{server.port}/mcp", server.login)
    assert asyncio.run(app.use(ping))["server"] == "ownsona"


def test_a_denied_app_does_not_get_in(server: LiveServer) -> None:
    app = App(f"{server.url}/mcp", server.login, decision="deny")
    with pytest.raises(BaseExceptionGroup):
        asyncio.run(app.use(ping))
    assert (app.visits, app.storage.tokens) == (1, None)
    assert app.answer["error"] == "access_denied"
    assert app.answer["iss"] == server.url


def test_an_access_token_that_ran_out_is_refreshed_without_the_owner(server: LiveServer) -> None:
    app = App(f"{server.url}/mcp", server.login)
    asyncio.run(app.use(ping))
    first = app.storage.tokens
    assert first is not None

    async def after_its_time(client: Client) -> dict[str, Any]:
        app.provider.context.token_expiry_time = 1.0
        return await ping(client)

    asyncio.run(app.use(after_its_time))
    assert app.storage.tokens is not None
    assert app.storage.tokens.access_token != first.access_token
    assert app.storage.tokens.refresh_token != first.refresh_token
    assert app.visits == 1


def test_memories_tokens_and_keys_survive_a_restart() -> None:
    login = ("mochi", "a long enough password")
    settings = {"OWNSONA_LOGIN_USERNAME": login[0], "OWNSONA_LOGIN_PASSWORD": login[1], "PORT": str(free_port())}
    with tempfile.TemporaryDirectory(prefix="ownsona-restart-", ignore_cleanup_errors=True) as folder:
        with live_server(Path(folder), **settings) as first:
            app = App(f"{first.url}/mcp", login)
            asyncio.run(app.use(lambda client: call(client, "remember", text="My dog is called Mochi")))
        with live_server(Path(folder), **settings):
            found = asyncio.run(app.use(lambda client: call(client, "recall", query="dog")))
    assert found["matches"][0]["text"] == "My dog is called Mochi"
    assert app.visits == 1
