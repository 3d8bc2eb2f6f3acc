"""Sentence-transformer models on onnxruntime, in this process."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from memories.embeddings.base import Embedding, Pooling, Space, Vector
from memories.embeddings.runtime import onnxruntime
from memories.embeddings.vectors import embeddings, mean_direction, unit_rows
from memories.embeddings.windows import Span, text_windows, token_costs
from memories.errors import EmbeddingError

WINDOW_TOKENS = 128
"""Number of tokens in a window of a longer text: in a long window, the rest outweighs what answers a question."""

OVERLAP_DIVISOR = 4
"""Divisor: neighbouring windows share at most 1/`OVERLAP_DIVISOR` of a window."""

MIN_WINDOW_TOKENS = 32
MAX_BATCH_THREADS = 4

SENTENCE_OUTPUT = "sentence_embedding"
"""The output of a network that pools by itself: the vector of the text."""


Text = TypeVar("Text")
"""A text in any form."""

Result = TypeVar("Result")
"""The result of a network for a text."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A sentence-transformer: its files, and how its token vectors become one vector of the text.

    `max_tokens` limits a window, special tokens included. The prompts precede every window of a question or of a
    passage, for models that were trained with them. `is_whole`: its files are known to be undamaged.
    """

    space: Space
    network: Path
    tokenizer: Path
    max_tokens: int
    pooling: Pooling = "mean"
    query_prompt: str = ""
    passage_prompt: str = ""
    is_whole: bool = False


class OnnxEmbedder:
    """The embedder of a `ModelCard`. The model is loaded when the first text is embedded."""

    def __init__(self, card: ModelCard) -> None:
        self._card = card
        self._loading = threading.Lock()
        self._model: _LoadedModel | None = None

    @property
    def space(self) -> Space:
        return self._card.space

    def check(self) -> None:
        if not self._card.is_whole:
            self._loaded()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return self._embeddings(texts, self._card.passage_prompt)

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        embedded = self._embeddings(texts, self._card.query_prompt)
        return [mean_direction(embedding.windows) for embedding in embedded]

    def _embeddings(self, texts: Sequence[str], prompt: str) -> list[Embedding]:
        """Return the vectors of each text's windows. Each window runs alone, so a text has the same vector in any
        batch.
        """
        model = self._loaded()
        windows_of_texts = [model.windows(text, prompt) for text in texts]
        rows = model.vectors([ids for windows in windows_of_texts for _, ids in windows])
        return embeddings(rows, [[span for span, _ in windows] for windows in windows_of_texts])

    def _loaded(self) -> _LoadedModel:
        with self._loading:
            if self._model is None:
                self._model = _LoadedModel(self._card)
            return self._model


class _LoadedModel:
    """A tokenizer and a network in memory; both are safe to use from several threads at once."""

    def __init__(self, card: ModelCard) -> None:
        self._card = card
        self._tokenizer = read_tokenizer(card.tokenizer)
        self._network = read_network(card.network)
        self._inputs = {node.name for node in self._network.get_inputs()}
        if unknown := self._inputs - _feed([]).keys():
            raise EmbeddingError(f"The model {card.network} requires unknown inputs: {', '.join(sorted(unknown))}.")
        self._output = _output(self._network, card)

    def windows(self, text: str, prompt: str) -> list[tuple[Span, list[int]]]:
        """Return the windows of `text`, each with its token ids, including the special tokens and `prompt`."""
        before, after = self._frame(prompt)
        room = self._card.max_tokens - len(before) - len(after)
        if room < MIN_WINDOW_TOKENS:
            raise EmbeddingError(f"The prompts of the model {self._card.space.model} are so long that no text fits.")
        # The trailing space of a prompt belongs to the first token of the text in some vocabularies.
        lead = prompt[len(prompt.rstrip(" ")) :]
        encoding = self._encode(lead + text, add_special_tokens=False)
        ids = encoding.ids
        if len(ids) <= room:
            return [(Span(0, len(text)), before + ids + after)]
        costs = token_costs([max(0, start - len(lead)) for start, _ in encoding.offsets], len(text))
        size = min(room, WINDOW_TOKENS)
        spans = text_windows(text, costs, size, size // OVERLAP_DIVISOR)
        return [(span, before + ids[costs[span.start] : costs[span.end]][:room] + after) for span in spans]

    def _frame(self, prompt: str) -> tuple[list[int], list[int]]:
        """Return the token ids before and after the text of a window, derived from those of a one-token text."""
        sample = self._encode("a", add_special_tokens=True)
        start, end = sample.word_to_tokens(0) or (0, len(sample.ids))
        prompt_ids = self._encode(prompt.rstrip(" "), add_special_tokens=False).ids
        return sample.ids[:start] + prompt_ids, sample.ids[end:]

    def _encode(self, text: str, *, add_special_tokens: bool) -> Encoding:
        try:
            return self._tokenizer.encode(storable(text), add_special_tokens=add_special_tokens)
        except Exception as error:
            raise EmbeddingError(f"The tokenizer {self._card.tokenizer} failed on a text.") from error

    def vectors(self, windows_of_ids: Sequence[list[int]]) -> list[Vector]:
        """Return one vector per window, computing several windows in parallel."""
        return in_threads(self._vector, windows_of_ids)

    def _vector(self, ids: list[int]) -> Vector:
        feed = _feed(ids)
        try:
            [[made]] = self._network.run([self._output], {name: feed[name] for name in self._inputs})
        except Exception as error:
            raise EmbeddingError(f"The model {self._card.network} failed on a text.") from error
        pooled = _pooled(made, self._card.pooling)
        if pooled.shape[1] != self._card.space.dimensions:
            raise EmbeddingError(
                f"The model {self._card.network} gives vectors of {pooled.shape[1]} dimensions, "
                f"but its configuration says {self._card.space.dimensions}."
            )
        vector: Vector = unit_rows(pooled)[0]
        return vector


def in_threads(compute: Callable[[Text], Result], texts: Sequence[Text]) -> list[Result]:
    """Return the results of `compute` for several texts, computed in parallel.

    The threads live as long as the call: nothing survives into a forked process.
    """
    if len(texts) <= 1:
        return [compute(text) for text in texts]
    threads = min(os.cpu_count() or 1, MAX_BATCH_THREADS, len(texts))
    with ThreadPoolExecutor(threads, "embedding") as pool:
        return list(pool.map(compute, texts))


def storable(text: str) -> str:
    """Return `text` without lone surrogates, which are not characters, and which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()


