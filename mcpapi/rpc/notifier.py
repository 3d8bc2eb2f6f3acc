"""What a call tells its client before its answer: how far it is, and what is worth knowing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Set
from typing import Any, Literal

import orjson

from mcpapi.rpc.jsonrpc import Call, RequestId, RpcError, invalid_params, readable_id

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424's severities by their MCP names, least severe first (MCP, server/utilities/logging)."""

SendMessage = Callable[[bytes], None]
"""Sends the client one message, before the answer."""

NotificationKind = Literal["progress", "log"]
"""What a call can tell."""

PROGRESS_INTERVAL_SECONDS = 0.1
"""How long after one report of progress the next one comes at the earliest."""

PROGRESS_MESSAGE_SINCE = "2025-03-26"
"""The first revision in which progress has words. Revisions are dates: they sort as text."""


class ClientNotifier:
    """The way to the client of one call. Nothing is sent where there is no way, or where nobody wants to hear it."""

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
        """Whether the client wants to hear anything of `kinds`."""
        wants_progress, wants_log = self._progress_token is not None, self._log_level is not None
        return (wants_progress and "progress" in kinds) or (wants_log and "log" in kinds)

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell that `done` of `total` is done, not too often, and only more each time (MCP, progress).

        Raises RpcError where the call was told to stop: call it where stopping leaves nothing half done.
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
        """Tell `data`, of a severity in LOG_LEVELS, to a client that wants those (MCP, server/utilities/logging)."""
        if self._log_level is not None and LOG_LEVELS.index(level) >= self._log_level:
            self._notify("notifications/message", {"level": level, "logger": logger, "data": data})

    def request_stop(self, error: RpcError) -> None:
        """Have the call end with `error` at its next report. Any thread may call this."""
        self._stop_error = error

    def raise_if_stopped(self) -> None:
        """Raise what the call was told to end with."""
        if self._stop_error is not None:
            raise self._stop_error

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        if self._send_message is not None:
            self._send_message(orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


def notifier_for(
    call: Call, protocol_version: str, send_message: SendMessage | None, log_level: str | None
) -> ClientNotifier:
    """What `call` wants to hear. Raises RpcError -32602 for a token of progress that cannot be one."""
    meta = call.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if token is not None and readable_id({"id": token}) is None:
        raise invalid_params("_meta.progressToken must be a string or a whole number")
    return ClientNotifier(send_message, protocol_version=protocol_version, progress_token=token, log_level=log_level)
