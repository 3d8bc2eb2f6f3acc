"""Generated memories and questions, in any number and reproducible."""

from __future__ import annotations

import random

PEOPLE = (
    "Ada", "Bruno", "Chiara", "Deniz", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jana", "Kofi", "Lena", "Malik", "Nora",
    "Oskar", "Priya", "Quinn", "Rosa", "Sami", "Tara",
)  # fmt: skip
DOINGS = (
    "moved to", "works in", "grew up in", "is on holiday in", "has a flat in", "studied in", "met an old friend in",
    "plans a trip to", "lost an umbrella in", "ran a marathon in", "opened a small bakery in", "learned to swim in",
)  # fmt: skip
PLACES = (
    "Lyon", "Graz", "Porto", "Turin", "Ghent", "Bergen", "Split", "Vilnius", "Leeds", "Cork", "Basel", "Malmö",
    "Gdansk", "Seville", "Patras", "Brno",
)  # fmt: skip
DETAILS = (
    "and likes the quiet mornings", "because the rent is low", "with two cats and a piano", "for a new job in a lab",
    "where the tram stops at the door", "and cycles along the river", "to be closer to the family",
    "after a long winter", "and cooks every Sunday", "to write a book about rivers", "with a view of the harbour",
    "and still misses the sea",
)  # fmt: skip


def memory_texts(count: int, seed: int = 1) -> list[str]:
    """Return `count` different sentences of about fifteen words."""
    source = random.Random(seed)
    return [
        f"{source.choice(PEOPLE)} {source.choice(DOINGS)} {source.choice(PLACES)} {source.choice(DETAILS)} "
        f"({source.choice(PEOPLE)}'s {source.choice(DETAILS).split()[-1]}, page {number} b{seed:x})"
        for number in range(count)
    ]


def questions(count: int, seed: int = 2) -> list[str]:
    """Return `count` questions about the sample texts."""
    source = random.Random(seed)
    return [
        f"What did {source.choice(PEOPLE)} do in {source.choice(PLACES)} {source.choice(DETAILS)}?"
        for _ in range(count)
    ]
