"""The system check of the embedding model. Apart from the others, since it needs the models to be loaded."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.checks import CheckMessage, Warning  # noqa: A004 - the framework's name
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from memories.embeddings import get_embedder
from memories.errors import EmbeddingError
from memories.spaces import configured_space, space_in_use


def embeddings_are_usable(databases: Sequence[str] | None = None, **_: object) -> list[CheckMessage]:
    """Warnings when the model cannot be used, and when the settings name another one than that in use."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    try:
        configured = configured_space()
        try:
            in_use = space_in_use()
        except DatabaseError:
            # Before the first migration there are no spaces, and without a database another check says so.
            get_embedder()
            return []
        in_use.check()
    except EmbeddingError as error:
        return [Warning(str(error), hint="Until then memories are found by their words alone.", id="ownsona.W004")]
    if configured is None or configured.space == in_use.space:
        return []
    message = (
        f"EMBEDDING_*: the settings name {configured.space}, but memories are embedded with {in_use}, which stays."
    )
    return [Warning(message, hint="Move them with `manage.py reembed`, or set it back.", id="ownsona.W005")]
