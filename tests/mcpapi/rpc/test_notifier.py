"""Tests of the notifications of a call: only requested ones, and progress that only increases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpapi.rpc import notifier as module
from mcpapi.rpc.jsonrpc import Call, RpcError
from mcpapi.rpc.notifier import LOG_LEVELS, ClientNotifier, NotificationKind, notifier_for
from mcpapi.rpc.suspension import CallCancelled


class Client:
    """A client that collects its notifications."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def hear(self, message: bytes) -> None:
        self.heard.append(json.loads(message))


@pytest.fixture
def client() -> Client:
    return Client()


def progress_of(client: Client) -> list[float]:
    return [message["params"]["progress"] for message in client.heard]


def test_progress_names_the_token_and_has_no_empty_fields(client: Client) -> None:
    notifier = ClientNotifier(client.hear, protocol_version="2025-11-25", progress_token="a")
    notifier.progress(0)
    notifier.progress(2, 2, "Stored")
    assert client.heard == [
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "a", "progress": 0}},
        {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": "a", "progress": 2, "total": 2, "message": "Stored"},
        },
    ]


def test_a_client_of_the_oldest_revision_gets_no_words(client: Client) -> None:
    ClientNotifier(client.hear, protocol_version="2024-11-05", progress_token=7).progress(1, 2, "Stored")
    assert client.heard[0]["params"] == {"progressToken": 7, "progress": 1, "total": 2}


def test_progress_only_grows(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRESS_INTERVAL_SECONDS", 0.0)
    notifier = ClientNotifier(client.hear, progress_token=1)
    for done in (0, 1, 1, 0, 0.5, 2):
        notifier.progress(done)
    assert progress_of(client) == [0, 1, 2]


def test_progress_comes_at_intervals_but_its_end_at_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRESS_INTERVAL_SECONDS", 3600.0)
    notifier = ClientNotifier(client.hear, progress_token=1)
    for done in range(101):
        notifier.progress(done, 100)
    assert progress_of(client) == [0, 100]


@pytest.mark.parametrize("wanted", LOG_LEVELS)
def test_messages_at_least_as_severe_as_wanted_are_told(client: Client, wanted: str) -> None:
    notifier = ClientNotifier(client.hear, log_level=wanted)
    for level in LOG_LEVELS:
        notifier.log(level, {"about": level})
    assert [message["params"]["level"] for message in client.heard] == list(LOG_LEVELS[LOG_LEVELS.index(wanted) :])
    assert client.heard[-1] == {
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": {"level": "emergency", "logger": "ownsona", "data": {"about": "emergency"}},
    }


@pytest.mark.parametrize("notifier", [ClientNotifier(), ClientNotifier(progress_token=1, log_level="debug")])
def test_where_nobody_listens_nothing_happens(notifier: ClientNotifier) -> None:
    notifier.progress(1, 2)
    notifier.log("emergency", "Nobody hears this")
    assert notifier.wants_any({"progress", "log"}) is False


def test_only_what_the_client_asked_for_is_told(client: Client) -> None:
    ClientNotifier(client.hear, log_level="debug").progress(1)
    ClientNotifier(client.hear, progress_token=0).log("emergency", "Nobody hears this")
    assert client.heard == []


@pytest.mark.parametrize(
    ("told", "heard"), [(set(), (False, False)), ({"progress"}, (True, False)), ({"log"}, (False, True))]
)
def test_a_client_hears_what_it_asked_for_if_the_call_tells_that(
    client: Client, told: set[NotificationKind], heard: tuple[bool, bool]
) -> None:
    speeches = ClientNotifier(client.hear, progress_token=0), ClientNotifier(client.hear, log_level="debug")
    assert tuple(notifier.wants_any(told) for notifier in speeches) == heard


def test_a_cancelled_call_stops_at_its_next_report(client: Client) -> None:
    for notifier in (ClientNotifier(), ClientNotifier(client.hear, progress_token=1)):
        notifier.request_stop(CallCancelled())
        with pytest.raises(CallCancelled):
            notifier.progress(1)
    assert client.heard == []


@pytest.mark.parametrize("token", [True, 1.5, [], {}, "x" * 1000])
def test_a_token_that_cannot_be_one_is_refused_by_name(client: Client, token: object) -> None:
    with pytest.raises(RpcError, match="progressToken"):
        notifier_for(Call("tools/call", {"_meta": {"progressToken": token}}), "2025-11-25", client.hear, None)


@pytest.mark.parametrize("params", [{}, {"_meta": None}, {"_meta": []}, {"_meta": {"progressToken": None}}])
def test_without_a_token_no_progress_is_wanted(client: Client, params: dict[str, Any]) -> None:
    assert notifier_for(Call("tools/call", params), "2025-11-25", client.hear, None).wants_any({"progress"}) is False
