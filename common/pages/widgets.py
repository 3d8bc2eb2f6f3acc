"""Widgets and fields of the owner's forms."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class Switch(forms.CheckboxInput):
    """A switch for something that is on or off."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"class": "switch", "role": "switch", **(attrs or {})})


class MomentInput(forms.SplitDateTimeWidget):
    """A date and a time, with the browser's calendar."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(
            attrs,
            date_format="%Y-%m-%d",
            time_format="%H:%M",
            date_attrs={"type": "date", "aria-label": _("Date")},  # type: ignore[dict-item]  # is lazy
            time_attrs={"type": "time", "aria-label": _("Time")},  # type: ignore[dict-item]  # is lazy
        )


class MomentField(forms.SplitDateTimeField):
    """A date and a time in minutes. A value that is sent back as it was shown has not changed: it keeps its seconds."""

    widget = MomentInput

    def has_changed(self, initial: Any, data: Any) -> bool:
        shown = initial.replace(second=0, microsecond=0) if isinstance(initial, datetime) else initial
        return super().has_changed(shown, data)


class CodeInput(forms.Textarea):
    """A text in a programming language or a data format."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        code: dict[str, Any] = {"class": "code", "spellcheck": "false", "autocapitalize": "off", "autocorrect": "off"}
        super().__init__({**code, **(attrs or {})})
