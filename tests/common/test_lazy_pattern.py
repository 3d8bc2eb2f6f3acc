"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
import threading

import pytest

from common import lazy_pattern as module
from common.lazy_pattern import compile_patterns, lazy_pattern


def test_it_finds_what_the_pattern_finds() -> None:
    pattern = lazy_pattern(r"(?P<word>[a-z]+)", re.IGNORECASE)
    found = pattern.search("12 Elms")
    assert found is not None
    assert found["word"] == "Elms"
    assert pattern.groupindex == {"word": 1}
    assert pattern.sub("x", "12 Elms") == "12 x"
    assert pattern.flags & re.IGNORECASE


def test_it_is_compiled_once_and_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_it = re.compile

    def noted(expression: str, flags: int) -> re.Pattern[str]:
        compiled.append(expression)
        return compile_it(expression, flags)

    monkeypatch.setattr(re, "compile", noted)
    pattern = lazy_pattern(r"never written elsewhere \d")
    assert compiled == []
    for _ in range(3):
        assert pattern.search("never written elsewhere 7")
        assert pattern.fullmatch("never") is None
    assert compiled == [r"never written elsewhere \d"]


def test_all_can_be_compiled_ahead() -> None:
    pattern = lazy_pattern("ahead")
    assert pattern in module._unused
    compile_patterns()
    assert module._unused == set()


def test_threads_may_use_it_first_at_the_same_time() -> None:
    pattern = lazy_pattern("|".join(f"word{number}" for number in range(200)))
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(bool(pattern.search("a word7")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_an_attribute_that_patterns_lack_is_an_error() -> None:
    with pytest.raises(AttributeError):
        _ = lazy_pattern("a").missing  # type: ignore[attr-defined]
