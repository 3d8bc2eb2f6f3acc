"""Conditions of steps: `when` decides whether a step runs, `expect` whether its result is as expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from common.placeholders import Placeholder
from common.texts import gettext_noop, translatable
from memories.errors import InvalidInput
from workflows.references import Missing, as_text, filled

MAX_DEPTH = 8

Condition = Mapping[str, Any]

_Test = Callable[[Any, Any], bool]


def holds(condition: Condition, value_of: Callable[[Placeholder], Any]) -> bool:
    """Return whether a condition holds. A placeholder without a value counts as null."""
    if "all" in condition:
        return all(holds(each, value_of) for each in condition["all"])
    if "any" in condition:
        return any(holds(each, value_of) for each in condition["any"])
    if "not" in condition:
        return not holds(condition["not"], value_of)

    def value_or_null(placeholder: Placeholder) -> Any:
        try:
            return value_of(placeholder)
        except Missing:
            return None

    (operator,) = condition.keys() - {"value"}
    # In a list, so that null stays.
    (value, operand) = filled([condition["value"], condition[operator]], value_or_null)
    return _TESTS[operator](value, operand)


def check_depth(condition: Condition, argument: str, depth: int = 1) -> None:
    """Raise InvalidInput if conditions are nested more than MAX_DEPTH levels."""
    if depth > MAX_DEPTH:
        raise InvalidInput(
            translatable("may be nested at most %(max_depth)s levels deep.", max_depth=MAX_DEPTH), argument=argument
        )
    inner = [*condition.get("all", []), *condition.get("any", []), *([condition["not"]] if "not" in condition else [])]
    for each in inner:
        check_depth(each, argument, depth + 1)


def described(condition: Condition, translate: Callable[[str], str] = str) -> str:
    """Return a condition in words: in English for apps, or as `translate` gives the words for a page."""
    for several in ("all", "any"):
        if several in condition:
            parts = (_inside(each, translate) for each in condition[several])
            template = translate(_WORDS[several])
            return reduce(lambda first, second: template % {"first": first, "second": second}, parts)
    if "not" in condition:
        return translate(_WORDS["not"]) % {"condition": described(condition["not"], translate)}
    (operator,) = condition.keys() - {"value"}
    operand = condition[operator]
    words = _WORDS["is_not_empty" if operator == "is_empty" and not operand else operator]
    return translate(words) % {"value": as_text(condition["value"]), "operand": as_text(operand)}


def _inside(condition: Condition, translate: Callable[[str], str]) -> str:
    """Return a part of a condition in words, in parentheses if it has several parts itself."""
    words = described(condition, translate)
    return f"({words})" if condition.keys() & {"all", "any"} else words


def _contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return as_text(operand) in value
    return isinstance(value, list | dict) and operand in value


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _greater(value: Any, operand: Any) -> bool:
    number, bound = _number(value), _number(operand)
    return number is not None and bound is not None and number > bound


def _less(value: Any, operand: Any) -> bool:
    number, bound = _number(value), _number(operand)
    return number is not None and bound is not None and number < bound


def _is_empty(value: Any, operand: Any) -> bool:
    return bool((value is None or value in ("", [], {})) == operand)


_TESTS: Mapping[str, _Test] = {
    "equals": lambda value, operand: bool(value == operand),
    "not_equals": lambda value, operand: bool(value != operand),
    "contains": _contains,
    "greater_than": _greater,
    "less_than": _less,
    "is_empty": _is_empty,
}
_WORDS = {
    "all": gettext_noop("%(first)s and %(second)s"),
    "any": gettext_noop("%(first)s or %(second)s"),
    "not": gettext_noop("not (%(condition)s)"),
    "equals": gettext_noop("%(value)s is %(operand)s"),
    "not_equals": gettext_noop("%(value)s is not %(operand)s"),
    "contains": gettext_noop("%(value)s contains %(operand)s"),
    "greater_than": gettext_noop("%(value)s is greater than %(operand)s"),
    "less_than": gettext_noop("%(value)s is less than %(operand)s"),
    "is_empty": gettext_noop("%(value)s is empty"),
    "is_not_empty": gettext_noop("%(value)s is not empty"),
}
