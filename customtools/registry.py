"""The definitions of an owner's custom tools, cached in the process by their versions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from customtools import files
from customtools.definitions.declaration import Declaration, reserved_names
from customtools.definitions.reading import read_http
from customtools.definitions.templates import HttpTemplate
from customtools.models import CustomTool
from memories.errors import MemoriesError

logger = logging.getLogger(__name__)

MAX_CACHED: Final = 1_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool that can be called. `template` is set for an HTTP tool, `source` is the script of any other."""

    tool_id: int
    version: int
    owner_id: int
    kind: str
    source: str
    declaration: Declaration
    template: HttpTemplate | None

    @property
    def name(self) -> str:
        """The name under which it is called."""
        return self.declaration.name


_cached: dict[tuple[int, int], Definition] = {}
_known_names: set[str] = set()


def definitions_of(owner_id: int) -> list[Definition]:
    """Return the owner's tools that are enabled and valid, by name. A file takes precedence over the page.

    One query, and one more if any of them has changed since this process has read it.
    """
    files.sync_if_changed()
    rows = CustomTool.objects.filter(owner_id=owner_id, is_enabled=True, declaration__isnull=False)
    keys = rows.order_by("file_name").values_list("name", "pk", "version")
    # Files come last, and so take precedence.
    chosen = {name: (pk, version) for name, pk, version in keys if name not in reserved_names()}
    loaded = _load([pk for pk, version in chosen.values() if (pk, version) not in _cached])
    # One that was loaded may be newer than the version that was read before.
    found = (loaded.get(chosen[name][0]) or _cached.get(chosen[name]) for name in sorted(chosen))
    return [definition for definition in found if definition is not None]


def find_definition(owner_id: int, name: str) -> Definition | None:
    """Return the owner's tool of this name, or None. As many queries as `definitions_of`."""
    return next((each for each in definitions_of(owner_id) if each.name == name), None)


def known_names() -> frozenset[str]:
    """Return the names of all tools that this process has read, of any owner. For scheduling only."""
    return frozenset(_known_names)


def definition_of(row: CustomTool) -> Definition | None:
    """Return the definition of a row; None if it is not valid."""
    if row.declaration is None:
        return None
    try:
        template = read_http(row.source).template if row.kind == CustomTool.Kind.HTTP else None
        return Definition(
            row.pk, row.version, row.owner_id, row.kind, row.source, Declaration.stored(row.declaration), template
        )
    except (MemoriesError, TypeError):
        # It was stored by another version of OwnSona, with other rules.
        logger.warning("The custom tool %s is no longer valid. Save it again on its page.", row.name)
        return None


def _load(ids: Sequence[int]) -> dict[int, Definition]:
    """Read and cache the definitions with these ids, and return them by id."""
    if len(_cached) > MAX_CACHED:
        _cached.clear()
    loaded = {}
    for row in CustomTool.objects.filter(pk__in=ids) if ids else ():
        if definition := definition_of(row):
            loaded[row.pk] = _cached[row.pk, row.version] = definition
            _known_names.add(row.name)
    return loaded
