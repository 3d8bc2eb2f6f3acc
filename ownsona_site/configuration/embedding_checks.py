"""System check of the embedding model. Separate from the other checks, since it needs Django's models to be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.core.checks import CheckMessage, Warning  # noqa: A004 - the framework's name
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from memories.embeddings import get_embedder
from memories.errors import EmbeddingError
from memories.vectors.following import space_to_follow
from memories.vectors.spaces import OpenSpace, space_in_use


def check_embeddings(databases: Sequence[str] | None = None, **_: object) -> list[CheckMessage]:
    """Return warnings if an embedding model cannot be used, or if the settings name another one than that in use."""
    return list(_warnings()) if DEFAULT_DB_ALIAS in (databases or ()) else []


def _warnings() -> Iterator[CheckMessage]:
    try:
        in_use = _space_in_use()
        if in_use is not None:
            in_use.check()
    except EmbeddingError as error:
        yield Warning(str(error), hint="Until then, searches use keywords only.", id="ownsona.W004")
        return
    stays = f"{in_use} stays in use. " if in_use else ""
    try:
        configured = get_embedder()
        configured.check()
    except EmbeddingError as error:
        yield Warning(str(error), hint=f"{stays}Fix the setting or the model.", id="ownsona.W004")
        return
    if in_use is not None and configured.space != in_use.space and space_to_follow() is None:
        message = f"EMBEDDING_*: the settings name {configured.space}, but memories are embedded with {in_use}."
        yield Warning(
            message, hint=f"{stays}Switch with `manage.py reembed`, or restore the settings.", id="ownsona.W005"
        )


def _space_in_use() -> OpenSpace | None:
    """Return the embedding space in use. None before the first migration or without a database (see check_database)."""
    try:
        return space_in_use()
    except DatabaseError:
        return None
