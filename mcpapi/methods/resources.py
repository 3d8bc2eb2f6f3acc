"""The methods `resources/list`, `resources/templates/list` and `resources/read`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.scopes import READ
from documents.selectors import has_documents
from mcpapi.calls.budgets import count_characters, spend_call, spend_result
from mcpapi.calls.caller import Caller
from mcpapi.calls.cursors import read_cursor, refuse_cursor, write_cursor
from mcpapi.catalog import catalog
from mcpapi.resources.agents import definitions_of_agents
from mcpapi.resources.base import Contents, NoSuchMember, ResourceNotFound
from mcpapi.resources.documents import page_of_documents
from mcpapi.resources.memories import LISTING_URI, page_of_memories
from mcpapi.resources.workflows import definitions_of_workflows
from mcpapi.rpc.jsonrpc import Params, invalid_params

LIST, LIST_TEMPLATES = "resources/list", "resources/templates/list"
MAX_URI_CHARS = 2_000


def list_resources(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return a page of the caller's resources: those at fixed URIs, agents, workflows, then memories, then documents.

    One query; three on the first page, and one more on the last page of memories. The position of a page of documents
    is negative: -1 for the first.
    """
    caller.require_scope(READ)
    position = read_cursor(caller, LIST, params)
    if position is not None and position < 0:
        return _page_of_documents(caller, -1 - position)
    page = page_of_memories(caller, position)
    fixed = _first_resources(caller) if position is None else []
    result: dict[str, Any] = {"resources": [*fixed, *page.definitions]}
    following = page.next_before_id
    if following is None and has_documents(caller.view):
        following = -1
    if following is not None:
        result["nextCursor"] = write_cursor(caller, LIST, following)
    return result


def _first_resources(caller: Caller) -> list[dict[str, Any]]:
    """Return the resources at fixed URIs, and those of agents and workflows."""
    fixed = [resource.definition() for resource in catalog().resources]
    return [*fixed, *definitions_of_agents(caller), *definitions_of_workflows(caller)]


def _page_of_documents(caller: Caller, offset: int) -> Mapping[str, Any]:
    page = page_of_documents(caller, offset)
    cursor = {} if page.next_offset is None else {"nextCursor": write_cursor(caller, LIST, -1 - page.next_offset)}
    return {"resources": page.definitions, **cursor}


def list_templates(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return all templates on one page."""
    caller.require_scope(READ)
    refuse_cursor(LIST_TEMPLATES, params)
    return {"resourceTemplates": [template.definition() for template in catalog().templates]}


def read_resource(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return the document at a URI. Raises ResourceNotFound if the caller has none there."""
    caller.require_scope(READ)
    uri = params.get("uri")
    if not isinstance(uri, str) or len(uri) > MAX_URI_CHARS:
        raise invalid_params(f"uri must be a string of at most {MAX_URI_CHARS} characters, such as {LISTING_URI}")
    spend_call(caller)
    mime_type, contents = _find(caller, uri)
    spend_result(caller, count_characters(contents))
    caller.record_usage(is_write=False)
    return {"contents": [{"uri": uri, "mimeType": mime_type, **contents}]}


def _find(caller: Caller, uri: str) -> tuple[str, Contents]:
    for resource in catalog().resources:
        if resource.uri == uri:
            return resource.mime_type, resource.read(caller)
    for template in catalog().templates:
        if (value := template.extract_value(uri)) is not None:
            try:
                return template.mime_type, template.read(caller, value)
            except NoSuchMember:
                break
    raise ResourceNotFound(uri)
