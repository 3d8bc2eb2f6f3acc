"""The plain sources of the documents: headings and paragraphs, or tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
CONSTITUTION = Path(__file__).parents[1] / "data" / "documents.json"


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading of a level from 1 to 3, or a paragraph (level 0), whose lines are kept apart."""

    level: int
    text: str


def pieces_of(name: str) -> list[Piece]:
    """Return the pieces of a text. The first is the title."""
    if name == "constitution":
        sections: list[str] = json.loads(CONSTITUTION.read_text(encoding="utf-8"))["texts"]
        return [Piece(1, "The Constitution of the United States"), *(Piece(0, section) for section in sections)]
    return [_piece(part) for part in raw(name, ".md").strip().split("\n\n")]


def _piece(part: str) -> Piece:
    marks, _, text = part.partition(" ")
    return Piece(len(marks), text) if set(marks) == {"#"} else Piece(0, part)


def table_of(name: str) -> list[Sequence[str]]:
    """Return the rows of a table. The first are the names of the columns."""
    with (TEXTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def raw(name: str, extension: str) -> str:
    """Return a text as it is stored."""
    return (TEXTS / f"{name}{extension}").read_text(encoding="utf-8")
