"""Invented people: what their assistants have stored, and the questions that each memory answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
ENGLISH_STORES = ("chats", "first_person", "situations", "third_person")
"""The files of `data/stores` in English. The network that reads answers has learned from all of their people but the
last one of each, and from those of `data/questions`."""


@dataclass(slots=True)
class Person:
    """The memories of a person, and the questions, each with the position of the memory that answers it."""

    memories: list[str] = field(default_factory=list)
    questions: list[tuple[int, str]] = field(default_factory=list)


def people(path: Path) -> list[Person]:
    """Return the people of a file. Each line is a memory and its questions, and a line with # begins another person."""
    found: list[Person] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") or not found:
            found.append(Person())
        if not line.startswith("# "):
            text, *questions = line.split("\t")
            found[-1].questions += [(len(found[-1].memories), question) for question in questions if question]
            found[-1].memories.append(text)
    return [person for person in found if person.memories]


def learned_people() -> Iterator[Person]:
    """Yield the people whose questions the network that reads answers has learned from."""
    for name in ENGLISH_STORES:
        yield from people(DATA / "stores" / f"{name}.tsv")[:-1]
    for path in sorted((DATA / "questions").glob("*.tsv")):
        yield from people(path)


def unseen_people() -> Iterator[Person]:
    """Yield the people of the stores in English whose questions it has not seen."""
    for name in ENGLISH_STORES:
        yield people(DATA / "stores" / f"{name}.tsv")[-1]
