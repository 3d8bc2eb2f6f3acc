"""The documents of the benchmark and the questions about them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
DEVELOPMENT, HELD_OUT = "development", "held out"


@dataclass(frozen=True, slots=True)
class Source:
    """A document: the name of its text, the format of its file, its half of the data, and where the text is from.

    - `encoding`: of a plain text.
    - `has_outline`: a PDF names its headings.
    """

    name: str
    format: str
    half: str
    origin: str
    encoding: str = "utf-8"
    has_outline: bool = True

    @property
    def file_name(self) -> str:
        """The name of the file as it is imported."""
        return f"{self.name}.{self.format}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its document, and words of the passage that answers it, as they stand there."""

    text: str
    document: str
    snippet: str


@cache
def sources() -> Sequence[Source]:
    """Return the documents."""
    content = tomllib.loads((FOLDER / "documents.toml").read_text(encoding="utf-8"))
    return [Source(**entry) for entry in content["documents"]]


@cache
def origins() -> dict[str, dict[str, str]]:
    """Return for each origin the `work` and the `reason` why it is in the public domain."""
    content: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "documents.toml").read_text(encoding="utf-8"))[
        "origins"
    ]
    return content


@cache
def questions() -> Sequence[Question]:
    """Return the questions."""
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Question(entry["question"], entry["document"], entry["snippet"]) for entry in map(json.loads, lines)]
