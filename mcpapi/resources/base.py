"""The definitions of a resource, a document at a URI, and of a URI template (MCP, server/resources)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import RESOURCE_NOT_FOUND, RpcError

TEXT = "text/plain"
JSON = "application/json"

Contents = Mapping[str, Any]
"""The content of a document: `text`, or `blob` in base64."""


class ResourceNotFound(RpcError):
    """The caller has no such resource. The code is that of the revisions up to 2025-11-25."""

    def __init__(self, uri: str) -> None:
        super().__init__(RESOURCE_NOT_FOUND, "Resource not found", reason="resource_not_found", uri=uri)


class NoSuchMember(Exception):
    """A template has no document for the value in a URI."""


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
        """Return the resource as `resources/list` shows it, in the shape of the newest revision."""
        return {
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
        }


@dataclass(frozen=True, slots=True)
class Template:
    """Documents at all URIs that consist of `prefix`, a value and `suffix`.

    `read` may raise NoSuchMember. `complete` returns the values that match the beginning of one, most likely first.
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
        """Return the decoded value of the variable in `uri`, or None if `uri` does not match or the value is empty."""
        if not (uri.startswith(self.prefix) and uri.endswith(self.suffix)):
            return None
        return unquote(uri[len(self.prefix) : len(uri) - len(self.suffix)]) or None

    def definition(self) -> dict[str, Any]:
        """Return the template as `resources/templates/list` shows it, in the shape of the newest revision."""
        return {
            "uriTemplate": self.uri_template,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
        }
