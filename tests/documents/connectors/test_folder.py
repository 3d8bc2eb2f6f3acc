"""The connector for folders, with real files."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from documents.connectors.base import ConnectorContext, SourceError, SourceItem, SourceLimits
from documents.connectors.registry import open_connector
from tests.documents.connectors.runs import connector, refusal, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "notes"
    write(found / "tea.md", b"green")
    write(found / "work" / "plan.txt", b"later")
    return found


def write(path: Path, content: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_every_file_is_listed_and_read(folder: Path, tmp_path: Path) -> None:
    result = run(connector("folder", tmp_path, path=str(folder)))

    assert result.contents == {"tea.md": b"green", "work/plan.txt": b"later"}
    item = result.items["work/plan.txt"]
    assert (item.name, item.size_bytes) == ("plan.txt", 5)
    assert item.modified_at
    assert item.modified_at.tzinfo


def test_in_a_second_run_only_changed_files_have_another_fingerprint(folder: Path, tmp_path: Path) -> None:
    first = run(connector("folder", tmp_path, path=str(folder)))
    write(folder / "tea.md", b"black")
    write(folder / "new.md")
    (folder / "work" / "plan.txt").chmod(0o644)

    second = run(connector("folder", tmp_path, path=str(folder)), first.known)

    assert {"tea.md": b"black", "new.md": b"x"}.items() <= second.contents.items()


def test_a_replaced_file_with_the_old_size_and_time_has_another_fingerprint(folder: Path, tmp_path: Path) -> None:
    first = run(connector("folder", tmp_path, path=str(folder)))
    times = (folder / "tea.md").stat()
    write(folder / "tea.md", b"white")
    os.utime(folder / "tea.md", ns=(times.st_atime_ns, times.st_mtime_ns))

    second = run(connector("folder", tmp_path, path=str(folder)), first.known)

    assert second.contents == {"tea.md": b"white"}


def test_a_deleted_file_is_not_listed(folder: Path, tmp_path: Path) -> None:
    first = run(connector("folder", tmp_path, path=str(folder)))
    (folder / "tea.md").unlink()

    assert set(run(connector("folder", tmp_path, path=str(folder)), first.known).items) == {"work/plan.txt"}


def test_the_home_folder_may_be_written_with_a_tilde(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert "tea.md" in run(connector("folder", tmp_path, path="~/notes")).items


def test_patterns_choose_the_files(folder: Path, tmp_path: Path) -> None:
    for name in ("a.md", "work/b.md", "work/old/c.md", "work/d.log"):
        write(folder / name)

    def chosen(**settings: Any) -> set[str]:
        return set(run(connector("folder", tmp_path, path=str(folder), **settings)).items)

    assert chosen(include=["*.md"]) == {"tea.md", "a.md", "work/b.md", "work/old/c.md"}
    assert chosen(include=["/work/"], exclude=["old/", "*.log"]) == {"work/plan.txt", "work/b.md"}


def test_hidden_files_are_read_only_on_request(folder: Path, tmp_path: Path) -> None:
    write(folder / ".secret" / "key")
    write(folder / ".env")

    assert set(run(connector("folder", tmp_path, path=str(folder))).items) == {"tea.md", "work/plan.txt"}
    assert {".secret/key", ".env"} < set(run(connector("folder", tmp_path, path=str(folder), hidden=True)).items)


def test_ignore_files_apply_below_their_folder_and_deeper_ones_win(folder: Path, tmp_path: Path) -> None:
    write(folder / ".gitignore", b"*.log\nbuild/\n/tea.md\n[z-a]\n")
    write(folder / "work" / ".ownsonaignore", b"!keep.log\n")
    for name in ("a.log", "work/b.log", "work/keep.log", "build/keep.log", "work/tea.md"):
        write(folder / name)

    ignored = run(connector("folder", tmp_path, path=str(folder)))
    everything = run(connector("folder", tmp_path, path=str(folder), ignore_files=False))

    assert set(ignored.items) == {"work/keep.log", "work/tea.md", "work/plan.txt"}
    assert {"a.log", "build/keep.log", "tea.md"} < set(everything.items)


def test_links_are_skipped_wherever_they_lead(folder: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / "secret.txt")
    (folder / "file").symlink_to(outside)
    (folder / "folder").symlink_to(outside.parent)
    (folder / "loop").symlink_to(folder)

    result = run(connector("folder", tmp_path, path=str(folder)))

    assert set(result.items) == {"tea.md", "work/plan.txt"}
    assert set(result.skipped) == {"file", "folder", "loop"}
    assert "link" in result.skipped["file"].why


@pytest.mark.parametrize("key", ["tea.md", "work/plan.txt"])
def test_a_file_that_became_a_link_after_the_listing_is_not_read(folder: Path, tmp_path: Path, key: str) -> None:
    secret = write(tmp_path / "outside" / "plan.txt", b"secret")
    opened = connector("folder", tmp_path, path=str(folder))
    items = {item.key: item for item in opened.listing({}) if isinstance(item, SourceItem)}
    if key == "tea.md":
        (folder / key).unlink()
        (folder / key).symlink_to(secret)
    else:
        shutil.rmtree(folder / "work")
        (folder / "work").symlink_to(secret.parent)

    with pytest.raises(SourceError) as error:
        opened.read(items[key])

    assert error.value.reason == "forbidden"


@pytest.mark.parametrize("key", ["../outside.txt", "/etc/passwd", "work/../../outside.txt", "//%2E%2E/outside.txt", ""])
def test_a_key_that_leads_out_of_the_folder_is_refused(folder: Path, tmp_path: Path, key: str) -> None:
    write(tmp_path / "outside.txt")

    with pytest.raises(SourceError) as error:
        connector("folder", tmp_path, path=str(folder)).read(SourceItem(key, "x", "x"))

    assert error.value.reason == "invalid"


def test_sockets_and_fifos_are_skipped(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "fifo")
    # The path of a socket may only have about a hundred characters.
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        result = run(connector("folder", tmp_path, path=str(folder)))

    assert set(result.skipped) == {"fifo", "socket"}


def test_a_file_that_became_a_fifo_is_refused_at_once(folder: Path, tmp_path: Path) -> None:
    opened = connector("folder", tmp_path, path=str(folder), include=["tea.md"])
    (item,) = (found for found in opened.listing({}) if isinstance(found, SourceItem))
    (folder / "tea.md").unlink()
    os.mkfifo(folder / "tea.md")

    with pytest.raises(SourceError) as error:
        opened.read(item)

    assert error.value.reason == "forbidden"


@pytest.mark.skipif(sys.platform == "darwin", reason="APFS accepts only UTF-8")
def test_a_name_that_is_not_utf_8_has_a_key_that_leads_back_to_it(folder: Path, tmp_path: Path) -> None:
    write(Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")), b"latin")
    write(folder / "caf%E9.md", b"percent")

    result = run(connector("folder", tmp_path, path=str(folder), include=["caf*"]))

    assert result.contents == {"//caf%E9.md": b"latin", "caf%E9.md": b"percent"}


def test_a_name_with_a_newline_or_bidi_characters_is_shown_without_them(folder: Path, tmp_path: Path) -> None:
    names = ["two\nlines.txt", "evil\u202etxt.exe", "\x1b[31mred.txt"]
    for name in names:
        write(folder / name, name.encode())

    result = run(connector("folder", tmp_path, path=str(folder)))

    assert {result.contents[name] for name in names} == {name.encode() for name in names}
    assert [result.items[name].name for name in names] == ["two�lines.txt", "evil�txt.exe", "�[31mred.txt"]


def test_a_folder_that_is_gone_is_an_error_and_not_an_empty_listing(folder: Path, tmp_path: Path) -> None:
    opened = connector("folder", tmp_path, path=str(folder))
    opened.check()
    shutil.rmtree(folder)

    assert refusal(opened).reason == "not_found"
    with pytest.raises(SourceError, match="no such folder"):
        opened.check()


def test_a_folder_that_is_suddenly_empty_is_an_error(folder: Path, tmp_path: Path) -> None:
    opened = connector("folder", tmp_path, path=str(folder))
    known = run(opened).known
    shutil.rmtree(folder)
    folder.mkdir()

    assert refusal(opened, known).reason == "not_found"
    assert run(opened).items == {}, "a new source may be empty"


def test_a_folder_that_is_replaced_during_the_listing_is_an_error(folder: Path, tmp_path: Path) -> None:
    opened = connector("folder", tmp_path, path=str(folder))
    listing = opened.listing({})
    next(listing)
    folder.rename(tmp_path / "moved")
    folder.mkdir()

    with pytest.raises(SourceError, match="replaced"):
        list(listing)


def test_files_that_disappear_during_the_listing_do_not_hide_the_others(folder: Path, tmp_path: Path) -> None:
    write(folder / "zoo" / "a.txt")
    listing = connector("folder", tmp_path, path=str(folder)).listing({})
    first = next(listing)
    shutil.rmtree(folder / "work")

    assert {first.key, *(found.key for found in listing)} == {"tea.md", "zoo/a.txt"}


def test_a_folder_without_permission_is_an_error_that_names_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, work = os.listdir, (folder / "work").stat()

    # Tests may run as root, to whom no folder is forbidden.
    def refuse(opened: int) -> list[str]:
        if os.path.samestat(os.fstat(opened), work):
            raise PermissionError
        return listed(opened)

    monkeypatch.setattr(os, "listdir", refuse)
    error = refusal(connector("folder", tmp_path, path=str(folder)))

    assert (error.reason, "work" in str(error)) == ("forbidden", True)


def test_limits_end_the_listing_or_skip_the_file(folder: Path, tmp_path: Path) -> None:
    def limited(**limits: float) -> SourceLimits:
        return SourceLimits(**limits)  # type: ignore[arg-type]

    large = write(folder / "large.bin", b"x" * 100)
    assert (
        "larger" in run(connector("folder", tmp_path, limited(item_bytes=99), path=str(folder))).skipped[large.name].why
    )
    assert refusal(connector("folder", tmp_path, limited(items=2), path=str(folder))).reason == "too_many_items"
    assert refusal(connector("folder", tmp_path, limited(total_bytes=109), path=str(folder))).reason == "too_large"
    assert refusal(connector("folder", tmp_path, limited(seconds=0), path=str(folder))).reason == "unreachable"


def test_a_file_that_has_grown_since_the_listing_is_not_read(folder: Path, tmp_path: Path) -> None:
    opened = connector("folder", tmp_path, SourceLimits(item_bytes=10), path=str(folder), include=["tea.md"])
    (item,) = (found for found in opened.listing({}) if isinstance(found, SourceItem))
    write(folder / "tea.md", b"x" * 11)

    with pytest.raises(SourceError) as error:
        opened.read(item)

    assert error.value.reason == "too_large"


def test_the_data_folder_is_never_read(folder: Path, tmp_path: Path) -> None:
    write(folder / "own" / "secret_key")
    context = ConnectorContext(tmp_path, private_folders=(folder / "own",))

    result = run(open_connector("folder", {"path": str(folder)}, context))
    assert set(result.items) == {"tea.md", "work/plan.txt"}
    with pytest.raises(SourceError):
        open_connector("folder", {"path": str(folder)}, context).read(SourceItem("own/secret_key", "x", "x"))
    for path in (folder / "own", folder / "own" / "inner"):
        path.mkdir(exist_ok=True)
        assert refusal(open_connector("folder", {"path": str(path)}, context)).reason == "forbidden"


@pytest.mark.parametrize("path", ["notes", "", "a\0b", "./x"])
def test_a_relative_path_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(SourceError, match="path: must be an absolute path"):
        connector("folder", tmp_path, path=path)
