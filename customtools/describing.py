"""Validation of a source: a script is run up to its declaration, in the sandbox."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from common.texts import translatable
from customtools.definitions.declaration import Declaration
from customtools.definitions.reading import read_declared, read_http
from customtools.errors import InvalidDefinition, ToolError, ToolTimeout
from customtools.limits import MAX_SOURCE_CHARS
from customtools.models import CustomTool
from customtools.sandbox.declarations import declared_tool
from memories.errors import SecretRejected
from memories.validation.secrets.detection import kind_of_secret
from memories.validation.text import check_storable


def describe(owner_id: int, kind: str, source: str) -> Declaration:
    """Return what a valid source declares. Raises InvalidDefinition, which names the field or the line, and others."""
    if not source.strip():
        raise InvalidDefinition(translatable("must not be empty."), "source")
    if len(source) > MAX_SOURCE_CHARS:
        raise InvalidDefinition(
            translatable("has more than %(most)s characters.", most=f"{MAX_SOURCE_CHARS:,}"), "source"
        )
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
    if kind := kind_of_secret(source):
        raise SecretRejected(
            gettext(
                "this seems to contain %(kind)s. Secrets are never stored. Save it on the page Secrets of tools, and "
                "use it by its name."
            )
            % {"kind": gettext(kind)},
            argument="source",
        )
