"""The tools that the steps of a workflow call, with everything that applies to calls of the app itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import orjson

from common.provided import Provided
from common.scopes import Scope
from mcpapi.calls.approval_errors import ApprovalTimedOut
from mcpapi.calls.caller import Caller
from mcpapi.rpc.client_input import NoClientInput
from mcpapi.rpc.jsonrpc import BUDGET_EXCEEDED, RATE_LIMITED, RpcError
from mcpapi.rpc.notifier import ClientNotifier
from mcpapi.state import running
from memories.errors import InvalidInput
from memories.writing.hidden_values import all_secrets_refused
from workflows.execution import ToolOutcome
from workflows.runs import Runnable


class CallableTool(Protocol):
    """A tool, as far as a run needs to know it."""

    @property
    def scope(self) -> Scope:
        """The scope that every call needs."""
        ...

    def definition(self) -> Mapping[str, Any]:
        """Return its definition for `tools/list`."""
        ...


find_tool: Provided[[Caller, str], CallableTool | None] = Provided("the tools of a caller by name")
"""Returns a built-in tool, or a custom one of the caller's owner."""

call_tool: Provided[[Caller, dict[str, Any]], Mapping[str, Any]] = Provided("the method tools/call")
"""Every call goes through the method: allow-lists, scopes, approvals and budgets apply as to a call of the app."""


class CallerTools:
    """The tools as the caller may use them: see `workflows.execution.ToolRunner`."""

    def __init__(self, caller: Caller, report: Callable[[int, str], None]) -> None:
        self._caller = caller
        self._report = report
        self._calls = 0

    def report(self, done: int, path: str) -> None:
        """See `ToolRunner.report`."""
        self._report(done, path)

    def is_repeatable(self, tool: str) -> bool:
        """See `ToolRunner.is_repeatable`: the tool declares it with its hints."""
        found = find_tool(self._caller, tool)
        hints = {} if found is None else found.definition().get("annotations", {})
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))

    def problem_with(self, tool: str) -> str:
        """Return why the app cannot call a tool; an empty text if it can."""
        found = find_tool(self._caller, tool)
        if found is None:
            return f"There is no tool {tool}."
        if not running.may_call(self._caller, tool):
            return f"The owner does not allow this app to use {tool}."
        return "" if self._caller.has_scope(found.scope) else f"It needs the scope {found.scope}."

    def require_all(self, runnable: Runnable) -> None:
        """Check all tools of a workflow before the first is called.

        Raises RpcError for a missing scope, which lets a client step up, and InvalidInput for any other problem.
        """
        for name, definition in runnable.parsed().items():
            for step in definition.steps:
                if not step.tool:
                    continue
                found = find_tool(self._caller, step.tool)
                if found is not None and running.may_call(self._caller, step.tool):
                    self._caller.require_scope(found.scope)
                if problem := self.problem_with(step.tool):
                    raise InvalidInput(f"the step {step.id} of {name} cannot be run. {problem}", argument="id")

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """See `ToolRunner.call`. Each call but the first counts against the rate limit, as if the app had made it."""
        # The run cannot be suspended within a step: a call that needs an approval ends, and is repeated later.
        caller = replace(
            self._caller.for_new_run(),
            can_wait=False,
            inputs=NoClientInput(),
            notifier=ClientNotifier(),
            is_counted=False,
        )
        try:
            if self._calls:
                running.count_call(self._caller)
            self._calls += 1
            # The arguments of a run and the results of its steps are recorded.
            with all_secrets_refused():
                result = call_tool(caller, {"name": tool, "arguments": dict(arguments)})
        except RpcError as error:
            message = str(error.data.get("details", error.message))
            return ToolOutcome(
                error_code=str(error.data["reason"]),
                message=message,
                is_waiting=error.code in {RATE_LIMITED, BUDGET_EXCEEDED} and not self._has_acted(caller, tool),
            )
        # The recall log has one recall of a call: the last one.
        self._caller.recall = caller.recall or self._caller.recall
        self._caller.memory_ids.extend(caller.memory_ids)
        self._caller.document_ids.extend(caller.document_ids)
        return _outcome(result, tuple(caller.memory_ids))

    def _has_acted(self, caller: Caller, tool: str) -> bool:
        """Return whether a call that was refused in its course may have had effects: a script has several steps."""
        return bool(caller.custom_tool) and not self.is_repeatable(tool)


def _outcome(result: Mapping[str, Any], memory_ids: tuple[int, ...]) -> ToolOutcome:
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    payload = _payload(text)
    if not result["isError"]:
        return ToolOutcome(payload, memory_ids=memory_ids)
    error = payload.get("error", {}) if isinstance(payload, dict) else {}
    code, message = str(error.get("code", "tool_error")), str(error.get("message", text))
    return ToolOutcome(error_code=code, message=message, is_waiting=code == ApprovalTimedOut.code)


def _payload(text: str) -> Any:
    """Return the JSON in the result of a tool; the text itself if it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
