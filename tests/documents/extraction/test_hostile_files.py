"""Tests with files that attack the parser, are damaged, or are not what they seem."""

from __future__ import annotations

import copy
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from documents.extraction.extracted import ExtractionError
from documents.extraction.limits import Limits
from tests.documents.extraction.files import (
    DOCUMENT_TYPES,
    FIXTURES,
    QUICK,
    WORD,
    attempt,
    everything,
    pdf_of,
    read,
    read_bytes,
    reason_of,
    texts,
    write_docx,
    write_pdf,
    write_scan,
    write_zip,
)

LAUGHS = '<!DOCTYPE w [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
TEXT = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
ALLOWED = {"damaged", "unsupported", "encrypted", "too_large", "empty"}
MAGIC = [
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\xff\xfe",
    b"<!DOCTYPE html>",
    b"{\\rtf",
    b"",
]
GOOD = ["docx", "odt", "pdf", "epub", "html", "pptx", "xlsx", "md", "csv"]


def test_zip_bombs_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", "", extra={"word/media/a": b"\0" * (40 << 20)})
    assert path.stat().st_size < 100_000
    assert reason_of(path) == "too_large"
    many = write_zip(tmp_path / "b.docx", {f"{number}": b"" for number in range(10_001)})
    assert reason_of(many) == "too_large"


