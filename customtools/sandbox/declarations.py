"""Scripts that only declare something: they run without a context, and what they log is discarded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from common.texts import translatable
from customtools.errors import ToolError
from customtools.sandbox.pool import pool

DECLARE_SECONDS: Final = 20.0
"""Only a busy machine takes that long: a script that declares can use only processor time, which has its own limit."""


def declared_tool(owner_id: int, source: str) -> Any:
    """Return the fields of the table `tool` of a script, without its functions. Raises ToolError, ToolTimeout."""
    return _declared(owner_id, {"action": "describe", "source": source})


def declared_table(owner_id: int, source: str, name: str) -> Any:
    """Return the table of this name that a script defines, as JSON. Raises ToolError, ToolTimeout."""
    return _declared(owner_id, {"action": "read", "source": source, "name": name})


def _declared(owner_id: int, command: Mapping[str, Any]) -> Any:
    return pool.run(owner_id, command, DECLARE_SECONDS, _refuse_call, lambda line: None)


def _refuse_call(name: str, arguments: Any) -> NoReturn:
    """Refuse a context call. A script that only declares has no context, so it has taken its process over."""
    raise ToolError(translatable("The script cannot use the context before it is called."), reason="crash")
