"""Loading of the local model before processes are forked, so that they share its memory."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connections

from memories.errors import EmbeddingError
from memories.vectors.spaces import space_in_use


def load_model() -> None:
    """Load the model of the space in use if it is local. What prevents that is reported by the first search.

    No connection to the database stays open: processes cannot share one.
    """
    if settings.EMBEDDING_PROVIDER != "local":
        return
    try:
        used = space_in_use()
        if used.space.provider == "local":
            used.embedder.embed_query("load")
    except (DatabaseError, EmbeddingError):
        pass
    finally:
        connections.close_all()
