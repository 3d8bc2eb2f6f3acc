"""Tests of the download from a hub: whole, verified and tested, or not at all."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from memories.embeddings.base import EmbedderConfig
from memories.embeddings.curated import CURATED, CuratedModel
from memories.embeddings.hub import installing
from memories.embeddings.hub.client import DownloadError, Hub
from memories.embeddings.hub.installing import install_from_hub, is_installed
from memories.embeddings.local import embedder
from memories.embeddings.manifest import MANIFEST, Manifest
from memories.errors import EmbeddingError
from tests.support.embeddings.model_hub import COMMIT, ModelHub
from tests.support.embeddings.tiny_hub import NAME

TOKENIZER = "tokenizer.json"


def install(hub: ModelHub, model: CuratedModel) -> list[tuple[int, int]]:
    """Install the model and return the reported progress."""
    told: list[tuple[int, int]] = []
    client = Hub(hub.url)
    try:
        install_from_hub(model, client, lambda stored, total: told.append((stored, total)))
    finally:
        client.close()
    return told


def failure(hub: ModelHub, model: CuratedModel) -> str:
    with pytest.raises(DownloadError) as caught:
        install(hub, model)
    return str(caught.value)


def test_a_model_is_downloaded_verified_and_usable(hub: ModelHub, model: CuratedModel, models: Path) -> None:
    told = install(hub, model)

    folder = models / NAME
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == {
        "onnx/model.onnx",
        "config.json",
        TOKENIZER,
        "sentence_bert_config.json",
        MANIFEST,
    }
    assert all((folder / path).read_bytes() == hub.files[path] for path in ("onnx/model.onnx", TOKENIZER))
    assert told[0][0] == 0
    assert (
        told[-1][0]
        == told[-1][1]
        == sum(len(hub.files[path]) for path in Manifest.model_validate_json((folder / MANIFEST).read_bytes()).files)
    )
    assert is_installed(model)
    assert embedder(EmbedderConfig(model=NAME)).embed(["cat"])[0].windows.shape == (1, 7)
    assert sorted(path.name for path in models.iterdir() if not path.name.startswith(".")) == [NAME]


def test_the_manifest_has_the_origin_the_prefixes_and_the_hashes(
    hub: ModelHub, model: CuratedModel, models: Path
) -> None:
    install(hub, model)

    manifest = Manifest.model_validate_json((models / NAME / MANIFEST).read_bytes())
    assert (manifest.repository, manifest.revision, manifest.verified_by) == (model.repository, COMMIT, "hub")
    assert (manifest.query_prefix, manifest.passage_prefix, manifest.pooling) == ("query: ", "passage: ", "mean")
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for sha256 in manifest.files.values())


def test_a_broken_connection_is_continued_where_it_broke(hub: ModelHub, model: CuratedModel) -> None:
    hub.break_after = [
        10_000,
        700,
        1_000,
        500,
    ]  # config, network, ... are downloaded in the order of the model's files.

    install(hub, model)

    ranges = [ranges for path, ranges in hub.content_requests() if path == TOKENIZER]
    assert len([ranges for _, ranges in hub.content_requests() if ranges]) >= 2
    assert "bytes=1000-" in ranges
    assert is_installed(model)


def test_a_download_that_stops_is_continued_by_the_next_call(hub: ModelHub, model: CuratedModel, models: Path) -> None:
    size = len(hub.files[TOKENIZER])
    hub.break_after = [10_000, 10_000, 1_200, *[0] * 10]

    assert re.fullmatch(
        rf"127.0.0.1:\d+ is not reachable, or the connection to it broke. The download of tokenizer.json stopped after "
        rf"1,200 of {size:,} bytes. Start it again to continue.",
        failure(hub, model),
    )
    assert not (models / NAME).exists()
    hub.break_after, hub.requests[:] = [], []

    told = install(hub, model)

    assert told[0][0] > 1_200
    assert hub.content_requests()[0] == (TOKENIZER, "bytes=1200-")
    assert is_installed(model)


def test_a_server_without_ranges_sends_the_file_again(hub: ModelHub, model: CuratedModel) -> None:
    hub.supports_ranges, hub.break_after = False, [10_000, 10_000, 1_200]

    told = install(hub, model)

    assert is_installed(model)
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("path", [TOKENIZER, "config.json"], ids=["SHA-256", "git blob"])
@pytest.mark.parametrize("change", ["same length", "longer", "shorter"])
def test_other_bytes_than_the_metadata_states_are_removed(
    hub: ModelHub, model: CuratedModel, models: Path, path: str, change: str
) -> None:
    content = hub.files[path]
    hub.other_bytes[path] = {
        "same length": b"x" + content[1:],
        "longer": content + b"x" * 100,
        "shorter": content[:-10],
    }[change]

    said = failure(hub, model)

    if change == "shorter":
        assert "stopped after" in said
    else:
        assert f"sent other bytes for {path} than its metadata states. They were removed." in said
    assert not (models / NAME).exists()
    hub.other_bytes.clear()
    install(hub, model)
    assert is_installed(model)


def without_hashes(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**entry, "oid": "", "lfs": None} if entry["path"] == TOKENIZER else entry for entry in entries]


def test_a_file_whose_hash_is_not_stated_is_not_downloaded(hub: ModelHub, model: CuratedModel) -> None:
    hub.change_entries = without_hashes

    assert "gives no file with size and hash for tokenizer.json" in failure(hub, model)
    assert hub.content_requests() == []


@pytest.mark.parametrize(
    ("statuses", "message"),
    [
        ([401], "requires a login for"),
        ([404], "has no intfloat/multilingual-e5-small"),
        ([400], "responded with HTTP status 400."),
        ([503], "responded with HTTP status 503."),
    ],
)
def test_a_refusal_of_the_hub_is_explained(
    hub: ModelHub, model: CuratedModel, models: Path, statuses: list[int], message: str
) -> None:
    hub.statuses = statuses

    assert message in failure(hub, model)
    assert [path for path in models.iterdir() if not path.name.startswith(".")] == []


def test_a_page_that_is_no_hub_is_recognized(hub: ModelHub, model: CuratedModel) -> None:
    hub.change_entries = lambda entries: [{"oops": 1}]

    assert "did not respond in the format of the hub's API" in failure(hub, model)


def test_a_hub_that_is_down_is_named(model: CuratedModel, models: Path) -> None:
    with pytest.raises(DownloadError, match=r"127.0.0.1:9 is not reachable"):
        install_from_hub(model, Hub("http://127.0.0.1:9"), lambda *_: None)


@pytest.mark.parametrize("address", ["huggingface.co", "ftp://host", "http://", "http://[::1", "https://h?q=1"])
def test_an_invalid_mirror_is_named(address: str) -> None:
    with pytest.raises(DownloadError, match="--mirror: "):
        Hub(address)


def test_too_little_disk_space_is_noticed_before_the_download(
    hub: ModelHub, model: CuratedModel, settings: Settings
) -> None:
    settings.DISK_MINIMUM_MB = 10**9

    said = failure(hub, model)

    assert "Too little disk space" in said
    assert "besides the 1000000000 MB that stay free (DISK_MINIMUM_MB)" in said
    assert hub.content_requests() == []


def test_a_model_that_does_not_work_leaves_the_old_one(hub: ModelHub, model: CuratedModel, models: Path) -> None:
    install(hub, model)
    hub.files["onnx/model.onnx"] = b"no network" * 500

    assert re.fullmatch(
        r"The files are not a model that OwnSona can use: The model file onnx/model.onnx is missing or damaged.",
        failure(hub, model),
    )
    assert is_installed(model)
    assert sorted(path.name for path in models.iterdir() if not path.name.startswith(".")) == [NAME]


def test_a_model_of_other_dimensions_is_refused(hub: ModelHub) -> None:
    hub.repository = CURATED["gte-base"].repository

    assert "The files are not gte-base: their vectors have 7 dimensions instead of 768." in failure(
        hub, CURATED["gte-base"]
    )


def test_a_second_download_of_the_model_is_refused(hub: ModelHub, model: CuratedModel, models: Path) -> None:
    models.mkdir()
    with (models / f".{NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert failure(hub, model) == f"Another process is downloading {NAME}. Wait until it has ended."


def test_a_folder_that_cannot_be_written_is_named(hub: ModelHub, model: CuratedModel, models: Path) -> None:
    models.write_text("a file in place of the folder")

    assert str(models) in failure(hub, model)


@pytest.mark.parametrize("path", ["onnx/model.onnx", TOKENIZER])
def test_damage_of_an_installed_model_is_named_with_the_command_that_helps(
    hub: ModelHub, model: CuratedModel, models: Path, path: str
) -> None:
    install(hub, model)
    content = bytearray((models / NAME / path).read_bytes())
    content[len(content) // 2] ^= 1
    (models / NAME / path).write_bytes(content)

    assert not is_installed(model)
    with pytest.raises(EmbeddingError) as caught:
        embedder(EmbedderConfig(model=NAME))
    assert str(caught.value) == (
        f"EMBEDDING_MODEL: {models / NAME / path} is damaged: it has changed since it was stored. To download it, "
        f"run manage.py get_model {NAME}."
    )


def test_a_model_that_was_never_downloaded_says_how_to_get_it(models: Path) -> None:
    with pytest.raises(EmbeddingError, match=f"To download it, run manage.py get_model {NAME}"):
        embedder(EmbedderConfig(model=NAME))


def test_the_lock_ends_with_the_installation(hub: ModelHub, model: CuratedModel) -> None:
    install(hub, model)
    with installing._one_at_a_time(model), pytest.raises(DownloadError):
        install(hub, model)
    install(hub, model)
    assert is_installed(model)
