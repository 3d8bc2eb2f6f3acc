"""Tests of the formats that are text: web pages, Markdown, tables, JSON, messages, code, and their encodings."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from documents.extraction import media_types
from documents.extraction.limits import Limits
from tests.documents.extraction.files import FIXTURES, everything, headings, read, read_bytes, texts

GERMAN = "Die Größe der Äpfel überrascht: Bäume über dem Fluß, schöne Grüße aus Österreich."
FRENCH = "Été à l'hôtel: déjà vu, garçon, où êtes-vous? Noël est passé, voilà les élèves."
POLISH = "Zażółć gęślą jaźń. Spotkanie we wtorek w Łodzi, proszę zabrać dokumenty."
RUSSIAN = "Встреча во вторник в Москве. Пожалуйста, принесите все документы и ключи от дома."
JAPANESE = "これは日本語の文章です。明日は東京で会議があります。資料を持ってきてください。"
CHINESE = "这是一个中文文档。明天我们在北京开会，请带上所有的资料。"

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Garden &amp; shed</title><meta name="author" content="Ana">
<meta property="article:published_time" content="2024-05-06T10:00:00+02:00"><style>p {color: red}</style></head>
<body><nav><a href="/">Home</a></nav><h1>The <em>garden</em></h1><script>alert("no")</script>
<p>First<br>line &eacute; <b>bold</b>.</p><p hidden>Invisible</p><div>Loose text<p>inner</p>tail</div>
<ul><li>One</li><li>Two<ul><li>Deep</li></ul></li></ul><pre>if x:
    y</pre><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2 | 3</td></tr></table><h3>End</h3></body></html>"""


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((GERMAN, each) for each in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")),
        *((GERMAN, each) for each in ("cp1252", "latin-1")),
        (FRENCH, "latin-1"),
        (GERMAN + " Preis: 5 €", "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859-2"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "utf-16-le"),
        (JAPANESE, "shift-jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso2022-jp"),
        (CHINESE, "gb18030"),
        (CHINESE + "\nabc", "utf-16-be"),
    ],
)
def test_a_text_is_read_in_its_encoding(text: str, encoding: str, tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.txt", text.encode(encoding))
    assert "\n".join(texts(found)) == text


def test_a_legacy_encoding_is_found_far_behind_the_beginning(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.txt", b"plain words\n\n" * 10_000 + GERMAN.encode("cp1252"))
    assert texts(found)[-1] == GERMAN


def test_paragraphs_of_a_plain_text_are_separated_by_blank_lines(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.txt", b"One\r\nline\r\n\r\n  \r\nTwo\x00\x07\x1b[0m\r\n" + b"words " * 50)
    assert texts(found)[0] == "One\nline"
    assert texts(found)[1].startswith("Two[0m\nwords words")


def test_a_page_keeps_its_structure_without_scripts_styles_and_navigation(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "page", PAGE.encode())
    assert found.media_type == media_types.HTML
    assert (found.title, found.author) == ("Garden & shed", "Ana")
    assert found.created_at is not None
    assert found.created_at.astimezone(UTC) == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert headings(found) == [(1, "The garden"), (3, "End")]
    assert texts(found) == ["First\nline é bold.", "Loose text", "inner", "tail", "- One\n- Two\n  - Deep"]
    assert texts(found, "code") == ["if x:\n    y"]
    assert texts(found, "table") == ["A | B\n1 | 2 ¦ 3"]


def test_a_page_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    page = f'<html><head><meta charset="windows-1251"></head><body><p>{RUSSIAN}</p></body></html>'
    assert texts(read_bytes(tmp_path, "a.html", page.encode("cp1251"))) == [RUSSIAN]


def test_wrapped_lines_of_markdown_are_joined_and_ordered_lists_keep_their_numbers(tmp_path: Path) -> None:
    found = read_bytes(
        tmp_path,
        "a.md",
        b"The doors\nno longer\nclose.  \nNew ones cost\n300.\n\n3. Measure\n   again\n4. Order\n   - oak\n",
    )
    assert texts(found) == ["The doors no longer close.\nNew ones cost 300.", "3. Measure again\n4. Order\n  - oak"]


def test_markdown_keeps_headings_lists_tables_code_and_front_matter() -> None:
    found = read(FIXTURES / "garden.md")
    assert (found.title, found.author) == ("Garden plan", "Ana Example")
    assert found.created_at == datetime(2024, 5, 6, tzinfo=UTC)
    assert headings(found) == [(1, "Spring"), (2, "Tools")]
    assert texts(found, "table") == ["Tool | Count\nRake | 2\nHoe | 1"]
    assert texts(found, "code") == ['print("hello")']
    assert "- Tomatoes\n- Beans" in texts(found)


@pytest.mark.parametrize(
    "tags", ["[garden, '#shed', yes, 2024]", "\n- garden\n- shed\n- yes\n- 2024", "garden shed yes 2024"]
)
def test_tags_of_front_matter_are_text(tags: str, tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.md", f"---\ntags: {tags}\n---\nText\n".encode())
    assert found.tags == ("garden", "shed", "yes", "2024")


def test_damaged_front_matter_is_text(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.md", b"---\ntitle: [\n---\nText\n")
    assert "title: [" in everything(found.blocks)
    assert found.title is None


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t"), ("a.csv", "|")])
def test_a_table_is_read_with_its_separator(name: str, separator: str, tmp_path: Path) -> None:
    rows = [["Plant", "Note", "Count"], ["Tomato", f'"red{separator} ripe\nfruit"', "12"], ["Bean", "", "40"]]
    content = "\n".join(separator.join(row) for row in rows)
    found = read_bytes(tmp_path, name, content.encode())
    cell = f"red{separator} ripe fruit".replace("|", "¦").replace("\t", " ").replace("  ", " ")
    assert texts(found, "table") == [f"Plant | Note | Count\nTomato | {cell} | 12\nBean |  | 40"]


def test_json_becomes_a_paragraph_for_each_record(tmp_path: Path) -> None:
    records = [
        {"name": "Ana", "home": {"town": "Graz"}, "likes": ["tea", "rain"], "none": None},
        {"name": "Ben", "ok": True},
    ]
    expected = ["name: Ana\nhome.town: Graz\nlikes: tea, rain", "name: Ben\nok: true"]
    assert texts(read_bytes(tmp_path, "a.json", json.dumps(records).encode())) == expected
    lines = "\n".join(json.dumps(record) for record in records) + "\nnot JSON"
    assert texts(read_bytes(tmp_path, "a.jsonl", lines.encode())) == [*expected, "not JSON"]


def test_damaged_and_deep_json_is_plain_text(tmp_path: Path) -> None:
    for content in (b'{"a": ', b"[" * 200_000):
        found = read_bytes(tmp_path, "a.json", content)
        assert found.notes
        assert found.blocks[0].text[0] in "{["


def test_a_message_keeps_its_headers_and_text_and_names_attachments(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Größe", "Ana <ana@example.org>", "ben@example.org"
    message["Date"] = "Mon, 06 May 2024 10:00:00 +0200"
    message.set_content("The door is ordered.\n\nSee you on Friday.")
    message.add_alternative("<p>The <b>web page</b></p>", subtype="html")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Tür.pdf")
    found = read_bytes(tmp_path, "message", message.as_bytes())
    assert found.media_type == media_types.MAIL
    assert (found.title, found.author) == ("Größe", "Ana <ana@example.org>")
    assert found.created_at == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert texts(found) == ["The door is ordered.", "See you on Friday."]
    assert found.metadata["attachments"] == "Tür.pdf"
    assert found.metadata["to"] == "ben@example.org"


def test_a_message_without_plain_text_is_read_from_its_page(tmp_path: Path) -> None:
    headers = b"From: a@b.c\r\nTo: d@e.f\r\nSubject: x\r\nContent-Type: text/html; charset=nonsense\r\n"
    content = headers + b"\r\n<h2>Hi</h2><p>You</p>"
    found = read_bytes(tmp_path, "a.eml", content)
    assert headings(found) == [(2, "Hi")]
    assert texts(found) == ["You"]


def test_code_keeps_its_spaces_and_names_its_language(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.PY", b"def f():\n\treturn 1\n\n\n# <html>\n")
    assert texts(found, "code") == ["def f():\n\treturn 1\n\n\n# <html>"]
    assert found.metadata["language"] == "Python"


def test_a_long_page_without_elements_is_read(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.html", b"<p>" + b"words in a row " * 800_000, Limits(output_chars=13_000_000))
    assert sum(len(block.text) for block in found.blocks) > 11_900_000
