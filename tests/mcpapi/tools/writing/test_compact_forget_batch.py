"""Tests of the compact answer of `forget_batch`."""

from __future__ import annotations

import orjson
import pytest

from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

UNKNOWN = 10**9


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_compact_answer_lists_what_was_not_forgotten_as_asked(
    assistant: Assistant, owner: User, dry_run: bool
) -> None:
    ids = [make_memory(owner, f"Note {number}").pk for number in range(9)]
    assistant.call("forget", id=ids[3])
    arguments = {"ids": [*ids, UNKNOWN], "dry_run": dry_run}
    dry = assistant.call("forget_batch", **{**arguments, "dry_run": True})
    answer = assistant.call("forget_batch", **arguments, compact=True)
    assert [(item["input_index"], item["id"], item["ok"]) for item in answer["results"]] == [
        (3, ids[3], True), (9, UNKNOWN, False)
    ]  # fmt: skip
    assert answer["results"][0]["message"] == "Already forgotten"
    assert answer["results"][1]["error"]["code"] == "NOT_FOUND"
    assert answer["summary"] == dry["summary"] == {"total": 10, "deleted": 8, "already_deleted": 1, "errors": 1}
    assert len(orjson.dumps(answer)) * 3 < len(orjson.dumps(dry))
    assert len(dry["results"]) == 10


def test_if_all_went_well_a_compact_answer_has_only_the_totals(assistant: Assistant, owner: User) -> None:
    ids = [make_memory(owner, f"Note {number}").pk for number in range(5)]
    assert assistant.call("forget_batch", ids=ids, compact=True) == {
        "ok": True,
        "dry_run": False,
        "results": [],
        "summary": {"total": 5, "deleted": 5, "already_deleted": 0, "errors": 0},
    }
    assert assistant.call("count_memories")["count"] == 0


def test_a_dry_run_counts_an_id_that_occurs_twice_as_the_call_does(assistant: Assistant, owner: User) -> None:
    first, second = (make_memory(owner, f"Note {number}").pk for number in range(2))
    ids = [first, UNKNOWN, first, second, UNKNOWN]
    dry = assistant.call("forget_batch", ids=ids, dry_run=True)
    answer = assistant.call("forget_batch", ids=ids)
    assert dry["summary"] == answer["summary"] == {"total": 5, "deleted": 2, "already_deleted": 1, "errors": 2}
    assert [item.get("already_deleted") for item in dry["results"]] == [
        item.get("already_deleted") for item in answer["results"]
    ]
