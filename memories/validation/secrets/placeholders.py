"""Placeholders of hidden values in texts: `[hidden: password #12]`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memories.validation.secrets.kinds import Kind

LABELS: Mapping[Kind, str] = {
    Kind.PASSWORD: "password",
    Kind.PIN: "PIN",
    Kind.LOCK_CODE: "code",
    Kind.RECOVERY: "recovery code",
    Kind.CARD_CODE: "card code",
    Kind.IBAN: "IBAN",
    Kind.NATIONAL_ID: "ID number",
}
"""The word for a kind in a placeholder. Texts are stored with them, so they never change."""

_START = "[hidden: "
PLACEHOLDER = re.compile(rf"\[hidden: (?:{'|'.join(LABELS.values())}) #(\d{{1,15}})\]")
_KINDS = {label: kind for kind, label in LABELS.items()}


def placeholder(kind: Kind, number: int) -> str:
    """Return the text that takes the place of a value of this kind and number."""
    return f"{_START}{LABELS[kind]} #{number}]"


def numbers_in(text: str) -> list[int]:
    """Return the numbers of the placeholders in `text`, each once."""
    if _START not in text:
        return []
    return list(dict.fromkeys(int(found[1]) for found in PLACEHOLDER.finditer(text)))


def kinds_in(text: str) -> dict[int, Kind]:
    """Return the kind of each placeholder in `text` by its number."""
    if _START not in text:
        return {}
    return {int(found[1]): kind_of_placeholder(found[0]) for found in PLACEHOLDER.finditer(text)}


def kind_of_placeholder(found: str) -> Kind:
    """Return the kind that a placeholder names."""
    return _KINDS[found.removeprefix(_START).partition(" #")[0]]


def with_numbers(text: str, numbers: Mapping[int, int]) -> str:
    """Return `text` with other numbers in its placeholders."""
    return PLACEHOLDER.sub(lambda found: f"{found[0].partition('#')[0]}#{numbers[int(found[1])]}]", text)


def masked(text: str) -> str:
    """Return `text` with placeholders made unreadable. The length stays the same."""
    if _START not in text:
        return text
    return PLACEHOLDER.sub(lambda found: f"[{'…' * (len(found[0]) - 2)}]", text)


def without_numbers(text: str) -> str:
    """Return `text` with placeholders that have no numbers, for values that are not stored."""
    return PLACEHOLDER.sub(lambda found: f"{found[0].partition(' #')[0]}]", text)
