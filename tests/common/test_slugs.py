"""Short names for what people have typed."""

from __future__ import annotations

import pytest

from common.slugs import slug_of


@pytest.mark.parametrize(
    ("typed", "slug"),
    [
        ("Büro Hilfe", "buero-hilfe"),
        ("Straße & Größe", "strasse-groesse"),
        ("ÖBB Übersicht", "oebb-uebersicht"),
        ("Œuvre d’été", "oeuvre-dete"),
        ("Travel planner 2", "travel-planner-2"),
        ("日本", ""),
    ],
)
def test_letters_with_marks_become_those_that_people_write_instead(typed: str, slug: str) -> None:
    assert slug_of(typed) == slug
