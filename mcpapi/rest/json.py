"""JSON requests and responses, whatever the client accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from mcpapi.http.bodies import read_body
from mcpapi.methods.body_limits import BodyLimit, parse_json
from mcpapi.rpc import jsonrpc

JSON = "application/json"


def read_arguments(request: HttpRequest, limit: BodyLimit) -> jsonrpc.Params:
    """Read the JSON object in the body, within `limit`. An empty body counts as an empty object.

    Raises RpcError for any other body, UnsupportedMediaType (HTTP 415) for another type. The framework's own parsing
    would take a chunked body for an empty one.
    """
    body = read_body(request, limit.bytes)
    if not body:
        return {}
    if request.content_type != JSON:
        raise UnsupportedMediaType(
            str(request.content_type), f"Send the arguments as JSON, with the header 'Content-Type: {JSON}'."
        )
    arguments = parse_json(body, limit)
    if not isinstance(arguments, dict):
        raise jsonrpc.invalid_request("The body must be a JSON object with the arguments by name.")
    return arguments


class JsonRenderer(BaseRenderer):
    """A renderer that encodes responses, parts of which may be JSON already."""

    media_type = JSON
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return `data` as JSON."""
        return orjson.dumps(data)


class JsonOnlyNegotiation(BaseContentNegotiation):
    """A negotiation that does not enforce `Accept`, as at `/mcp`."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return None: bodies are read by `read_arguments`."""
        return None

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer."""
        return next(iter(renderers)), JSON
