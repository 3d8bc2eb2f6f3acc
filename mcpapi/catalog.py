"""What this server offers its clients, in one place that the settings name."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from mcpapi.calls.context import Caller
from mcpapi.prompts.base import Prompt
from mcpapi.prompts.shipped import SHIPPED
from mcpapi.resources import RESOURCES, TEMPLATES
from mcpapi.resources.base import Resource, Template
from mcpapi.rpc.notifier import NotificationKind
from mcpapi.tools import TOOLS, UNLISTED
from mcpapi.tools.profiles import PROFILES


class CatalogTool(Protocol):
    """A tool as the protocol sees it."""

    @property
    def name(self) -> str:
        """What clients call it by."""
        ...

    @property
    def notifications(self) -> Set[NotificationKind]:
        """What a call of it tells a client that wants to hear it; a call that tells nothing is answered at once."""
        ...

    def definition(self) -> Mapping[str, Any]:
        """How `tools/list` shows it, in the shape of the newest revision."""
        ...

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of `tools/call`, a failure of the tool included. Raises RpcError for what is no matter of it."""
        ...


@dataclass(frozen=True)
class Catalog:
    """All that clients can list and call, in the order in which lists show it.

    What a person has is added to it: each memory is a resource, too, and each prompt of their own a prompt. `unlisted`
    tools are answered, but no list shows them. `profiles` has the tools that each profile shows.
    """

    tools: tuple[CatalogTool, ...]
    unlisted: tuple[CatalogTool, ...] = ()
    profiles: Mapping[str, Set[str]] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    templates: tuple[Template, ...] = ()
    prompts: tuple[Prompt, ...] = ()

    @cached_property
    def tools_by_name(self) -> Mapping[str, CatalogTool]:
        """Every tool under its name."""
        return {tool.name: tool for tool in (*self.tools, *self.unlisted)}

    @cached_property
    def tool_definitions(self) -> Mapping[str, Mapping[str, Any]]:
        """What `tools/list` can show, by name."""
        return {tool.name: tool.definition() for tool in self.tools}


PRODUCT = Catalog(
    tools=TOOLS, unlisted=UNLISTED, profiles=PROFILES, resources=RESOURCES, templates=TEMPLATES, prompts=SHIPPED
)


@cache
def catalog() -> Catalog:
    """The catalog that the setting MCP_CATALOG names by its dotted path."""
    chosen: Catalog = import_string(settings.MCP_CATALOG)
    return chosen
