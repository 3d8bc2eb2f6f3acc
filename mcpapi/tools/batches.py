"""Helpers of the tools that take many items. An invalid item fails alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import ValidationError, WithJsonSchema

from mcpapi.tool_failures import describe_validation
from mcpapi.tools.base import Args
from mcpapi.tools.schema import input_schema
from memories.errors import InvalidInput

ItemT = TypeVar("ItemT", bound=Args)


def item_list_schema(model: type[Args]) -> WithJsonSchema:
    """Return the schema of a list of such items, for a field whose items are validated one by one."""
    return WithJsonSchema({"type": "array", "items": input_schema(model), "minItems": 1})


def parse_items(model: type[ItemT], items: Sequence[Any]) -> list[ItemT | InvalidInput]:
    """Validate each item. An invalid one is returned as its error."""
    return [_parse_item(model, item) for item in items]


def _parse_item(model: type[ItemT], item: object) -> ItemT | InvalidInput:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        return InvalidInput(describe_validation(error, model.model_fields, whole="item"))
