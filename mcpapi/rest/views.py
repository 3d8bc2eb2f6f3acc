"""The endpoints of the REST API. Tools do the work; these views shape their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import orjson
from rest_framework.request import Request
from rest_framework.response import Response

from common.scopes import READ
from mcpapi.catalog import CatalogTool
from mcpapi.methods.body_limits import tool_limit
from mcpapi.methods.tools import find_tool, run_tool
from mcpapi.rest.base import RestView, django_request
from mcpapi.rest.errors import builtin_error_response, not_found, tool_error_response
from mcpapi.rest.json import read_arguments
from mcpapi.rest.tool_list import BUILTINS, listed_tools
from mcpapi.rpc.jsonrpc import Call
from mcpapi.tools.base import Tool
from mcpapi.tools.source_list import list_all_sources


class ToolList(RestView):
    """The endpoint `GET /tools/list`."""

    method = "tools/list"

    def get(self, request: Request) -> Response:
        """Return the tools that are listed for the caller."""
        return Response({"tools": listed_tools(self.caller)})


class ToolView(RestView):
    """An endpoint that runs a tool."""

    method = "tools/call"

    def run(self, request: Request, tool: CatalogTool) -> Response:
        """Run the tool with the arguments in the body and return its response. Raises RpcError."""
        arguments = read_arguments(django_request(request), tool_limit(tool))
        result = run_tool(self.caller, tool, arguments)
        if result["isError"]:
            # For the log of the server, see ownsona_site/configuration/log_filters.py.
            django_request(request).META["ownsona.custom_tool_failed"] = bool(self.caller.custom_tool)
            return self.error_response(payload_of(result)["error"])
        return Response(self.shape(result))

    def error_response(self, error: Mapping[str, Any]) -> Response:
        """Return the response to a call that failed."""
        return tool_error_response(error)

    def shape(self, result: Any) -> dict[str, Any]:
        """Return a successful CallToolResult in the shape of this endpoint: the payload as `result`."""
        return {"result": result["structuredContent"]}


class NamedTool(ToolView):
    """The endpoint `POST /tools/{name}`."""

    def post(self, request: Request, name: str) -> Response:
        """Return the tool's payload as `result`, or its error."""
        tool = find_tool(self.caller, name)
        if tool is None:
            raise not_found(f"There is no tool {name[:100]!r}. GET /tools/list shows the available tools.")
        return self.run(request, tool)

    def shape(self, result: Any) -> dict[str, Any]:
        """See `ToolView.shape`. Of a custom tool, only what it returns."""
        return {"result": payload_of(result)["result"]} if self.caller.custom_tool else super().shape(result)


class BuiltinTool(ToolView):
    """The endpoints `POST /tools/search` and `POST /tools/get`, whose responses are the payload without a wrapper."""

    tool: ClassVar[Tool]

    @property
    def call(self) -> Call:
        """See `RestView.call`."""
        return Call(self.method, {"name": self.tool.name})

    def post(self, request: Request) -> Response:
        """Return the fields of the tool's payload, or its error."""
        return self.run(request, self.tool)

    def error_response(self, error: Mapping[str, Any]) -> Response:
        """See `ToolView.error_response`. The codes are those that these endpoints had from the start."""
        return builtin_error_response(error)

    def shape(self, result: Any) -> dict[str, Any]:
        """See `ToolView.shape`."""
        return {name: value for name, value in payload_of(result).items() if name != "ok"}


class Search(BuiltinTool):
    """The endpoint `POST /tools/search`."""

    tool = BUILTINS["search"]


class Get(BuiltinTool):
    """The endpoint `POST /tools/get`."""

    tool = BUILTINS["get"]


class SourceList(RestView):
    """The endpoint `GET /tools/sources`."""

    method = "tools/sources"

    def get(self, request: Request) -> Response:
        """Return the sources that the caller may see, each with its name, its state and a note."""
        self.caller.require_scope(READ)
        shown = {"name", "configured", "healthy", "notes"}
        sources = [source.model_dump(include=shown) for source in list_all_sources(self.caller)]
        self.caller.record_usage(is_write=False)
        return Response({"sources": sources})


class UnknownPath(RestView):
    """Every other path under `tools` and `agents`."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise RpcError: HTTP 404, but only for an admitted caller."""
        super().initial(request, *args, **kwargs)
        raise not_found("There is no endpoint at this path. See docs/rest.md.")


def payload_of(result: Any) -> dict[str, Any]:
    """Return the tool's payload in a CallToolResult."""
    payload: dict[str, Any] = orjson.loads(result["content"][0]["text"])
    return payload
