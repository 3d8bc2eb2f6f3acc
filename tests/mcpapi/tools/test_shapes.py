"""Tests of the JSON that hot paths write without models: byte for byte what the models would serialize to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest

from mcpapi.tools.base import PlainResult
from mcpapi.tools.reading.list_memories import ListMemoriesResult
from mcpapi.tools.reading.recall import MatchShape, RecallResult, _match_json
from mcpapi.tools.reading.text_search import TextSearchResult
from mcpapi.tools.shapes import memory_json, shape_memory
from memories.models import Memory
from memories.recall.budget import ShownMatch
from memories.recall.matches import Match, Passage
from memories.recall.ranking import Ranked
from memories.recall.signals import Candidate, Moment

NOON = datetime(2026, 5, 17, 12, 0, 0, 120, UTC)
PLAIN: dict[str, Any] = {
    "id": 7, "text": 'Has "quotes" — and 猫.', "tags": ["pets"], "importance": 0.5, "capture_mode": "explicit",
    "created_at": NOON, "updated_at": NOON, "last_confirmed_at": NOON.replace(microsecond=0),
}  # fmt: skip
MEMORIES = {
    "plain": {},
    "labels": {"source_provider": "claude", "session_id": "s1", "agent": "tidier"},
    "expiry": {"expires_at": NOON.astimezone(timezone(timedelta(hours=2)))},
    "past": {"valid_from": NOON, "valid_until": NOON + timedelta(days=1)},
    "valid": {"valid_until": datetime(2999, 1, 1, tzinfo=UTC)},
    "tombstone": {"deleted_at": NOON, "forget_reason": "wrong", "replaced_by_id": 9},
    "pinned": {"briefing_place": Memory.BriefingPlace.PINNED},
}


@pytest.mark.parametrize("extra", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("score", [None, 0.123456, 1.0])
def test_a_memory_is_written_as_its_model_is_serialized(extra: dict[str, Any], score: float | None) -> None:
    memory = Memory(**PLAIN, **extra)

    written = orjson.dumps(memory_json(memory, score))

    assert written == orjson.dumps(shape_memory(memory, score).model_dump(exclude_unset=True))


@pytest.mark.parametrize("passage", [None, Passage(4, 10, '"quote')])
@pytest.mark.parametrize("is_shortened", [True, False])
@pytest.mark.parametrize("extra", MEMORIES.values(), ids=MEMORIES)
def test_a_match_is_written_as_its_model_is_serialized(
    extra: dict[str, Any], passage: Passage | None, is_shortened: bool
) -> None:
    ranked = Ranked(Candidate(7, 0.9, 0.9, words=0.123456), 0.123456, {"words": 1.0, "stated": 1.0}, Moment(0.0))
    match = Match(Memory(**PLAIN, **extra), 0.91234567, ranked, (3, 5), 5, passage, relevance=0.98765)
    shown = ShownMatch(match, passage if is_shortened else None)

    written = _match_json(shown, explain=True)

    assert orjson.dumps(written) == orjson.dumps(MatchShape.model_validate(written).model_dump(exclude_unset=True))
    assert {
        "relevance": 0.988,
        "superseded_by": 5,
        "conflicts_with": [3, 5],
        "score": 0.9123,
    }.items() <= written.items()
    assert written["explanation"] == {"words": 0.1235, "stated": 0.0}
    assert written["text"] == shown.text
    assert ("text_chars" in written) is (shown.passage is not None)


@pytest.mark.parametrize("result", [RecallResult, TextSearchResult, ListMemoriesResult])
def test_a_plain_result_has_the_fields_in_the_order_of_its_model(result: type[PlainResult]) -> None:
    memory = memory_json(Memory(**PLAIN))
    fields = {"matches": [memory], "memories": [memory], "notice": "n", "confidence": 0.5, "query": "q"}
    given = {name: value for name, value in fields.items() if name in result.model_fields}

    payload = result.of(**given).payload()

    assert orjson.dumps(payload) == orjson.dumps(
        {"ok": True, **result.model_validate(given).model_dump(exclude_unset=True)}
    )