def test_a_zip_bomb_that_lies_about_its_size_is_damaged(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", TEXT.format("x" * 1_000_000))
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("word/document.xml").file_size.to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    assert reason_of(path) == "damaged"


def test_archives_and_archives_in_archives_are_not_supported(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.txt", "text")
    assert reason_of(write_zip(tmp_path / "a.zip", {"inner.zip": inner.getvalue()})) == "unsupported"
    path = write_docx(tmp_path / "a.docx", TEXT.format("outer"), extra={"word/embeddings/a.docx": inner.getvalue()})
    assert texts(read(path)) == ["outer"]


@pytest.mark.parametrize(
    "prolog",
    [
        LAUGHS + "]>",
        '<!DOCTYPE w [<!ENTITY i SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE w SYSTEM "http://127.0.0.1/a.dtd">',
        '<!DOCTYPE w [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    ],
)
def test_documents_with_entities_are_refused(prolog: str, tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", TEXT.format("&i;"), prolog)
    assert reason_of(path) == "damaged"


def test_entities_of_a_web_page_are_not_expanded(tmp_path: Path) -> None:
    page = f"{LAUGHS.replace('DOCTYPE w', 'DOCTYPE html')}]><html><body><p>Before &i; after</p></body></html>"
    found = read_bytes(tmp_path, "a.html", page.encode())
    assert "haha" not in everything(found.blocks).replace('"', "")
    page = '<!DOCTYPE html [<!ENTITY i SYSTEM "file:///etc/passwd">]><html><body><p>Before &i; after</p></body></html>'
    assert "root:" not in everything(read_bytes(tmp_path, "a.html", page.encode()).blocks)


def test_external_relations_of_a_document_are_not_followed(tmp_path: Path) -> None:
    relations = (
        '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="../../../../etc/passwd"/></Relationships>'
    )
    path = write_docx(tmp_path / "a.docx", TEXT.format("x"), extra={"_rels/.rels": relations})
    assert reason_of(path) == "damaged"


def test_scripts_and_embedded_files_of_a_pdf_are_ignored(tmp_path: Path) -> None:
    catalog = "/OpenAction<</S/JavaScript/JS(while(true){app.alert\\('no'\\)})>>/Names<</EmbeddedFiles<</Names[]>>>>"
    assert texts(read(write_pdf(tmp_path / "a.pdf", [["Hello"]], catalog))) == ["Hello"]


def test_protected_files_are_reported_as_encrypted(tmp_path: Path) -> None:
    assert reason_of(FIXTURES / "encrypted.pdf") == "encrypted"
    office = (FIXTURES / "old.doc").read_bytes()[:512] + "EncryptedPackage".encode("utf-16-le") + bytes(512)
    (tmp_path / "a.docx").write_bytes(office)
    assert reason_of(tmp_path / "a.docx") == "encrypted"
    assert reason_of(FIXTURES / "old.doc") == "unsupported"


def test_a_long_pdf_is_cut_off_with_a_note_and_an_absurd_one_refused(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [[f"Page {number}"] for number in range(1, 5_001)])
    found = read(path, limits=Limits(seconds=20, pages=1_000))
    assert found.pages == 5_000
    assert found.blocks[-1].page == 1_000
    assert found.is_truncated
    assert found.notes == ("Only the first 1,000 of 5,000 pages were read.",)
    assert reason_of(write_pdf(tmp_path / "b.pdf", [["One"]], declared=900_000)) == "too_many_pages"


@pytest.mark.parametrize("extension", GOOD)
def test_a_truncated_file_ends_with_a_reason_or_with_part_of_its_text(extension: str, tmp_path: Path) -> None:
    content = (FIXTURES / f"garden.{extension}").read_bytes()
    for share in (0.05, 0.5, 0.97):
        (tmp_path / "a").write_bytes(content[: int(len(content) * share)])
        found = attempt(tmp_path / "a", f"a.{extension}")
        assert not isinstance(found, ExtractionError) or found.reason in ALLOWED, (share, found)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    magic=st.sampled_from(MAGIC),
    rest=st.binary(max_size=2_000),
    extension=st.sampled_from([".md", ".eml", ".json", ""]),
)
def test_random_bytes_end_with_a_reason_or_with_text(magic: bytes, rest: bytes, extension: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(magic + rest)
    found = attempt(tmp_path / "a", f"a{extension}")
    if isinstance(found, ExtractionError):
        assert found.reason in ALLOWED, found
    else:
        assert found.blocks or found.notes


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(extension=st.sampled_from(GOOD), position=st.floats(0, 1), value=st.binary(min_size=1, max_size=30))
@example(extension="docx", position=1.0, value=b"\x01\0\0")  # The table of contents begins before the file.
def test_a_file_with_changed_bytes_ends_with_a_reason_or_with_text(
    extension: str, position: float, value: bytes, tmp_path: Path
) -> None:
    content = bytearray((FIXTURES / f"garden.{extension}").read_bytes())
    start = int(position * (len(content) - len(value)))
    content[start : start + len(value)] = value
    (tmp_path / "a").write_bytes(content)
    found = attempt(tmp_path / "a", f"a.{extension}")
    assert not isinstance(found, ExtractionError) or found.reason in ALLOWED, found


def test_a_file_that_is_not_what_its_name_says_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match=r"This is not a \.pdf file, although its name says so") as caught:
        read_bytes(tmp_path, "letter.PDF", bytes(range(256)) * 4)
    assert caught.value.reason == "unsupported"


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"\x7fELF\x02\x01\x01" + bytes(300) + bytes(range(256)) * 4,
        b"\x1f\x8b\x08\x00" + bytes(range(256)) * 4,
        b"ID3\x04\x00\x00" + bytes(range(256)) * 4,
        b"{\\rtf1 Hello}",
    ],
)
def test_other_formats_are_refused_with_a_list_of_the_supported_ones(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match=r"Supported are PDF, .*EPUB.* and source code\.") as caught:
        read_bytes(tmp_path, "a.txt", content)
    assert caught.value.reason == "unsupported"


@pytest.mark.parametrize("content", [b"", b" \r\n\t \n", b"\xef\xbb\xbf"])
def test_a_file_without_text_is_empty(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert reason_of(tmp_path / "a.txt") == "empty"


@pytest.mark.parametrize(
    "name",
    [
        *("../../../../etc/passwd", "/etc/passwd.md", "..", "", ".", "a\0.md", "x" * 4_000 + ".md"),
        *("\u202eexe.txt", "a\nb.md", "\ud800.md", "C:\\a\\b.md", "-rf", "--help", "$(touch x).md", "%s%n"),
    ],
)
def test_a_name_is_never_opened_and_does_no_harm(name: str, tmp_path: Path) -> None:
    found = read_bytes(tmp_path, name, b"# Title\n\nOnly this.")
    assert everything(found.blocks).endswith("Only this.")
    assert found.media_type == ("text/markdown" if name.endswith(".md") else "text/plain")


def test_deep_nesting_is_read_or_refused(tmp_path: Path) -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 5_000 + "x" + "</w:tc></w:tr></w:tbl>" * 5_000
    assert reason_of(write_docx(tmp_path / "a.docx", deep)) == "damaged"
    read_bytes(tmp_path, "a.html", b"<div><ul><li>" * 20_000 + b"text")
    assert "end" in everything(read_bytes(tmp_path, "a.json", b'{"a":' * 300 + b'"end"' + b"}" * 300).blocks)


def test_many_comments_are_searched_for_a_page_in_little_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"<!--x-->" * 500 + b"<p")
    assert read(tmp_path / "a", limits=Limits(seconds=3)).media_type == "text/plain"
    (tmp_path / "a").write_bytes(b"<!--x-->\n" * 100 + b"<html><p>x</p>")
    assert read(tmp_path / "a", limits=Limits(seconds=3)).media_type == "text/html"
    read_bytes(tmp_path, "a.md", b"> " * 5_000 + b"text")


def test_a_cell_in_the_last_corner_of_a_sheet_does_no_harm(tmp_path: Path) -> None:
    with zipfile.ZipFile(FIXTURES / "garden.xlsx") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    end = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    path = write_zip(tmp_path / "a.xlsx", {**members, sheet: members[sheet].replace(b"</sheetData>", end)})
    assert reason_of(path) in {"failed", "out_of_memory", "damaged", "too_large"}


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", DOCUMENT_TYPES)
        archive.writestr("word/document.xml", f"<w:document xmlns:w='{WORD}'>{TEXT.format('x')}</w:document>")
        for number in range(100):
            again = copy.copy(archive.getinfo("word/document.xml"))
            again.filename = f"word/{number}.xml"
            archive.filelist.append(again)
    assert reason_of(path) == "too_large"


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "a.docx", {"[Content_Types].xml": DOCUMENT_TYPES, "word/document.xml": f"<a xmlns='{WORD}'/>"}
    )
    content = path.read_bytes()
    # Bit 0 of the flags in the table of contents.
    at = content.index(b"PK\x01\x02") + 8
    path.write_bytes(content[:at] + b"\x01" + content[at + 1 :])
    assert reason_of(path) == "encrypted"


