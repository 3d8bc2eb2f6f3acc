"""Tests of calls that notify, request or wait before their response, over standard input and output."""

from __future__ import annotations

import threading

import pytest
from pytest_django import Settings

from mcpapi.calls.caller import Caller
from mcpapi.catalog import Catalog
from mcpapi.eras.request_meta import CLIENT_CAPABILITIES
from mcpapi.methods import tools
from mcpapi.models import AuditLine, OwnPrompt, ServerRequest
from mcpapi.observability.audit import audit_lines
from mcpapi.rpc.suspension import publish
from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.support.line_client import LIMIT_SECONDS, MODERN_META
from tests.support.mcp.interactive_tools import AskingTool, NotifyingTool, WaitingTool, accepted_input
from tests.support.mcp.stdio_client import StdioClient
from tests.support.mcp.streamed_calls import text_of
from tests.support.processes import eventually

DECIDED = "decided"


class Work:
    """The work of a call: it reports progress, and continues when the test allows it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, caller: Caller) -> None:
        caller.notifier.progress(1, 2, "Half of it")
        self.begun.set()
        assert self.go_on.wait(LIMIT_SECONDS)
        caller.notifier.progress(2, 2)


@pytest.fixture(autouse=True)
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    work = Work()
    offered = Catalog(tools=(AskingTool(), WaitingTool(topic=DECIDED), NotifyingTool(work)))
    monkeypatch.setattr(tools, "catalog", lambda: offered)
    return work


def results() -> list[str]:
    """Return the results of tool calls in the activity log."""
    audit_lines.flush()
    return list(AuditLine.objects.filter(method="tools/call").values_list("result", flat=True))


def is_nothing_left() -> bool:
    return hub.listeners() == [] and not ServerRequest.objects.exists()


def test_a_call_asks_its_client_and_goes_on_with_each_reply(client: StdioClient) -> None:
    client.initialize(elicitation={})
    client.send("tools/call", {"name": "greet"}, request_id=1)
    for value in ("Alice", "blue"):
        question = client.message()
        assert question["method"] == "elicitation/create"
        assert client.answer_to("ping")["result"] == {}
        client.reply(question["id"], accepted_input(value))
    last = client.message()
    assert (last["id"], text_of(last)) == (1, "Alice blue")
    client.hang_up()
    assert is_nothing_left()


def test_a_stateless_call_that_asks_ends_with_its_questions_and_sends_no_request(client: StdioClient) -> None:
    meta = {**MODERN_META, CLIENT_CAPABILITIES: {"elicitation": {}}}
    client.send("tools/call", {"name": "greet", "_meta": meta}, request_id=1)
    last = client.message()
    assert (last["id"], last["result"]["resultType"]) == (1, "input_required")
    client.hang_up()
    assert client.next() is None


def test_a_stateless_call_tells_how_far_it_is(client: StdioClient, work: Work) -> None:
    work.go_on.set()
    meta = {**MODERN_META, "progressToken": "p"}
    client.send("tools/call", {"name": "talk", "_meta": meta}, request_id=1)
    told = [client.message() for _ in range(3)]
    assert [each.get("method") for each in told] == ["notifications/progress"] * 2 + [None]
    assert [each["params"]["progress"] for each in told[:2]] == [1, 2]
    assert text_of(told[2]) == "done"


def test_a_call_waits_for_the_owner_and_holds_up_nobody(owner: User, client: StdioClient) -> None:
    client.send("tools/call", {"name": "wait", "_meta": MODERN_META}, request_id=1)
    assert client.answer_to("ping")["result"] == {}
    assert eventually(lambda: len(hub.listeners()) == 1)
    OwnPrompt.objects.create(owner=owner, name=DECIDED, messages=[])
    publish(DECIDED)
    assert text_of(client.message()) == "decided"


def test_an_id_in_use_is_refused_and_free_again_after_its_answer(owner: User, client: StdioClient) -> None:
    waiting = {"name": "wait", "_meta": MODERN_META}
    client.send("tools/call", waiting, request_id=1)
    assert eventually(lambda: len(hub.listeners()) == 1)
    client.send("ping", {}, request_id=1)
    refused = client.message()
    assert (refused["id"], refused["error"]["code"]) == (1, -32600)
    OwnPrompt.objects.create(owner=owner, name=DECIDED, messages=[])
    publish(DECIDED)
    assert text_of(client.message()) == "decided"
    client.send("tools/call", waiting, request_id=1)
    assert text_of(client.message()) == "decided"


def test_a_cancellation_that_is_a_request_cancels_nothing(owner: User, client: StdioClient) -> None:
    client.send("tools/call", {"name": "wait", "_meta": MODERN_META}, request_id=1)
    assert client.answer_to("notifications/cancelled", requestId=1)["error"]["code"] == -32601
    OwnPrompt.objects.create(owner=owner, name=DECIDED, messages=[])
    publish(DECIDED)
    assert text_of(client.message()) == "decided"


@pytest.mark.parametrize("meta", [MODERN_META, {}], ids=["stateless", "session"])
def test_a_call_that_waits_is_cancelled_without_an_answer(client: StdioClient, meta: dict[str, object]) -> None:
    client.initialize()
    client.send("tools/call", {"name": "wait", "_meta": meta}, request_id=1)
    assert eventually(lambda: len(hub.listeners()) == 2)
    client.send("notifications/cancelled", {"requestId": 1})
    assert eventually(lambda: results() == ["cancelled"])
    client.hang_up()
    assert client.next() is None


@pytest.mark.parametrize("meta", [MODERN_META, {}], ids=["stateless", "session"])
def test_a_call_that_runs_stops_where_it_tells_how_far_it_is(
    client: StdioClient, work: Work, meta: dict[str, object]
) -> None:
    client.initialize()
    client.send("tools/call", {"name": "talk", "_meta": {**meta, "progressToken": "p"}}, request_id=1)
    assert client.message()["method"] == "notifications/progress"
    assert work.begun.wait(LIMIT_SECONDS)
    client.send("notifications/cancelled", {"requestId": 1})
    # Lines are read in order, so the cancellation has been read before.
    assert client.answer_to("ping")["result"] == {}
    work.go_on.set()
    assert eventually(lambda: results() == ["cancelled"])
    client.hang_up()
    assert client.next() is None


def test_at_the_end_of_the_input_what_runs_is_finished_and_what_waits_is_given_up(
    client: StdioClient, work: Work
) -> None:
    client.send("tools/call", {"name": "wait", "_meta": MODERN_META}, request_id="waits")
    client.send("tools/call", {"name": "talk", "_meta": {**MODERN_META, "progressToken": "p"}}, request_id="runs")
    assert client.message()["method"] == "notifications/progress"
    assert eventually(lambda: len(hub.listeners()) == 2)
    hanging_up = threading.Thread(target=client.hang_up)
    hanging_up.start()
    given_up = client.message()
    assert (given_up["id"], given_up["error"]["data"]["reason"]) == ("waits", "server_stops")
    work.go_on.set()
    assert client.message()["method"] == "notifications/progress"
    assert text_of(client.message()) == "done"
    assert client.next() is None
    hanging_up.join(LIMIT_SECONDS)
    assert is_nothing_left()


def test_calls_that_wait_count_as_streams(client: StdioClient, settings: Settings) -> None:
    settings.MCP_MAX_STREAMS = 1
    client.send("tools/call", {"name": "wait", "_meta": MODERN_META}, request_id=1)
    assert eventually(lambda: len(hub.listeners()) == 1)
    refused = client.answer_to("tools/call", name="wait", _meta=MODERN_META)
    assert refused["error"]["data"]["reason"] == "too_many_streams"
