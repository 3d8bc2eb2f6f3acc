"""The endpoints of the REST face. What they do is done by the tools; here it gets the shape of REST."""

from __future__ import annotations

from typing import Any, ClassVar

import orjson
from rest_framework.request import Request
from rest_framework.response import Response

from common.scopes import READ
from mcpapi.catalog import CatalogTool, catalog
from mcpapi.methods.body_limits import tool_limit
from mcpapi.methods.tools import run_tool
from mcpapi.rest.base import RestView, django_request
from mcpapi.rest.errors import not_found, tool_error_response
from mcpapi.rest.json import read_arguments
from mcpapi.rest.search import SOURCE
from mcpapi.rest.tool_list import BUILTINS, listed_tools
from mcpapi.rpc.jsonrpc import Call
from mcpapi.tools.base import Tool
from memories.queries import selectors
from memories.queries.selectors import MemoryFilters
from memories.vectors import spaces


class ToolList(RestView):
    """`GET /tools/list`."""

    method = "tools/list"

    def get(self, request: Request) -> Response:
        """The tools that the caller is shown."""
        return Response({"tools": listed_tools(self.caller)})


class ToolView(RestView):
    """An endpoint that runs a tool."""

    method = "tools/call"

    def run(self, request: Request, tool: CatalogTool) -> Response:
        """The answer of the tool to the arguments in the body. Raises RpcError."""
        arguments = read_arguments(django_request(request), tool_limit(tool))
        result = run_tool(self.caller, tool, arguments)
        if result["isError"]:
            return tool_error_response(payload_of(result)["error"])
        return Response(self.shape(result))

    def shape(self, result: Any) -> dict[str, Any]:
        """The CallToolResult of a success as it is answered here: the payload as it is, under one name."""
        return {"result": result["structuredContent"]}


class NamedTool(ToolView):
    """`POST /tools/{name}`."""

    def post(self, request: Request, name: str) -> Response:
        """The tool's payload as `result`, or its error."""
        tool = catalog().tools_by_name.get(name)
        if tool is None:
            raise not_found(f"There is no tool {name[:100]!r}. GET /tools/list shows those there are.")
        return self.run(request, tool)


class BuiltinTool(ToolView):
    """`POST /tools/search` and `POST /tools/get`: the fields of the payload without a frame around them."""

    tool: ClassVar[Tool]

    @property
    def call(self) -> Call:
        """See `RestView.call`."""
        return Call(self.method, {"name": self.tool.name})

    def post(self, request: Request) -> Response:
        """The tool's fields, or its error."""
        return self.run(request, self.tool)

    def shape(self, result: Any) -> dict[str, Any]:
        """See `ToolView.shape`."""
        return {name: value for name, value in payload_of(result).items() if name != "ok"}


class Search(BuiltinTool):
    """`POST /tools/search`."""

    tool = BUILTINS["search"]


class Get(BuiltinTool):
    """`POST /tools/get`."""

    tool = BUILTINS["get"]


class SourceList(RestView):
    """`GET /tools/sources`."""

    method = "tools/sources"

    def get(self, request: Request) -> Response:
        """The one source that there is: the memories that the caller may see. One query."""
        self.caller.require_scope(READ)
        count = selectors.filtered_memories(self.caller.view, MemoryFilters()).count()
        is_healthy = not spaces.embedding_problems()
        notes = f"Memories in force: {count}." + ("" if is_healthy else " Searched by words only.")
        self.caller.record_usage(is_write=False)
        return Response({"sources": [{"name": SOURCE, "configured": True, "healthy": is_healthy, "notes": notes}]})


class AgentList(RestView):
    """`GET /agents/list`."""

    method = "agents/list"

    def get(self, request: Request) -> Response:
        """None: OwnSona keeps memories, and no agents."""
        return Response({"agents": []})


class AgentPrompt(RestView):
    """`POST /agents/{name}/prompt`."""

    method = "agents/prompt"

    def post(self, request: Request, name: str) -> Response:
        """Raises RpcError (HTTP 404): there is no agent of any name."""
        raise not_found(f"There is no agent {name[:100]!r}: OwnSona keeps memories, and no agents.")


class UnknownPath(RestView):
    """Whatever else is asked for beside the endpoints."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises RpcError: HTTP 404 to those who may come in."""
        super().initial(request, *args, **kwargs)
        raise not_found("There is nothing at this path. docs/rest.md has those there are.")


def payload_of(result: Any) -> dict[str, Any]:
    """What the tool answered, of a CallToolResult."""
    payload: dict[str, Any] = orjson.loads(result["content"][0]["text"])
    return payload
