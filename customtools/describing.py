"""Validation of a source: a script is run up to its declaration, in the sandbox."""

from __future__ import annotations

from typing import Any

from customtools.definitions.declaration import Declaration
from customtools.definitions.reading import read_declared, read_http
from customtools.errors import InvalidDefinition, ToolError, ToolTimeout
from customtools.limits import MAX_SOURCE_CHARS
from customtools.models import CustomTool
from customtools.sandbox.declarations import declared_tool
from memories.errors import SecretRejected
from memories.validation.text import check_storable, refuse_secrets


def describe(owner_id: int, kind: str, source: str) -> Declaration:
    """Return what a valid source declares. Raises InvalidDefinition, which names the field or the line, and others."""
    if not source.strip():
        raise InvalidDefinition("must not be empty.", "source")
    if len(source) > MAX_SOURCE_CHARS:
        raise InvalidDefinition(f"has more than {MAX_SOURCE_CHARS:,} characters.", "source")
    check_storable("source", source)
    _refuse_secrets(source)
    if kind == CustomTool.Kind.HTTP:
        return read_http(source).declaration
    return read_declared(_declared(owner_id, source))


def _declared(owner_id: int, source: str) -> Any:
    try:
        return declared_tool(owner_id, source)
    except (ToolError, ToolTimeout) as error:
        raise InvalidDefinition(error.plain, "source", error.line) from None


def _refuse_secrets(source: str) -> None:
    try:
        refuse_secrets("source", source)
    except SecretRejected as error:
        raise SecretRejected(
            error.problem.removesuffix(" Remove it and try again.")
            + " Save it on the page Secrets of tools, and use it by its name.",
            argument="source",
        ) from None
