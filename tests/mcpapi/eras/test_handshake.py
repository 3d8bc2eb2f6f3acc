"""Tests of the differences between the handshake revisions, and of the state of sessions."""

from __future__ import annotations

import pytest

from mcpapi.models import Session
from tests.support.factories import Assistant
from tests.support.mcp.handshake_client import INITIALIZE, assert_error, session_of


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_a_server_has_no_title_before_2025_06_18(assistant: Assistant, version: str) -> None:
    result = assistant.request("initialize", {**INITIALIZE, "protocolVersion": version}).json()["result"]
    assert result["protocolVersion"] == version
    assert set(result["serverInfo"]) == {"name", "version"}


def test_a_revision_that_is_not_spoken_is_answered_with_the_newest_one(assistant: Assistant) -> None:
    for version in ("2026-07-28", "2020-01-01", ""):
        result = assistant.request("initialize", {**INITIALIZE, "protocolVersion": version}).json()["result"]
        assert result["protocolVersion"] == "2025-11-25"
        assert set(result["serverInfo"]) == {"name", "title", "version"}


def test_a_server_offers_what_it_answers_and_no_more(assistant: Assistant) -> None:
    capabilities = assistant.request("initialize", INITIALIZE).json()["result"]["capabilities"]
    assert set(capabilities) == {"tools", "resources", "prompts", "completions", "logging"}


def test_a_session_keeps_the_log_level_that_its_client_sets(assistant: Assistant) -> None:
    session = {"mcp-session-id": session_of(assistant)}
    assert assistant.request("logging/setLevel", {"level": "warning"}, session).json()["result"] == {}
    assert Session.objects.get().log_level == "warning"


@pytest.mark.parametrize("level", ["loud", None, 3, ["info"]])
def test_a_log_level_that_there_is_not_is_refused(assistant: Assistant, level: object) -> None:
    session = {"mcp-session-id": session_of(assistant)}
    error = assert_error(
        assistant.request("logging/setLevel", {"level": level}, session), 200, -32602, "invalid_params"
    )
    assert "warning" in error["message"]


def test_a_log_level_needs_a_session_that_keeps_it(assistant: Assistant) -> None:
    assert_error(assistant.request("logging/setLevel", {"level": "info"}), 400, -32000, "no_session")


def test_nothing_of_the_stateless_era_is_known(assistant: Assistant) -> None:
    assert_error(assistant.request("server/discover"), 200, -32601, "method_not_found")
    result = assistant.request("tools/list").json()["result"]
    assert set(result) == {"tools"}
