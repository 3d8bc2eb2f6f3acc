"""The documents of a map, and a vector for each."""

from __future__ import annotations

import uuid

import numpy as np

from documents.models import Document
from memories.access import View
from memories.database import fetch_rows
from memories.map.vectors import Located

READ_CHUNKS = 6
"""Number of the first chunks whose vectors stand for a document. They say what it is about."""

_MEANS = """
SELECT chunk.document_id, avg(vector.embedding::vector)::text
FROM documents_chunk AS chunk JOIN documents_chunkvector AS vector ON vector.chunk_id = chunk.id
WHERE chunk.owner_id = %(owner)s AND vector.owner_id = %(owner)s AND vector.space_id = %(space)s
  AND chunk.document_id = ANY (%(documents)s::uuid[]) AND chunk.number < %(chunks)s
GROUP BY chunk.document_id ORDER BY chunk.document_id
"""


def document_vectors(view: View, space_id: int, limit: int) -> Located[uuid.UUID]:
    """Return the at most `limit` latest documents of the view, each with the mean of its first vectors. Two queries.

    Documents without a vector are left out.
    """
    ids = list(Document.objects.visible_to(view).not_deleted().newest_first().values_list("pk", flat=True)[:limit])
    parameters = {"owner": view.owner_id, "space": space_id, "documents": ids, "chunks": READ_CHUNKS}
    rows = fetch_rows(_MEANS, parameters) if ids else []
    if not rows:
        return Located([], np.zeros((0, 1), np.float32))
    vectors = np.array([np.fromstring(text.strip("[]"), np.float32, sep=",") for _, text in rows])
    return Located([document_id for document_id, _ in rows], vectors)
