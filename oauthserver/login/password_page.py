"""The page on which users change their password."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth import forms as auth_forms
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.pages.owner_pages import say
from oauthserver.login import second_factor
from oauthserver.login.code_field import ConfirmedByCode
from oauthserver.login.credentials import check_password
from oauthserver.login.limits import TooManyAttempts
from oauthserver.login.login_page import too_many_attempts_response
from oauthserver.login.owner import has_password_of_settings
from oauthserver.models import User


class PasswordChangeForm(ConfirmedByCode, auth_forms.PasswordChangeForm):
    """The old password, a code if the user has two-step login, and the new password twice.

    Raises TooManyAttempts.
    """

    field_order = ["old_password", "code", "new_password1", "new_password2"]

    def __init__(self, *, address: str, **options: Any) -> None:
        super().__init__(**options)
        self.address = address
        if not second_factor.is_on(self.user):
            del self.fields["code"]
        self.fields["new_password2"].help_text = _("Enter the new password again.")

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        check_password(self.user, password, self.address).delete()
        return password

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        """Check the first of the new passwords. Django checks the second one, and only if the two are equal."""
        super().validate_password_for_user(user, "new_password1")


class PasswordPage(PasswordChangeView):
    """The page of the password change.

    A session alone, such as that of an unattended browser, is not enough to guess or change the password.
    """

    form_class = PasswordChangeForm
    template_name = "oauthserver/password_change.html"
    success_url = reverse_lazy("admin:account")
    title = gettext_lazy("Change password")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = super().post(request, *args, **kwargs)
        except TooManyAttempts as error:
            return too_many_attempts_response(request, error)
        if isinstance(response, HttpResponseRedirect):
            say(request, _("Your password is changed. Your other sessions are logged out."))
        return response

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "address": self.request.META["REMOTE_ADDR"]}

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        shown = {
            **admin.site.each_context(self.request),
            "is_set_back": has_password_of_settings(self.request.user),
            "verb": _("Change password"),
            "cancel_url": reverse("admin:account"),
        }
        return super().get_context_data(**shown, **context)
