"""Machines and Pythons on which OwnSona cannot be installed are refused before anything is downloaded."""

from __future__ import annotations

import importlib.util
import platform
import sys
from pathlib import Path
from types import ModuleType

import pytest

BOOTSTRAP = Path(__file__).resolve().parents[2] / "scripts" / "bootstrap.py"


@pytest.fixture
def bootstrap() -> ModuleType:
    """The script as a module: its folder is no package."""
    spec = importlib.util.spec_from_file_location("bootstrap", BOOTSTRAP)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("machine", "version", "words"),
    [
        (("linux", "x86_64"), (3, 10), "this is 3.10"),
        (("linux", "aarch64"), (3, 15), "this is 3.15"),
        (("darwin", "x86_64"), (3, 13), "Apple silicon"),
    ],
)
def test_what_does_not_work_is_refused_with_the_reason(
    bootstrap: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    machine: tuple[str, str],
    version: tuple[int, int],
    words: str,
) -> None:
    pretend(monkeypatch, machine, version)
    monkeypatch.setattr(bootstrap, "is_installed", lambda _: pytest.fail("The machine was not checked first."))
    with pytest.raises(SystemExit, match=words):
        bootstrap.main([])


@pytest.mark.parametrize("version", [(3, 11), (3, 14)])
@pytest.mark.parametrize("machine", [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")])
def test_what_works_is_not_refused(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, machine: tuple[str, str], version: tuple[int, int]
) -> None:
    pretend(monkeypatch, machine, version)
    assert bootstrap.unsupported() is None


def pretend(monkeypatch: pytest.MonkeyPatch, machine: tuple[str, str], version: tuple[int, int]) -> None:
    """Let the running Python look like another one on another machine, given as (system, processor)."""
    system, processor = machine
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    monkeypatch.setattr(platform, "machine", lambda: processor)
