"""BEAM (Tavakoli et al. 2025, arXiv 2510.27246; CC BY-SA 4.0): long conversations with an assistant, and questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ABSTENTION = "abstention"
"""The ability to say that something was not mentioned. These questions have no source."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of the user with the assistant's reply: the piece of a conversation that BEAM's own search returns.

    `messages` are their ids. `session` is the part of the conversation, from 1, which has a day of its own. `at` is the
    last day that the conversation has named so far, None before the first.
    """

    text: str
    messages: frozenset[int]
    session: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ability that it tests, and the ids of the messages that it was made from."""

    text: str
    ability: str
    sources: frozenset[int]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, and the questions about it."""

    name: str
    exchanges: Sequence[Exchange]
    questions: Sequence[Question]


def read(folder: Path) -> Iterator[Conversation]:
    """Yield the conversations of a size, from a folder such as `chats/100K` of the repository."""
    for chat in sorted((path for path in folder.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name)):
        # BEAM itself uses the shortened conversation where there is one. "trunecated" is how it spells the name.
        shortened = chat / "chat_trunecated.json"
        batches = _content(shortened if shortened.exists() else chat / "chat.json")
        asked = _content(chat / "probing_questions" / "probing_questions.json")
        yield Conversation(chat.name, list(_exchanges(batches)), list(_questions(asked)))


def _content(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _exchanges(batches: Sequence[Mapping[str, Any]]) -> Iterator[Exchange]:
    at = None
    for session, turn in ((batch["batch_number"], turn) for batch in batches for turn in batch["turns"]):
        for start in range(0, len(turn), 2):
            pair = turn[start : start + 2]
            days = [message["time_anchor"] for message in pair if message.get("time_anchor")]
            at = datetime.strptime(days[-1], "%B-%d-%Y").replace(tzinfo=UTC) if days else at
            text = "\n\n".join(f"{message['role'].upper()}: {message['content']}" for message in pair)
            yield Exchange(text, frozenset(message["id"] for message in pair), session, at)


def _questions(asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Question]:
    for ability, questions in asked.items():
        for question in questions:
            yield Question(question["question"], ability, frozenset(_ids(question.get("source_chat_ids"))))


def _ids(value: object) -> Iterator[int]:
    """Yield the ids in nested lists and objects."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        yield from _ids(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _ids(part)


def pieces(text: str, most: int) -> list[str]:
    """Return a text in pieces of at most `most` characters, cut at white space where there is any."""
    parts = []
    rest = text.strip()
    while len(rest) > most:
        cut = max(rest.rfind(space, most // 2, most) for space in " \n")
        cut = cut if cut > 0 else most
        parts.append(rest[:cut])
        rest = rest[cut:].lstrip()
    return [*parts, rest]
