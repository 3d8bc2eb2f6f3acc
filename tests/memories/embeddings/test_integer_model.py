"""Tests of the shipped model, which calculates with integers, and of its preparation in the data folder."""

from __future__ import annotations

import os
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from pytest_django import Settings

from memories.embeddings import local, prepared
from memories.embeddings.base import FLOAT_MINILM, EmbedderConfig
from memories.embeddings.local import embedder, integer_model
from memories.embeddings.onnx import OnnxEmbedder
from memories.errors import EmbeddingError
from tests.support.embeddings.embedders import matrices

TEXTS = [
    "My dog is called Mochi",
    "Ada moved to Lyon because the rent is low",
    "The meeting is on Tuesday at nine",
    "Anna is allergic to peanuts and carries a pen",
    "x",
    "我喜欢在早上喝绿茶",
    "The harbour is deep and cold in winter, and nobody swims there before May. " * 20,
]


@pytest.fixture
def new_folder(tmp_path: Path, settings: Settings) -> Path:
    """A data folder in which nothing has been prepared."""
    settings.MODELS_DIR = tmp_path / "models"
    return tmp_path / "models"


def test_its_vectors_are_nearly_those_of_the_floats(minilm: OnnxEmbedder) -> None:
    exact = np.concatenate(matrices(embedder(EmbedderConfig(model=FLOAT_MINILM)), TEXTS))
    cosines = (np.concatenate(matrices(minilm, TEXTS)) * exact).sum(axis=1)
    assert cosines.min() > 0.96
    assert cosines.mean() > 0.985


def test_no_sum_of_two_products_overflows_16_bits() -> None:
    tensors = {tensor.name: tensor for tensor in onnx.load(str(integer_model().network)).graph.initializer}
    products = [node for node in onnx.load(str(integer_model().network)).graph.node if node.op_type == "MatMulInteger"]
    assert len(products) == 36
    for product in products:
        weights = numpy_helper.to_array(tensors[product.input[1]])
        assert int(np.abs(weights.astype(np.int16)).max()) * 255 * 2 < 2**15


def test_it_is_prepared_once(new_folder: Path) -> None:
    network = integer_model().network
    made_at = network.stat().st_mtime_ns
    assert integer_model().network == network
    assert network.stat().st_mtime_ns == made_at
    assert [path.name for path in new_folder.iterdir()] == ["all-MiniLM-L6-v2-integer.onnx"]


def test_a_damaged_one_is_made_anew(new_folder: Path) -> None:
    new_folder.mkdir()
    (new_folder / "all-MiniLM-L6-v2-integer.onnx").write_bytes(b"damaged")
    assert OnnxEmbedder(integer_model()).embed_query("tea").shape == (384,)


def test_several_may_prepare_it_at_once(new_folder: Path) -> None:
    with ThreadPoolExecutor(3) as threads:
        networks = {model.network for model in threads.map(lambda _: integer_model(), range(3))}
    assert list(new_folder.iterdir()) == list(networks)


def test_a_folder_that_cannot_be_written_is_named(new_folder: Path) -> None:
    new_folder.write_text("in the way")
    with pytest.raises(EmbeddingError, match=r"cannot be written to .*models.*Make the folder writable"):
        integer_model()


def test_a_rewriting_that_fails_says_why(new_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('no library')")
    monkeypatch.setattr(local, "REWRITER", broken)
    with pytest.raises(EmbeddingError, match=r"could not be prepared: no library. Reinstall the packages"):
        integer_model()
    assert list(new_folder.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told_apart_from_a_broken_package(new_folder: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(EmbeddingError, match=r"cannot be written to .*: File too large. Make the folder writable"):
            integer_model()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(new_folder.iterdir()) == []


def test_what_a_killed_start_left_behind_is_removed_once_nobody_can_be_at_it(new_folder: Path) -> None:
    for name, age_seconds in (("new-old", 2 * prepared.LEFT_BEHIND_SECONDS), ("new-recent", 60)):
        (new_folder / name).mkdir(parents=True)
        (new_folder / name / "all-MiniLM-L6-v2-integer.onnx").write_bytes(b"half")
        os.utime(new_folder / name, (time.time() - age_seconds,) * 2)
    integer_model()
    assert {path.name for path in new_folder.iterdir()} == {"new-recent", "all-MiniLM-L6-v2-integer.onnx"}