def _output(network: onnxruntime.InferenceSession, card: ModelCard) -> str:
    """Return the name of the output that the pooling needs. Raises EmbeddingError."""
    ranks = {node.name: len(node.shape) for node in network.get_outputs()}
    if card.pooling == "network":
        if ranks.get(SENTENCE_OUTPUT) == 2:
            return SENTENCE_OUTPUT
        raise EmbeddingError(f"The model {card.network} has no output {SENTENCE_OUTPUT} (batch, dimensions).")
    of_tokens: list[str] = [name for name, rank in ranks.items() if rank == 3]
    if not of_tokens:
        raise EmbeddingError(f"The model {card.network} has no output of token vectors (batch, tokens, dimensions).")
    return of_tokens[0]


def _pooled(made: Vector, pooling: Pooling) -> Vector:
    """Return the vector of the whole text, shape (1, dimensions)."""
    if pooling == "network":
        return made[np.newaxis]
    return made[:1] if pooling == "cls" else made.mean(axis=0, keepdims=True)


def _feed(ids: list[int]) -> dict[str, npt.NDArray[np.int64]]:
    """Return every input that a model may have, by name."""
    tokens = np.array([ids], dtype=np.int64)
    return {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}


def read_tokenizer(path: Path) -> Tokenizer:
    """Load a tokenizer that neither truncates nor pads. Raises EmbeddingError."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise EmbeddingError(f"The tokenizer {path} is missing or damaged.") from error
    # The settings in the file truncate texts.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def read_network(path: Path) -> onnxruntime.InferenceSession:
    """Load a network that uses one thread per run. Raises EmbeddingError."""
    options = onnxruntime.SessionOptions()
    # Parallel requests use the cores better than one run on several, and no thread spins or dies in a fork.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The arena would keep the memory of the longest text ever seen, without a gain in speed.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Errors are raised as exceptions, so they need not be logged.
    options.log_severity_level = 4
    try:
        network = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbeddingError(f"The model file {path} is missing or damaged.") from error
    _return_freed_memory()
    return network


def _return_freed_memory() -> None:
    """Return the memory that preparing the network used to the system.

    glibc alone would keep those 100 MB for the life of the process.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
