"""A tool that prints in every possible way."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Set
from typing import Any

from common.scopes import READ, Scope
from mcpapi.calls.caller import Caller
from mcpapi.catalog import Catalog
from mcpapi.rpc.notifier import NotificationKind


class PrintingTool:
    """A tool that prints in every possible way before it responds."""

    name = "chatter"
    scope: Scope = READ
    notifications: Set[NotificationKind] = frozenset()

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.name, "inputSchema": {"type": "object"}}

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        print("Python prints", flush=True)
        os.write(1, b"C prints\n")
        subprocess.run(["echo", "a child prints"], check=True)
        return {"content": [], "isError": False}


CATALOG = Catalog(tools=(PrintingTool(),))
