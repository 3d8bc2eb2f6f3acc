"""Tests of the output of `manage.py reembed`."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from benchmarks.support.sample_texts import memory_texts
from memories.management.commands import reembed as command
from memories.models import EmbeddingSpace, MemoryVector
from memories.vectors import reembedding
from memories.vectors.indexing import index_pending_batch
from memories.vectors.spaces import space_in_use
from oauthserver.models import User
from tests.memories.vectors.spaces.two_spaces import found_by_meaning, wider
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("reembed", *options, stdout=out)
    return out.getvalue()


def test_the_command_moves_to_the_model_of_the_settings(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_DIMENSIONS = 96
    said = run()
    assert "Searches use fake: hashed-words (96) from now on; running processes switch within 5 seconds." in said
    assert "restart" not in said
    assert space_in_use().space.dimensions == 96
    assert run() == "All memories are already embedded with fake: hashed-words (96).\n"


def test_the_command_cuts_long_memories_of_older_versions_anew(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_windows(monkeypatch, 100)
    long = make_memory(owner, "The fence was painted green. " * 20)
    MemoryVector.objects.filter(memory=long).update(start_char=None, end_char=None)
    assert "Searches use fake: hashed-words (64) from now on; running processes switch within 5 seconds." in run()
    assert not MemoryVector.objects.filter(memory=long, start_char=None).exists()
    assert run() == "All memories are already embedded with fake: hashed-words (64).\n"


def test_the_command_moves_to_the_model_of_its_options_and_says_what_to_set(owner: User) -> None:
    said = run("--provider", "fake", "--dimensions", "32")
    assert "fake: hashed-words (32) from now on" in said
    assert "The settings name a different model" in said
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0


def test_the_command_says_what_it_forgets_and_unfinished_moves_are_part_of_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "SWITCH_SETTLED_SECONDS", 0.0)
    index_pending_batch(0, wider())
    said = run("--dimensions", "32", "--forget-old").splitlines()
    assert said[2:4] == [
        "Deleted 20 vectors of fake: hashed-words (64).",
        "Deleted 20 vectors of fake: hashed-words (96).",
    ]
    assert EmbeddingSpace.objects.count() == 1


def test_the_command_begins_only_when_the_model_embeds_a_word(owner: User) -> None:
    with pytest.raises(CommandError, match="The current model stays in use"):
        run("--provider", "local", "--model", "/nowhere")
    assert EmbeddingSpace.objects.count() == 1
    assert space_in_use().space.dimensions == 64


def test_the_command_can_be_interrupted(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(reembedding, "fill", interrupt)
    with pytest.raises(CommandError, match="Run the same command again to continue") as caught:
        run("--dimensions", "32")
    assert caught.value.returncode == command.INTERRUPTED
    assert space_in_use().space.dimensions == 64
