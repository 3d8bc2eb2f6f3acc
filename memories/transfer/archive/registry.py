"""The kinds of data in an archive; other apps register theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from common.provided import supply_now
from memories.access import View
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter


@dataclass(frozen=True, slots=True)
class Part:
    """A kind of data.

    - `name`: in summaries, plural.
    - `members`: matches the names of its members.
    - `write`: adds the owner's data to an archive. The whole export is one snapshot of the database.
    - `restore`: stores what is missing. The whole import is one transaction. Raises UnusableArchive.
    """

    name: str
    members: re.Pattern[str]
    write: Callable[[ArchiveWriter, View], None]
    restore: Callable[[Restoration], None]


_registered: dict[str, Part] = {}


def register_part(part: Part) -> None:
    """Have a kind of data archived. Parts are restored in the order in which they were registered."""
    _registered[part.name] = part


def parts() -> Iterator[Part]:
    """Yield all parts, memories first."""
    supply_now()
    return iter(list(_registered.values()))