def scan(path: Path) -> Path:
    import pypdfium2

    page = pypdfium2.PdfDocument(FIXTURES / "garden.pdf")[0]
    bitmap = page.render(scale=2, grayscale=True)
    rows = bytes(bitmap.buffer)
    pixels = b"".join(rows[each * bitmap.stride : each * bitmap.stride + bitmap.width] for each in range(bitmap.height))
    return write_scan(path, bitmap.width, bitmap.height, pixels)


def test_a_scan_is_reported_without_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read(scan(tmp_path / "a.pdf"))
    assert not found.blocks
    assert found.notes == ("1 page was without text (a scan?). Install tesseract and add the file again.",)


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_scan_is_read_by_tesseract(tmp_path: Path) -> None:
    assert subprocess.run(["tesseract", "--version"], capture_output=True, check=False).returncode == 0
    found = read(scan(tmp_path / "a.pdf"), limits=Limits(seconds=60))
    assert "apple tree is planted next to the shed" in everything(found.blocks).replace("\n", " ")
    assert "tesseract" in found.notes[0]


def test_an_empty_page_is_not_a_scan(tmp_path: Path) -> None:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>"
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    (tmp_path / "a.pdf").write_bytes(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", pages, page]))
    assert read(tmp_path / "a.pdf", limits=QUICK).notes == ("The file contains no text.",)
