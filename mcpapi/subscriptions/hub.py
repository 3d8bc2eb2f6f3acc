"""Where open streams, and calls that go on, hear what happens in any process: one connection that listens in each."""

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

from mcpapi.subscriptions.batches import CHANNELS, COALESCED_CHANNELS, NotificationBatch
from mcpapi.subscriptions.open_count import publish_open_count
from memories.events.changes import Change
from memories.events.expiry import database_time, expired_between
from oauthserver.resource_server.bearer import Principal

logger = logging.getLogger(__name__)

BATCH_SECONDS = 0.2
"""How long news of GATHERED gather, so that of many changes at once each stream is told once."""

CHECK_SECONDS = 30.0
"""How often every stream looks whether its client may still listen, and the hub for memories that have expired."""

RECONNECT_SECONDS = 2.0
START_LIMIT_SECONDS = 10.0


class Listener:
    """An open stream, or a call that goes on. The hub's thread calls it, `end` also that which stops the hub.

    Only database errors may come out of it: then the hub connects anew, and all hear of a gap.

    `wakes_at` is when it wants to hear that this time has come, by time.monotonic.
    """

    principal: Principal
    wakes_at: float = math.inf

    @property
    def session_key(self) -> str | None:
        """The session that it belongs to, as it is named on SESSION_CHANNEL."""
        return None

    def on_memories_changed(self, changes: Sequence[Change]) -> None:
        """Memories of its user changed."""

    def on_prompts_changed(self) -> None:
        """The list of its user's prompts changed."""

    def on_session_changed(self, taken_over_by: str) -> None:
        """Its session changed; or another stream took it over, whose id this is."""

    def on_topic(self, topic: str) -> None:
        """A call that waits for this topic, or is cancelled by it, was told so; see mcpapi/rpc/suspension.py."""

    def on_gap(self) -> None:
        """Something may have changed unheard."""

    def on_wake(self) -> None:
        """The time `wakes_at` has come."""

    def recheck_access(self) -> None:
        """Look whether its client may still do the same, and end, or say so, where that has changed."""

    def end(self) -> None:
        """The server stops."""


class Hub:
    """The listeners of this process, and the thread that listens for them from the first one on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()
        self._thread: threading.Thread | None = None
        self._is_listening = threading.Event()
        self._stopping = threading.Event()

    def join(self, listener: Listener) -> None:
        """Have `listener` hear of all that is committed from now on, or of a gap where the database is away."""
        with self._lock:
            self._listeners.add(listener)
            # A fork takes this object along, but not its thread.
            if self._thread is None or not self._thread.is_alive():
                self._is_listening.clear()
                self._stopping.clear()
                self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
                self._thread.start()
        self._is_listening.wait(START_LIMIT_SECONDS)

    def leave(self, listener: Listener) -> None:
        """Let `listener` hear nothing more."""
        with self._lock:
            self._listeners.discard(listener)

    def listeners(self) -> list[Listener]:
        """Those that have joined and not left."""
        with self._lock:
            return list(self._listeners)

    def stop(self, wait_seconds: float = 0.0) -> None:
        """End every stream and the thread; wait at most so long for the thread."""
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
                logger.warning("Streams hear nothing until the database is back: %s", error)
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
        next_check = time.monotonic() + CHECK_SECONDS
        shown = 0
        while not self._stopping.is_set():
            if notices := _next_notices(listening):
                self._publish(NotificationBatch.from_notifies(notices))
            self._wake()
            if (number := len(self.listeners())) != shown:
                publish_open_count(listening, number)
                shown = number
            if time.monotonic() > next_check:
                for listener in self.listeners():
                    listener.recheck_access()
                looked_at = self._publish_expired(looked_at)
                next_check = time.monotonic() + CHECK_SECONDS

    def _publish(self, batch: NotificationBatch) -> None:
        for listener in self.listeners():
            # First: the rest is told as it may be now.
            if listener.principal.permission_name in batch.permissions:
                listener.recheck_access()
            if listener.session_key in batch.sessions:
                listener.on_session_changed(batch.sessions[listener.session_key])
            if listener.principal.owner_id in batch.prompts:
                listener.on_prompts_changed()
            if listener.principal.owner_id in batch.memories:
                listener.on_memories_changed(batch.memories[listener.principal.owner_id])
            for topic in batch.calls:
                listener.on_topic(topic)

    def _publish_expired(self, since: datetime) -> datetime:
        """Tell of memories that have expired since then; until when. Each process looks for the streams it holds."""
        until = database_time()
        if until < since:
            # The clock was set back: what had expired holds again.
            for listener in self.listeners():
                listener.on_gap()
        self._publish(NotificationBatch.from_changes(expired_between(since, until)))
        return until

    def _wake(self) -> None:
        now = time.monotonic()
        for listener in self.listeners():
            if listener.wakes_at <= now:
                listener.on_wake()


def _next_notices(listening: psycopg.Connection) -> list[psycopg.Notify]:
    """What comes within BATCH_SECONDS; all at once with the first that somebody waits for."""
    notices: list[psycopg.Notify] = []
    ends_at = time.monotonic() + BATCH_SECONDS
    while (left := ends_at - time.monotonic()) > 0:
        came = list(listening.notifies(timeout=left, stop_after=1))
        notices += came
        if any(notice.channel not in COALESCED_CHANNELS for notice in came):
            break
    return notices


hub = Hub()
