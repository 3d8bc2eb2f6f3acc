"""The page on which users switch two-step login on and off."""

from __future__ import annotations

from base64 import b32encode
from typing import Any

import segno
from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy

from common.pages.owner_pages import owner_page
from oauthserver.login import second_factor
from oauthserver.login.code_field import ConfirmedByCode, code_field
from oauthserver.login.credentials import check_password
from oauthserver.login.limits import TooManyAttempts
from oauthserver.login.login_page import too_many_attempts_response
from oauthserver.models import User

TITLE = gettext_lazy("Two-step login")


class PasswordForm(forms.Form):
    """The current password of the user. Raises TooManyAttempts."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, user: User) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        self.user = user
        self.address = request.META["REMOTE_ADDR"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        check_password(self.user, password, self.address).delete()
        return password


class SwitchOnForm(PasswordForm):
    """The password and a first code of the new authenticator. `backup_codes` is set once both are correct."""

    code = code_field(gettext_lazy("Code shown by the app"), inputmode="numeric")
    backup_codes: list[str]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            self.backup_codes = second_factor.switch_on(self.user, cleaned["code"])
            if not self.backup_codes:
                self.add_error("code", gettext("The code does not match the key. Check the clock of your device."))
        return cleaned


class SwitchOffForm(ConfirmedByCode, PasswordForm):
    """The password and a code, as for the login."""


def two_step_page(request: HttpRequest) -> HttpResponse:
    """Switch two-step login on with password and first code, or off with password and code.

    The form names the intended action, so that an outdated page cannot cause the opposite one.
    """
    assert isinstance(request.user, User), "the admin lets nobody in who is not logged in"
    user = User.objects.get(pk=request.user.pk)
    is_on = second_factor.is_on(user)
    if request.method == "POST" and request.POST.get("switch") != ("off" if is_on else "on"):
        return redirect("admin:two_step_login")
    try:
        return _switch_off(request, user) if is_on else _switch_on(request, user)
    except TooManyAttempts as error:
        return too_many_attempts_response(request, error)


def _switch_on(request: HttpRequest, user: User) -> HttpResponse:
    form = SwitchOnForm(request, user)
    if form.is_valid():
        _end_other_sessions(request, user, form.cleaned_data["password"])
        return _page(request, backup_codes=[f"{code[:4]}-{code[4:]}" for code in form.backup_codes])
    # Show a new key at each visit, but keep it when the form is shown again after an error.
    device = second_factor.pending_device(user) if form.is_bound else second_factor.renewed_pending_device(user)
    key, uri = b32encode(device.bin_key).decode(), device.config_url
    return _page(request, form=form, qr_code=_qr_code(uri), key=key, uri=uri)


def _switch_off(request: HttpRequest, user: User) -> HttpResponse:
    form = SwitchOffForm(request, user)
    if form.is_valid():
        second_factor.switch_off(user)
        messages.success(request, gettext("Two-step login is off. The login asks only for the password."))
        return redirect("admin:two_step_login")
    return _page(request, form=form, is_on=True, codes_left=second_factor.backup_codes_left(user))


def _end_other_sessions(request: HttpRequest, user: User, password: str) -> None:
    """End all other sessions, because they began without a code.

    Sessions depend on the password's hash, which setting the password again changes by a new salt.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    update_session_auth_hash(request, user)


def _page(request: HttpRequest, **context: Any) -> HttpResponse:
    return owner_page(request, "oauthserver/two_step.html", context, title=str(TITLE))


def _qr_code(url: str) -> SafeString:
    return mark_safe(segno.make(url, micro=False).svg_inline(scale=5, dark="#000", light="#fff"))  # noqa: S308 - our own
