"""Tests that the postings of new memories are those that the function for one text returns."""

from __future__ import annotations

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.models import Memory, Posting
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

TEXTS = [
    "Ada: Robin's bicycle isn’t in Oslo/Bergen any more",
    "Ada Lovelace wrote about the engine; ref 0001234, +49 and -49",
    "Ada\nB: not a speaker",
    f"{'A' * 60}: the longest speaker",
    f"{'A' * 61}: no speaker",
    ": nobody says this",
    "A:no blank after the colon",
    "Ich mag die state-of-the-art Kamera von example.com/shop?q=1",
    "Anna mag 東京 und 大阪",
    "東京: 私は猫が好きです",
    "мой кот и я в доме",
    "?!",
    "Robin likes tea. " * 29,
    "Robin likes tea. " * 30,
    "word " * 1_200,
    " ".join(f"term{number}" for number in range(2_100)),
]
ALPHABET = "abc ABC é ß : \n , . ; - + / ’ ' 1 2 _ @ 東 京 ж"


def check_postings(texts: list[str]) -> None:
    """Store the texts in one statement and compare their postings with those of each text alone."""
    owner = make_user()
    Memory.objects.bulk_create(
        Memory(owner=owner, text=text, text_hash=f"{number}".encode()) for number, text in enumerate(texts)
    )
    stored = sorted(Posting.objects.filter(owner=owner).values_list("memory_id", "term", "tf", "length"))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT memory.id, posting.* FROM memories_memory AS memory, memories_postings(text) AS posting "
            "WHERE owner_id = %s",
            [owner.pk],
        )
        assert stored == sorted(cursor.fetchall())


def test_they_are_the_same_for_texts_of_every_kind() -> None:
    check_postings(TEXTS)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(ALPHABET, min_size=1, max_size=90), min_size=1, max_size=20))
def test_they_are_the_same_for_odd_texts(texts: list[str]) -> None:
    check_postings(texts)
