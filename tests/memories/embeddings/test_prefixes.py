"""Tests of the prefixes of questions and passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from memories.embeddings.base import EmbedderConfig, Space
from memories.embeddings.local import embedder as local_embedder
from memories.embeddings.model_folder import read_model_folder
from memories.embeddings.onnx import ModelCard, _LoadedModel
from memories.embeddings.openai import embedder as openai_embedder
from memories.embeddings.prefixes import (
    Prefixes,
    chosen_prefixes,
    known_prefixes,
    model_and_prefix,
    name_with_prefix,
)
from tests.support.embeddings.embedding_server import DIMENSIONS, EmbeddingServer
from tests.support.embeddings.tiny_model import write_json, write_model

NOMIC = Prefixes("search_query: ", "search_document: ")
E5 = Prefixes("query: ", "passage: ")
SENTENCE = Prefixes("Represent this sentence for searching relevant passages: ")
GEMMA = Prefixes("task: search result | query: ", "title: none | text: ")


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("nomic-embed-text", NOMIC),
        ("nomic-embed-text:v1.5", NOMIC),
        ("nomic-ai/nomic-embed-text-v1.5", NOMIC),
        ("multilingual-e5-small", E5),
        ("intfloat/e5-base-v2", E5),
        ("jeffh/intfloat-multilingual-e5-large:f16", E5),
        ("BAAI/bge-small-en-v1.5", SENTENCE),
        ("bge-large", SENTENCE),
        ("mxbai-embed-large:latest", SENTENCE),
        ("snowflake-arctic-embed:33m", SENTENCE),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", SENTENCE),
        ("snowflake-arctic-embed2", Prefixes("query: ")),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", Prefixes("query: ")),
        ("embeddinggemma", GEMMA),
        ("onnx-community/embeddinggemma-300m-ONNX", GEMMA),
        ("bge-m3", Prefixes()),
        ("gte-base", Prefixes()),
        ("text-embedding-3-small", Prefixes()),
        ("all-minilm", Prefixes()),
        ("paraphrase-multilingual-MiniLM-L12-v2", Prefixes()),
    ],
)
def test_a_model_is_known_by_its_name_on_hubs_and_servers(model: str, prefixes: Prefixes) -> None:
    assert known_prefixes(model) == prefixes


@pytest.mark.parametrize(
    "model", ["multilingual-e5-large-instruct", "bge-small-zh-v1.5", "qwen3-embedding:0.6b", "dengcao/Qwen3-Embedding"]
)
def test_models_with_instructions_have_a_prefix_for_questions_only(model: str) -> None:
    prefixes = known_prefixes(model)
    assert prefixes.query
    assert prefixes.query not in {E5.query, SENTENCE.query}
    assert prefixes.passage == ""


def test_the_prefix_of_passages_is_part_of_the_name_of_a_space() -> None:
    name = name_with_prefix("nomic-embed-text", 'say "so" + é: ')

    assert name == 'nomic-embed-text + "say \\"so\\" + é: "'
    assert model_and_prefix(name) == ("nomic-embed-text", 'say "so" + é: ')


@pytest.mark.parametrize("name", ["bge-m3", "a + b", 'odd + "', 'odd + "\\q"'])
def test_a_name_without_a_prefix_stays_as_it_is(name: str) -> None:
    assert model_and_prefix(name) == (name, "")
    assert name_with_prefix(name, "") == name


@pytest.mark.parametrize(
    ("query", "passage", "expected"),
    [
        (None, None, E5),
        ("ask: ", None, Prefixes("ask: ", "passage: ")),
        (None, "", Prefixes("", "")),
        (None, "passage: ", E5),
        ("", "", Prefixes()),
        ("ask: ", "text: ", Prefixes("ask: ", "text: ")),
    ],
)
def test_settings_replace_the_models_own_prefixes(query: str | None, passage: str | None, expected: Prefixes) -> None:
    assert chosen_prefixes(E5, query, passage) == expected


def test_an_endpoint_gets_the_prefix_with_every_question_and_every_passage(server: EmbeddingServer) -> None:
    remote = openai_embedder(EmbedderConfig(endpoint=server.url, model="nomic-embed-text", dimensions=DIMENSIONS))
    remote.embed(["tea"])
    remote.embed_query("which drink?")

    assert [request.inputs for request in server.requests] == [["search_document: tea"], ["search_query: which drink?"]]
    assert {str(request.body["model"]) for request in server.requests} == {"nomic-embed-text"}
    assert remote.space == Space("openai", 'nomic-embed-text + "search_document: "', DIMENSIONS)


def test_each_window_of_a_long_text_has_the_prefix_and_fits(server: EmbeddingServer) -> None:
    remote = openai_embedder(EmbedderConfig(endpoint=server.url, model="embeddinggemma", dimensions=DIMENSIONS))
    text = "word " * 1_000
    [embedding] = remote.embed([text])

    sent = [text for request in server.requests for text in request.inputs]
    assert len(sent) > 5
    assert all(part.startswith(GEMMA.passage) and len(part.encode()) <= 1_000 for part in sent)
    assert embedding.spans[0].start == 0
    assert [text[span.start : span.end] for span in embedding.spans] == [
        part.removeprefix(GEMMA.passage) for part in sent
    ]


def test_the_settings_decide_what_an_endpoint_gets(server: EmbeddingServer) -> None:
    remote = openai_embedder(EmbedderConfig(server.url, "", "bge-m3", DIMENSIONS, "ask: ", ""))
    remote.embed(["tea"])
    remote.embed_query("which drink?")

    assert [request.inputs for request in server.requests] == [["tea"], ["ask: which drink?"]]
    assert remote.space.model == "bge-m3"


def test_a_folder_is_known_by_its_name_unless_it_states_prefixes(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "multilingual-e5-small")
    card = read_model_folder(folder)
    assert (card.query_prompt, card.passage_prompt) == ("query: ", "passage: ")
    assert model_and_prefix(card.space.model)[1] == "passage: "

    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "ask: ", "document": ""}})
    card = read_model_folder(folder)
    assert (card.query_prompt, card.passage_prompt) == ("ask: ", "")

    write_json(folder / "ownsona.json", {"passage_prefix": "text: ", "query_prefix": "q: "})
    card = read_model_folder(folder)
    assert (card.query_prompt, card.passage_prompt) == ("q: ", "text: ")

    card = read_model_folder(folder, query_prefix="", passage_prefix="mine: ")
    assert (card.query_prompt, card.passage_prompt) == ("", "mine: ")


def test_a_local_model_with_another_prefix_of_passages_is_another_space(tmp_path: Path) -> None:
    folder = str(write_model(tmp_path / "tiny"))
    plain = local_embedder(EmbedderConfig(model=folder))
    asked = local_embedder(EmbedderConfig(model=folder, query_prefix="query: "))
    prefixed = local_embedder(EmbedderConfig(model=folder, passage_prefix="query: "))

    assert plain.space == asked.space
    assert prefixed.space != plain.space
    assert model_and_prefix(prefixed.space.model) == (plain.space.model, "query: ")
    assert not (prefixed.embed(["cat"])[0].windows == plain.embed(["cat"])[0].windows).all()


def test_a_prefix_and_a_text_have_the_tokens_that_they_have_together(tmp_path: Path) -> None:
    """In vocabularies like Gemma's, a space belongs to the token after it."""
    vocabulary = {"[UNK]": 0, "query:": 1, "▁cat": 2, "cat": 3, "a": 4, "▁dog": 5}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("▁"), "merged_with_next")
    folder = write_model(tmp_path / "tiny")
    tokenizer.save(str(folder / "tokenizer.json"))
    card = read_model_folder(folder)
    loaded = _LoadedModel(ModelCard(card.space, card.network, card.tokenizer, max_tokens=128))

    [(span, ids)] = loaded.windows("cat dog", "query: ")
    assert ids == tokenizer.encode("query: cat dog").ids == [1, 2, 5]
    assert (span.start, span.end) == (0, len("cat dog"))

    long = "cat dog " * 200
    windows = loaded.windows(long, "query: ")
    assert len(windows) > 1
    assert all(ids[0] == 1 and set(ids[1:]) <= {0, 2, 3, 5} for _, ids in windows)
    assert long[windows[-1][0].end - 8 :] == "cat dog "
