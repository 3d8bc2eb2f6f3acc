from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from memories import embeddings
from memories.embeddings import clear_embedders, get_embedder, local
from memories.embeddings.base import Space
from memories.errors import EmbeddingError


def test_a_process_has_one_embedder() -> None:
    assert get_embedder() is get_embedder()


def test_a_changed_setting_makes_another_embedder(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER = "fake"
    settings.EMBEDDING_DIMENSIONS = 32

    assert get_embedder().space == Space("fake", "hashed-words", 32)


@pytest.mark.parametrize(
    ("provider", "space"),
    [
        ("local", Space("local", "minilm-use-e5", 1280)),
        ("fake", Space("fake", "hashed-words", 64)),
    ],
)
def test_a_provider_needs_no_other_setting(settings: Settings, provider: str, space: Space) -> None:
    settings.EMBEDDING_PROVIDER = provider

    assert get_embedder().space == space


def test_a_remote_model_is_a_space_of_its_own(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER = "openai"
    settings.EMBEDDING_MODEL = "text-embedding-3-small"
    settings.EMBEDDING_DIMENSIONS = 512

    assert get_embedder().space == Space("openai", "text-embedding-3-small", 512)


def test_a_problem_is_told_in_a_sentence(settings: Settings, tmp_path: Path) -> None:
    settings.EMBEDDING_PROVIDER = "local"
    settings.EMBEDDING_MODEL = str(tmp_path / "gone")

    with pytest.raises(EmbeddingError) as caught:
        get_embedder()

    problem = str(caught.value)
    assert problem == f"EMBEDDING_MODEL: {tmp_path / 'gone'} is not a folder with an ONNX sentence-transformer."


def test_a_model_that_cannot_be_prepared_is_not_tried_for_every_text(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, rewriter = tmp_path / "tries", tmp_path / "rewriter.py"
    rewriter.write_text(f"open({str(tries)!r}, 'a').write('x'); raise SystemExit('no room')")
    monkeypatch.setattr(local, "REWRITER", rewriter)
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_DIMENSIONS, settings.MODELS_DIR = "local", 0, tmp_path
    clear_embedders()
    try:
        for _ in range(3):
            with pytest.raises(EmbeddingError, match="could not be prepared: no room"):
                get_embedder()
        assert tries.read_text() == "x"
        monkeypatch.setattr(embeddings, "FAILURE_CACHE_SECONDS", 0.0)
        with pytest.raises(EmbeddingError, match="could not be prepared: no room"):
            get_embedder()
        assert tries.read_text() == "xx"
    finally:
        clear_embedders()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize(("provider", "is_shared"), [("openai", False), ("local", True), ("fake", True)])
def test_a_forked_process_shares_models_but_no_connections(
    settings: Settings, provider: str, *, is_shared: bool
) -> None:
    settings.EMBEDDING_PROVIDER = provider
    if provider == "openai":
        settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "text-embedding-3-small", 512
    before = get_embedder()

    child = os.fork()
    if child == 0:
        os._exit(0 if (get_embedder() is before) == is_shared else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert get_embedder() is before
