"""Documents as a part of archives."""

from __future__ import annotations

from typing import Final

from documents.archive.lists import MEMBERS, NAME
from documents.archive.restoring import restore_documents
from documents.archive.writing import write_documents
from memories.transfer.archive.registry import Part

DOCUMENTS_PART: Final = Part(NAME, MEMBERS, write_documents, restore_documents)
