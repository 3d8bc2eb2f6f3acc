"""Reading a definition from its source: the declaration of a script, or an HTTP template."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from common.texts import translatable
from customtools.definitions.declaration import FIELDS, Declaration
from customtools.definitions.templates import HttpTemplate
from customtools.errors import InvalidDefinition

HTTP_FIELDS: Final = frozenset({"request", "response"})


@dataclass(frozen=True, slots=True)
class HttpDefinition:
    """A valid HTTP tool."""

    declaration: Declaration
    template: HttpTemplate


def read_http(source: str) -> HttpDefinition:
    """Return the HTTP tool that `source` describes as JSON. Raises InvalidDefinition or another MemoriesError."""
    try:
        given = json.loads(source, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        problem = translatable("is not JSON: %(problem)s.", problem=error.msg.lower())
        raise InvalidDefinition(problem, "source", error.lineno) from None
    except (ValueError, RecursionError):
        raise InvalidDefinition(translatable("is not JSON."), "source") from None
    if not isinstance(given, dict):
        raise InvalidDefinition(translatable("must be a JSON object."), "source")
    declaration = Declaration.of({name: value for name, value in given.items() if name not in HTTP_FIELDS})
    return HttpDefinition(declaration, HttpTemplate.of(given.get("request"), given.get("response"), declaration))


def read_declared(declared: Any) -> Declaration:
    """Return the declaration of a script. Raises InvalidDefinition or another MemoriesError."""
    if isinstance(declared, dict) and (unknown := sorted(set(declared) & HTTP_FIELDS - FIELDS)):
        raise InvalidDefinition(translatable("belongs to an HTTP tool, not to a script."), unknown[0])
    return Declaration.of(declared)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
