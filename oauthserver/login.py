"""The one login page, of people who come by themselves and of those whom an app sends."""

from __future__ import annotations

import math
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView as DjangoLoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator

from oauthserver.failed_handshakes import Step, note_failure
from oauthserver.login_limits import TooManyAttempts, begin_attempt, note_success
from oauthserver.models import LoginAttempt
from oauthserver.page import in_app_window


class LoginForm(AuthenticationForm):
    """Name and password. Raises TooManyAttempts, which is no error of the form's: it was not even read."""

    attempt: LoginAttempt

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name and self.cleaned_data.get("password") and self.request is not None:
            self.attempt = begin_attempt(name, self.request.META["REMOTE_ADDR"])
        return super().clean()


@method_decorator(in_app_window, name="dispatch")
class LoginView(DjangoLoginView):
    """/login/: leads back to `next` when that is on this host."""

    template_name = "oauthserver/login.html"
    authentication_form = LoginForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)
        except TooManyAttempts as error:
            note_failure(request, Step.LOGIN, "login_locked", "Too many wrong passwords or codes were tried.")
            return ask_to_wait(request, error)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        assert isinstance(form, LoginForm)
        note_success(form.attempt)
        return super().form_valid(form)


def ask_to_wait(request: HttpRequest, error: TooManyAttempts) -> HttpResponse:
    """The page for one whose attempt was not heard (RFC 6585, section 4)."""
    response = render(request, "oauthserver/wait.html", {"minutes": math.ceil(error.retry_after / 60)}, status=429)
    response["Retry-After"] = str(error.retry_after)
    return response
