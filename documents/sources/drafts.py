"""Sources that are not stored yet, and the checks of their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from common.slugs import slug_of
from common.texts import translatable
from documents.connectors.base import SourceLimits
from documents.drafts import ADDED
from memories.errors import InvalidInput
from memories.validation.text import refuse_secrets

MEMORY = "memory"
"""The name of the built-in source of memories."""

BUILT_IN = frozenset({MEMORY, ADDED})
MAX_NAME_CHARS = 32
MAX_INTERVAL_MINUTES = 30 * 24 * 60

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LIMITS: Mapping[str, int | float] = asdict(SourceLimits())


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """A source that is not stored yet. `settings` are those of its connector, with secrets. See `documents.models`."""

    name: str
    kind: str
    settings: Mapping[str, object]
    tags: Sequence[str] = ()
    interval_minutes: int = 60
    limits: Mapping[str, float] = field(default_factory=dict)
    is_paused: bool = False


def name_of(typed: str) -> str:
    """Return the name of a source for what somebody has typed: "My notes" becomes my-notes. Check it before use."""
    return re.sub(r"[-_]+", "-", slug_of(typed)).strip("-")


def check_name(name: str) -> None:
    """Raise InvalidInput or SecretRejected unless `name` can be that of a source."""
    if name in BUILT_IN:
        raise InvalidInput(translatable("is the name of a built-in source. Choose another one."), argument="name")
    if len(name) > MAX_NAME_CHARS or not _NAME.fullmatch(name):
        raise InvalidInput(
            translatable(
                "must have 1 to %(max_name_chars)s lower-case letters, digits and single hyphens, such as my-notes.",
                max_name_chars=MAX_NAME_CHARS,
            ),
            argument="name",
        )
    refuse_secrets("name", name)


def check_interval(minutes: int) -> None:
    """Raise InvalidInput unless a source can be synced every `minutes`."""
    if not 0 <= minutes <= MAX_INTERVAL_MINUTES:
        raise InvalidInput(
            translatable(
                "must be a number of minutes from 1 to %(max_interval_minutes)s, or 0 to sync only manually.",
                max_interval_minutes=MAX_INTERVAL_MINUTES,
            ),
            argument="interval_minutes",
        )


def checked_limits(limits: Mapping[str, float]) -> dict[str, float]:
    """Return limits of a source with the types of `SourceLimits`. Raises InvalidInput."""
    for name, value in limits.items():
        if name not in _LIMITS:
            raise InvalidInput(translatable("must be among %(values)s.", values=", ".join(_LIMITS)), argument="limits")
        if value < 1:
            raise InvalidInput(translatable("must be at least 1."), argument=f"limits.{name}")
    return {name: int(value) if isinstance(_LIMITS[name], int) else value for name, value in limits.items()}
