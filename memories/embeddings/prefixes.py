"""Prefixes of questions and passages, for models that were trained with them, by the name of the model."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The texts before every question and before every passage, such as a memory. Empty: none.

    Texts are compared with each other as passages, so near-duplicates are found with `passage` alone.
    """

    query: str = ""
    passage: str = ""


_SENTENCE = Prefixes(query="Represent this sentence for searching relevant passages: ")
_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

# The pattern matches the last part of a model's name, in lower case and without a tag. The first match counts. Each
# line is from the model card, at https://huggingface.co/ and the given path. Models that need no prefix (bge-m3,
# all-MiniLM, paraphrase-multilingual, gte-base, OpenAI's) are not listed.
_KNOWN: tuple[tuple[str, Prefixes], ...] = (
    # nomic-ai/nomic-embed-text-v1.5, nomic-ai/nomic-embed-text-v2-moe
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    # intfloat/multilingual-e5-large-instruct
    (r"e5-(small|base|large)-instruct", Prefixes(query=f"{_INSTRUCTION} ")),
    # intfloat/multilingual-e5-small, intfloat/e5-base-v2
    (r"\be5-(small|base|large)(-v2)?\b", Prefixes("query: ", "passage: ")),
    # BAAI/bge-small-zh-v1.5
    (r"bge-(small|base|large)-zh", Prefixes(query="为这个句子生成表示以用于检索相关文章：")),
    # BAAI/bge-small-en-v1.5
    (r"bge-(small|base|large)\b", _SENTENCE),
    # mixedbread-ai/mxbai-embed-large-v1
    (r"mxbai-embed-(large|xsmall|2d-large)", _SENTENCE),
    # Snowflake/snowflake-arctic-embed-l-v2.0
    (r"snowflake-arctic-embed(2|.*-v2)", Prefixes(query="query: ")),
    # Snowflake/snowflake-arctic-embed-m
    (r"snowflake-arctic-embed", _SENTENCE),
    # google/embeddinggemma-300m
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    # Qwen/Qwen3-Embedding-0.6B
    (r"qwen3-embedding", Prefixes(query=_INSTRUCTION)),
)

_NAMED = re.compile(r'(.+) \+ (".+")', re.DOTALL)


def known_prefixes(model: str) -> Prefixes:
    """Return the prefixes of a model by its name on a hub or a server, or by its folder; none for an unknown model."""
    name = model.rstrip("/").rpartition("/")[2].partition(":")[0].lower()
    return next((prefixes for pattern, prefixes in _KNOWN if re.search(pattern, name)), Prefixes())


def chosen_prefixes(own: Prefixes, query: str | None, passage: str | None) -> Prefixes:
    """Return the model's `own` prefixes, replaced by those that are set; None means that a prefix is not set.

    A query prefix belongs to a passage prefix: if only another passage prefix is set, questions get none.
    """
    if query is None:
        query = own.query if passage is None or passage == own.passage else ""
    return Prefixes(query, own.passage if passage is None else passage)


def name_with_prefix(model: str, passage_prefix: str) -> str:
    """Return the name of the space of a model whose passages have this prefix: other prefixes make other vectors.

    The prefix of questions is left out. Questions are not stored, so a space stays valid if it changes.
    """
    return f"{model} + {json.dumps(passage_prefix, ensure_ascii=False)}" if passage_prefix else model


def model_and_prefix(name: str) -> tuple[str, str]:
    """Return the model and the passage prefix in the name of a space, as `name_with_prefix` joined them."""
    if named := _NAMED.fullmatch(name):
        try:
            return named[1], str(json.loads(named[2]))
        except json.JSONDecodeError:
            return name, ""
    return name, ""
