"""Token counts of texts, for the budgets of assistants."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from memories.embeddings.local import TOKENIZER
from memories.embeddings.onnx import read_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN = "[UNK]"
CHARS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Return the number of tokens in `text`, without those that a model adds.

    Counted by the tokenizer that comes with OwnSona. Every model has its own, so a budget is met approximately.
    """
    # The tokenizer refuses lone surrogates, which are not characters.
    encoding = _tokenizer().encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False)
    ids = encoding.ids
    if _unknown_id() not in ids:
        return len(ids)
    # It counts a word of more than 100 characters, such as a long URL, as one unknown token.
    unknown = [
        end - start for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True) if token == UNKNOWN
    ]
    return len(ids) + sum(math.ceil(chars / CHARS_PER_TOKEN) - 1 for chars in unknown)


def least_tokens(text: str) -> int:
    """Return a number of tokens that `text` has at least. Takes a fraction of the time of `count_tokens`."""
    return len(text.split())


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    return read_tokenizer(TOKENIZER)


@lru_cache(maxsize=1)
def _unknown_id() -> int | None:
    unknown_id: int | None = _tokenizer().token_to_id(UNKNOWN)
    return unknown_id
