"""Tests of the loading of networks that read two texts at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memories.comparisons.cross_encoder import TRAINING
from memories.cross_encoders import encoder as module
from memories.cross_encoders.encoder import SharedCrossEncoder
from memories.errors import EmbeddingError

PAIR = ("Ida sings.", "Ida sings.")


@pytest.fixture
def shared() -> SharedCrossEncoder:
    return SharedCrossEncoder(TRAINING)


def test_it_is_loaded_once_and_again_after_it_was_freed(shared: SharedCrossEncoder) -> None:
    before = shared.get()
    assert shared.get() is before
    shared.clear()
    assert shared.get() is not before


def test_after_a_failure_it_is_not_tried_again_for_each_text(
    shared: SharedCrossEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def fail(training: object) -> Path:
        attempts.append(1)
        raise EmbeddingError("The file cannot be written.")

    with monkeypatch.context() as patched:
        patched.setattr(module, "_prepared", fail)
        for _ in range(3):
            with pytest.raises(EmbeddingError, match="cannot be written"):
                shared.get()
        assert len(attempts) == 1
        patched.setattr(module, "RETRY_SECONDS", 0.0)
        with pytest.raises(EmbeddingError):
            shared.get()
        assert len(attempts) == 2
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    assert len(shared.get().scores([PAIR])) == 1


def test_damaged_corrections_are_reported(tmp_path: Path) -> None:
    (tmp_path / "damaged.npz").write_bytes(b"?")
    with pytest.raises(EmbeddingError, match=r"damaged\.npz of the embedding model is damaged. Restore it"):
        SharedCrossEncoder(replace(TRAINING, corrections=tmp_path / "damaged.npz")).get()


def test_long_texts_are_read_from_their_beginnings(shared: SharedCrossEncoder) -> None:
    long = "one two three " * 100
    first, second = shared.get().scores([(PAIR[0], long), (PAIR[0], long + "four")])
    assert (first == second).all()
