"""The catalog of tools, resources and prompts that the server offers. A setting names it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from common.scopes import Scope
from mcpapi.calls.caller import Caller
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
        """The name under which clients call it."""
        ...

    @property
    def scope(self) -> Scope:
        """The scope that every call needs."""
        ...

    @property
    def notifications(self) -> Set[NotificationKind]:
        """The kinds of notifications that its calls may send. Without any, a call is always run at once."""
        ...

    def definition(self) -> Mapping[str, Any]:
        """Return its definition for `tools/list`, in the shape of the newest revision."""
        ...

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result of `tools/call`, also if the tool fails. Raises RpcError for errors outside of the tool."""
        ...


@dataclass(frozen=True)
class Catalog:
    """All that clients can list and call, in listing order.

    The owner's data is added to it: each memory is a resource, and each prompt of their own a prompt. `unlisted` tools
    can be called, but no list shows them. `profiles` maps each profile to the tools that it lists.
    """

    tools: tuple[CatalogTool, ...]
    unlisted: tuple[CatalogTool, ...] = ()
    profiles: Mapping[str, Set[str]] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    templates: tuple[Template, ...] = ()
    prompts: tuple[Prompt, ...] = ()

    @cached_property
    def tools_by_name(self) -> Mapping[str, CatalogTool]:
        """Every tool, by name."""
        return {tool.name: tool for tool in (*self.tools, *self.unlisted)}

    @cached_property
    def tool_definitions(self) -> Mapping[str, Mapping[str, Any]]:
        """The definitions for `tools/list`, by name."""
        return {tool.name: tool.definition() for tool in self.tools}


PRODUCT = Catalog(
    tools=TOOLS, unlisted=UNLISTED, profiles=PROFILES, resources=RESOURCES, templates=TEMPLATES, prompts=SHIPPED
)


@cache
def catalog() -> Catalog:
    """Return the catalog that the setting MCP_CATALOG names by its dotted path."""
    chosen: Catalog = import_string(settings.MCP_CATALOG)
    return chosen
