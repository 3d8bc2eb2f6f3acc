"""Tests of `manage.py get_model` with a local hub: download, move of the memories, switch."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memories.access import View
from memories.embeddings import store
from memories.embeddings.base import DEFAULT_MODEL
from memories.embeddings.curated import CURATED
from memories.management.commands import get_model as command
from memories.models import EmbeddingSpace
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors import room
from memories.vectors.spaces import cached_space, space_in_use
from oauthserver.models import User
from tests.support.embeddings.model_hub import ModelHub
from tests.support.embeddings.tiny_hub import NAME, tiny_model_hub
from tests.support.factories import make_memory, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def hub(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    with tiny_model_hub(settings, tmp_path, monkeypatch) as running:
        yield running


@pytest.fixture
def owner(hub: ModelHub) -> User:
    """An owner with two memories in the space of the shipped model."""
    user = make_user()
    for text in ("cat", "dog"):
        make_memory(user, text)
    assert space_in_use().space.model == DEFAULT_MODEL
    return user


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("get_model", *options, stdout=out)
    cached_space.invalidate()
    return " ".join(out.getvalue().split())


def best_match(user: User, text: str) -> str:
    return recall(View.whole(user.pk), Query(text, mode=Mode.SEMANTIC)).matches[0].memory.text


def test_without_a_name_the_models_are_listed_with_what_is_known_about_them() -> None:
    said = run()

    assert [said.index(name) for name in CURATED] == sorted(said.index(name) for name in CURATED)
    assert next(iter(CURATED.values())).is_multilingual
    for model in CURATED.values():
        assert f"{model.languages}; {model.dimensions} dimensions; about {model.size_mb} MB" in said
        assert model.licence in said


def test_an_unknown_name_gets_the_list() -> None:
    with pytest.raises(
        CommandError, match=r"There is no model 'gpt-5' to download. Use one of: multilingual-e5-small,"
    ):
        run("gpt-5")


def test_a_model_is_downloaded_filled_and_put_in_use(owner: User, hub: ModelHub) -> None:
    said = run(NAME, "--mirror", hub.url)

    assert f"Downloading intfloat/multilingual-e5-small from {hub.url.removeprefix('http://')}. Licence: MIT." in said
    assert "Its files have the hashes of the hub's metadata, and it works." in said
    assert f"Searches use {NAME}; running processes switch within seconds." in said
    assert space_in_use().space.model.startswith(f"{NAME}-")
    assert best_match(owner, "dog") == "dog"

    hub.requests.clear()
    said = run(NAME, "--mirror", hub.url)
    assert "is already downloaded, and its files are undamaged." in said
    assert hub.requests == []


def test_no_switch_downloads_only(owner: User, hub: ModelHub) -> None:
    assert "To switch: manage.py get_model multilingual-e5-small" in run(NAME, "--mirror", hub.url, "--no-switch")

    assert store.is_stored(NAME)
    assert store.chosen_model() == ""
    assert space_in_use().space.model == DEFAULT_MODEL
    assert EmbeddingSpace.objects.count() == 1


def test_a_failed_download_changes_nothing(owner: User, hub: ModelHub) -> None:
    hub.other_bytes["config.json"] = b"{}" + b" " * (len(hub.files["config.json"]) - 2)
    with pytest.raises(CommandError, match=r"sent other bytes for config.json .*Searches are not affected."):
        run(NAME, "--mirror", hub.url)

    assert store.chosen_model() == ""
    assert best_match(owner, "dog") == "dog"
    assert space_in_use().space.model == DEFAULT_MODEL


def test_a_setting_takes_precedence_and_the_command_says_so(owner: User, hub: ModelHub, settings: Settings) -> None:
    settings.EMBEDDING_MODEL = DEFAULT_MODEL

    assert "EMBEDDING_MODEL is set, and it takes precedence over this choice." in run(NAME, "--mirror", hub.url)
    assert space_in_use().space.model == DEFAULT_MODEL


def test_the_shipped_model_can_be_chosen_again(owner: User, hub: ModelHub) -> None:
    run(NAME, "--mirror", hub.url)

    assert f"Searches use {DEFAULT_MODEL}" in run(DEFAULT_MODEL)
    assert space_in_use().space.model == DEFAULT_MODEL


def test_too_little_disk_space_for_the_vectors_leaves_the_old_model_in_use(
    owner: User, hub: ModelHub, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(room, "free_bytes", lambda: settings.DISK_MINIMUM_MB * 1_000_000 - 1)
    with pytest.raises(CommandError, match=r"Too little disk space to embed all memories with .*DISK_MINIMUM_MB"):
        run(NAME, "--mirror", hub.url)
    assert best_match(owner, "dog") == "dog"
    assert space_in_use().space.model == DEFAULT_MODEL


def test_an_interruption_of_the_move_says_who_continues(
    owner: User, hub: ModelHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "follow", interrupt)
    with pytest.raises(CommandError, match="The job process of OwnSona continues") as caught:
        run(NAME, "--mirror", hub.url)
    assert caught.value.returncode == 130


def test_a_copy_in_a_folder_needs_no_network(owner: User, hub: ModelHub, tmp_path: Path) -> None:
    said = run(NAME, "--folder", str(tmp_path / "source"))

    assert "Its files could not be compared with the hashes of a hub." in said
    assert hub.requests == []
    assert space_in_use().space.model.startswith(f"{NAME}-")
