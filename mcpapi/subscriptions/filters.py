"""Subscription filters: the changes that a stream subscribes to, and the notifications of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcpapi.resources.memories import LISTING_URI
from mcpapi.resources.tags import TAG
from memories.access import View
from memories.events.changes import Change, ChangeKind

Notification = tuple[str, Mapping[str, Any]]
"""A method and its parameters."""


@dataclass(frozen=True, slots=True)
class SubscriptionFilter:
    """The resources that a client subscribed to, and the lists whose changes it subscribed to.

    `meta` is added to every notification.
    """

    uris: frozenset[str] = frozenset()
    tools_list: bool = False
    resources_list: bool = False
    prompts_list: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)

    def notifications(self, view: View, changes: Sequence[Change]) -> Iterator[Notification]:
        """Yield the notifications of `changes` to the holder of `view`, without duplicates."""
        kinds = {change.memory_id: kind for change in changes if (kind := change.kind(view))}
        if not kinds:
            return
        if self.resources_list and set(kinds.values()) != {ChangeKind.UPDATED}:
            yield self._notification("resources/list_changed")
        for uri in sorted(self.uris):
            if _is_touched(uri, kinds, view, changes):
                yield self._notification("resources/updated", uri=uri)

    def prompts_changed(self) -> Iterator[Notification]:
        """Yield the notification that the owner's list of prompts changed."""
        if self.prompts_list:
            yield self._notification("prompts/list_changed")

    def tools_changed(self) -> Iterator[Notification]:
        """Yield the notification that the list of the client's tools changed."""
        if self.tools_list:
            yield self._notification("tools/list_changed")

    def resources_changed(self) -> Iterator[Notification]:
        """Yield the notifications that any resource may have changed."""
        if self.resources_list:
            yield self._notification("resources/list_changed")
        for uri in sorted(self.uris):
            yield self._notification("resources/updated", uri=uri)

    def with_uris(self, uris: Iterable[str]) -> SubscriptionFilter:
        """Return a copy that is subscribed to `uris`."""
        return replace(self, uris=frozenset(uris))

    def full_refresh(self) -> Iterator[Notification]:
        """Yield all notifications, for when changes may have been missed."""
        yield from self.resources_changed()
        yield from self.prompts_changed()
        yield from self.tools_changed()

    def _notification(self, name: str, **params: Any) -> Notification:
        return f"notifications/{name}", {**params, **({"_meta": self.meta} if self.meta else {})}


def _is_touched(uri: str, memory_ids: Iterable[int], view: View, changes: Sequence[Change]) -> bool:
    """Return whether the resource shows one of the changed memories."""
    if uri.startswith(LISTING_URI) and uri != LISTING_URI:
        return uri.removeprefix(LISTING_URI) in map(str, memory_ids)
    if (tag := TAG.extract_value(uri)) is not None:
        of_tag = View(view.owner_id, (tag,))
        return any(change.kind(view) and change.kind(of_tag) for change in changes)
    # The newest memories, the statistics and the briefing depend on all memories.
    return True
