"""Form field and base form for a code of two-step login, used by the owner's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from oauthserver.login.credentials import check_code
from oauthserver.models import User

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


def code_field(label: _StrOrPromise, **attributes: str) -> forms.CharField:
    """Build the form field of a code. `attributes` are added to the input element."""
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", **attributes})
    return forms.CharField(label=label, max_length=40, widget=widget)


class ConfirmedByCode(forms.Form):
    """A form that is confirmed by a code of `user`.

    The code is checked only if all other fields are valid, because a correct code is consumed. Raises TooManyAttempts.
    """

    code = code_field(gettext_lazy("Code of your authenticator app, or a backup code"))
    user: User
    address: str

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "code" in self.fields and not self.errors:
            try:
                check_code(self.user, cleaned["code"], self.address).delete()
            except ValidationError as error:
                self.add_error("code", error)
        return cleaned
