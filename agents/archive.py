"""Agents as a part of archives: those of the page, copies of those in files, and which shipped ones are disabled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agents.changes import MAX_AGENTS
from agents.definitions import check_name, read_definition
from agents.models import FILES, Agent
from memories.access import View
from memories.errors import InvalidInput, LimitExceeded, MemoriesError
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter

_NAME: Final = "agents"
_STATE: Final = {"id", "owner_id", "version", "digest", "problem", "problem_line"}
_COLUMNS: Final = Columns(Agent, leave_out=_STATE)

Source = Agent.Source
_ORDER: Final = (*FILES, Source.PAGE, Source.SHIPPED)


def _write(archive: ArchiveWriter, view: View) -> None:
    rows = Agent.objects.filter(owner_id=view.owner_id).exclude(source__in=FILES, definition=None)
    # Of one name, only the first that is not shipped can be restored: see _restore.
    ordered = sorted(rows.values(*_COLUMNS.names), key=lambda row: (row["name"], _ORDER.index(row["source"])))
    archive.add_lines(_NAME, map(as_json, ordered))


def _restore(restoration: Restoration) -> None:
    """Store the agents whose names are not taken. One of a file becomes one of the page: the archive has no files."""
    mine = Agent.objects.filter(owner_id=restoration.actor.owner_id)
    taken = set(mine.values_list("name", "source"))
    for number, record in enumerate(restoration.archive.records(_NAME), start=1):
        values = _COLUMNS.values_of(record)
        if len(values) < len(_COLUMNS.names):
            raise UnusableArchive("An agent is incomplete.")
        if values["source"] in FILES:
            values["source"] = Source.PAGE
        place = values["name"], values["source"]
        if place in taken:
            restoration.summary.of(_NAME).present += 1
            continue
        try:
            _check(values, sum(source == Source.PAGE for _, source in taken))
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_NAME}.jsonl, line {number}", error)
            continue
        Agent.objects.create(owner_id=restoration.actor.owner_id, **values)
        taken.add(place)
        restoration.summary.of(_NAME).added += 1


def _check(values: Mapping[str, Any], pages: int) -> None:
    """Raise InvalidInput, LimitExceeded or SecretRejected for an agent that the page would not accept, either."""
    check_name(values["name"])
    if values["source"] not in Source.values:
        raise InvalidInput(f"must be one of {', '.join(Source.values)}.", argument="source")
    if values["source"] == Source.SHIPPED:
        if values["definition"] is not None:
            raise InvalidInput("a shipped agent has no definition of its own.", argument="definition")
        return
    if pages >= MAX_AGENTS:
        raise LimitExceeded(f"You have {MAX_AGENTS} agents, which is the maximum.")
    if not isinstance(values["definition"], dict):
        raise InvalidInput("must be an object.", argument="definition")
    read_definition(values["definition"])


AGENTS: Final = Part(_NAME, re.compile(r"agents\.jsonl"), _write, _restore)
