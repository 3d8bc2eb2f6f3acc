"""The walkthroughs of CONTRIBUTING.md: their changes of files and their commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

CHAPTER = "Four walkthroughs"
TIME_LIMIT_SECONDS = 300
BLOCK = re.compile(r"(?:^New file `([^`\n]+)`:\n\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_OF_DIFF = re.compile(r"^(?=--- a/)", re.MULTILINE)
NEW_TEST = re.compile(r"^\+?def (test_\w+)", re.MULTILINE)


class WalkthroughError(Exception):
    """A problem of a walkthrough. The message begins with its title."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file: the text of a new file, or the unified diff of an existing one."""

    path: str
    content: str
    is_new: bool

    @property
    def is_test(self) -> bool:
        """Whether the file is one of the tests."""
        return self.path.startswith("tests/")

    @property
    def new_tests(self) -> list[str]:
        """The tests that it adds, as file::function."""
        return [f"{self.path}::{name}" for name in NEW_TEST.findall(self.content) if self.is_test]


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """A section of the chapter: its title, its changes, and its commands, of which the last runs the tests."""

    title: str
    changes: tuple[Change, ...]
    commands: tuple[str, ...]

    @property
    def new_tests(self) -> list[str]:
        """The tests that it adds, as file::function."""
        return [test for change in self.changes for test in change.new_tests]

    def apply(self, folder: Path, changes: Iterable[Change] | None = None) -> None:
        """Apply its changes, or only `changes`, to the repository in `folder`. Raises WalkthroughError."""
        for change in self.changes if changes is None else changes:
            target = folder / change.path
            if target.exists() is change.is_new:
                problem = "exists already" if change.is_new else "does not exist any more"
                raise WalkthroughError(f"{self.title}: {change.path} {problem}.")
            if change.is_new:
                target.write_text(change.content, encoding="utf-8")
                continue
            outcome = run(["git", "apply", "-"], folder, change.content)
            if outcome.returncode:
                raise WalkthroughError(f"{self.title}: the diff of {change.path} does not apply.\n{outcome.stdout}")


def read_walkthroughs(text: str) -> list[Walkthrough]:
    """Parse the chapter with the walkthroughs of CONTRIBUTING.md. Raises WalkthroughError for an unknown block."""
    chapter = text.partition(f"\n## {CHAPTER}\n")[2].partition("\n## ")[0]
    return [_read_section(section) for section in re.split(r"^### ", chapter, flags=re.MULTILINE)[1:]]


def _read_section(section: str) -> Walkthrough:
    title, _, text = section.partition("\n")
    changes: list[Change] = []
    commands: list[str] = []
    for path, language, content in BLOCK.findall(text):
        if path:
            changes.append(Change(path, content, is_new=True))
        elif language == "diff":
            changes += _changes_of_diff(content)
        elif language == "bash":
            commands += content.splitlines()
        else:
            raise WalkthroughError(f"{title}: a block is no new file, diff or bash command:\n{content}")
    return Walkthrough(title, tuple(changes), tuple(commands))


def _changes_of_diff(diff: str) -> Iterator[Change]:
    for part in FILE_OF_DIFF.split(diff):
        if part:
            path = part.partition("\n")[0].removeprefix("--- a/")
            yield Change(path, part, is_new=False)


def copy_repository(root: Path, folder: Path) -> None:
    """Copy the tracked files of the repository `root`, and new ones that are not ignored, to `folder`.

    Compiled code is copied as well, and so are the times of files, without which Python would compile everything again.
    """
    listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    outcome = run(["git", "-c", f"safe.directory={root}", *listed], root)
    assert outcome.returncode == 0, outcome.stdout
    names = outcome.stdout.rstrip("\0").split("\0")
    for name in names:
        # A deleted file is listed until the deletion is committed.
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    for compiled in {(root / name).parent / "__pycache__" for name in names if name.endswith(".py")}:
        if compiled.is_dir():
            shutil.copytree(compiled, folder / compiled.relative_to(root), dirs_exist_ok=True)


def run_command(command: str, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in `folder`, with this interpreter in place of `.venv/bin/python`."""
    words = [sys.executable if word == ".venv/bin/python" else word for word in shlex.split(command)]
    return run([*words, *more], folder)


def run(command: list[str], folder: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run `command` in `folder` with `text` as its input. Its `stdout` includes its errors."""
    return subprocess.run(
        command,
        cwd=folder,
        env=_environment(folder),
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT_SECONDS,
        check=False,
    )


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of this process without what the tests set, and with a data folder beside `folder`."""
    ours = ("PYTEST_", "GIT_", "TESTS_DATA_DIR", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    data = str(folder.parent / "data")
    return {**kept, "OWNSONA_DATA_DIR": data, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
