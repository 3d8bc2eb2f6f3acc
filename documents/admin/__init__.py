"""The owner's pages on documents and sources."""

from documents.admin.document import DocumentAdmin
from documents.admin.source_pages.source import SourceAdmin

__all__ = ["DocumentAdmin", "SourceAdmin"]
