"""Messages of the parsers of JSON and Lua, in English as they come. Pages translate them by this list."""

from __future__ import annotations

from typing import Final

from common.texts import translatable

PARSER_MESSAGES: Final = (
    # orjson, for workflows
    translatable("unexpected character"),
    translatable("unexpected end of data"),
    translatable("unexpected content after document"),
    translatable("trailing comma is not allowed"),
    translatable("unclosed string"),
    translatable("unexpected character, expected a JSON value"),
    translatable("unexpected character, expected a string key"),
    translatable("unexpected character, expected %(token)s after key"),
    translatable("unexpected character, expected %(token)s or %(other)s"),
    translatable("number with leading zero is not allowed"),
    translatable("invalid escaped sequence in string"),
    translatable("unexpected control character in string"),
    translatable("no low surrogate in string"),
    translatable("number is infinity when parsed as double"),
    translatable("Input is a zero-length, empty document"),
    # the json module of Python in small letters, for HTTP tools
    translatable("expecting value"),
    translatable("expecting property name enclosed in double quotes"),
    translatable("expecting ':' delimiter"),
    translatable("expecting ',' delimiter"),
    translatable("illegal trailing comma before end of object"),
    translatable("illegal trailing comma before end of array"),
    translatable("extra data"),
    translatable("unterminated string starting at"),
    # Lua
    translatable("unexpected symbol near %(token)s"),
    translatable("unfinished string near %(token)s"),
    translatable("malformed number near %(token)s"),
    translatable("syntax error near %(token)s"),
    translatable("%(expected)s expected near %(token)s"),
    translatable("%(expected)s expected (to close %(opened)s at line %(number)s) near %(token)s"),
)
