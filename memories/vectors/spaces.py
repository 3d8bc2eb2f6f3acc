"""The embedding space in use, other spaces, and vectors on their way to PostgreSQL.

Which space is in use stands in the database, not in the settings: those name the space that a new installation begins
with, and the one that `manage.py reembed` moves to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils import timezone
from pgvector import HalfVector

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.ttl import TtlValue
from memories.embeddings import Embedder, Space, embedder_of, get_embedder
from memories.embeddings.base import INTEGER_MINILM, SHIPPED_MODELS, EmbedderConfig, Matrix, Vector
from memories.embeddings.windows import Span
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace

SPACE_CACHE_SECONDS = 5.0
"""How long a process may go on with a space that is no longer in use: what it stores there is made up for."""


@dataclass(frozen=True, slots=True)
class OpenSpace:
    """A space and how to embed into it. Take it once for all that belongs together: its vectors fit no other."""

    pk: int
    space: Space
    source: str | None = None

    @property
    def embedder(self) -> Embedder:
        """What makes its vectors: the embedder of the settings, or that of its own source when they name another.

        Raises EmbeddingError; also when it is unknown where the model is: texts go to no address that nobody named.
        """
        if _configuration_matching(self.space):
            return get_embedder()
        embedder = embedder_of(self.space.provider, self._configuration())
        if embedder.space != self.space:
            if self.source is None:
                raise self._unknown_source()
            raise EmbeddingError(
                f"The model {self.space.model} in {self.source or 'this version'} has changed. Restore it, or move to "
                "the model that the settings name: manage.py reembed."
            )
        return embedder

    def check(self) -> None:
        """Raise EmbeddingError when there is no embedder, as far as settings and files tell: no model runs."""
        self.embedder.check()

    def _configuration(self) -> EmbedderConfig:
        if self.space.provider == "openai":
            if self.source is None:
                raise self._unknown_source()
            # The key of the settings is for the endpoint of the settings alone.
            key = settings.EMBEDDING_API_KEY if self.source == settings.EMBEDDING_ENDPOINT else ""
            return EmbedderConfig(self.source, key, self.space.model, self.space.dimensions)
        if self.space.provider == "local":
            # Of unknown models the shipped ones can be told by their names.
            return EmbedderConfig(model=self.source or (self.space.model if self.space.model in SHIPPED_MODELS else ""))
        return EmbedderConfig(dimensions=self.space.dimensions)

    def _unknown_source(self) -> EmbeddingError:
        return EmbeddingError(
            f"It is unknown where the model of the space in use, {self.space}, is. Set the EMBEDDING_* settings to it "
            "once and start OwnSona, or move to the model that they name: manage.py reembed."
        )

    def __str__(self) -> str:
        return str(self.space)


@dataclass(frozen=True, slots=True)
class TextVectors:
    """The vectors of a text's windows, the space that they belong to, and where each window stands if that is known."""

    space_id: int
    windows: Matrix
    spans: Sequence[Span] = ()


class VectorRow(NamedTuple):
    """A window as it is stored: that of the text at position `ordinal` of a call."""

    ordinal: int
    space_id: int
    window: int
    vector: Vector
    start_char: int | None
    end_char: int | None


# Looked up by what is defined below.
cached_space = TtlValue(lambda: _load_space_in_use() or _create_first_space(), SPACE_CACHE_SECONDS)


def space_in_use() -> OpenSpace:
    """The space that memories are found in. Where there is none yet, that of the settings; raises EmbeddingError."""
    return cached_space.get()


def current_space_id() -> int:
    """The id of the space in use. Raises what `space_in_use` does."""
    return space_in_use().pk


def space_in_use_or_none() -> OpenSpace | None:
    """The space in use; None while there is none yet and the settings name none that works."""
    try:
        return space_in_use()
    except EmbeddingError:
        return None


def embedding_problems() -> list[str]:
    """What keeps memories from being found by meaning, as far as settings and files tell: no model runs, no network."""
    try:
        space_in_use().check()
    except EmbeddingError as error:
        return [str(error)]
    return []


@dataclass(frozen=True, slots=True)
class ConfiguredSpace:
    """The space that the settings name, and where its model is."""

    space: Space
    source: str


def configured_space() -> ConfiguredSpace | None:
    """What the settings name; None while they are wrong."""
    try:
        space = get_embedder().space
    except EmbeddingError:
        return None
    return ConfiguredSpace(
        space, settings.EMBEDDING_ENDPOINT if space.provider == "openai" else settings.EMBEDDING_MODEL
    )


