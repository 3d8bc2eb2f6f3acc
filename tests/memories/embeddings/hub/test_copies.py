"""Tests of the installation from a folder and from archives."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from memories.embeddings.curated import CuratedModel
from memories.embeddings.hub.client import DownloadError
from memories.embeddings.hub.copies import files_in_archive, files_in_folder
from memories.embeddings.hub.installing import install_files, is_installed
from memories.embeddings.manifest import MANIFEST, Manifest
from tests.support.embeddings.tiny_hub import NAME


def test_a_folder_is_copied_and_stays(source: Path, model: CuratedModel, models: Path) -> None:
    install_files(model, files_in_folder(model, source))

    assert is_installed(model)
    assert Manifest.model_validate_json((models / NAME / MANIFEST).read_bytes()).verified_by == "nothing"
    assert (source / "onnx" / "model.onnx").is_file()
    assert not (models / NAME / "README.md").exists()


@pytest.mark.parametrize("top", ["", "multilingual-e5-small/"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_is_unpacked_with_or_without_a_folder_at_the_top(
    source: Path, model: CuratedModel, models: Path, kind: str, top: str
) -> None:
    archive, paths = source.with_name("archive"), [path for path in sorted(source.rglob("*")) if path.is_file()]
    names = [(path, f"{top}{path.relative_to(source).as_posix()}") for path in paths]
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for path, name in names:
                zipped.write(path, name)
    else:
        with tarfile.open(archive, "w:gz") as packed:
            for path, name in names:
                packed.add(path, name)

    with files_in_archive(model, archive) as files:
        install_files(model, files)

    assert is_installed(model)
    assert [path.name for path in models.iterdir() if not path.name.startswith(".")] == [NAME]


def test_entries_outside_the_repository_are_not_unpacked(
    source: Path, model: CuratedModel, models: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("../../config.json", "{}")
        zipped.writestr("/config.json/../../escaped", "x")

    with files_in_archive(model, archive) as files:
        assert files == {}
        with pytest.raises(DownloadError, match=r"onnx/model.onnx, config.json, tokenizer.json of .* missing"):
            install_files(model, files)
    assert not list(tmp_path.rglob("escaped"))


def test_what_is_no_copy_is_named(model: CuratedModel, models: Path, source: Path, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"--folder: .*nowhere is not a folder"):
        files_in_folder(model, tmp_path / "nowhere")
    for name in ("nowhere", "source/README.md"):
        with (
            pytest.raises(DownloadError, match=f"--file: .*{name} is not a zip or tar archive"),
            files_in_archive(model, tmp_path / name),
        ):
            pass
    (source / "tokenizer.json").unlink()
    with pytest.raises(DownloadError, match=r"tokenizer.json of intfloat/multilingual-e5-small missing"):
        install_files(model, files_in_folder(model, source))


def test_a_truncated_archive_is_named(model: CuratedModel, models: Path, source: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(source, ".")
    archive.write_bytes(archive.read_bytes()[:-200])

    with pytest.raises(DownloadError, match="is damaged"), files_in_archive(model, archive):
        pass
