"""Tests of the reader of BEAM, with small files in its format."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.public.beam import Conversation, Exchange, pieces, read


def message(number: int, role: str, content: str, **fields: str) -> dict[str, Any]:
    return {"id": number, "role": role, "content": content, **fields}


CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [message(0, "user", "Which sails?", time_anchor="March-15-2024"), message(1, "assistant", "Red ones.")],
            [
                message(2, "user", "And the engine?"),
                message(3, "assistant", "Diesel or petrol?"),
                message(4, "user", "Diesel."),
            ],
        ],
    },
    {"batch_number": 2, "turns": [[message(5, "user", "Now the anchor.", time_anchor="April-02-2024")]]},
]
QUESTIONS = {
    "abstention": [{"question": "Who cooks?"}],
    "knowledge_update": [{"question": "What fuel?", "source_chat_ids": {"original_info": [2], "updated_info": [4]}}],
    "event_ordering": [{"question": "In which order?", "source_chat_ids": [0, 2, [5]]}],
}


def write(folder: Path, name: str, chat: object = CHAT, file: str = "chat.json") -> None:
    (folder / name / "probing_questions").mkdir(parents=True, exist_ok=True)
    (folder / name / file).write_text(json.dumps(chat), encoding="utf-8")
    (folder / name / "probing_questions" / "probing_questions.json").write_text(json.dumps(QUESTIONS), "utf-8")


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    write(tmp_path, "1")
    return next(read(tmp_path))


def test_a_message_and_its_reply_are_one_exchange(conversation: Conversation) -> None:
    march, april = datetime(2024, 3, 15, tzinfo=UTC), datetime(2024, 4, 2, tzinfo=UTC)
    assert conversation.exchanges == [
        Exchange("USER: Which sails?\n\nASSISTANT: Red ones.", frozenset({0, 1}), 1, march),
        Exchange("USER: And the engine?\n\nASSISTANT: Diesel or petrol?", frozenset({2, 3}), 1, march),
        Exchange("USER: Diesel.", frozenset({4}), 1, march),
        Exchange("USER: Now the anchor.", frozenset({5}), 2, april),
    ]


def test_the_sources_of_a_question_are_read_from_lists_and_objects(conversation: Conversation) -> None:
    assert {question.ability: question.sources for question in conversation.questions} == {
        "abstention": frozenset(),
        "knowledge_update": {2, 4},
        "event_ordering": {0, 2, 5},
    }


def test_conversations_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("10", "2", "1"):
        write(tmp_path, name)
    (tmp_path / "notes").mkdir()
    assert [conversation.name for conversation in read(tmp_path)] == ["1", "2", "10"]


def test_the_shortened_conversation_is_preferred(tmp_path: Path) -> None:
    write(tmp_path, "1")
    write(tmp_path, "1", CHAT[1:], "chat_trunecated.json")
    assert [exchange.text for exchange in next(read(tmp_path)).exchanges] == ["USER: Now the anchor."]


def test_a_long_text_is_cut_at_white_space() -> None:
    assert pieces("one two three", 20) == ["one two three"]
    assert pieces("one two three four", 10) == ["one two", "three four"]
    assert pieces("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
