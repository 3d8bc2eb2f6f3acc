"""The login page for the owner's pages and for authorization requests, with an optional second step."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView as DjangoLoginView
from django.contrib.auth.views import RedirectURLMixin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.generic import FormView

from common.clock import TOLERANCE
from oauthserver.connections.failure_log import WRONG_CODE, WRONG_PASSWORD, Step, record_failure
from oauthserver.login import second_factor
from oauthserver.login.credentials import check_code
from oauthserver.login.limits import TooManyAttempts, begin_attempt, record_success
from oauthserver.login.pages import allow_opener
from oauthserver.models import LoginAttempt, User

PASSWORD_STEP = "password_step"  # noqa: S105 - a key of the session
PASSWORD_STEP_LIFETIME = timedelta(minutes=5)


class LoginForm(AuthenticationForm):
    """Name and password. Raises TooManyAttempts, which is not a form error, because the password was not checked."""

    attempt: LoginAttempt

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name and self.cleaned_data.get("password") and self.request is not None:
            self.attempt = begin_attempt(name, self.request.META["REMOTE_ADDR"])
        return super().clean()


class SafeNextUrlMixin(RedirectURLMixin):
    """A redirection to the URL in `next` if it is on this host."""

    request: HttpRequest

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Return the URL in `next` if it is on this host; otherwise an empty string.

        Django's check refuses URLs above 2,048 characters, and authorization requests can be longer. So only the part
        before the question mark is checked: the query cannot lead to another host.
        """
        sent = request or self.request
        asked = sent.POST.get(self.redirect_field_name) or sent.GET.get(self.redirect_field_name, "")
        is_here = url_has_allowed_host_and_scheme(
            asked.partition("?")[0],
            allowed_hosts=self.get_success_url_allowed_hosts(),
            require_https=sent.is_secure(),
        )
        return asked if is_here else ""


def python_command(otherwise: str = "python") -> str:
    """Return the Python to type in the OwnSona folder, `otherwise` if it has no environment of its own.

    The path is not the full one: the login page is public.
    """
    in_folder = ".venv/bin/python"
    return in_folder if (settings.BASE_DIR / in_folder).exists() else otherwise


class CodeForm(forms.Form):
    """A code of the authenticator app, or a backup code."""

    code = forms.CharField(max_length=40)


@method_decorator(allow_opener, name="dispatch")
class LoginView(SafeNextUrlMixin, DjangoLoginView):
    """/login/: the first step. Redirects to `next` if it is on this host, or to the second step if the user has one."""

    template_name = "oauthserver/login.html"
    authentication_form = LoginForm

    def get_context_data(self, **extra: Any) -> dict[str, Any]:
        return super().get_context_data(python=python_command(), **extra)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)
        except TooManyAttempts as error:
            return _locked_out_response(request, error)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        # Without an attempt, the name or the password was left out.
        if hasattr(form, "attempt"):
            record_failure(self.request, Step.LOGIN, WRONG_PASSWORD, "A wrong name or password was entered.")
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        assert isinstance(form, LoginForm)
        assert isinstance(user, User)
        if not second_factor.is_on(user):
            record_success(form.attempt)
            return super().form_valid(form)
        form.attempt.delete()
        _remember_password_step(self.request, user)
        return redirect(f"{reverse('oauthserver:login-code')}?{urlencode({'next': self.get_redirect_url()})}")


@method_decorator([allow_opener, never_cache, csrf_protect], name="dispatch")
class CodeView(SafeNextUrlMixin, FormView):  # type: ignore[type-arg]  # takes no argument at run time
    """/login/code/: the second step, which requires the first one. Only this step logs the user in."""

    template_name = "oauthserver/login_code.html"
    form_class = CodeForm
    next_page = settings.LOGIN_REDIRECT_URL
    user: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        user = _user_of_password_step(request)
        if user is None:
            return redirect(f"{settings.LOGIN_URL}?{urlencode({'next': self.get_redirect_url()})}")
        self.user = user
        return super().dispatch(request, *args, **kwargs)

    def get_context_data(self, **extra: Any) -> dict[str, Any]:
        return super().get_context_data(python=python_command(), username=self.user.username, **extra)

    def form_valid(self, form: CodeForm) -> HttpResponse:
        try:
            attempt = check_code(self.user, form.cleaned_data["code"], self.request.META["REMOTE_ADDR"])
        except TooManyAttempts as error:
            return _locked_out_response(self.request, error)
        except ValidationError as error:
            record_failure(self.request, Step.LOGIN, WRONG_CODE, "A wrong code was entered.")
            form.add_error("code", error)
            return self.form_invalid(form)
        record_success(attempt)
        del self.request.session[PASSWORD_STEP]
        login(self.request, self.user)
        return super().form_valid(form)


def too_many_attempts_response(request: HttpRequest, error: TooManyAttempts) -> HttpResponse:
    """Build the page for a refused attempt (RFC 6585, section 4)."""
    seconds = error.retry_after
    response = render(request, "oauthserver/wait.html", {"when": _in_how_long(seconds)}, status=429)
    response["Retry-After"] = str(seconds)
    return response


def _in_how_long(seconds: int) -> str:
    """Return the time to wait in seconds or, from a minute on, in minutes."""
    if seconds < 60:
        return ngettext("in %(number)s second", "in %(number)s seconds", seconds) % {"number": seconds}
    minutes = math.ceil(seconds / 60)
    return ngettext("in %(number)s minute", "in %(number)s minutes", minutes) % {"number": minutes}


def _locked_out_response(request: HttpRequest, error: TooManyAttempts) -> HttpResponse:
    record_failure(request, Step.LOGIN, "login_locked", "Too many wrong passwords or codes were entered.")
    return too_many_attempts_response(request, error)


def _remember_password_step(request: HttpRequest, user: User) -> None:
    # Prevent session fixation: an attacker may know the current session key.
    request.session.cycle_key()
    request.session[PASSWORD_STEP] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "until": (timezone.now() + PASSWORD_STEP_LIFETIME).timestamp(),
    }


def _user_of_password_step(request: HttpRequest) -> User | None:
    """Return the user who passed the password step in this session within its lifetime; otherwise None.

    The user must still be active and have the same password.
    """
    step = request.session.get(PASSWORD_STEP)
    now = timezone.now()
    # An expiry further ahead than the lifetime means that the clock was set back.
    if not step or not now.timestamp() <= step["until"] <= (now + PASSWORD_STEP_LIFETIME + TOLERANCE).timestamp():
        return None
    user = User.objects.filter(pk=step["user"], is_active=True).first()
    return user if user and constant_time_compare(step["hash"], user.get_session_auth_hash()) else None
