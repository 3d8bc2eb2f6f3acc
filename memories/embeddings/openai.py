"""The `openai` provider: any endpoint with the API of OpenAI's POST /v1/embeddings (OpenAI, Ollama, vLLM, …)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from django.conf import settings
from pydantic import BaseModel, ConfigDict

from memories.embeddings.base import EmbedderConfig, Embedding, Matrix, Space, Vector
from memories.embeddings.charging import charge_characters
from memories.embeddings.endpoint import Endpoint, RetryPolicy
from memories.embeddings.prefixes import Prefixes, chosen_prefixes, known_prefixes, name_with_prefix
from memories.embeddings.vectors import embeddings, mean_direction, unit_rows
from memories.embeddings.windows import byte_windows
from memories.errors import EmbeddingError

DEFAULT_ENDPOINT = "https://api.openai.com/v1"
MAX_REQUEST_INPUTS = 128
MAX_REQUEST_BYTES = 100_000

# OpenAI's own models read 8,192 tokens. Of others only the minimum is known: the common small ones stop at 256 tokens,
# about 1,000 letters of English, and the server either refuses a longer text or silently truncates it.
OPENAI_WINDOW_BYTES = 6_000
OTHER_WINDOW_BYTES = 1_000
OVERLAP_BYTES = 250
MIN_WINDOW_BYTES = 500
"""Size of a window beside a prefix, however long the prefix is."""

REFUSED_PARAMETER = frozenset({400, 422})
"""Statuses with which a server may refuse a parameter that it does not know."""

NO_PREFIXES = Prefixes()


class _Item(BaseModel):
    # Strict: true or "1" in place of a number does not mean that number.
    model_config = ConfigDict(strict=True)

    index: int
    # In base64 a vector takes less than half the bytes and a tenth of the time to read.
    embedding: str | list[float]

    def vector(self) -> npt.NDArray[np.floating]:
        """Return the vector, in base64 little-endian float32. Raises ValueError."""
        if isinstance(self.embedding, str):
            return np.frombuffer(base64.b64decode(self.embedding, validate=True), dtype="<f4")
        return np.array(self.embedding, dtype=np.float64)


class _Answer(BaseModel):
    data: list[_Item]


def embedder(configuration: EmbedderConfig) -> OpenAIEmbedder:
    """Return the embedder that the settings name. Raises EmbeddingError when they are wrong; sends nothing."""
    if not configuration.model or not configuration.dimensions:
        raise EmbeddingError("EMBEDDING_PROVIDER=openai needs EMBEDDING_MODEL and EMBEDDING_DIMENSIONS.")
    return OpenAIEmbedder(
        endpoint=configuration.endpoint or DEFAULT_ENDPOINT,
        model=configuration.model,
        dimensions=configuration.dimensions,
        api_key=configuration.api_key,
        retry_policy=RetryPolicy(interactive_seconds=settings.EMBEDDING_WAIT_SECONDS),
        prefixes=chosen_prefixes(
            known_prefixes(configuration.model), configuration.query_prefix, configuration.passage_prefix
        ),
    )


class OpenAIEmbedder:
    """An embedder over HTTP. `retry_policy` limits each request; one that fails ends the call.

    `prefixes` are put before every window of a question or of a passage: servers add none by themselves.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        model: str,
        dimensions: int,
        api_key: str = "",
        retry_policy: RetryPolicy | None = None,
        prefixes: Prefixes = NO_PREFIXES,
    ) -> None:
        self._space = Space("openai", name_with_prefix(model, prefixes.passage), dimensions)
        self._model = model
        self._prefixes = prefixes
        self._endpoint = Endpoint(endpoint, api_key, retry_policy or RetryPolicy())
        # None until the server has accepted or refused the parameter.
        self._accepts_base64: bool | None = None
        self._window_bytes = OPENAI_WINDOW_BYTES if "text-embedding-" in model else OTHER_WINDOW_BYTES

    @property
    def space(self) -> Space:
        return self._space

    def check(self) -> None:
        """Check nothing: that would need the network."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return self._embed(texts, self._prefixes.passage)

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [mean_direction(embedding.windows) for embedding in self._embed(texts, self._prefixes.query)]

    def _embed(self, texts: Sequence[str], prefix: str) -> list[Embedding]:
        """Return the vectors of each text's windows. The prefix takes its part of the room in a window."""
        room = max(MIN_WINDOW_BYTES, self._window_bytes - len(prefix.encode()))
        # JSON cannot carry lone surrogates, which are not characters.
        sendable = [text.encode("utf-8", "replace").decode() for text in texts]
        spans_of_texts = [byte_windows(text, room, OVERLAP_BYTES) for text in sendable]
        inputs = [
            prefix + text[span.start : span.end]
            for text, spans in zip(sendable, spans_of_texts, strict=True)
            for span in spans
        ]
        rows = (row for request in _requests(inputs) for row in self._vectors(request))
        return embeddings(rows, spans_of_texts)

    def _vectors(self, inputs: list[str]) -> Matrix:
        """Return one row per input, in order. Raises EmbeddingError."""
        charge_characters(sum(map(len, inputs)))
        payload: dict[str, object] = {"model": self._model, "input": inputs}
        if "text-embedding-3" in self._model:
            # Older models refuse the parameter.
            payload["dimensions"] = self._space.dimensions
        body = self._post(payload)
        try:
            items = sorted(_Answer.model_validate_json(body).data, key=lambda item: item.index)
            rows = [item.vector() for item in items]
        except ValueError as error:
            raise EmbeddingError(
                f"{self._endpoint} did not respond in the format of OpenAI's embeddings API."
            ) from error
        if [item.index for item in items] != list(range(len(inputs))):
            raise EmbeddingError(f"{self._endpoint} did not return one vector for each of {len(inputs)} texts.")
        for row in rows:
            if len(row) != self._space.dimensions:
                raise EmbeddingError(
                    f"{self._model} gives vectors of {len(row)} dimensions, "
                    f"but EMBEDDING_DIMENSIONS is {self._space.dimensions}."
                )
        return unit_rows(np.stack(rows))

    def _post(self, payload: dict[str, object]) -> bytes:
        """Send `payload` and return the body of the response, with vectors in base64 if the server accepts that."""
        if self._accepts_base64 is not False:
            try:
                body = self._endpoint.post({**payload, "encoding_format": "base64"})
            except EmbeddingError as error:
                if self._accepts_base64 or error.status not in REFUSED_PARAMETER:
                    raise
            else:
                self._accepts_base64 = True
                return body
        body = self._endpoint.post(payload)
        self._accepts_base64 = False
        return body


def _requests(inputs: Sequence[str]) -> Iterator[list[str]]:
    """Yield `inputs` in order, in groups that fit into one request."""
    group: list[str] = []
    size_bytes = 0
    for text in inputs:
        length = len(text.encode())
        if group and (len(group) == MAX_REQUEST_INPUTS or size_bytes + length > MAX_REQUEST_BYTES):
            yield group
            group, size_bytes = [], 0
        group.append(text)
        size_bytes += length
    if group:
        yield group
