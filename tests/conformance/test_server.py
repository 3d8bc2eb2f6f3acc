"""The requirements of the protocol's own conformance suite for servers, by revision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.suite import run_server_scenarios, skip_unless_installed
from tests.support.live_server import LiveServer, live_server


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    skip_unless_installed()
    with live_server(DJANGO_SETTINGS_MODULE="tests.conformance.settings") as running:
        yield running


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_scored_scenario_passes(server: LiveServer, revision: str, tmp_path: Path) -> None:
    report = run_server_scenarios(f"{server.url}/mcp", revision, tmp_path)
    failing = {scenario: found for scenario, found in report.problems.items() if found}
    print(report.summary)
    print("\nWhat fails of the scenarios that are not scored:")
    for scenario in sorted(failing.keys() & report.unscored):
        print(f"  {scenario}", *failing[scenario], sep="\n    ")
    assert len(report.problems) > len(report.unscored) > 0
    assert {scenario: failing[scenario] for scenario in failing.keys() - report.unscored} == {}
