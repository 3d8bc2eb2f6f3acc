"""Tests that each MUST of the specification for servers has tests, and that each of these exists."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

import pytest

from mcpapi.eras.versions import HANDSHAKE_VERSIONS, STATELESS_VERSIONS
from tests.project.specification import Page, compare, musts_of, pages

ROOT = Path(__file__).resolve().parents[2]
PAGES = list(pages())
COVERED = {"2025-11-25": 17, "2026-07-28": 25}
"""The number of pages with MUSTs in each revision, without the schema, whose JSON Schema the tests use."""

EXAMPLE = """
The key words "MUST" and "MUST NOT" are words.

A server **MUST** answer,
and it **MUST NOT** wait.

1. Clients MUST:
   - ask
2. | a | MUST | b |
"""

each_page = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


@cache
def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@each_page
def test_every_must_of_a_page_is_shown_or_accounted_for_and_none_is_both(page: Page) -> None:
    shown = {number for requirement in page.requirements for number in requirement.numbers}
    absent = [number for numbers, _ in page.absent for number in numbers]
    accounted = [*shown, *page.clients, *absent]
    assert sorted(accounted) == list(range(1, page.musts + 1))


@each_page
def test_a_requirement_has_tests_that_there_are(page: Page) -> None:
    for requirement in page.requirements:
        assert requirement.words.endswith("."), requirement.words
        assert requirement.tests, requirement.words
        for test in requirement.tests:
            file, _, function = test.partition("::")
            assert function in functions_of(ROOT / file), test
    assert all(reason.endswith(".") for _, reason in page.absent)


def test_the_newest_revision_of_each_era_is_covered_page_by_page() -> None:
    revisions = [page.name.partition("/")[0] for page in PAGES]
    assert set(revisions) <= {*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS}
    assert {revision: revisions.count(revision) for revision in COVERED} == COVERED


def test_the_musts_of_a_page_are_found_in_order() -> None:
    answer = "A server **MUST** answer, and it **MUST NOT** wait."
    assert musts_of(EXAMPLE) == [answer, answer, "1. Clients MUST:", "2. | a | MUST | b |"]


def test_a_page_that_has_changed_is_told_from_one_that_has_not() -> None:
    page = Page("a", hashlib.sha256(EXAMPLE.encode()).hexdigest(), 4, frozenset(), (), ())
    assert compare(page, EXAMPLE) == "as it was read"
    assert compare(page, EXAMPLE + "It MUST be new.") == "has changed; it has 5 MUSTs, the manifest 4"
