"""Tests of networks that pool by themselves, such as embeddinggemma with its further layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from memories.embeddings.base import EmbedderConfig
from memories.embeddings.local import embedder
from memories.errors import EmbeddingError
from tests.support.embeddings.tiny_model import DIMENSIONS, write_json, write_model


def write_pooling_network(path: Path) -> None:
    """Write a network whose sentence vector is the sum of its token vectors, reversed."""
    table = numpy_helper.from_array(np.fliplr(np.eye(DIMENSIONS, dtype=np.float32)).copy(), "table")
    axes = numpy_helper.from_array(np.array([1], dtype=np.int64), "axes")
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"]),
            helper.make_node("ReduceSum", ["last_hidden_state", "axes"], ["sentence_embedding"], keepdims=0),
        ],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [
            helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", DIMENSIONS]),
            helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", DIMENSIONS]),
        ],
        [table, axes],
    )
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), str(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_model(tmp_path / "tiny")
    write_json(folder / "ownsona.json", {"pooling": "network"})
    write_json(folder / "modules.json", [{"type": "sentence_transformers.models.Dense"}])
    return folder


def test_the_sentence_output_is_the_vector_and_further_layers_are_no_obstacle(folder: Path) -> None:
    write_pooling_network(folder / "onnx" / "model.onnx")

    [embedding] = embedder(EmbedderConfig(model=str(folder))).embed(["cat"])

    # [CLS], cat and [SEP] have the numbers 1, 4 and 2, counted from the end.
    assert np.flatnonzero(embedding.windows[0]).tolist() == sorted(DIMENSIONS - 1 - number for number in (1, 4, 2))
    assert float(np.linalg.norm(embedding.windows[0])) == pytest.approx(1.0)


def test_a_network_without_that_output_is_refused(folder: Path) -> None:
    with pytest.raises(EmbeddingError, match="has no output sentence_embedding"):
        embedder(EmbedderConfig(model=str(folder))).check()
