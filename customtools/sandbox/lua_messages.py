"""Errors that prelude.lua and Lua itself raise while a script runs, in English as they come.

Pages translate them by these lists.
"""

from __future__ import annotations

from typing import Final

from common.texts import translatable

PRELUDE_MESSAGES: Final = (
    translatable("__gc is not available"),
    translatable("the options must be a table"),
    translatable("json.array takes a table"),
    translatable("the script must define a table named %(name)s, or return one"),
    translatable("tool.execute must be a function: function tool.execute(params, context)"),
    translatable("the script raised an error that is not a text"),
)

LUA_MESSAGES: Final = (
    translatable("attempt to call a %(kind)s value"),
    translatable("attempt to call a %(kind)s value (%(place)s)"),
    translatable("attempt to index a %(kind)s value"),
    translatable("attempt to index a %(kind)s value (%(place)s)"),
    translatable("attempt to concatenate a %(kind)s value"),
    translatable("attempt to concatenate a %(kind)s value (%(place)s)"),
    translatable("attempt to perform arithmetic on a %(kind)s value"),
    translatable("attempt to perform arithmetic on a %(kind)s value (%(place)s)"),
    translatable("attempt to perform bitwise operation on a %(kind)s value"),
    translatable("attempt to perform bitwise operation on a %(kind)s value (%(place)s)"),
    translatable("attempt to get length of a %(kind)s value"),
    translatable("attempt to get length of a %(kind)s value (%(place)s)"),
    translatable("attempt to compare two %(kind)s values"),
    translatable("attempt to compare %(one)s with %(other)s"),
    translatable("attempt to divide by zero"),
    translatable("number has no integer representation"),
    translatable("value out of range"),
    translatable("value expected"),
    translatable("table index is nil"),
    translatable("stack overflow"),
    translatable("wrong number of arguments to '%(function)s'"),
    translatable("bad argument #%(number)s to '%(function)s' (%(problem)s)"),
    translatable("bad argument #%(number)s to '%(function)s' (%(expected)s expected, got %(given)s)"),
    translatable("bad 'for' %(part)s (%(expected)s expected, got %(given)s)"),
    translatable("no value"),
    translatable("field '%(name)s' missing in date table"),
)
