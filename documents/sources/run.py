"""One run through the items of a source."""

from __future__ import annotations

from typing import Any

from common.texts import translatable
from documents.connectors.base import Connector, Skipped, SourceError, SourceItem
from documents.connectors.parts.keys import display_name
from documents.models import Source, SourceItemState
from documents.sources.items import actor_of, forget_item, refuse_item, store_item
from documents.sources.opening import open_source
from documents.sources.removals import count_active, gone_items, is_active, is_mass_removal, mass_removal_problem
from documents.sources.report import SyncReport
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded, SecretRejected
from memories.validation.text import refuse_secrets

MAX_KEY_BYTES = 2_000
"""The longest key that fits into the unique indexes, whose rows have at most 2,704 bytes."""

MAX_UNREACHABLE_ITEMS = 5
"""After so many items in a row that a server did not deliver, the others would only wait for the same."""


class SyncRun:
    """A run that reads what has changed while the source is listed, and forgets what is gone after that.

    Reading during the listing saves web sources a second request for each page. Nothing is forgotten before the listing
    is complete.
    """

    def __init__(
        self, source: Source, report: SyncReport, *, confirm_removals: bool, max_seconds: float | None
    ) -> None:
        self.source = source
        self._actor = actor_of(source)
        self._report = report
        self._confirm_removals = confirm_removals
        self._max_seconds = max_seconds
        states = SourceItemState.objects.filter(source=source).select_related("document")
        self._states = {state.key: state for state in states}
        self._kept: set[str] = set()
        self._refused: list[tuple[SourceItem, str, SourceItemState]] = []
        self._unreachable = 0

    def perform(self) -> str:
        """List, store and forget, and return why nothing was forgotten; "" if all was done.

        Raises SourceError and StorageFull.
        """
        # Connectors keep files in a cache, too.
        refuse_growth()
        known = {key: state.fingerprint for key, state in self._states.items() if state.fingerprint}
        with open_source(self.source, self._max_seconds) as connector:
            for found in connector.listing(known):
                if isinstance(found, Skipped):
                    self._report.skip(display_name(found.key), found.why)
                    if found.is_temporary:
                        self._kept.add(found.key)
                else:
                    self._take(connector, found)
        return self._forget_gone()

    def _take(self, connector: Connector[Any], item: SourceItem) -> None:
        problem = _key_problem(item.key)
        if problem:
            self._report.skip(item.name, problem)
            return
        self._kept.add(item.key)
        state = self._states.get(item.key)
        if state is not None and state.fingerprint == item.fingerprint:
            self._count_unchanged(item, state)
        elif self._report.dry_run:
            self._report.count("changed" if state is not None and state.fingerprint else "added", item.key)
        else:
            self._read(connector, item, state or SourceItemState(source=self.source, key=item.key))

    def _read(self, connector: Connector[Any], item: SourceItem, state: SourceItemState) -> None:
        try:
            content = connector.read(item)
        except SourceError as error:
            self._unreachable = self._unreachable + 1 if error.reason == "unreachable" else 0
            if self._unreachable >= MAX_UNREACHABLE_ITEMS:
                raise
            # Its last version stays, and the next run reads it again.
            self._report.skip(item.name, str(error))
            return
        self._unreachable = 0
        try:
            self._report.count(store_item(self._actor, self.source, item, content, state).value, item.key)
        except (InvalidInput, LimitExceeded, SecretRejected) as error:
            why = translatable("It %(problem)s", problem=error.problem)
            self._refused.append((item, why, state))
            self._report.skip(item.name, why)

    def _count_unchanged(self, item: SourceItem, state: SourceItemState) -> None:
        if state.problem:
            self._report.skip(item.name, state.problem)
        else:
            self._report.count("unchanged", item.key)

    def _forget_gone(self) -> str:
        states = self._states.values()
        gone = gone_items(states, self._kept)
        lost = [*gone, *(state for _, _, state in self._refused)]
        if not self._confirm_removals and is_mass_removal(states, lost):
            self._report.unconfirmed_removals = count_active(lost)
            return mass_removal_problem(states, lost)
        for item, why, state in self._refused:
            refuse_item(self._actor, self.source, item, why, state)
        for state in gone:
            is_removed = is_active(state) if self._report.dry_run else forget_item(self._actor, self.source, state)
            if is_removed:
                self._report.count("removed", state.key)
        return ""


def _key_problem(key: str) -> str:
    """Return why an item with this key cannot be stored; "" if it can."""
    if len(key.encode()) > MAX_KEY_BYTES:
        return translatable("Its path or address is longer than %(max_key_bytes)s bytes.", max_key_bytes=MAX_KEY_BYTES)
    try:
        refuse_secrets("key", key)
    except SecretRejected:
        return translatable("Its path or address looks like it contains a secret, which is never stored.")
    return ""
