"""Presentations (PPTX). ECMA-376, part 1, section 19 (PresentationML)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from documents.extraction.archive import Archive
from documents.extraction.formats import ooxml
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import Element, attribute, descendants, local_name

_TITLES: Final = frozenset({"title", "ctrTitle"})
# The number of the slide, the date, the header and the footer repeat on each slide.
_REPEATED: Final = frozenset({"sldNum", "dt", "hdr", "ftr", "sldImg"})


def extract(source: Source, output: Output) -> None:
    """Add the slides in their order: titles as headings, texts, tables, and the speaker's notes."""
    with Archive(source.path) as archive:
        ooxml.add_properties(archive, output)
        slides = _slides(archive)
        output.pages = len(slides)
        for number, slide in enumerate(slides[: source.limits.pages], 1):
            _add_slide(archive, slide, number, output)
            output.progress(number, len(slides))
        if len(slides) > source.limits.pages:
            output.is_truncated = True
            output.note(
                translatable(
                    "Only the first %(pages)s of %(total)s slides were read.",
                    pages=f"{source.limits.pages:,}",
                    total=f"{len(slides):,}",
                )
            )


def _slides(archive: Archive) -> list[str]:
    part = ooxml.main_part(archive, "ppt/presentation.xml")
    targets = ooxml.relations(archive, part)
    ids = (_relation_id(element) for element in descendants(ooxml.read_part(archive, part), "sldId"))
    return [targets[each].target for each in ids if each in targets and targets[each].target in archive]


def _relation_id(element: Element) -> str:
    # It has an attribute `id` without a namespace as well.
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")


def _add_slide(archive: Archive, slide: str, number: int, output: Output) -> None:
    root = ooxml.read_part(archive, slide)
    # The title need not be the first shape of the file.
    shapes = sorted(_shapes(root), key=lambda shape: _placeholder(shape) not in _TITLES)
    for shape in shapes:
        kind = _placeholder(shape)
        if kind in _TITLES:
            output.heading(" ".join(_paragraphs(shape)), 1, number)
        elif local_name(shape) == "tbl":
            rows = (
                [" ".join(_paragraphs(cell)) for cell in descendants(row, "tc")] for row in descendants(shape, "tr")
            )
            output.table(rows, number)
        elif kind not in _REPEATED:
            output.text("\n".join(_paragraphs(shape)), number)
    for notes in ooxml.related(archive, slide, "notesSlide"):
        for shape in _shapes(ooxml.read_part(archive, notes)):
            if _placeholder(shape) not in _REPEATED:
                output.text("\n".join(_paragraphs(shape)), number)


def _shapes(root: Element) -> Iterator[Element]:
    """Return the shapes with text, also those in groups, and the tables."""
    return descendants(root, "sp", "tbl")


def _placeholder(shape: Element) -> str:
    """Return the kind of the placeholder that a shape fills; empty if it fills none."""
    placeholder = next(descendants(shape, "ph"), None)
    return (attribute(placeholder, "type") or "body") if placeholder is not None else ""


def _paragraphs(shape: Element) -> list[str]:
    texts = (
        "".join("\n" if local_name(piece) == "br" else piece.text or "" for piece in descendants(paragraph, "t", "br"))
        for paragraph in descendants(shape, "p")
    )
    return [text for text in texts if text.strip()]
