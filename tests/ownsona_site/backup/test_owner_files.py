"""Tests of the files that owners write themselves, in archives and after a restore."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from ownsona_site.backup.archive import Archive
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.owner_file_names import is_owner_file
from ownsona_site.backup.owner_files import restore_files
from tests.ownsona_site.backup.installation import Installation, altered, manifest_of, members, with_manifest

AGENT, TOOL = 'instructions = "Keep it short."\n', "return 1\n"


def write_files(folder: Path) -> None:
    for name, content in (("agents/editor.toml", AGENT), ("tools/parts/one.lua", TOOL)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(content, encoding="utf-8")


def test_agents_and_tools_are_in_the_archive_and_restored(existing: Installation, place: Path) -> None:
    write_files(existing.folder)
    secret = place / "secret"
    secret.write_text("not for the archive", encoding="utf-8")
    (existing.folder / "tools" / "link.lua").symlink_to(secret)
    (existing.folder / "tools" / "linked").symlink_to(place, target_is_directory=True)
    existing.manage("backup", place / "archive.zip", "--verbosity=0")
    archived = members(place / "archive.zip")
    assert {name for name in archived if "/" in name} == {"agents/editor.toml", "tools/parts/one.lua"}
    assert manifest_of(place / "archive.zip")["format_version"] == 2
    (existing.folder / "agents" / "editor.toml").write_text("changed since", encoding="utf-8")
    (existing.folder / "agents" / "later.toml").write_text(AGENT, encoding="utf-8")

    existing.manage("restore", place / "archive.zip")

    agents = existing.folder / "agents"
    assert [path.name for path in agents.iterdir()] == ["editor.toml"], "all is as it was"
    assert (agents / "editor.toml").read_text(encoding="utf-8") == AGENT
    assert (existing.folder / "tools" / "parts" / "one.lua").read_text(encoding="utf-8") == TOOL
    assert not (existing.folder / "tools" / "link.lua").exists()


def test_an_archive_of_an_older_version_leaves_the_files_as_they_are(archive: Path, tmp_path: Path) -> None:
    current, new = tmp_path / "current", tmp_path / "new"
    write_files(current)
    with Archive(with_manifest(archive, tmp_path / "old.zip", format_version=1)) as opened:
        restore_files(opened, new, current)
        restore_files(opened, current, current)
    assert (new / "agents" / "editor.toml").read_text(encoding="utf-8") == AGENT
    assert (current / "tools" / "parts" / "one.lua").read_text(encoding="utf-8") == TOOL
    shutil.rmtree(new)
    with Archive(archive) as opened:
        restore_files(opened, new, current)
    assert not new.exists(), "this version had no files when the archive was made"


@pytest.mark.parametrize(
    "name",
    ["agents", "agents/", "other/a.toml", "agents/../secret_key", "/agents/a", "tools//a", "./tools/a", "tools/a\\b"],
)
def test_no_other_file_is_taken_for_one_of_the_owner(name: str) -> None:
    assert not is_owner_file(name)


def test_an_archive_with_a_file_elsewhere_is_refused(archive: Path, tmp_path: Path) -> None:
    manifest = manifest_of(archive)
    manifest["members"]["agents/../evil"] = manifest["members"].pop("secret_key")
    manifest["secret_key"]["included"] = False
    changed = with_manifest(archive, tmp_path / "evil.zip", **manifest)
    content = members(archive)["secret_key"]
    altered(changed, tmp_path / "without.zip", secret_key=None)
    with zipfile.ZipFile(tmp_path / "without.zip", "a") as opened:
        opened.writestr("agents/../evil", content)
    with pytest.raises(BackupError, match="exactly the members"):
        Archive(tmp_path / "without.zip")
