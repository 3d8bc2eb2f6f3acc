"""Functions that a higher package supplies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from common import provided
from common.provided import Provided, supply_now, supply_when_needed


@pytest.fixture
def supplies(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The supplies that are still missing, without those of the site."""
    missing: list[Callable[[], None]] = []
    monkeypatch.setattr(provided, "_missing", missing)
    return missing


@pytest.mark.usefixtures("supplies")
def test_functions_are_supplied_once_when_the_first_is_called() -> None:
    runs: list[str] = []
    first: Provided[[int], int] = Provided("the double")
    second: Provided[[], str] = Provided("a word")

    def supply() -> None:
        runs.append("supplied")
        first.provide(lambda number: 2 * number)
        second.provide(lambda: "word")

    supply_when_needed(supply)
    assert runs == []
    assert (first(4), second()) == (8, "word")
    supply_now()
    assert runs == ["supplied"]


@pytest.mark.usefixtures("supplies")
def test_a_supply_that_failed_is_tried_again() -> None:
    function: Provided[[], str] = Provided("a word")
    attempts: list[bool] = []

    def supply() -> None:
        attempts.append(True)
        if len(attempts) == 1:
            raise OSError("a file cannot be read")
        function.provide(lambda: "word")

    supply_when_needed(supply)
    with pytest.raises(OSError, match="cannot be read"):
        function()
    assert function() == "word"


@pytest.mark.usefixtures("supplies")
def test_a_function_that_nothing_provides_is_an_error() -> None:
    function: Provided[[], str] = Provided("a word")
    with pytest.raises(LookupError, match="Nothing provides a word"):
        function()
