"""The protocol's conformance suite: its location and its results."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.installed import NODE_PACKAGES, node

SUITE = NODE_PACKAGES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SERVER_LIMIT_SECONDS = 300.0
UNSCORED = re.compile(r"^  [✓✗] (\S+) \((?:extension|pending|added-after-release)\)$", re.MULTILINE)
RESULT_FOLDER = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


def skip_unless_installed() -> None:
    """Skip the test if `make clients` has not run."""
    if not (SUITE.exists() and node().exists()):
        pytest.skip("The conformance suite is not installed: run `make clients`")


@dataclass(frozen=True)
class Report:
    """The output of a run of the suite, and by scenario the failed checks, including those that are only warnings."""

    said: str
    problems: dict[str, list[str]]

    @property
    def summary(self) -> str:
        """The summary at the end of the output: each scenario, and which of them do not count."""
        return self.said[self.said.index("=== SUMMARY ===") :]

    @property
    def unscored(self) -> set[str]:
        """The scenarios that were run for information only."""
        return set(UNSCORED.findall(self.said))


def run_server_scenarios(url: str, revision: str, results: Path) -> Report:
    """Run everything that the suite requires of a server of `revision`. Write the results to the folder `results`."""
    command = [
        str(node()),
        str(SUITE),
        "server",
        "--url",
        url,
        "--requirements",
        revision,
        "--output-dir",
        str(results),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SERVER_LIMIT_SECONDS, check=False)
    problems: dict[str, list[str]] = {}
    for path in sorted(results.glob("server-*/checks.json")):
        folder = RESULT_FOLDER.fullmatch(path.parent.name)
        assert folder, path
        failed = [check for check in json.loads(path.read_text()) if check["status"] in {"FAILURE", "WARNING"}]
        problems[folder["scenario"]] = [f"{check['id']}: {check.get('errorMessage')}" for check in failed]
    assert problems, done.stdout + done.stderr
    return Report(done.stdout, problems)
