"""The chunks of documents as a corpus of the retrieval engine."""

from __future__ import annotations

from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan

from common.advisory_locks import AdvisoryLock
from documents.embedded_parts import PART_CHARS
from memories.corpus import Corpus

# A document says what it says: its chunks are statements of equal importance, as fresh as their version.
CHUNKS = Corpus(
    name="chunk",
    items="documents_chunk",
    vectors="documents_chunkvector",
    postings="documents_chunkposting",
    item_model="documents.Chunk",
    vector_model="documents.ChunkVector",
    item_id="chunk_id",
    group="version_id",
    active="deleted_at IS NULL",
    inactive_ids=(
        "SELECT id FROM documents_chunk "
        "WHERE owner_id = %(owner)s AND (deleted_at IS NOT NULL OR quarantined_from IS NOT NULL)"
    ),
    signals=(
        "1::float8 AS stated, 0.5::float8 AS importance, 0 AS size, created_at AS last_confirmed_at, created_at, "
        "NULL::timestamptz AS valid_until, NULL::datemultirange AS named_days"
    ),
    indexing_lock=AdvisoryLock.CHUNK_INDEXING,
    is_divided=GreaterThan(Length("text"), PART_CHARS),
)
