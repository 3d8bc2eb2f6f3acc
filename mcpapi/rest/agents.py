"""The endpoints `GET /agents/list` and `POST /agents/{name}/prompt`."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from agents.selectors import get_agent, list_agents
from common.scopes import READ
from mcpapi.methods.body_limits import text_limit
from mcpapi.prompts.agents import described, render_agent, usable_tools
from mcpapi.rest.base import RestView, django_request
from mcpapi.rest.errors import builtin_error_response, not_found
from mcpapi.rest.json import read_arguments
from mcpapi.tool_failures import failure_from
from memories.errors import MemoriesError, NotFound


class AgentList(RestView):
    """The endpoint `GET /agents/list`."""

    method = "agents/list"

    def get(self, request: Request) -> Response:
        """Return the enabled agents, by name."""
        self.caller.require_scope(READ)
        agents = [
            {
                "name": agent.name,
                "description": agent.definition.description,
                "tools": usable_tools(self.caller, agent),
                "source": agent.form,
                "arguments": [
                    {"name": argument.name, "description": described(argument), "required": argument.required}
                    for argument in agent.definition.arguments
                ],
            }
            for agent in list_agents(self.caller.principal.owner_id)
        ]
        return Response({"agents": agents})


class AgentPrompt(RestView):
    """The endpoint `POST /agents/{name}/prompt`."""

    method = "agents/prompt"

    def post(self, request: Request, name: str) -> Response:
        """Return the agent's system text, tools and messages, filled in. Raises RpcError."""
        self.caller.require_scope(READ)
        given = read_arguments(django_request(request), text_limit())
        try:
            agent = get_agent(self.caller.principal.owner_id, name)
            rendered = render_agent(self.caller, agent, given)
        except NotFound as error:
            raise not_found(str(error)) from None
        except MemoriesError as error:
            failure = failure_from(error)["error"]
            self.caller.failure = failure["code"]
            return builtin_error_response(failure)
        self.caller.record_usage(is_write=False)
        return Response(
            {
                "system": rendered.system,
                "tools": list(rendered.tools),
                "messages": [{"role": message.role, "content": message.content} for message in rendered.messages],
            }
        )
