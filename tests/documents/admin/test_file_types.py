"""Tests of the words for file types."""

from __future__ import annotations

import pytest

from documents.admin.file_types import length_of
from documents.extraction import media_types
from documents.models import Version


@pytest.mark.parametrize(
    ("media_type", "pages", "words"),
    [
        (media_types.PDF, 1, "1 page"),
        (media_types.WORKBOOK, 1, "1 sheet"),
        (media_types.PRESENTATION, 2, "2 slides"),
        (media_types.MARKDOWN, None, ""),
    ],
)
def test_each_format_counts_what_it_has(media_type: str, pages: int | None, words: str) -> None:
    assert length_of(Version(media_type=media_type, pages=pages)) == words
