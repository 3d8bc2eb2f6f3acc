"""Subscription filters: the changes that a stream subscribes to, and the notifications of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.events import AgentChange, DefinitionChange
from documents.events import DocumentChange
from mcpapi.resources.agents import PREFIX as AGENT_PREFIX
from mcpapi.resources.agents import agent_name_in
from mcpapi.resources.documents import LISTING as DOCUMENT_LISTING
from mcpapi.resources.documents import document_id_in
from mcpapi.resources.memories import LISTING_URI
from mcpapi.resources.tags import TAG
from mcpapi.resources.workflows import LISTING as WORKFLOW_LISTING
from mcpapi.resources.workflows import WORKFLOW
from memories.access import View
from memories.events.changes import Change, ChangeKind
from workflows.events import WorkflowChange

Notification = tuple[str, Mapping[str, Any]]
"""A method and its parameters."""

ResourceChange = Change | DocumentChange


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

    def notifications(self, view: View, changes: Sequence[ResourceChange]) -> Iterator[Notification]:
        """Yield the notifications of `changes` to the holder of `view`, without duplicates."""
        visible = [change for change in changes if change.kind(view)]
        if not visible:
            return
        if self.resources_list and any(change.kind(view) is not ChangeKind.UPDATED for change in visible):
            yield self._notification("resources/list_changed")
        for uri in sorted(self.uris):
            if _is_touched(uri, view, visible):
                yield self._notification("resources/updated", uri=uri)

    def documents_may_have_changed(self) -> Iterator[Notification]:
        """Yield the notifications that the list of documents and any document may have changed."""
        if self.resources_list:
            yield self._notification("resources/list_changed")
        for uri in sorted(self.uris):
            if uri.startswith(DOCUMENT_LISTING.uri):
                yield self._notification("resources/updated", uri=uri)

    def definitions_changed(self, changes: Sequence[DefinitionChange]) -> Iterator[Notification]:
        """Yield the notifications of changed agents and workflows: of the list of resources, and of their resources."""
        if self.resources_list:
            yield self._notification("resources/list_changed")
        agents = {change.name for change in changes if isinstance(change, AgentChange)}
        workflows = {change.name for change in changes if isinstance(change, WorkflowChange)}
        for uri in sorted(self.uris):
            is_list = uri == WORKFLOW_LISTING.uri and workflows
            if is_list or agent_name_in(uri) in agents or WORKFLOW.extract_value(uri) in workflows:
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


def _is_touched(uri: str, view: View, changes: Sequence[ResourceChange]) -> bool:
    """Return whether the resource shows something that one of the `changes`, which are visible in `view`, is about."""
    if uri.startswith((AGENT_PREFIX, WORKFLOW_LISTING.uri)):
        return False
    if uri.startswith(DOCUMENT_LISTING.uri):
        return _is_touched_by_documents(uri, [change for change in changes if isinstance(change, DocumentChange)])
    return _is_touched_by_memories(uri, view, [change for change in changes if isinstance(change, Change)])


def _is_touched_by_documents(uri: str, changes: Sequence[DocumentChange]) -> bool:
    if uri == DOCUMENT_LISTING.uri:
        return bool(changes)
    return document_id_in(uri) in {change.document_id for change in changes}


def _is_touched_by_memories(uri: str, view: View, changes: Sequence[Change]) -> bool:
    if uri.startswith(LISTING_URI) and uri != LISTING_URI:
        return uri.removeprefix(LISTING_URI) in {str(change.memory_id) for change in changes}
    if (tag := TAG.extract_value(uri)) is not None:
        of_tag = View(view.owner_id, (tag,))
        return any(change.kind(of_tag) for change in changes)
    # The newest memories, the statistics and the briefing depend on all memories.
    return bool(changes)
