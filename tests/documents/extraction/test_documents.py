"""Tests of the formats of word processors, presentations, workbooks and books, with files that such programs wrote."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from documents.extraction import media_types
from tests.documents.extraction.files import (
    FIXTURES,
    everything,
    headings,
    read,
    texts,
    write_docx,
    write_pdf,
)

APPLE = (
    "The apple tree is planted next to the shed, and the greenhouse needs a new door before the first frost comes. "
    "Grüße aus Österreich: café, naïve."
)
TABLE = "Tool | Count\nRake | 2\nHoe | 1"


@pytest.mark.parametrize("name", ["garden.docx", "libreoffice.docx", "garden.odt", "pandoc.odt"])
def test_a_text_document_keeps_headings_paragraphs_lists_tables_and_footnotes(name: str) -> None:
    found = read(FIXTURES / name)
    assert (found.title, found.author) == ("Garden plan", "Ana Example")
    assert (1, "Spring") in headings(found)
    assert (2, "Tools") in headings(found)
    assert APPLE in texts(found)
    assert {"- Tomatoes", "- Beans"} <= set(texts(found))
    assert texts(found, "table") == [TABLE]
    assert "The text of the footnote." in everything(found.blocks)
    assert found.created_at is not None
    assert found.created_at.tzinfo is not None
    assert not found.notes


def test_the_format_is_detected_by_the_content_whatever_the_name() -> None:
    expected = {
        "garden.docx": media_types.DOCUMENT,
        "garden.odt": media_types.OPEN_DOCUMENT,
        "garden.pdf": media_types.PDF,
        "garden.epub": media_types.BOOK,
        "garden.pptx": media_types.PRESENTATION,
        "garden.xlsx": media_types.WORKBOOK,
        "garden.html": media_types.HTML,
    }
    assert {name: read(FIXTURES / name, "a").media_type for name in expected} == expected
    assert read(FIXTURES / "garden.pdf", "a.csv").media_type == media_types.PDF


def test_a_presentation_keeps_titles_tables_and_the_numbers_of_slides() -> None:
    found = read(FIXTURES / "garden.pptx")
    assert found.pages == 4
    assert headings(found)[:2] == [(1, "Garden plan"), (1, "Spring")]
    assert texts(found, "table") == [TABLE]
    assert [block.page for block in found.blocks if block.text.startswith(APPLE)] == [2]


def test_a_workbook_keeps_the_names_of_sheets_dates_and_numbers() -> None:
    found = read(FIXTURES / "garden.xlsx")
    assert headings(found) == [(1, "plants")]
    assert texts(found, "table") == [
        "Plant | Planted | Count | Price\nTomato | 2024-05-06 | 12 | 3.5\nBean | 2024-05-20 | 40 | 0.25"
    ]
    assert found.metadata["sheets"] == "plants"
    assert {block.page for block in found.blocks} == {1}


def test_a_book_keeps_the_order_and_the_numbers_of_chapters() -> None:
    found = read(FIXTURES / "garden.epub")
    assert (found.title, found.author, found.pages) == ("Garden plan", "Ana Example", 2)
    assert found.created_at is not None
    assert found.created_at.date() == date(2024, 5, 6)
    assert headings(found) == [(1, "Garden plan"), (1, "Spring"), (2, "Tools")]
    assert APPLE in texts(found)
    assert texts(found, "code") == ['print("hello")']
    assert [block.page for block in found.blocks if block.text == "Spring"] == [2]


def test_a_pdf_keeps_paragraphs_and_takes_headings_from_its_outline() -> None:
    found = read(FIXTURES / "garden.pdf")
    assert (found.title, found.author, found.pages) == ("Garden plan", "Ana Example", 1)
    assert headings(found) == [(1, "Spring"), (2, "Tools")]
    assert APPLE in texts(found)
    assert {"• Tomatoes", "• Beans"} <= set(texts(found))
    assert {block.page for block in found.blocks} == {1}


def test_hyphenated_lines_of_a_pdf_are_joined_and_pages_are_counted(tmp_path: Path) -> None:
    first = ["The greenhouse has an extraordi-", "nary door, and it was bought in the Nord-", "Westen of the town."]
    found = read(write_pdf(tmp_path / "a.pdf", [first, ["A second page."]]))
    assert [(block.page, block.text) for block in found.blocks] == [
        (1, "The greenhouse has an extraordinary door, and it was bought in the Nord-Westen of the town."),
        (2, "A second page."),
    ]


def test_deleted_text_is_left_out_and_inserted_text_and_text_boxes_are_kept(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>We meet on </w:t></w:r><w:del><w:r><w:delText>Monday</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>Friday</w:t></w:r></w:ins></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>In a form</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
        "</w:p>"
    )
    assert texts(read(write_docx(tmp_path / "a.docx", body))) == ["We meet on Friday", "In a form", "In a box"]


def test_a_time_without_a_zone_is_in_utc(tmp_path: Path) -> None:
    core = '<p xmlns:dcterms="http://purl.org/dc/terms/"><dcterms:created>2024-05-06T07:08:09</dcterms:created></p>'
    path = write_docx(tmp_path / "a.docx", "<w:p><w:r><w:t>x</w:t></w:r></w:p>", extra={"docProps/core.xml": core})
    assert read(path).created_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_a_zone_with_seconds_becomes_utc(tmp_path: Path) -> None:
    page = "<html><head><meta name='date' content='1890-01-01T12:00:00+00:53:28'></head><body>x</body></html>"
    (tmp_path / "a.html").write_text(page)
    assert read(tmp_path / "a.html").created_at == datetime(1890, 1, 1, 11, 6, 32, tzinfo=UTC)
