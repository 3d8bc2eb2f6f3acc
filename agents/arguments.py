"""Typed arguments of agents and workflows: their declaration, and the values that callers give."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from common.texts import gettext_noop, translatable
from memories.errors import InvalidInput, LimitExceeded
from memories.validation.text import check_storable

Value = str | int | float | bool
"""The value of an argument."""

TYPES = ("string", "integer", "number", "boolean", "date")
ARGUMENT_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MAX_ARGUMENTS = 20
MAX_CHOICES = 100
MAX_CHOICE_CHARS = 200
MAX_DESCRIPTION_CHARS = 500
MAX_VALUE_CHARS = 16_000
MAX_SAFE_INTEGER = 2**53 - 1
"""The largest whole number that every JSON library reads exactly."""

_CHOICE = re.compile(rf"[^|\]\n\r]{{1,{MAX_CHOICE_CHARS}}}")
_KEYS = {"name", "description", "type", "required", "choices", "default"}
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


@dataclass(frozen=True, slots=True)
class TypedArgument:
    """An argument. `choices` are the allowed texts of a string (none: any text), `default` replaces a missing value."""

    name: str
    description: str = ""
    type: str = "string"
    required: bool = False
    choices: tuple[str, ...] = ()
    default: Value | None = None

    @property
    def type_label(self) -> str:
        """The name of the type on pages."""
        return _LABELS[self.type]

    def read(self, value: object) -> Value:
        """Return `value`, which may also be given as a text, in the type of the argument. Raises InvalidInput."""
        read = _READERS[self.type](value)
        if read is None:
            raise InvalidInput(translatable("must be %(expected)s.", expected=_EXPECTED[self.type]), argument=self.name)
        if isinstance(read, str):
            self._check_text(read)
        return read

    def _check_text(self, text: str) -> None:
        check_storable(self.name, text)
        if len(text) > MAX_VALUE_CHARS:
            raise LimitExceeded(
                translatable(
                    "has %(total)s characters; at most %(max_value_chars)s are allowed.",
                    total=f"{len(text):,}",
                    max_value_chars=f"{MAX_VALUE_CHARS:,}",
                ),
                argument=self.name,
            )
        if self.choices and text not in self.choices:
            raise InvalidInput(
                translatable("must be one of: %(values)s.", values=", ".join(self.choices)), argument=self.name
            )

    def as_data(self) -> dict[str, Any]:
        """Return the declaration as JSON. Keys with the usual value are left out."""
        data: dict[str, Any] = {"name": self.name, "description": self.description, "type": self.type}
        if self.required:
            data["required"] = True
        if self.choices:
            data["choices"] = list(self.choices)
        if self.default is not None:
            data["default"] = self.default
        return data


def read_arguments(declared: object) -> tuple[TypedArgument, ...]:
    """Return the arguments that a definition declares. Raises InvalidInput or LimitExceeded about `arguments`."""
    if not isinstance(declared, list):
        raise InvalidInput(translatable("must be a list."), argument="arguments")
    if len(declared) > MAX_ARGUMENTS:
        raise LimitExceeded(
            translatable(
                "%(total)s arguments; at most %(max_arguments)s are allowed.",
                total=len(declared),
                max_arguments=MAX_ARGUMENTS,
            ),
            argument="arguments",
        )
    arguments = tuple(_read_argument(each) for each in declared)
    names = [argument.name for argument in arguments]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(
            translatable("the name %(twice)s is used twice. Each name must be unique.", twice=twice),
            argument="arguments",
        )
    return arguments


def _read_argument(declared: object) -> TypedArgument:
    if not isinstance(declared, dict):
        raise InvalidInput(translatable("each must be an object with a name."), argument="arguments")
    name = declared.get("name")
    if not isinstance(name, str) or not ARGUMENT_NAME.fullmatch(name):
        raise InvalidInput(
            translatable(
                "each must have a name of at most 40 characters: lower-case letters, digits and underscores, "
                "starting with a letter."
            ),
            argument="arguments",
        )
    if unknown := sorted(map(str, declared.keys() - _KEYS)):
        raise InvalidInput(
            translatable(
                "%(name)s has an unknown key %(unknown)s; allowed are %(values)s.",
                name=name,
                unknown=unknown[0][:60],
                values=", ".join(sorted(_KEYS)),
            ),
            argument="arguments",
        )
    description, kind = declared.get("description", ""), declared.get("type", "string")
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION_CHARS:
        raise InvalidInput(
            translatable(
                "the description of %(name)s must be a text of at most %(max_description_chars)s characters.",
                name=name,
                max_description_chars=MAX_DESCRIPTION_CHARS,
            ),
            argument="arguments",
        )
    check_storable("arguments", description)
    if kind not in TYPES:
        raise InvalidInput(
            translatable("the type of %(name)s must be one of: %(values)s.", name=name, values=", ".join(TYPES)),
            argument="arguments",
        )
    required = declared.get("required", False)
    if not isinstance(required, bool):
        raise InvalidInput(translatable("required of %(name)s must be true or false.", name=name), argument="arguments")
    plain = TypedArgument(
        name, " ".join(description.split()), kind, required, _choices(name, kind, declared.get("choices", []))
    )
    return _with_default(plain, declared.get("default"))


def _choices(name: str, kind: str, choices: object) -> tuple[str, ...]:
    is_valid = isinstance(choices, list) and all(
        isinstance(choice, str) and _CHOICE.fullmatch(choice) and choice == choice.strip() for choice in choices
    )
    if not is_valid or not isinstance(choices, list) or len(choices) > MAX_CHOICES:
        raise InvalidInput(
            translatable(
                "the choices of %(name)s must be a list of at most %(max_choices)s texts of at most "
                "%(max_choice_chars)s characters, on one line, without | and ].",
                name=name,
                max_choices=MAX_CHOICES,
                max_choice_chars=MAX_CHOICE_CHARS,
            ),
            argument="arguments",
        )
    if choices and kind != "string":
        raise InvalidInput(
            translatable("%(name)s can have choices only if its type is string.", name=name), argument="arguments"
        )
    for choice in choices:
        check_storable("arguments", choice)
    return tuple(choices)


def _with_default(argument: TypedArgument, default: object) -> TypedArgument:
    if default is None:
        return argument
    if argument.required:
        raise InvalidInput(
            translatable("%(name)s is required, so it cannot have a default.", name=argument.name), argument="arguments"
        )
    try:
        value = argument.read(default)
    except (InvalidInput, LimitExceeded) as error:
        raise InvalidInput(
            translatable("the default of %(name)s %(problem)s", name=argument.name, problem=error.problem),
            argument="arguments",
        ) from None
    return TypedArgument(argument.name, argument.description, argument.type, argument.required, argument.choices, value)


def check_values(arguments: Sequence[TypedArgument], given: Mapping[str, object]) -> dict[str, Value]:
    """Return the values by name, with defaults. An argument that is null or an empty text counts as not given.

    Raises InvalidInput or LimitExceeded that names the argument.
    """
    known = {argument.name for argument in arguments}
    for name in given:
        if name not in known:
            allowed = ", ".join(argument.name for argument in arguments)
            raise InvalidInput(
                translatable(
                    "is not an argument. %(value)s", value=f"Allowed are: {allowed}." if allowed else "There are none."
                ),
                argument=name[:100],
            )
    values: dict[str, Value] = {}
    for argument in arguments:
        value = given.get(argument.name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if argument.required:
                purpose = f" It is: {argument.description}" if argument.description else ""
                raise InvalidInput(translatable("is required.%(purpose)s", purpose=purpose), argument=argument.name)
            if argument.default is not None:
                values[argument.name] = argument.default
        else:
            values[argument.name] = argument.read(value)
    return values


def text_of(value: Value) -> str:
    """Return a value as it stands in a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _text(value: object) -> Value | None:
    if isinstance(value, bool):
        return text_of(value)
    return text_of(value).strip() if isinstance(value, str | int | float) else None


def _integer(value: object) -> Value | None:
    number = _number(value)
    if number is None or isinstance(number, str | bool) or number != int(number) or abs(number) > MAX_SAFE_INTEGER:
        return None
    return int(number)


def _number(value: object) -> Value | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if len(value) > 40:
            return None
        try:
            value = float(value) if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", value) else int(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else None
    return value if math.isfinite(value) else None


def _flag(value: object) -> Value | None:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def _date(value: object) -> Value | None:
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError:
        return None


_READERS = {"string": _text, "integer": _integer, "number": _number, "boolean": _flag, "date": _date}
_LABELS = {
    "string": gettext_noop("text"),
    "integer": gettext_noop("whole number"),
    "number": gettext_noop("number"),
    "boolean": gettext_noop("yes or no"),
    "date": gettext_noop("date"),
}
_EXPECTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date, such as 2026-05-17",
}
