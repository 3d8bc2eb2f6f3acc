"""The embedding space in use, other spaces, and the conversion of vectors for PostgreSQL.

The database records which space is in use. The settings only name the space that a new installation begins with, and
the one that `manage.py reembed` moves to.
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
from memories.embeddings.base import DEFAULT_MODEL, SHIPPED_MODELS, EmbedderConfig, Matrix, Vector
from memories.embeddings.prefixes import model_and_prefix
from memories.embeddings.store import configured_model, model_folder
from memories.embeddings.windows import Span
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace

SPACE_CACHE_SECONDS = 5.0
"""Time for which a process may go on with a space no longer in use. What it stores there is indexed again later."""


@dataclass(frozen=True, slots=True)
class OpenSpace:
    """A space and the means to embed into it.

    Get it once for each operation and use it throughout: vectors compare only within one space.
    """

    pk: int
    space: Space
    source: str | None = None

    @property
    def embedder(self) -> Embedder:
        """The embedder of the space: that of the settings, or of the space's own source if the settings name another.

        Raises EmbeddingError, also when the location of the model is unknown: texts are sent to no address that nobody
        configured.
        """
        if _configuration_matching(self.space):
            return get_embedder()
        embedder = embedder_of(self.space.provider, self._configuration())
        if embedder.space != self.space:
            if self.source is None:
                raise self._unknown_source()
            raise EmbeddingError(
                f"The model {self.space.model} in {self.source or 'this version'} has changed. Restore it, or "
                f"switch to "
                "the model of the settings: manage.py reembed."
            )
        return embedder

    def check(self) -> None:
        """Raise EmbeddingError when settings or files show that there is no embedder. Runs no model."""
        self.embedder.check()

    def _configuration(self) -> EmbedderConfig:
        model, prefix = model_and_prefix(self.space.model)
        if self.space.provider == "openai":
            if self.source is None:
                raise self._unknown_source()
            # The API key of the settings is for the endpoint of the settings only.
            key = settings.EMBEDDING_API_KEY if self.source == settings.EMBEDDING_ENDPOINT else ""
            return EmbedderConfig(self.source, key, model, self.space.dimensions, passage_prefix=prefix)
        if self.space.provider == "local":
            # If the source is unknown, a shipped model can still be recognized by its name.
            name = self.source or (model if model in SHIPPED_MODELS else "")
            return EmbedderConfig(model=name, passage_prefix=prefix)
        return EmbedderConfig(dimensions=self.space.dimensions)

    def _unknown_source(self) -> EmbeddingError:
        return EmbeddingError(
            f"The location of the model in use, {self.space}, is unknown. Set the EMBEDDING_* settings to it and start "
            "OwnSona once, or switch to the model of the settings: manage.py reembed."
        )

    def __str__(self) -> str:
        return str(self.space)


@dataclass(frozen=True, slots=True)
class TextVectors:
    """The vectors of a text's windows, the space that they belong to, and the span of each window if that is known."""

    space_id: int
    windows: Matrix
    spans: Sequence[Span] = ()


class VectorRow(NamedTuple):
    """A window as it is stored; it belongs to the text at position `ordinal` of a call."""

    ordinal: int
    space_id: int
    window: int
    vector: Vector
    start_char: int | None
    end_char: int | None


# A lambda, because the functions are defined below.
cached_space = TtlValue(lambda: _load_space_in_use() or _create_first_space(), SPACE_CACHE_SECONDS)


def space_in_use() -> OpenSpace:
    """Return the space in use; if there is none yet, create that of the settings. Raises EmbeddingError."""
    return cached_space.get()


def current_space_id() -> int:
    """Return the id of the space in use. Raises EmbeddingError, as `space_in_use` does."""
    return space_in_use().pk


def space_in_use_or_none() -> OpenSpace | None:
    """Return the space in use; None while there is none yet and the settings name none that works."""
    try:
        return space_in_use()
    except EmbeddingError:
        return None


def embedding_problems() -> list[str]:
    """Return what prevents recall by meaning, as far as settings and files show. Uses no model and no network."""
    try:
        space_in_use().check()
    except EmbeddingError as error:
        return [str(error)]
    return []


