"""Loading of the networks of recall before processes are forked, so that they share their memory."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connections

from memories.embeddings.base import SHIPPED_MODELS
from memories.errors import EmbeddingError
from memories.recall.answering import ANSWERING
from memories.vectors.spaces import space_in_use


def load_networks() -> None:
    """Load the model of the space in use if it is local, and the network that reads answers if recall uses it.

    What prevents that is reported by the first search.

    No connection to the database stays open: processes cannot share one.
    """
    if settings.EMBEDDING_PROVIDER != "local":
        return
    try:
        used = space_in_use()
        if used.space.provider == "local":
            used.embedder.embed_query("load")
            if used.space.model in SHIPPED_MODELS:
                ANSWERING.get()
    except (DatabaseError, EmbeddingError):
        pass
    finally:
        connections.close_all()
