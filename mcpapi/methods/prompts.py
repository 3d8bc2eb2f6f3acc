"""The methods `prompts/list` and `prompts/get`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.scopes import READ
from mcpapi.calls.budgets import count_characters, embedding_spent_by, spend_call, spend_result
from mcpapi.calls.caller import Caller
from mcpapi.calls.cursors import refuse_cursor
from mcpapi.catalog import catalog
from mcpapi.prompts.agents import agent_prompts, find_agent_prompt
from mcpapi.prompts.base import Prompt
from mcpapi.prompts.own import find_own_prompt, own_prompts
from mcpapi.prompts.workflows import find_workflow_prompt, workflow_prompts
from mcpapi.rpc.jsonrpc import Params, invalid_params
from memories.errors import MemoriesError
from memories.validation.text import check_storable

MAX_NAME_CHARS = 200


def list_prompts(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return all prompts on one page: the shipped ones, workflows, agents, then the owner's own. Three queries.

    Of several with one name, the last is listed, as `find_prompt` finds it: a shipped prompt may have come with a later
    version.
    """
    caller.require_scope(READ)
    refuse_cursor("prompts/list", params)
    owner_id = caller.principal.owner_id
    listed: dict[str, Prompt] = {}
    for prompt in (
        *catalog().prompts,
        *workflow_prompts(owner_id),
        *agent_prompts(owner_id),
        *own_prompts(owner_id),
    ):
        # Removed first, so that the later one also has the later place.
        listed.pop(prompt.name, None)
        listed[prompt.name] = prompt
    return {"prompts": [prompt.definition() for prompt in listed.values()]}


def get_prompt(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return the messages of a prompt, filled in. Raises RpcError -32602 for an invalid name or argument."""
    caller.require_scope(READ)
    prompt = find_prompt(caller, params.get("name"))
    spend_call(caller)
    try:
        with embedding_spent_by(caller):
            messages = prompt.render(caller, prompt.validated(params.get("arguments") or {}))
    except MemoriesError as error:
        raise invalid_params(f"arguments: {error}") from None
    spend_result(caller, count_characters(messages))
    return {"description": prompt.description, "messages": messages}


def find_prompt(caller: Caller, name: object) -> Prompt:
    """Return the prompt of this name. Raises RpcError -32602."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise invalid_params("name must be a string: the prompt to get")
    found = _find_of_owner(caller.principal.owner_id, name) if _is_storable(name) else None
    found = found or next((prompt for prompt in catalog().prompts if prompt.name == name), None)
    if found is None:
        raise invalid_params(f"there is no prompt {name[:100]!r}; prompts/list shows the available prompts")
    return found


def _find_of_owner(owner_id: int, name: str) -> Prompt | None:
    found = find_own_prompt(owner_id, name) or find_agent_prompt(owner_id, name)
    return found or find_workflow_prompt(owner_id, name)


def _is_storable(name: str) -> bool:
    try:
        check_storable("name", name)
    except MemoriesError:
        return False
    return True
