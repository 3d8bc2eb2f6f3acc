"""Domain errors in forms."""

from __future__ import annotations

from django import forms

from memories.errors import MemoriesError


def add_domain_error(form: forms.BaseForm, error: MemoriesError) -> None:
    """Add `error` to the form field that it names, or to the whole form if it names none of them."""
    if error.argument in form.fields:
        form.add_error(error.argument, error.problem[:1].upper() + error.problem[1:])
    else:
        form.add_error(None, str(error))
