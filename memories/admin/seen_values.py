"""Forms that do not overwrite what was changed after they were opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from django import forms

from memories.admin.errors import add_domain_error
from memories.admin.history import FieldChange, field_changes
from memories.errors import MemoriesError
from memories.models import Memory
from memories.writing import journal
from memories.writing.seen_values import ChangedMeanwhile, SeenValues

SEEN = "seen"
"""Name of the hidden field with the values that a form has shown. Its form keeps them as JSON."""

_MOMENTS = frozenset({"expires_at", "valid_from", "valid_until", "last_confirmed_at"})
_ALWAYS_SHOWN = frozenset({"text", "tags"})


def shown_values(memory: Memory, fields: Iterable[str]) -> str:
    """Return the value of the hidden field SEEN of a form that shows these fields of `memory`."""
    stored = journal.snapshot(memory)
    return orjson.dumps({name: stored[name] for name in fields}).decode()


def seen_values(data: Mapping[str, Any], fields: Sequence[str]) -> SeenValues | None:
    """Return the values that the sent form has shown. None if it does not say: then it overwrites what is stored."""
    try:
        seen = orjson.loads(data.get(SEEN, ""))
    except orjson.JSONDecodeError:
        return None
    return seen if isinstance(seen, dict) and set(seen) == set(fields) else None


class SeenField(forms.CharField):
    """The hidden field SEEN."""

    widget = forms.HiddenInput

    def has_changed(self, initial: Any, data: Any) -> bool:
        return False


class SeenValuesMixin(forms.BaseForm):
    """A form for fields of a memory with the hidden field SEEN. What the owner did not change has not changed.

    Call `open_with` at the end of `__init__`. `stored_now` is what the page shows after a conflict.
    """

    edited_fields: Sequence[str]
    stored_now: Sequence[FieldChange] = ()

    def open_with(self, memory: Memory) -> None:
        """Begin with the stored values, or if the form was sent, with those that it had shown."""
        self._stored = orjson.loads(shown_values(memory, self.edited_fields))
        self.seen_values = seen_values(self.data, self.edited_fields) if self.is_bound else None
        shown = self._stored if self.seen_values is None else self.seen_values
        values = {name: _as_value(name, value) for name, value in shown.items()}
        self.initial = {**self.initial, **values, SEEN: shown_values(memory, self.edited_fields)}

    def add_error_of_saving(self, error: MemoriesError) -> None:
        """Show `error`. After a conflict, show what is stored, too. Sending the form again overwrites it."""
        add_domain_error(self, error)
        if not isinstance(error, ChangedMeanwhile):
            return
        told = {name: value for name, value in self._stored.items() if name in {*_ALWAYS_SHOWN, *self.changed_data}}
        self.stored_now = list(field_changes({}, told))
        untouched = {name: value for name, value in self._stored.items() if name not in self.changed_data}
        data = dict(self.data.items())
        for name, value in {**untouched, SEEN: self.initial[SEEN]}.items():
            data |= _as_sent(self[name], _as_value(name, value))
        self.data = data


def _as_value(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in _MOMENTS and isinstance(value, str) else value


def _as_sent(bound: forms.BoundField, value: Any) -> dict[str, str]:
    """Return what a browser sends for a field that shows `value`."""
    widget = bound.field.widget.get_context(bound.html_name, bound.field.prepare_value(value), {})["widget"]
    return {part["name"]: part["value"] or "" for part in widget.get("subwidgets", [widget])}
