"""Execution of one call of a custom tool."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final, Protocol

from django.utils import timezone

from common.texts import translatable
from customtools.definitions.templates import HttpTemplate, select
from customtools.errors import ToolError, ToolTimeout
from customtools.limits import MAX_RESULT_BYTES
from customtools.models import CustomTool, ToolLogLine
from customtools.registry import Definition
from customtools.running import log
from customtools.running.http import send
from customtools.running.requests import request_of, response_value
from customtools.running.secrets import CallSecrets
from customtools.sandbox.pool import pool
from memories.errors import EmbeddingRefused, MemoriesError

logger = logging.getLogger(__name__)

MAX_SHOWN_CHARS: Final = 300


class Host(Protocol):
    """The functions of OwnSona that a script can call, with the rights of the caller."""

    @property
    def client_name(self) -> str:
        """The name of the app that calls, for the log."""
        ...

    def require_permitted(self) -> None:
        """Raise MemoriesError if the caller has lost its access since the call began."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result of search, recall, get or remember. Raises MemoriesError.

        An EmbeddingRefused ends the call as it is, unless the script handles it.
        """
        ...


def execute(definition: Definition, arguments: Mapping[str, Any], host: Host) -> Any:
    """Run the tool with valid arguments, and return its result as JSON without secrets.

    A failure is written to the owner's log. Raises ToolError, ToolTimeout, or another MemoriesError, such as
    EmbeddingRefused.
    """
    call = _Call(definition, host)
    try:
        result = call.run(arguments)
        if call.has_left_the_script:
            host.require_permitted()
    except MemoriesError as error:
        raise call.logged(error) from None
    return call.secrets.redact_all(result)


class _Call:
    """One call: its deadline, its secrets, and the requests of the script to the server."""

    def __init__(self, definition: Definition, host: Host) -> None:
        self._definition = definition
        self._host = host
        self._deadline = time.monotonic() + definition.declaration.timeout_seconds
        self.secrets = CallSecrets(definition.owner_id)
        self._refusals: dict[str, EmbeddingRefused] = {}
        # Without this, a result depends on nothing but the arguments, which the app knows.
        self.has_left_the_script = definition.kind == CustomTool.Kind.HTTP

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """Run the script, or send the request of the template."""
        if self._definition.kind == CustomTool.Kind.HTTP:
            return self._send_template(arguments)
        command = {
            "action": "execute",
            "source": self._definition.source,
            "parameters": dict(arguments),
            "now": timezone.now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        }
        seconds = self._definition.declaration.timeout_seconds
        try:
            return pool.run(self._definition.owner_id, command, seconds, self._answer, self._log)
        except ToolError as error:
            raise self._refusal_in(error) or error from None

    def logged(self, error: MemoriesError) -> MemoriesError:
        """Write the error to the owner's log. Return it without secrets."""
        shown = self.secrets.redact(str(error))
        is_timeout = isinstance(error, ToolTimeout)
        level = ToolLogLine.Level.TIMEOUT if is_timeout else ToolLogLine.Level.ERROR
        log.add_line(self._definition.owner_id, self._definition.name, level, shown, self._host.client_name)
        if is_timeout or (isinstance(error, ToolError) and error.reason != "error"):
            logger.warning("The custom tool %s was stopped: %s", self._definition.name, shown[:MAX_SHOWN_CHARS])
        if shown != str(error):
            return ToolTimeout(shown) if is_timeout else ToolError(shown)
        return error

    def _refusal_in(self, error: ToolError) -> EmbeddingRefused | None:
        """Return the refusal of a context call with which the script has ended, possibly raised again by the script."""
        return next((refusal for shown, refusal in self._refusals.items() if error.plain.endswith(shown)), None)

    def _send_template(self, arguments: Mapping[str, Any]) -> Any:
        template = self._definition.template
        assert template is not None
        wanted = template.render(arguments, self.secrets.value)
        response = send(self._definition.owner_id, wanted, self._deadline)
        if not 200 <= response.status < 300:
            raise ToolError(translatable("The server responded with HTTP status %(status)s.", status=response.status))
        return _selected(template, response.content)

    def _answer(self, name: str, arguments: Any) -> tuple[bool, Any]:
        """Carry out a context call of the script. A failure becomes an error in the script, at its line."""
        self.has_left_the_script = True
        try:
            self._host.require_permitted()
            if name == "secret":
                return True, self.secrets.mark(str(arguments.get("name", "")))
            if name == "http":
                response = send(self._definition.owner_id, request_of(arguments, self.secrets), self._deadline)
                return _within_limit(response_value(response, self.secrets))
            return _within_limit(self._host.call(name, arguments))
        except ToolTimeout:
            raise
        except MemoriesError as error:
            shown = self.secrets.redact(str(error))
            if isinstance(error, EmbeddingRefused):
                self._refusals[shown] = error
            return False, shown

    def _log(self, text: str) -> None:
        shown = self.secrets.redact(text)
        log.add_line(
            self._definition.owner_id, self._definition.name, ToolLogLine.Level.INFO, shown, self._host.client_name
        )


def _within_limit(value: Any) -> tuple[bool, Any]:
    if len(json.dumps(value, default=str)) > MAX_RESULT_BYTES:
        most = f"{MAX_RESULT_BYTES:,}"
        return False, translatable("the response has more than %(most)s bytes; ask for less", most=most)
    return True, value


def _selected(template: HttpTemplate, content: bytes) -> Any:
    """Return the part of the response that the template names. Raises ToolError."""
    if template.pointer is None:
        return content.decode(errors="replace")
    try:
        return select(json.loads(content), template.pointer)
    except (ValueError, RecursionError):
        raise ToolError(translatable("The response of the server is not JSON.")) from None
    except LookupError:
        raise ToolError(
            translatable("The response of the server has nothing at %(pointer)s.", pointer=template.pointer)
        ) from None
