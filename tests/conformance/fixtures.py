"""Building blocks for the tools, prompts and resources that the conformance suite expects of a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from common.scopes import READ, Scope
from mcpapi.calls.caller import Caller
from mcpapi.rpc.client_input import InputRequest
from mcpapi.rpc.notifier import NotificationKind

Json = dict[str, Any]
Arguments = Mapping[str, Any]
NO_ARGUMENTS: Json = {"type": "object", "additionalProperties": False}

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


@dataclass(frozen=True)
class FixtureTool:
    """A tool that responds with the content that a function returns."""

    name: str
    description: str
    content: Callable[[Caller, Arguments], list[Json]]
    input_schema: Json = field(default_factory=lambda: NO_ARGUMENTS)
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset()

    def definition(self) -> Mapping[str, Any]:
        """See `CatalogTool.definition`."""
        return {"name": self.name, "description": self.description, "inputSchema": self.input_schema}

    def call(self, caller: Caller, arguments: Arguments) -> Mapping[str, Any]:
        """See `CatalogTool.call`. A ValueError is an error of the tool."""
        try:
            return {"content": self.content(caller, arguments), "isError": False}
        except ValueError as error:
            return {"content": [text(str(error))], "isError": True}


def text(said: str) -> Json:
    """Return a block of text."""
    return {"type": "text", "text": said}


def image() -> Json:
    """Return an image of one pixel."""
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def audio() -> Json:
    """Return a block of empty audio."""
    return {"type": "audio", "data": WAV, "mimeType": "audio/wav"}


def embedded(uri: str, mime_type: str, content: str) -> Json:
    """Return a resource embedded in a message."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": content}}


def form(message: str, *required: str, **properties: Json) -> InputRequest:
    """Return a request for a form with these fields."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return InputRequest("elicitation/create", {"message": message, "requestedSchema": schema})


def sample(prompt: str) -> InputRequest:
    """Return a request for a sample of the client's model."""
    message = {"role": "user", "content": text(prompt)}
    return InputRequest("sampling/createMessage", {"messages": [message], "maxTokens": 100})


ROOTS = InputRequest("roots/list")
STRING: Json = {"type": "string"}
