"""PDF files."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate

from benchmarks.passages.texts import Piece


class _Template(SimpleDocTemplate):
    """A document that names its headings in the outline."""

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - the library calls it
        if not isinstance(flowable, Paragraph) or not flowable.style.name.startswith("Heading"):
            return
        key = f"heading-{id(flowable)}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(flowable.getPlainText(), key, int(flowable.style.name[-1]) - 1, 0)


def pdf(pieces: Sequence[Piece], *, has_outline: bool) -> bytes:
    """Return a PDF on small pages, with or without an outline."""
    styles = getSampleStyleSheet()
    story: list[Flowable] = [
        Paragraph(
            html.escape(piece.text).replace("\n", "<br/>"),
            styles[f"Heading{piece.level}"] if piece.level else styles["BodyText"],
        )
        for piece in pieces
    ]
    file = io.BytesIO()
    template = _Template if has_outline else SimpleDocTemplate
    template(file, pagesize=A5, title=pieces[0].text, author="").build(story)
    return file.getvalue()