def _configuration_matching(space: Space) -> ConfiguredSpace | None:
    """What the settings name, if it is `space`. Another shipped model is not prepared to tell that it is another."""
    if space.provider != settings.EMBEDDING_PROVIDER:
        return None
    named = settings.EMBEDDING_MODEL or INTEGER_MINILM
    if space.provider == "local" and named != space.model and {named, space.model} & SHIPPED_MODELS:
        return None
    configured = configured_space()
    return configured if configured and configured.space == space else None


def differently_configured_space() -> Space | None:
    """The space that the settings name, where another one is in use."""
    in_use, configured = space_in_use_or_none(), configured_space()
    return configured.space if in_use and configured and configured.space != in_use.space else None


def open_space(space: Space, source: str) -> OpenSpace:
    """A space that may be filled; its row is made when there is none."""
    row, _ = EmbeddingSpace.objects.update_or_create(
        provider=space.provider, model=space.model, dimensions=space.dimensions, defaults={"source": source}
    )
    return _opened(row)


def put_in_use(space: OpenSpace) -> None:
    """Let memories be found in `space` from now on, and no longer in the one before: one transaction.

    Raises EmbeddingError, and leaves the one before in use, when `space` has been deleted meanwhile.
    """
    with transaction.atomic():
        _lock_switching()
        EmbeddingSpace.objects.exclude(pk=space.pk).update(in_use_since=None)
        since = Coalesce("in_use_since", timezone.now())
        if not EmbeddingSpace.objects.filter(pk=space.pk).update(in_use_since=since):
            raise space_deleted_error(space)
    cached_space.invalidate()


def _lock_switching() -> None:
    """Let nobody else switch until this transaction ends: two at once would wait for each other's rows for ever."""
    lock_until_commit(AdvisoryLock.SPACE_SWITCH)


def space_deleted_error(space: OpenSpace) -> EmbeddingError:
    """What to raise when `space` is no longer in the database."""
    return EmbeddingError(f"The vectors of {space} have been deleted meanwhile.")


def _load_space_in_use() -> OpenSpace | None:
    row = EmbeddingSpace.objects.filter(in_use_since__isnull=False).first()
    if row is None:
        return None
    found = _opened(row)
    if found.source is None and (configured := _configuration_matching(found.space)):
        EmbeddingSpace.objects.filter(pk=found.pk, source=None).update(source=configured.source)
        return replace(found, source=configured.source)
    return found


def _create_first_space() -> OpenSpace:
    embedder = get_embedder()
    # The space of a damaged model would be that of another one once its files are mended.
    embedder.check()
    configured = configured_space()
    opened = open_space(embedder.space, configured.source if configured else "")
    with transaction.atomic():
        _lock_switching()
        # Another process may have begun with another one a moment ago.
        found = _load_space_in_use()
        if found is None:
            put_in_use(opened)
    return found or opened


def _opened(row: EmbeddingSpace) -> OpenSpace:
    return OpenSpace(row.pk, Space(row.provider, row.model, row.dimensions), row.source)


def vector_rows(texts: Sequence[TextVectors | None]) -> list[VectorRow]:
    """The windows of all of `texts`, pending ones aside. An only window is the whole text: it has no place."""
    return [
        VectorRow(ordinal, embedded.space_id, window, vector, *place)
        for ordinal, embedded in enumerate(texts)
        if embedded is not None
        for window, (vector, place) in enumerate(zip(embedded.windows, _window_spans(embedded), strict=True))
    ]


def vector_columns(rows: Sequence[VectorRow]) -> dict[str, object]:
    """The columns of `rows` as query parameters; not whose they are."""
    return {
        "spaces": [row.space_id for row in rows],
        "windows": [row.window for row in rows],
        "vectors": as_halfvecs(row.vector for row in rows),
        "starts": [row.start_char for row in rows],
        "ends": [row.end_char for row in rows],
    }


def _window_spans(embedded: TextVectors) -> Sequence[tuple[int | None, int | None]]:
    return embedded.spans if len(embedded.spans) > 1 else [(None, None)] * len(embedded.windows)


def as_halfvec(vector: Vector) -> HalfVector:
    """`vector` as a query parameter."""
    return HalfVector(vector)


def as_halfvecs(vectors: Iterable[Vector]) -> list[HalfVector]:
    """`vectors` as one query parameter of type halfvec[]."""
    return [HalfVector(row) for row in np.asarray(list(vectors), dtype=np.float16)]