@dataclass(frozen=True, slots=True)
class ConfiguredSpace:
    """The space that the settings name, and the location of its model."""

    space: Space
    source: str


def configured_space() -> ConfiguredSpace | None:
    """Return the space that the settings name; None while they are invalid."""
    try:
        space = get_embedder().space
    except EmbeddingError:
        return None
    return ConfiguredSpace(space, settings.EMBEDDING_ENDPOINT if space.provider == "openai" else configured_model())


def _configuration_matching(space: Space) -> ConfiguredSpace | None:
    """Return what the settings name if it is `space`, else None.

    Local models are compared by name first: another one need not be prepared to find out that it differs.
    """
    if space.provider != settings.EMBEDDING_PROVIDER:
        return None
    if space.provider == "local" and not _may_be_named(configured_model() or DEFAULT_MODEL, space.model):
        return None
    configured = configured_space()
    return configured if configured and configured.space == space else None


def _may_be_named(model: str, name: str) -> bool:
    """Return whether the space of a local model, given by name or folder, can have this name."""
    if {model, name} & SHIPPED_MODELS:
        return model == name
    return name.startswith(f"{model_folder(model).resolve().name}-")


def differently_configured_space() -> Space | None:
    """Return the space that the settings name if another one is in use, else None."""
    in_use, configured = space_in_use_or_none(), configured_space()
    return configured.space if in_use and configured and configured.space != in_use.space else None


def open_space(space: Space, source: str) -> OpenSpace:
    """Return a space that can be filled, and create its row if there is none."""
    row, _ = EmbeddingSpace.objects.update_or_create(
        provider=space.provider, model=space.model, dimensions=space.dimensions, defaults={"source": source}
    )
    return _opened(row)


def put_in_use(space: OpenSpace) -> None:
    """Put `space` in use, in place of the previous one, in one transaction.

    Raises EmbeddingError, and leaves the previous one in use, if `space` has been deleted meanwhile.
    """
    with transaction.atomic():
        _lock_switching()
        EmbeddingSpace.objects.exclude(pk=space.pk).update(in_use_since=None)
        since = Coalesce("in_use_since", timezone.now())
        if not EmbeddingSpace.objects.filter(pk=space.pk).update(in_use_since=since):
            raise space_deleted_error(space)
    cached_space.invalidate()


def _lock_switching() -> None:
    """Exclude other switches until this transaction ends: two at once would deadlock on each other's rows."""
    lock_until_commit(AdvisoryLock.SPACE_SWITCH)


def space_deleted_error(space: OpenSpace) -> EmbeddingError:
    """Return the error for a `space` that is no longer in the database."""
    return EmbeddingError(f"The vectors of {space} were deleted in the meantime.")


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
    # A space is named after its model's files: that of a damaged model would not match once the files are fixed.
    embedder.check()
    configured = configured_space()
    opened = open_space(embedder.space, configured.source if configured else "")
    with transaction.atomic():
        _lock_switching()
        # Another process may have put another first space in use a moment ago.
        found = _load_space_in_use()
        if found is None:
            put_in_use(opened)
    return found or opened


def _opened(row: EmbeddingSpace) -> OpenSpace:
    return OpenSpace(row.pk, Space(row.provider, row.model, row.dimensions), row.source)


def vector_rows(texts: Sequence[TextVectors | None]) -> list[VectorRow]:
    """Return the windows of all `texts` that are not pending. A single window is the whole text and has no span."""
    return [
        VectorRow(ordinal, embedded.space_id, window, vector, *place)
        for ordinal, embedded in enumerate(texts)
        if embedded is not None
        for window, (vector, place) in enumerate(zip(embedded.windows, _window_spans(embedded), strict=True))
    ]


def vector_columns(rows: Sequence[VectorRow]) -> dict[str, object]:
    """Return the columns of `rows` as query parameters, without owners and memories."""
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
    """Convert `vector` to a query parameter."""
    return HalfVector(vector)


def as_halfvecs(vectors: Iterable[Vector]) -> list[HalfVector]:
    """Convert `vectors` to one query parameter of type halfvec[]."""
    return [HalfVector(row) for row in np.asarray(list(vectors), dtype=np.float16)]
