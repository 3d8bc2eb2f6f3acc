"""Charging of texts that are sent to an embedding endpoint, which may cost money, to whoever causes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from common.provided import Provided

Charge = Callable[[int], None]
"""Charges a number of characters before they are sent. Raises EmbeddingRefused if they must not be."""

owner_charge: Provided[[int], Charge] = Provided("the charge for texts that an owner's jobs embed")
"""Takes the id of the owner."""

_charge: ContextVar[Charge | None] = ContextVar("charge", default=None)


@contextmanager
def charged_to(charge: Charge) -> Iterator[None]:
    """Call `charge` for what the thread sends to an embedding endpoint within the block."""
    before = _charge.set(charge)
    try:
        yield
    finally:
        _charge.reset(before)


def charge_characters(characters: int) -> None:
    """Charge a number of characters that are about to be sent. Raises EmbeddingRefused."""
    charge = _charge.get()
    if charge is not None:
        charge(characters)
