"""Each requirement of the specification that is listed has tests that show it."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from mcpapi.eras.versions import HANDSHAKE_VERSIONS, STATELESS_VERSIONS

ROOT = Path(__file__).resolve().parents[1]
ROWS = [
    (revision, page, requirement, tests)
    for revision, pages in tomllib.loads((ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8")).items()
    for page, requirements in pages.items()
    for requirement, tests in requirements.items()
]


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("revision", "page", "requirement", "tests"), ROWS, ids=[row[2] for row in ROWS])
def test_a_requirement_has_tests_that_there_are(revision: str, page: str, requirement: str, tests: list[str]) -> None:
    assert revision in {*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS}
    assert page.startswith(("basic/", "server/"))
    assert requirement.endswith(".")
    assert tests
    for test in tests:
        file, _, function = test.partition("::")
        assert function in functions_of(ROOT / file), test
