"""Placeholders in workflows, and their values: arguments, results of earlier steps and the date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone

from common.placeholders import Placeholder, fill_placeholders, only_placeholder, placeholders_in
from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded

STEPS, RESULT, TODAY = "steps", "result", "today"
RESERVED = frozenset({STEPS, RESULT, TODAY})
MAX_FILLED_CHARS = 200_000
"""The most characters of the arguments of one step, as JSON."""


class Missing(Exception):
    """A placeholder has no value: the result has no such part, or the step has not run."""


@dataclass(slots=True)
class Scope:
    """The values that the steps of one workflow can use. `results` are those of the steps that have run, by id."""

    arguments: Mapping[str, Any]
    results: dict[str, Any] = field(default_factory=dict)

    def value_of(self, placeholder: Placeholder, result: Any = None) -> Any:
        """Return the value of a placeholder. `result` is that of the current step. Raises Missing."""
        name, *path = placeholder.name.split(".")
        if name == TODAY:
            return f"{timezone.now().astimezone(settings.OWNER_TIME_ZONE):%Y-%m-%d}"
        if name == RESULT:
            return _part(result, path)
        if name == STEPS:
            if path[0] not in self.results:
                raise Missing
            return _part(self.results[path[0]], path[1:])
        # An optional argument that was not given.
        return self.arguments.get(name)


def _part(value: Any, path: list[str]) -> Any:
    for key in path:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise Missing
    return value


def filled(template: Any, value_of: Callable[[Placeholder], Any]) -> Any:
    """Return a JSON value with its placeholders filled. A text that is only one placeholder becomes its value.

    Raises InvalidInput for a placeholder without a value, and LimitExceeded for too long a result.
    """
    value = _filled(template, value_of)
    if len(orjson.dumps(value)) > MAX_FILLED_CHARS:
        raise LimitExceeded(
            translatable(
                "The arguments of the step have more than %(max_filled_chars)s characters.",
                max_filled_chars=MAX_FILLED_CHARS,
            )
        )
    return value


def _filled(template: Any, value_of: Callable[[Placeholder], Any]) -> Any:
    if isinstance(template, dict):
        # An optional argument that was not given leaves out what it would fill.
        pairs = ((key, _filled(value, value_of)) for key, value in template.items())
        return {key: value for key, value in pairs if value is not None}
    if isinstance(template, list):
        return [_filled(item, value_of) for item in template]
    if not isinstance(template, str):
        return template
    if (only := only_placeholder(template)) is not None:
        return _checked_value(only, value_of)
    return fill_placeholders(template, lambda placeholder: as_text(_checked_value(placeholder, value_of)))


def _checked_value(placeholder: Placeholder, value_of: Callable[[Placeholder], Any]) -> Any:
    try:
        return value_of(placeholder)
    except Missing:
        raise InvalidInput(
            translatable("%(placeholder)s has no value: an earlier step has not returned it.", placeholder=placeholder)
        ) from None


def as_text(value: Any) -> str:
    """Return a value as it stands in a text: texts as they are, null as nothing, everything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def placeholders_of(template: Any) -> Iterator[Placeholder]:
    """Yield all placeholders in a JSON value."""
    if isinstance(template, dict):
        for value in template.values():
            yield from placeholders_of(value)
    elif isinstance(template, list):
        for item in template:
            yield from placeholders_of(item)
    elif isinstance(template, str):
        yield from placeholders_in(template)
