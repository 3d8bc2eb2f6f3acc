"""Tests of the context of scripts: what a script reaches, with whose rights, and what it never sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection, User
from tests.customtools.local_server import LocalServer, local_server
from tests.customtools.support import allow, logged, make_secret, make_tool, parameters
from tests.support.factories import Assistant, make_app, make_memory, make_user
from tests.support.mcp.rest_client import RestClient, assert_refused

WRITE = 'scope = "memory:write",'


@pytest.fixture
def server(owner: User) -> Iterator[LocalServer]:
    """A server on this machine, which the owner allows."""
    with local_server() as running:
        allow(owner, running.origin)
        yield running


def result_of(assistant: Assistant, **arguments: Any) -> Any:
    payload = assistant.call("attempt", **arguments)
    assert payload["ok"], payload
    return payload["result"]


def problem_of(assistant: Assistant, **arguments: Any) -> str:
    payload = assistant.call("attempt", **arguments)
    assert not payload["ok"], payload
    message: str = payload["error"]["message"]
    return message


# --- Memories


def test_a_script_recalls_searches_gets_and_remembers(owner: User, assistant: Assistant) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    make_tool(
        owner,
        """
        local found = context.recall("What is the cat called?", { limit = 3 })
        local hit = context.search("cat").results[1]
        local kept = context.remember("The dog is called Rex.", { tags = { "pets" } })
        return { text = found.matches[1].text, got = context.get(hit.id).text, id = hit.id, kept = kept.memory_id }
        """,
        declared=WRITE,
    )
    result = result_of(assistant)
    assert (result["text"], result["got"], result["id"]) == ("The cat is called Mimi.",) * 2 + (str(memory.pk),)
    kept = Memory.objects.get(pk=result["kept"])
    assert (kept.text, kept.tags) == ("The dog is called Rex.", ["pets"])


def test_arguments_and_results_keep_their_types(owner: User, assistant: Assistant) -> None:
    make_tool(
        owner,
        "params.now = nil return { params, math.type(params.n), context.json.array({}), context.now:sub(1, 2) }",
        declared=parameters(n="integer", x="number", on="boolean", list="array", deep="object", text="string"),
    )
    given = {"n": 3, "x": 2.5, "on": False, "list": [1, "a", {"b": []}], "deep": {"c": {"d": "ü"}}, "text": "€"}
    shown, kind, empty, century = result_of(assistant, **given)
    assert shown == given
    assert (kind, empty, century) == ("integer", [], str(timezone.now().year)[:2])


def test_an_empty_list_stays_a_list(owner: User, assistant: Assistant) -> None:
    make_tool(
        owner,
        """
        local decoded = context.json.decode('{"a": [], "b": {}, "c": [[]]}')
        return { context.recall("nothing at all").matches, params.list, decoded, context.json.encode(decoded.c) }
        """,
        declared=parameters(list="array"),
    )
    assert result_of(assistant, list=[]) == [[], [], {"a": [], "b": {}, "c": [[]]}, "[[]]"]


def test_a_limited_app_sees_only_its_tags_in_a_script(owner: User) -> None:
    make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    hidden = make_memory(owner, "The salary is high.", tags=("work",))
    make_tool(
        owner,
        """
        local texts = {}
        for _, match in ipairs(context.recall("cat salary", { precision = "all", min_score = 0 }).matches) do
          texts[#texts + 1] = match.text
        end
        return { context.json.array(texts), (select(2, pcall(context.get, params.id))) }
        """,
        declared=parameters(id="string"),
    )
    texts, problem = result_of(Assistant.of(owner, tags=("pets",)), id=str(hidden.pk))
    assert texts == ["The cat is called Mimi."]
    assert "salary" not in str(problem)
    assert "salary" in str(result_of(Assistant.of(owner), id=str(hidden.pk)))


def test_what_a_limited_app_stores_in_a_script_has_its_tag(owner: User) -> None:
    make_tool(owner, 'return context.remember("The dog is called Rex.").memory_id', declared=WRITE)
    memory_id = result_of(Assistant.of(owner, tags=("pets",)))
    assert Memory.objects.get(pk=memory_id).tags == ["pets"]


def test_a_script_sees_nothing_of_another_owner(owner: User, assistant: Assistant) -> None:
    other = make_user()
    memory = make_memory(other, "The salary is high.")
    make_tool(owner, f'return select(2, pcall(context.get, "{memory.pk}"))')
    assert "salary" not in str(result_of(assistant))
    stranger = Assistant.of(other)
    assert "attempt" not in {tool["name"] for tool in stranger.result("tools/list")["tools"]}
    assert stranger.rpc_error("tools/call", name="attempt")["code"] == -32602
    assert_refused(RestClient.of(other).ask("/tools/attempt"), 404, "not_found")


def test_two_owners_may_use_the_same_name(owner: User, assistant: Assistant) -> None:
    other = make_user()
    make_tool(owner, 'return "first"')
    make_tool(other, 'return "second"')
    assert (result_of(assistant), result_of(Assistant.of(other))) == ("first", "second")


# --- Scopes and permissions


def test_a_script_cannot_do_more_than_it_declares(owner: User, assistant: Assistant) -> None:
    make_tool(owner, '\nlocal kept = context.remember("The dog is called Rex.")')
    assert problem_of(assistant) == (
        "line 4: context.remember needs the scope memory:write, but the script declares only memory:read."
    )
    assert not Memory.objects.exists()


def test_an_app_without_the_scope_of_the_tool_is_asked_to_step_up(owner: User) -> None:
    make_tool(owner, "return 1", declared=WRITE)
    reader = Assistant.of(owner, "memory:read")
    response = reader.request("tools/call", {"name": "attempt", "arguments": {}})
    assert response.status_code == 403
    assert 'scope="memory:write"' in response["WWW-Authenticate"]
    assert "attempt" in {tool["name"] for tool in reader.result("tools/list")["tools"]}


def test_a_script_cannot_do_more_than_the_app(owner: User) -> None:
    make_memory(owner, "The cat is called Mimi.")
    make_tool(owner, 'return context.recall("cat")', declared=WRITE)
    assert "which this app does not have" in problem_of(Assistant.of(owner, "memory:write"))


def test_what_a_quarantined_app_infers_in_a_script_is_quarantined(owner: User, assistant: Assistant) -> None:
    Connection.objects.update(quarantine=True)
    make_tool(owner, 'return context.remember("The dog is Rex.", { capture_mode = "inferred" })', declared=WRITE)
    result_of(assistant)
    assert Memory.objects.get().quarantined_from


def test_an_allow_list_decides_about_custom_tools_too(owner: User, assistant: Assistant) -> None:
    make_tool(owner, "return 1")
    Connection.objects.update(tools=["ping"])
    assert "attempt" not in {tool["name"] for tool in assistant.result("tools/list")["tools"]}
    assert assistant.rpc_error("tools/call", name="attempt")["data"]["reason"] == "tool_not_allowed"
    Connection.objects.update(tools=["att*"])
    assert [tool["name"] for tool in assistant.result("tools/list")["tools"]] == ["attempt"]
    assert result_of(assistant) == 1


@pytest.mark.parametrize(("profile", "is_listed"), [("core", True), ("all", True), ("maintenance", False)])
def test_profiles_but_maintenance_list_custom_tools(
    owner: User, assistant: Assistant, profile: str, is_listed: bool
) -> None:
    make_tool(owner, "return 1")
    Connection.objects.update(profile=profile)
    assert ("attempt" in {tool["name"] for tool in assistant.result("tools/list")["tools"]}) is is_listed
    assert result_of(assistant) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["disconnected", "paused", "other tags", "fewer scopes"])
def test_an_app_that_loses_its_access_during_a_call_gets_nothing(owner: User, server: LocalServer, change: str) -> None:
    make_memory(owner, "The cat is called Mimi.")
    app = make_app()
    assistant = Assistant.of(owner, app=app)
    make_tool(owner, f'context.http.get("{server.origin}/now")\nreturn context.recall("cat").matches[1].text')
    connection = Connection.objects.get(application=app)

    def lose() -> bytes:
        if change == "disconnected":
            disconnect(connection)
        values: dict[str, dict[str, Any]] = {"paused": {"paused_at": timezone.now()}, "other tags": {"tags": ["work"]}}
        values["fewer scopes"] = {"scopes": ["memory:write"]}
        if change in values:
            Connection.objects.filter(pk=connection.pk).update(**values[change])
        return b"done"

    server.respond_in_test("/now", lose)
    problem = problem_of(assistant)
    assert "ended or changed the access of this app" in problem
    assert "Mimi" not in problem


@pytest.mark.django_db(transaction=True)
def test_the_result_of_an_app_that_lost_its_access_is_discarded(owner: User, server: LocalServer) -> None:
    app = make_app()
    assistant = Assistant.of(owner, app=app)
    make_tool(owner, f'return context.http.get("{server.origin}/now").body')
    server.respond_in_test("/now", lambda: str(disconnect(Connection.objects.get(application=app))).encode())
    assert "ended or changed the access" in problem_of(assistant)


# --- HTTP, secrets and the log


def test_a_script_sends_requests_with_secrets_that_it_never_sees(
    owner: User, assistant: Assistant, server: LocalServer
) -> None:
    make_secret(owner, "home_token", 's3cret"value')
    make_tool(
        owner,
        f"""
        local token = context.secret("home_token")
        local response = context.http.post("{server.origin}/x?k=" .. token, {{
          headers = {{ Authorization = "Bearer " .. token }}, json = {{ token = token, n = 1 }},
        }})
        print("the token is " .. token, response.body)
        return {{ token = token, length = #token, body = response.body, status = response.status }}
        """,
    )
    result = result_of(assistant)
    (got,) = server.received
    assert got.headers["Authorization"] == 'Bearer s3cret"value'
    assert json.loads(got.body) == {"token": 's3cret"value', "n": 1}
    assert got.path == "/x?k=s3cret%22value"
    assert result["token"] == "[secret home_token]"
    assert result["length"] != len('s3cret"value')
    assert result["status"] == 200
    for shown in (str(result), *logged(owner)):
        assert "s3cret" not in shown
    assert "[secret home_token]" in logged(owner)[0]


def test_a_secret_is_sent_as_basic_authentication_and_never_comes_back(
    owner: User, assistant: Assistant, server: LocalServer
) -> None:
    make_secret(owner, "password", "s3cret-value")
    make_tool(
        owner,
        f"""
        local auth = {{ username = "ada", password = context.secret("password") }}
        return context.http.get("{server.origin}/x", {{ auth = auth }}).status
        """,
    )
    assert result_of(assistant) == 200
    assert server.received[0].headers["Authorization"] == "Basic YWRhOnMzY3JldC12YWx1ZQ=="


def test_a_secret_in_an_error_is_redacted(owner: User, assistant: Assistant, server: LocalServer) -> None:
    make_secret(owner, "home_token", "s3cret-value")
    server.respond("/x", b"your token s3cret-value is wrong")
    make_tool(
        owner,
        f"""
        local response = context.http.get("{server.origin}/x", {{ headers = {{ A = context.secret("home_token") }} }})
        error(response.body)
        """,
    )
    assert "your token [secret home_token] is wrong" in problem_of(assistant)
    assert "s3cret" not in " ".join(logged(owner))


def test_an_app_cannot_name_a_secret_in_an_argument(owner: User, assistant: Assistant, server: LocalServer) -> None:
    make_secret(owner, "home_token", "s3cret-value")
    make_tool(
        owner,
        f'context.secret("home_token") return context.http.get("{server.origin}/x?" .. params.q).status',
        declared=parameters(q="string"),
    )
    for attempt in ("{{secret:home_token}}", "secret-" + "0" * 32, "home_token"):
        assistant.call("attempt", q=attempt)
    assert "s3cret" not in str(server.received)


def test_the_secrets_of_another_owner_do_not_exist(owner: User, assistant: Assistant) -> None:
    make_secret(make_user(), "home_token", "s3cret-value")
    make_tool(owner, 'return context.secret("home_token")')
    assert "There is no secret named home_token" in problem_of(assistant)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ('{ method = "TRACE" }', "method must be one of"),
        ("{ verify = false }", "verify is not an option"),
        ('{ headers = { Host = "x" } }', "the header 'Host' cannot be set"),
        ('{ headers = { A = "x\\r\\nB: y" } }', "the header A must have no line breaks"),
        ('{ json = {}, text = "x" }', "only one of json, form and text"),
        ('{ auth = "x" }', "auth must be a table"),
        ('{ form = "x" }', "form must be a table"),
        ('{ headers = "x" }', "headers must be a table"),
        ('"x"', "the options must be a table"),
    ],
)
def test_a_wrong_option_of_a_request_is_named(
    owner: User, assistant: Assistant, server: LocalServer, options: str, problem: str
) -> None:
    given = options.replace("{", f'{{ url = "{server.origin}/x",', 1)
    make_tool(owner, f"return context.http.request({given})")
    assert problem in problem_of(assistant)
    assert not server.received


@pytest.mark.parametrize(
    "url", ["", "x y", "file:///etc/passwd", "gopher://x", "http://", "//x", "http://169.254.169.254/"]
)
def test_a_script_reaches_only_allowed_servers(owner: User, assistant: Assistant, url: str) -> None:
    make_tool(owner, "return context.http.get(params.url)", declared=parameters(url="string"))
    assert problem_of(assistant, url=url)


def test_a_request_cannot_take_longer_than_the_call(owner: User, program: RestClient, server: LocalServer) -> None:
    server.respond_in_test("/slow", server.wait_until_closed)
    make_tool(owner, f'return pcall(context.http.get, "{server.origin}/slow")', declared="timeout_seconds = 1,")
    error = assert_refused(program.ask("/tools/attempt"), 408, "timeout")
    assert "127.0.0.1 did not respond in time" in error["message"]
    assert "127.0.0.1 did not respond in time" in logged(owner)[0]
