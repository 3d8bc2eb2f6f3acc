"""Tests of the separate process: its limits, its surroundings, and what its parent believes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from documents.extraction import isolation
from documents.extraction.extracted import ExtractionError
from documents.extraction.isolation import extract_isolated
from documents.extraction.limits import Limits
from tests.documents.extraction.files import FIXTURES, read, read_bytes, reason_of, texts, write_pdf
from tests.support.processes import command_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a process that misbehaves as the file says."""
    monkeypatch.setattr(isolation, "CHILD_MODULE", "tests.documents.extraction.hostile")


def deed(folder: Path, text: str) -> Path:
    """Write a file that names a deed."""
    path = folder / "deed"
    path.write_text(text)
    return path


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    ("name", "limits", "reason"),
    [
        ("loop", Limits(seconds=0.5), "timeout"),
        ("loop", Limits(seconds=10, cpu_seconds=1), "timeout"),
        ("sleep", Limits(seconds=0.5), "timeout"),
        ("hog", Limits(seconds=10, memory_mb=256), "out_of_memory"),
        ("crash", Limits(seconds=10), "failed"),
        ("flood", Limits(seconds=10), "failed"),
        ("close", Limits(seconds=10), "failed"),
    ],
)
def test_a_process_that_misbehaves_is_ended_with_a_reason(
    name: str, limits: Limits, reason: str, tmp_path: Path
) -> None:
    started = time.monotonic()
    assert reason_of(deed(tmp_path, name), limits=limits) == reason
    assert time.monotonic() - started < 5
    assert not [each for each in psutil.Process().children(recursive=True) if is_extraction(each)]


def is_extraction(process: psutil.Process) -> bool:
    return isolation.CHILD_MODULE in command_of(process)


def test_the_parent_ends_a_process_whose_memory_the_system_does_not_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "CHILD_MODULE", "tests.documents.extraction.unlimited")
    assert reason_of(deed(tmp_path, "hog"), limits=Limits(seconds=10, memory_mb=256)) == "out_of_memory"


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "message",
    [
        "not JSON",
        '{"message_kind": "document"}',
        json.dumps({"message_kind": "block", "kind": "text", "text": "x", "level": 7, "page": None}),
        json.dumps({"message_kind": "block", "kind": "text", "text": "x", "level": 0, "page": 0}),
        json.dumps({"message_kind": "block", "kind": "image", "text": "x", "level": 0, "page": 1}),
        json.dumps({"message_kind": "block", "kind": "text", "text": "\x00 ", "level": 0, "page": 1}),
        '{"message_kind": "block", "kind": "text", "text": "\\ud800", "level": 0, "page": 1}',
        json.dumps({"message_kind": "block", "kind": "text", "text": "x" * 1000, "level": 0, "page": 1}),
        json.dumps({"message_kind": "error", "reason": "other", "message": "x"}),
        json.dumps({"message_kind": "progress", "done": -1, "total": None}),
    ],
)
def test_a_message_that_is_not_valid_is_refused(message: str, tmp_path: Path) -> None:
    assert reason_of(deed(tmp_path, f"forge {message}"), limits=Limits(seconds=5, output_chars=100)) == "failed"


@pytest.mark.usefixtures("hostile")
def test_the_text_of_a_message_is_cleaned_again(tmp_path: Path) -> None:
    block = {"message_kind": "block", "kind": "text", "text": "a\x00\x1bé\r\n", "level": 0, "page": None}
    document = {
        **dict.fromkeys(("title", "author", "created_at", "pages")),
        **{"message_kind": "document", "media_type": "text/plain", "tags": [], "metadata": {}, "notes": []},
        "is_truncated": False,
    }
    found = read(deed(tmp_path, f"forge {json.dumps(block)}\n{json.dumps({**document, 'title': 'b' + chr(0)})}"))
    assert texts(found) == ["aé\n"]
    assert found.title == "b"


@pytest.mark.usefixtures("hostile")
def test_the_process_sees_no_secrets_and_loads_no_other_part_of_ownsona(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    variables, folder, modules, state = texts(read(deed(tmp_path, "surroundings")))
    assert set(variables.split()) <= {
        "PATH",
        "LANG",
        "TMPDIR",
        "OMP_THREAD_LIMIT",
        "LC_CTYPE",
        "__CF_USER_TEXT_ENCODING",
    }
    assert Path(folder).parent == Path(tempfile.gettempdir()).resolve()
    assert not Path(folder).exists()
    assert modules == "none"
    assert state == "True True True"


@pytest.mark.usefixtures("hostile")
def test_the_process_writes_no_file_and_opens_no_connection(tmp_path: Path) -> None:
    written = tmp_path / "written"
    assert texts(read(deed(tmp_path, f"write {written}"))) == ["refused: OSError"]
    assert written.stat().st_size == 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert texts(read(deed(tmp_path, f"connect {server.getsockname()[1]}"))) == ["refused"]


def test_the_process_and_its_programs_end_with_their_parent(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    path = deed(tmp_path, f"sleep {fifo}")
    script = (
        "import sys; from pathlib import Path; from documents.extraction import isolation;"
        "isolation.CHILD_MODULE = 'tests.documents.extraction.hostile';"
        "isolation.extract_isolated(Path(sys.argv[1]), 'a')"
    )
    folders = tmp_path / "folders"
    folders.mkdir()
    environment = {**os.environ, "TMPDIR": str(folders)}
    parent = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=ROOT, env=environment)
    try:
        with fifo.open() as opened:
            group = int(opened.readline())
        assert len(members(group)) == 2
        assert len(list(folders.iterdir())) == 1
        parent.send_signal(signal.SIGKILL)
        ends_at = time.monotonic() + 5
        while members(group) and time.monotonic() < ends_at:
            time.sleep(0.05)
        assert not members(group)
        assert not list(folders.iterdir())
    finally:
        parent.kill()
        parent.wait()


def members(group: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    found = []
    for process in psutil.process_iter(["status"]):
        try:
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except ProcessLookupError:
            continue
    return found


def test_an_error_of_the_callback_ends_the_process(tmp_path: Path) -> None:
    def fail(done: int, total: int | None) -> None:
        raise KeyError(done, total)

    path = write_pdf(tmp_path / "a.pdf", [["One"], ["Two"]])
    with pytest.raises(KeyError):
        extract_isolated(path, "a.pdf", on_progress=fail)
    assert not [each for each in psutil.Process().children() if is_extraction(each)]


def test_progress_counts_the_pages_to_their_total(tmp_path: Path) -> None:
    reports: list[tuple[int, int | None]] = []
    path = write_pdf(tmp_path / "a.pdf", [["One"], ["Two"], ["Three"]])
    extract_isolated(path, "a.pdf", on_progress=lambda done, total: reports.append((done, total)))
    assert reports[-1] == (3, 3)


def test_more_text_than_allowed_is_cut_off_with_a_note(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, "a.txt", b"word " * 100_000, Limits(output_chars=120_000))
    assert 119_000 < sum(len(block.text) for block in found.blocks) <= 120_000
    assert found.is_truncated
    assert found.notes


def test_a_file_that_is_too_large_or_missing_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as opened:
        opened.truncate(2 << 20)
    assert reason_of(tmp_path / "large", limits=Limits(file_mb=1)) == "too_large"
    assert reason_of(tmp_path / "missing") == "failed"


def test_files_are_read_at_once_in_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: read(FIXTURES / name).title, ["garden.pdf", "garden.docx"] * 3))
    assert found == ["Garden plan"] * 6
    with pytest.raises(ExtractionError):
        read(FIXTURES / "old.doc")
