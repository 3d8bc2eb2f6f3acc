"""Authorization endpoint with the consent page."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods
from oauthlib.common import Request, add_params_to_uri
from oauthlib.oauth2 import AccessDeniedError, FatalClientError, OAuth2Error
from oauthlib.oauth2.rfc6749.errors import ConsentRequired, InvalidClientIdError

from oauthserver.authorization.consent import Consent, ConsentForm
from oauthserver.authorization.error_reasons import problem_of, reason_of
from oauthserver.authorization.oauthlib_backend import get_backend
from oauthserver.clients.client_documents import is_document_url, update_client_from_document
from oauthserver.connections.connection_changes import save_consent
from oauthserver.connections.failure_log import Step, record_failure
from oauthserver.login.pages import allow_opener
from oauthserver.models import Application, User


@allow_opener
@require_http_methods(["GET", "HEAD", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """Show the consent page and process the owner's decision (/oauth/authorize; RFC 6749, section 4.1.1).

    The page posts to its own URL, so the request is read and validated from the query both times. The form holds the
    decision only.
    """
    client_id = request.GET.get("client_id", "")
    try:
        if is_document_url(client_id):
            # Only a logged-in user can make the server fetch a document from an arbitrary URL.
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            update_client_from_document(client_id)
        asked = get_backend().read_authorization_request(request)
    except FatalClientError as error:
        return _refuse(request, error)
    except OAuth2Error as error:
        # RFC 9700, section 4.11.2: redirect to the app only after the user has logged in, to prevent open redirection.
        return (
            _send_back(request, error) if request.user.is_authenticated else redirect_to_login(request.get_full_path())
        )
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if "none" in request.GET.get("prompt", "").split():
        return _send_back(request, ConsentRequired(request=asked))
    return _decide(request, asked, request.user)


def _decide(request: HttpRequest, asked: Request, user: User) -> HttpResponse:
    consent = Consent.for_request(asked, user)
    if consent.is_paused:
        return render(request, "oauthserver/paused.html", {"consent": consent}, status=403)
    if request.method != "POST":
        return _show(request, consent, ConsentForm(consent))
    if request.POST.get("decision") != "allow":
        return _send_back(request, AccessDeniedError(request=asked))
    form = ConsentForm(consent, request.POST)
    if not form.is_valid():
        return _show(request, consent, form)
    try:
        return _allow(request, consent, form)
    except Application.DoesNotExist:
        return _refuse(request, InvalidClientIdError(request=asked))


def _show(request: HttpRequest, consent: Consent, form: ConsentForm) -> HttpResponse:
    return render(request, "oauthserver/consent.html", {"consent": consent, "form": form})


def _allow(request: HttpRequest, consent: Consent, form: ConsentForm) -> HttpResponse:
    granted, tags = form.cleaned_data["scope"], form.cleaned_data["tags"]
    with transaction.atomic():
        save_consent(consent.user, consent.application, asked=consent.asked, granted=granted, tags=tags)
        return _redirect(
            get_backend().issue_code(request, [*granted, *(scope.name for scope in consent.implicit_scopes)])
        )


def _refuse(request: HttpRequest, error: FatalClientError) -> HttpResponse:
    """Show the error to the user without redirecting to the app."""
    _record_refusal(request, error)
    return render(request, "oauthserver/refused.html", {"error": error, "problem": problem_of(error)}, status=400)


def _send_back(request: HttpRequest, error: OAuth2Error) -> HttpResponse:
    """Report the error to the app by redirecting the user's browser (RFC 6749, section 4.1.2.1)."""
    _record_refusal(request, error)
    return _redirect(add_params_to_uri(error.redirect_uri, error.twotuples))


def _record_refusal(request: HttpRequest, error: OAuth2Error) -> None:
    step = Step.CONSENT if isinstance(error, AccessDeniedError) else Step.AUTHORIZATION
    record_failure(request, step, reason_of(error), error.description, request.GET.get("client_id", ""))


def _redirect(uri: str) -> HttpResponse:
    """Redirect the user to `uri`, a validated redirect URI of any scheme, with the `iss` parameter of RFC 9207."""
    return HttpResponse(status=302, headers={"Location": add_params_to_uri(uri, [("iss", settings.PUBLIC_URL)])})
