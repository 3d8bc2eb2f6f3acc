"""The notifications of a running call: progress and log messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Set
from typing import Any, Literal

import orjson

from mcpapi.rpc.jsonrpc import Call, RequestId, RpcError, invalid_params, readable_id

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424's severities by their MCP names, least severe first (MCP, server/utilities/logging)."""

SendMessage = Callable[[bytes], None]
"""A function that sends the client one message before the response."""

NotificationKind = Literal["progress", "log"]
"""The kinds of notifications that a call can send."""

PROGRESS_INTERVAL_SECONDS = 0.1
"""The shortest time between two progress notifications."""

PROGRESS_MESSAGE_SINCE = "2025-03-26"
"""The first revision in which progress has a message. Revisions are dates: they sort as text."""


class ClientNotifier:
    """The notifications of one call to its client. Sends nothing if the transport cannot or the client did not ask."""

    def __init__(
        self,
        send_message: SendMessage | None = None,
        *,
        protocol_version: str = "",
        progress_token: RequestId = None,
        log_level: str | None = None,
    ) -> None:
        self._send_message = send_message
        self._supports_messages = protocol_version >= PROGRESS_MESSAGE_SINCE
        self._progress_token = progress_token if send_message else None
        self._log_level = LOG_LEVELS.index(log_level) if send_message and log_level else None
        self._done = -1.0
        self._reported_at = float("-inf")
        self._stop_error: RpcError | None = None

    def wants_any(self, kinds: Set[NotificationKind]) -> bool:
        """Return whether the client wants notifications of any of `kinds`."""
        wants_progress, wants_log = self._progress_token is not None, self._log_level is not None
        return (wants_progress and "progress" in kinds) or (wants_log and "log" in kinds)

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report that `done` of `total` is done. Sent at most every 0.1 s, and only if it grew (MCP, progress).

        Raises RpcError if the call was asked to stop: call it only where stopping leaves nothing half done.
        """
        self.raise_if_stopped()
        is_too_early = time.monotonic() < self._reported_at + PROGRESS_INTERVAL_SECONDS and done != total
        if self._progress_token is None or done <= self._done or is_too_early:
            return
        self._done, self._reported_at = done, time.monotonic()
        params: dict[str, Any] = {"progressToken": self._progress_token, "progress": done}
        if total is not None:
            params["total"] = total
        if message and self._supports_messages:
            params["message"] = message
        self._notify("notifications/progress", params)

    def log(self, level: str, data: object, logger: str = "ownsona") -> None:
        """Send the log message `data` if the client wants this level of LOG_LEVELS (MCP, server/utilities/logging)."""
        if self._log_level is not None and LOG_LEVELS.index(level) >= self._log_level:
            self._notify("notifications/message", {"level": level, "logger": logger, "data": data})

    def request_stop(self, error: RpcError) -> None:
        """Make the call end with `error` at its next progress report. Thread-safe."""
        self._stop_error = error

    def raise_if_stopped(self) -> None:
        """Raise the error that the call was asked to stop with, if any."""
        if self._stop_error is not None:
            raise self._stop_error

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        if self._send_message is not None:
            self._send_message(orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def notifier_for(
    call: Call, protocol_version: str, send_message: SendMessage | None, log_level: str | None
) -> ClientNotifier:
    """Return the notifier that `call` asks for. Raises RpcError -32602 for an invalid progress token."""
    meta = call.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if token is not None and readable_id({"id": token}) is None:
        raise invalid_params("_meta.progressToken must be a string or a whole number")
    return ClientNotifier(send_message, protocol_version=protocol_version, progress_token=token, log_level=log_level)
