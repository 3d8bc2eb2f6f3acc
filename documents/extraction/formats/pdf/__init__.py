"""PDF documents, read with PDFium."""

from documents.extraction.formats.pdf.document import extract

__all__ = ["extract"]
