"""The protocol's own conformance suite: what it requires of servers, revision by revision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.suite import run_server_scenarios, skip_unless_installed
from tests.live_server import LiveServer, live_server

QUESTIONS_ON_A_STREAM = {
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}
NOT_OFFERED = {
    "2025-11-25": {
        *QUESTIONS_ON_A_STREAM,
        "tools-call-with-logging",
        "tools-call-with-progress",
    },
    "2026-07-28": {"tools-call-with-progress"},
}
"""By revision: the scenarios about parts of the protocol that this server does not offer."""


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    skip_unless_installed()
    with live_server(DJANGO_SETTINGS_MODULE="tests.conformance.settings") as running:
        yield running


@pytest.mark.parametrize("revision", NOT_OFFERED)
def test_a_server_does_all_that_is_scored_of_what_it_offers(server: LiveServer, revision: str, tmp_path: Path) -> None:
    report = run_server_scenarios(f"{server.url}/mcp", revision, tmp_path)
    print(report.said[report.said.index("=== SUMMARY ===") :])
    failing = {scenario: found for scenario, found in report.problems.items() if found}
    assert report.unscored
    assert {scenario: failing[scenario] for scenario in failing.keys() - report.unscored - NOT_OFFERED[revision]} == {}
    assert NOT_OFFERED[revision] <= failing.keys(), "No longer missing: score it."
