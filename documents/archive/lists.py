"""The lists of an archive that hold documents, their versions and chunks, and the names of their originals."""

from __future__ import annotations

import re
from typing import Final

from documents.models import Chunk, Document, Version
from memories.transfer.archive.columns import Columns

NAME: Final = "documents"
DOCUMENTS: Final = Columns(Document, leave_out={"owner_id", "current_id"})
VERSIONS: Final = Columns(Version, leave_out={"id", "original_id"})
# The other columns are copies of the document's, or parts of the version's text.
CHUNKS: Final = Columns(
    Chunk,
    leave_out={
        *("id", "owner_id", "version_id", "text"),
        *("source", "tags", "created_at", "deleted_at", "quarantined_from"),
    },
)
CURRENT: Final = "current_number"
"""The field of a document with the number of its current version."""
SHA256: Final = "original_sha256"
"""The field of a version with the digest of its original, in hex."""

DOCUMENT_LIST: Final = "documents"
VERSION_LIST: Final = "document_versions"
CHUNK_LIST: Final = "document_chunks"
MEMBERS: Final = re.compile(rf"(?:{DOCUMENT_LIST}|{VERSION_LIST}|{CHUNK_LIST})\.jsonl|originals/[0-9a-f]{{64}}")


def original_member(sha256: str) -> str:
    """Return the name of the member with an original."""
    return f"originals/{sha256}"
