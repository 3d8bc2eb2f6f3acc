"""Passages of documents beside the memories of a recall."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from documents.search import search_documents
from documents.selectors import has_documents
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag
from mcpapi.tools.documents.shapes import PassageShape, shape_passage
from memories.embeddings.sentences import sentence_starts
from memories.embeddings.tokens import count_tokens
from memories.recall.pipeline import Query

IncludeDocuments = Annotated[
    Flag, Field(description="Also return passages of the user's documents, if the memories leave room for them.")
]


class PassagesBeside(NamedTuple):
    """Passages, most relevant first, and the estimated probability, 0–1, that they answer the question."""

    passages: Sequence[PassageShape] = ()
    confidence: float = 0.0


def passages_beside(caller: Caller, query: Query, max_tokens: int | None, texts: Iterable[str]) -> PassagesBeside:
    """Return the passages that answer `query` and fit into the tokens that `texts` leave; None means no budget.

    Raises the errors of `recall`.
    """
    if not has_documents(caller.view):
        return PassagesBeside()
    left = None if max_tokens is None else max_tokens - sum(map(count_tokens, texts))
    found = search_documents(caller.view, query)
    shown = fitting([shape_passage(passage) for passage in found.passages], left)
    caller.record_documents(uuid.UUID(passage.id) for passage in shown)
    return PassagesBeside(shown, found.confidence if shown else 0.0)


def fitting(passages: Sequence[PassageShape], max_tokens: int | None) -> list[PassageShape]:
    """Return the first passages that fit into the budget together; None means no budget."""
    if max_tokens is None:
        return list(passages)
    used = itertools.accumulate(count_tokens(f"{passage.title}\n{passage.snippet}") for passage in passages)
    return [passage for passage, tokens in zip(passages, used, strict=True) if tokens <= max_tokens]


def beginning_of(passage: PassageShape, max_tokens: int) -> PassageShape | None:
    """Return a passage with as many of its first sentences as fit into the budget; None if not even one does."""
    for end in reversed(sentence_starts(passage.snippet)):
        shorter = passage.model_copy(update={"snippet": passage.snippet[:end].rstrip()})
        if fitting([shorter], max_tokens):
            return shorter
    return None
