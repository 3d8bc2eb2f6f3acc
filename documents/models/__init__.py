"""Database tables of documents. Every row belongs to an owner."""

from documents.models.chunk import Chunk, ChunkPosting, ChunkVector
from documents.models.document import Document, DocumentManager, DocumentQuerySet, Original, OriginalPart, Version
from documents.models.source import Source, SourceItemState

__all__ = [
    "Chunk",
    "ChunkPosting",
    "ChunkVector",
    "Document",
    "DocumentManager",
    "DocumentQuerySet",
    "Original",
    "OriginalPart",
    "Source",
    "SourceItemState",
    "Version",
]
