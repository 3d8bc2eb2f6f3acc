"""The hub: one listening database connection per process, which informs open streams and pending calls of events."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Sequence
from datetime import datetime

import psycopg
from django.db import DatabaseError, connection, connections
from psycopg.sql import SQL, Identifier

from agents.events import DefinitionChange
from customtools import files
from mcpapi.subscriptions.batches import CHANNELS, COALESCED_CHANNELS, NotificationBatch
from mcpapi.subscriptions.filters import ResourceChange
from mcpapi.subscriptions.open_count import publish_open_count
from memories.events.expiry import database_time, expired_between
from oauthserver.resource_server.principal import Principal

logger = logging.getLogger(__name__)

BATCH_SECONDS = 0.2
"""The time in which notifications on COALESCED_CHANNELS are collected, so that many changes are reported once."""

CHECK_SECONDS = 30.0
"""The interval at which streams check their client's access, and the hub looks for expired memories."""

FILES_CHECK_SECONDS = 2.0
"""The interval at which the hub looks for changed files of custom tools, of which the database knows nothing yet."""

RECONNECT_SECONDS = 2.0
START_LIMIT_SECONDS = 10.0


class Listener:
    """An open stream or a pending call. The hub's thread calls its methods; `end` may come from the stopping thread.

    A method may raise only database errors: then the hub reconnects and calls `on_gap` of all listeners. `wakes_at` is
    when `on_wake` is to be called, in terms of time.monotonic().
    """

    principal: Principal
    wakes_at: float = math.inf

    @property
    def session_key(self) -> str | None:
        """The key of its session on SESSION_CHANNEL, or None."""
        return None

    def on_resources_changed(self, changes: Sequence[ResourceChange]) -> None:
        """Handle changes of its owner's memories and documents."""

    def on_definitions_changed(self, changes: Sequence[DefinitionChange]) -> None:
        """Handle changes of its owner's agents."""

    def on_prompts_changed(self) -> None:
        """Handle a change of its owner's list of prompts."""

    def on_tools_changed(self) -> None:
        """Handle a change of its owner's custom tools."""

    def on_session_changed(self, taken_over_by: str) -> None:
        """Handle a change of its session. `taken_over_by` is the id of the stream that took it over, if any."""

    def on_topic(self, topic: str) -> None:
        """Handle a topic, which may resume or cancel a call; see mcpapi/rpc/suspension.py."""

    def on_gap(self) -> None:
        """Handle a gap in the notifications: any change may have been missed."""

    def on_wake(self) -> None:
        """Handle that the time `wakes_at` has come."""

    def recheck_access(self) -> None:
        """Check the client's access again. If it has changed, end or notify the client."""

    def end(self) -> None:
        """Handle the shutdown of the server."""


class Hub:
    """The listeners of this process, and the thread that listens for them. It starts with the first listener."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()
        self._thread: threading.Thread | None = None
        self._is_listening = threading.Event()
        self._stopping = threading.Event()

    def join(self, listener: Listener) -> None:
        """Notify `listener` of everything committed from now on, or of a gap if the database is not reachable."""
        with self._lock:
            self._listeners.add(listener)
            # A fork copies this object, but not its thread.
            if self._thread is None or not self._thread.is_alive():
                self._is_listening.clear()
                self._stopping.clear()
                self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
                self._thread.start()
        self._is_listening.wait(START_LIMIT_SECONDS)

    def leave(self, listener: Listener) -> None:
        """Stop notifying `listener`."""
        with self._lock:
            self._listeners.discard(listener)

    def listeners(self) -> list[Listener]:
        """Return the listeners that have joined and not left."""
        with self._lock:
            return list(self._listeners)

    def stop(self, wait_seconds: float = 0.0) -> None:
        """End every stream and the thread. Wait at most `wait_seconds` for the thread."""
        self._stopping.set()
        with self._lock:
            listeners, self._listeners = self._listeners, set()
        for listener in listeners:
            listener.end()
        if self._thread is not None and wait_seconds:
            self._thread.join(wait_seconds)

    def _run(self) -> None:
        is_first = True
        while not self._stopping.is_set():
            try:
                self._listen(after_gap=not is_first)
            except (DatabaseError, psycopg.Error) as error:
                logger.warning("Streams receive no notifications until the database is reachable again: %s", error)
                self._stopping.wait(RECONNECT_SECONDS)
            finally:
                connections.close_all()
            is_first = False

    def _listen(self, *, after_gap: bool) -> None:
        connection.ensure_connection()
        looked_at = database_time()
        listening: psycopg.Connection = connection.connection
        for channel in CHANNELS:
            listening.execute(SQL("LISTEN {}").format(Identifier(channel)))
        self._is_listening.set()
        if after_gap:
            for listener in self.listeners():
                listener.on_gap()
        next_check = next_files_check = time.monotonic()
        next_check += CHECK_SECONDS
        shown = 0
        while not self._stopping.is_set():
            if notices := _next_notices(listening):
                self._dispatch(NotificationBatch.from_notifies(notices))
            self._wake()
            if (number := len(self.listeners())) != shown:
                publish_open_count(listening, number)
                shown = number
            if time.monotonic() > next_files_check:
                files.sync_if_changed()
                next_files_check = time.monotonic() + FILES_CHECK_SECONDS
            if time.monotonic() > next_check:
                for listener in self.listeners():
                    listener.recheck_access()
                looked_at = self._publish_expired(looked_at)
                next_check = time.monotonic() + CHECK_SECONDS

    def _dispatch(self, batch: NotificationBatch) -> None:
        for listener in self.listeners():
            # First, because it updates the access that the other handlers rely on.
            if listener.principal.permission_name in batch.permissions:
                listener.recheck_access()
            if listener.session_key in batch.sessions:
                listener.on_session_changed(batch.sessions[listener.session_key])
            if listener.principal.owner_id in batch.definitions:
                listener.on_definitions_changed(batch.definitions[listener.principal.owner_id])
            if listener.principal.owner_id in batch.prompts:
                listener.on_prompts_changed()
            if listener.principal.owner_id in batch.tools:
                listener.on_tools_changed()
            if listener.principal.owner_id in batch.resources:
                listener.on_resources_changed(batch.resources[listener.principal.owner_id])
            for topic in batch.calls:
                listener.on_topic(topic)

    def _publish_expired(self, since: datetime) -> datetime:
        """Report the memories that expired since `since`, and return the time up to which it looked.

        Each process looks on behalf of the streams that it holds.
        """
        until = database_time()
        if until < since:
            # The clock was set back: memories that had expired are active again.
            for listener in self.listeners():
                listener.on_gap()
        self._dispatch(NotificationBatch.from_changes(expired_between(since, until)))
        return until

    def _wake(self) -> None:
        now = time.monotonic()
        for listener in self.listeners():
            if listener.wakes_at <= now:
                listener.on_wake()


def _next_notices(listening: psycopg.Connection) -> list[psycopg.Notify]:
    """Return the notifications of the next BATCH_SECONDS, or at once with the first urgent one."""
    notices: list[psycopg.Notify] = []
    ends_at = time.monotonic() + BATCH_SECONDS
    while (left := ends_at - time.monotonic()) > 0:
        came = list(listening.notifies(timeout=left, stop_after=1))
        notices += came
        if any(notice.channel not in COALESCED_CHANNELS for notice in came):
            break
    return notices


hub = Hub()
