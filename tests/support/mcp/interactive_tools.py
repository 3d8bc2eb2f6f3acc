"""Tools that send requests or notifications, or wait, before they respond."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from common.scopes import READ, Scope
from mcpapi.calls.caller import Caller
from mcpapi.models import OwnPrompt
from mcpapi.rpc.client_input import InputRequest
from mcpapi.rpc.notifier import NotificationKind
from mcpapi.rpc.suspension import WaitForTopic

FORM = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}


def elicit(message: str) -> InputRequest:
    return InputRequest("elicitation/create", {"message": message, "requestedSchema": FORM})


@dataclass(frozen=True)
class AskingTool:
    """A tool that requests a name, then a colour, and then returns both."""

    name: str = "greet"
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset()

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.name, "inputSchema": {"type": "object"}}

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        name = caller.inputs.ask(name=elicit("Your name?"))["name"]
        colour = caller.inputs.ask(colour=elicit("Your colour?"))["colour"]
        text_result = " ".join(str(answer.get("content", {}).get("value")) for answer in (name, colour))
        return {"content": [{"type": "text", "text": text_result}], "isError": False}


@dataclass(frozen=True)
class SamplingTool:
    """A tool that requests a sample and the roots at once."""

    name: str = "sample"
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset()

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.name, "inputSchema": {"type": "object"}}

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        caller.inputs.ask(
            sample=InputRequest("sampling/createMessage", {"messages": [], "maxTokens": 1}),
            roots=InputRequest("roots/list"),
        )
        return {"content": [], "isError": False}


def accepted_input(value: str) -> dict[str, Any]:
    return {"action": "accept", "content": {"value": value}}


def text_result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": False}


@dataclass(frozen=True)
class WaitingTool:
    """A tool that waits until the owner has a prompt named `topic`, and returns how the wait ended."""

    until: float = field(default_factory=lambda: time.monotonic() + 3600)
    topic: str = "decided"
    name: str = "wait"
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset()

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.name, "inputSchema": {"type": "object"}}

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if OwnPrompt.objects.filter(owner_id=caller.principal.owner_id, name=self.topic).exists():
            return text_result("decided")
        if not caller.can_wait:
            return text_result("cannot wait")
        if time.monotonic() >= self.until:
            return text_result("too late")
        raise WaitForTopic(self.topic, self.until)


@dataclass(frozen=True)
class NotifyingTool:
    """A tool that does `work` with its caller before it responds."""

    work: Callable[[Caller], None]
    name: str = "talk"
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset({"progress", "log"})

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.name, "inputSchema": {"type": "object"}}

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        self.work(caller)
        return text_result("done")
