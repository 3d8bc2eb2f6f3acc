"""What a resource is: a document at a URI, or one of many that a URI template describes (MCP, server/resources)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mcpapi.calls.context import Caller
from mcpapi.rpc.jsonrpc import RESOURCE_NOT_FOUND, RpcError

TEXT = "text/plain"
JSON = "application/json"

Contents = Mapping[str, Any]
"""What a document holds: `text`, or `blob` in base64."""


class ResourceNotFound(RpcError):
    """The caller has no such resource. Its code is that of the revisions up to 2025-11-25."""

    def __init__(self, uri: str) -> None:
        super().__init__(RESOURCE_NOT_FOUND, "Resource not found", reason="resource_not_found", uri=uri)


class NoSuchMember(Exception):
    """A template has nothing at the value that a URI gives it."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A document at one URI."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Caller], Contents]

    def definition(self) -> dict[str, Any]:
        """The resource as `resources/list` shows it, in the shape of the newest revision."""
        return {
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
        }


@dataclass(frozen=True, slots=True)
class Template:
    """Documents at all URIs that begin with `prefix`, go on with a value and end with `suffix`.

    `read` raises NoSuchMember; `complete` gives the values that a beginning can mean, the likeliest first.
    """

    prefix: str
    variable: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Caller, str], Contents]
    complete: Callable[[Caller, str], Sequence[str]]
    suffix: str = ""

    @property
    def uri_template(self) -> str:
        """The template in the notation of RFC 6570."""
        return f"{self.prefix}{{{self.variable}}}{self.suffix}"

    def extract_value(self, uri: str) -> str | None:
        """The value that `uri` gives the variable, decoded; None for a URI of another kind, or an empty value."""
        if not (uri.startswith(self.prefix) and uri.endswith(self.suffix)):
            return None
        return unquote(uri[len(self.prefix) : len(uri) - len(self.suffix)]) or None

    def definition(self) -> dict[str, Any]:
        """The template as `resources/templates/list` shows it, in the shape of the newest revision."""
        return {
            "uriTemplate": self.uri_template,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
        }
