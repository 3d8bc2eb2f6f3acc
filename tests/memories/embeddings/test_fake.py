from __future__ import annotations

import statistics
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.embeddings.base import EmbedderConfig, Space
from memories.embeddings.fake import FakeEmbedder, embedder
from tests.support.embeddings.embedders import matrices

CAT = "my grey cat sleeps on the warm kitchen windowsill daily"
fake = FakeEmbedder()


def cosine(first: str, second: str) -> float:
    return float(fake.embed_query(first) @ fake.embed_query(second))


@given(st.text(st.characters()))
def test_any_text_has_one_vector_of_unit_length(text: str) -> None:
    [matrix] = matrices(fake, [text])

    assert matrix.shape == (1, 64)
    assert float(np.linalg.norm(matrix)) == pytest.approx(1.0, abs=1e-6)


def test_case_and_space_make_no_difference() -> None:
    assert cosine(CAT, f"  {CAT.upper().replace(' ', '  ')}\n") == pytest.approx(1.0, abs=1e-6)


def test_one_word_of_ten_changed_makes_a_near_duplicate() -> None:
    cosines = [cosine(CAT, CAT.replace(word, "bedroom")) for word in CAT.split()]

    assert len(cosines) == 10
    assert statistics.median(cosines) >= 0.9
    assert min(cosines) >= 0.85


@pytest.mark.parametrize(
    "other", ["Invoices are due thirty days after delivery", "Paris", "2026-07-28", "猫は窓辺で眠る", "🙂🙂"]
)
def test_texts_about_other_things_are_far(other: str) -> None:
    assert cosine(CAT, other) < 0.5


def test_texts_without_words_differ() -> None:
    assert cosine("🙂", "🚀") < 0.9


def test_another_process_makes_the_same_vector() -> None:
    code = (
        f"from memories.embeddings.fake import FakeEmbedder; print(FakeEmbedder().embed_query({CAT!r}).tobytes().hex())"
    )

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert printed.stdout.strip() == fake.embed_query(CAT).tobytes().hex()


def test_the_setting_changes_the_dimensions() -> None:
    wide = embedder(EmbedderConfig(dimensions=384))

    assert wide.space == Space("fake", "hashed-words", 384)
    assert wide.embed_query(CAT).shape == (384,)
