"""The manifest of the specification's requirements for servers: tests/requirements, one file per revision.

The manifest numbers the MUSTs of each page of the specification from 1, in their order on the page. Each of them is
either shown by tests, or required of parties other than servers, or part of a feature that OwnSona does not have. The
first command compares the manifest with a copy of the specification, the second lists the numbered MUSTs of a page:

    python -m tests.project.specification docs/specification
    python -m tests.project.specification docs/specification 2025-11-25/basic/transports
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = Path(__file__).parents[1] / "requirements"
MUST = re.compile(r'(?<!")\bMUST\b(?!")')
"""The word in a page's text, except in quotation marks, where the page explains it."""

PARAGRAPH = re.compile(r"\n(?=\s*(?:[-*|]|\d+\.)\s)|\n\n")
NUMBERS = re.compile(r"(?:\d+(?:-\d+)? )+")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement for servers, made by some MUSTs of a page: our wording, and its tests, as file::function."""

    numbers: frozenset[int]
    words: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the SHA-256 of its text, the number of its MUSTs, and their classification.

    `clients` are required of parties other than servers; `absent` has reasons for features that OwnSona does not have.
    """

    name: str
    sha256: str
    musts: int
    clients: frozenset[int]
    absent: tuple[tuple[frozenset[int], str], ...]
    requirements: tuple[Requirement, ...]


def pages() -> Iterator[Page]:
    """Yield every page of the manifest. `name` begins with the revision."""
    for path in sorted(MANIFEST.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield _page(f"{path.stem}/{name}", entry)


def _page(name: str, entry: dict[str, Any]) -> Page:
    shown = ((*_numbered(key), tuple(tests)) for key, tests in entry.get("shown", {}).items())
    return Page(
        name=name,
        sha256=entry["sha256"],
        musts=entry["musts"],
        clients=_numbers(entry.get("clients", "")),
        absent=tuple((_numbers(numbers), reason) for numbers, reason in entry.get("absent", {}).items()),
        requirements=tuple(Requirement(numbers, words, tests) for numbers, words, tests in shown),
    )


def _numbered(key: str) -> tuple[frozenset[int], str]:
    found = NUMBERS.match(key)
    if found is None:
        raise ValueError(f"{key!r} does not begin with the numbers of MUSTs")
    return _numbers(found[0]), key[found.end() :]


def _numbers(text: str) -> frozenset[int]:
    """Return the numbers in a text such as "1 4-6"."""
    bounds = [part.partition("-") for part in text.split()]
    return frozenset(number for low, _, high in bounds for number in range(int(low), int(high or low) + 1))


def musts_of(text: str) -> list[str]:
    """Return the paragraph, list item or table row of each MUST of a page."""
    return [" ".join(part.split()) for part in PARAGRAPH.split(text) for _ in MUST.finditer(part)]


def compare(page: Page, text: str) -> str:
    """Return the result of comparing the page's entry with a copy of its text."""
    if hashlib.sha256(text.encode()).hexdigest() == page.sha256:
        return "as it was read"
    return f"has changed; it has {len(musts_of(text))} MUSTs, the manifest {page.musts}"


def main(folder: Path, *names: str) -> None:
    """Compare all pages with a copy of the specification, or list the MUSTs of the named ones."""
    for name in names:
        for number, paragraph in enumerate(musts_of((folder / f"{name}.mdx").read_text(encoding="utf-8")), 1):
            print(f"{number}: {paragraph}")
    for page in () if names else pages():
        print(f"{page.name}: {compare(page, (folder / f'{page.name}.mdx').read_text(encoding='utf-8'))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
