"""Files that the tests of extraction write."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from documents.extraction.extracted import Block, Extracted, ExtractionError
from documents.extraction.isolation import extract_isolated
from documents.extraction.limits import Limits

FIXTURES: Final = Path(__file__).resolve().parents[2] / "fixtures" / "documents"
QUICK: Final = Limits(seconds=20, cpu_seconds=10)

DOCUMENT_TYPES: Final = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="'
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def read(path: Path, name: str | None = None, limits: Limits = QUICK) -> Extracted:
    """Extract a file with little time."""
    return extract_isolated(path, path.name if name is None else name, limits)


def read_bytes(folder: Path, name: str, content: bytes, limits: Limits = QUICK) -> Extracted:
    """Write a file under a plain name, and extract it with the given name."""
    path = folder / "stored"
    path.write_bytes(content)
    return read(path, name, limits)


def reason_of(path: Path, name: str | None = None, limits: Limits = QUICK) -> str:
    """Return the reason why nothing is extracted. The error is a sentence."""
    found = attempt(path, name, limits)
    assert isinstance(found, ExtractionError), found
    assert str(found).endswith("."), found
    return found.reason


def attempt(path: Path, name: str | None = None, limits: Limits = QUICK) -> Extracted | ExtractionError:
    """Return the result or the error."""
    try:
        return read(path, name, limits)
    except ExtractionError as error:
        return error


def texts(extracted: Extracted, kind: str = "text") -> list[str]:
    """Return the texts of the blocks of a kind."""
    return [block.text for block in extracted.blocks if block.kind == kind]


def headings(extracted: Extracted) -> list[tuple[int, str]]:
    """Return the levels and texts of the headings."""
    return [(block.level, block.text) for block in extracted.blocks if block.kind == "heading"]


def everything(blocks: Sequence[Block]) -> str:
    """Return the text of all blocks."""
    return "\n".join(block.text for block in blocks)


def write_zip(path: Path, members: Mapping[str, str | bytes]) -> Path:
    """Write a ZIP archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def write_docx(path: Path, body: str, prolog: str = "", extra: Mapping[str, str | bytes] | None = None) -> Path:
    """Write a Word document with the given XML in its body."""
    document = f'{prolog}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return write_zip(path, {"[Content_Types].xml": DOCUMENT_TYPES, "word/document.xml": document, **(extra or {})})


def write_pdf(path: Path, pages: Sequence[Sequence[str]], catalog: str = "", declared: int | None = None) -> Path:
    """Write a PDF with the given lines on its pages, in letters of 12 points with 14 points between the lines."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{catalog}>>".encode(),
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages) if declared is None else declared}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for index, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content = f"BT /F1 12 Tf 72 770 Td 14 TL {shown} ET".encode()
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            % (5 + 2 * index)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
    path.write_bytes(pdf_of(objects))
    return path


def write_scan(path: Path, width: int, height: int, pixels: bytes) -> Path:
    """Write a PDF with one page, which has a grey image and no text."""
    data = zlib.compress(pixels)
    image = (
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode"
        b"/Length %d>>stream\n%s\nendstream" % (width, height, len(data), data)
    )
    content = b"q 595 0 0 842 0 0 cm /I Do Q"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>"
    shown = b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    path.write_bytes(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", pages, page, shown, image]))
    return path


def pdf_of(objects: Sequence[bytes]) -> bytes:
    """Return a PDF file of the objects, the first of which is the catalog."""
    parts, offsets, size = [b"%PDF-1.7\n"], [], 9
    for number, content in enumerate(objects, 1):
        offsets.append(size)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        size += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table))
    parts.append(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, size))
    return b"".join(parts)
