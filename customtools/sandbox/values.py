"""Conversion between Lua values and JSON values, inside the process of the script."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from lupa import lua54

from common.texts import translatable
from customtools.limits import MAX_DEPTH, MAX_VALUES

_INTEGERS: Final = range(-(2**63), 2**63)
IsArray = Callable[[Any], bool]


class NotJson(Exception):
    """A Lua value that cannot become JSON. `str(error)` says why."""


def to_json(value: Any, is_array: IsArray) -> Any:
    """Return the JSON value of a Lua value. Raises NotJson.

    A table with the keys 1 to n becomes an array, any other an object; an empty one only if `is_array` says so.
    """
    return _Converter(is_array).convert(value, 0)


class _Converter:
    def __init__(self, is_array: IsArray) -> None:
        self._is_array = is_array
        self._left = MAX_VALUES

    def convert(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise NotJson(translatable("has more than %(most)s values", most=f"{MAX_VALUES:,}"))
        match value:
            case None | bool() | int():
                return value
            case float():
                if not math.isfinite(value):
                    raise NotJson(translatable("contains a number that is infinite or not a number"))
                return value
            case bytes():
                return _text(value)
        kind = lua54.lua_type(value)
        if kind != "table":
            raise NotJson(
                translatable("contains a %(kind)s that is no text, number, boolean or table", kind=kind or "value")
            )
        if depth >= MAX_DEPTH:
            raise NotJson(translatable("is nested deeper than %(most)s levels, or contains itself", most=MAX_DEPTH))
        return self._table(value, depth + 1)

    def _table(self, table: Any, depth: int) -> Any:
        # Without this, a table with a billion holes would be counted first.
        items = []
        for item in table.items():
            items.append(item)
            if len(items) > self._left:
                raise NotJson(translatable("has more than %(most)s values", most=f"{MAX_VALUES:,}"))
        if not items:
            return [] if self._is_array(table) else {}
        if {key for key, _ in items if type(key) is int} == set(range(1, len(items) + 1)):
            return [self.convert(value, depth) for _, value in sorted(items, key=lambda item: item[0])]
        return {_key(key): self.convert(value, depth) for key, value in items}


def _key(key: Any) -> str:
    if isinstance(key, bytes):
        return _text(key)
    if type(key) is int:
        return str(key)
    raise NotJson(translatable("has a key that is neither a text nor a whole number"))


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise NotJson(translatable("contains a text that is not UTF-8")) from None


def to_lua(runtime: lua54.LuaRuntime, value: Any, new_array: Callable[[], Any]) -> Any:
    """Return the Lua value of a JSON value. null becomes nil: in a table, it is left out.

    `new_array` returns a new table that `is_array` knows as an array.
    """
    converted = _encoded(value, new_array)
    return runtime.table_from(converted, recursive=True) if isinstance(converted, dict | list) else converted


def _encoded(value: Any, new_array: Callable[[], Any]) -> Any:
    match value:
        case str():
            return value.encode()
        case dict():
            return {key.encode(): _encoded(each, new_array) for key, each in value.items() if each is not None}
        case list():
            return [_encoded(each, new_array) for each in value if each is not None] or new_array()
        case int() if not isinstance(value, bool) and value not in _INTEGERS:
            return float(value)
    return value
