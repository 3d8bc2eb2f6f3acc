"""The method `completion/complete`: values for an argument that is being typed (MCP, server/utilities/completion)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.catalog import catalog
from mcpapi.methods.prompts import find_prompt
from mcpapi.prompts.base import COMPLETED_FROM_TAGS
from mcpapi.prompts.documents import DOCUMENT_URI, complete_document
from mcpapi.resources.tags import complete_tag
from mcpapi.rpc.jsonrpc import Params, invalid_params

MAX_VALUES = 100
MAX_VALUE_CHARS = 2_000

Completer = Callable[[Caller, str], Sequence[str]]


def complete(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return the values that match the beginning of an argument, most likely first. Raises RpcError -32602."""
    caller.require_scope(READ)
    reference, argument = _object(params, "ref"), _object(params, "argument")
    name, value = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(value, str) or len(value) > MAX_VALUE_CHARS:
        raise invalid_params(f"argument must have a name and a value of at most {MAX_VALUE_CHARS} characters")
    found = _completer(caller, reference, name)(caller, value)
    shown = {"values": found[:MAX_VALUES], "hasMore": len(found) > MAX_VALUES}
    return {"completion": shown if shown["hasMore"] else {**shown, "total": len(found)}}


def _object(params: Params, name: str) -> dict[str, Any]:
    value = params.get(name)
    if not isinstance(value, dict):
        raise invalid_params(f"{name} must be an object")
    return value


def _completer(caller: Caller, reference: dict[str, Any], argument: str) -> Completer:
    match reference.get("type"):
        case "ref/prompt":
            prompt = find_prompt(caller, reference.get("name"))
            _check(argument, [known.name for known in prompt.arguments])
            if choices := next(known.choices for known in prompt.arguments if known.name == argument):
                return partial(_complete_choice, choices)
            if argument == DOCUMENT_URI:
                return complete_document
            return complete_tag if argument in COMPLETED_FROM_TAGS else _nothing
        case "ref/resource":
            template = next(
                (known for known in catalog().templates if known.uri_template == reference.get("uri")), None
            )
            if template is None:
                raise invalid_params("ref.uri must be a URI template from resources/templates/list")
            _check(argument, [template.variable])
            return template.complete
        case _:
            raise invalid_params("ref.type must be ref/prompt or ref/resource")


def _check(argument: str, known: Sequence[str]) -> None:
    if argument not in known:
        allowed = f"must be one of: {', '.join(known)}" if known else "is not known: there are no arguments"
        raise invalid_params(f"argument.name {allowed}")


def _complete_choice(choices: Sequence[str], caller: Caller, beginning: str) -> Sequence[str]:
    return [choice for choice in choices if choice.casefold().startswith(beginning.strip().casefold())]


def _nothing(caller: Caller, beginning: str) -> Sequence[str]:
    return []
