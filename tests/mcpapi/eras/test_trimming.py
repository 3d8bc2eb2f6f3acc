"""Tests that results hold only fields of the session's revision, according to its own schema."""

from __future__ import annotations

import pytest

from mcpapi.eras.trimming import FIELD_SINCE, trim_result
from mcpapi.eras.versions import HANDSHAKE_VERSIONS
from tests.schemas import fields_of

OLDEST, NEWEST = HANDSHAKE_VERSIONS[0], HANDSHAKE_VERSIONS[-1]


@pytest.mark.parametrize("kind", FIELD_SINCE)
def test_the_table_says_since_when_there_is_a_field_as_the_schemas_do(kind: str) -> None:
    for field, first in FIELD_SINCE[kind].items():
        having = [version for version in HANDSHAKE_VERSIONS if field in fields_of(version, kind)]
        assert having == [version for version in HANDSHAKE_VERSIONS if version >= first], field


@pytest.mark.parametrize("kind", FIELD_SINCE)
def test_no_field_that_came_later_is_missing_in_the_table(kind: str) -> None:
    came_later = fields_of(NEWEST, kind) - fields_of(OLDEST, kind)
    assert came_later == FIELD_SINCE[kind].keys()


def test_what_is_known_in_parts_is_cut_in_parts() -> None:
    resource = {"uri": "x", "name": "x", "title": "X", "annotations": {"priority": 1, "lastModified": "2026-01-01"}}
    cut = trim_result({"resources": [resource]}, "resources/list", "2025-03-26")
    assert cut == {"resources": [{"uri": "x", "name": "x", "annotations": {"priority": 1}}]}


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_a_result_without_fields_of_its_own_stays_as_it_is(version: str) -> None:
    assert trim_result({"anything": 1}, "ping", version) == {"anything": 1}
