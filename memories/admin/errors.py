"""Domain errors in forms."""

from __future__ import annotations

from django import forms

from memories.errors import MemoriesError


def add_domain_error(form: forms.BaseForm, error: MemoriesError) -> None:
    """Add `error` to the form field that its message begins with, or to the whole form if it names none."""
    name, separator, rest = str(error).partition(": ")
    if separator and name in form.fields:
        form.add_error(name, rest[:1].upper() + rest[1:])
    else:
        form.add_error(None, str(error))
