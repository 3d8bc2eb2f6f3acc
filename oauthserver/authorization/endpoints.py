"""Token, revocation and introspection endpoints."""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from oauthserver.authorization.error_reasons import reason_and_description
from oauthserver.authorization.oauthlib_backend import get_backend
from oauthserver.connections.failure_log import Step, record_failure

FORM = "application/x-www-form-urlencoded"
# Descriptions of errors that oauthlib leaves undescribed. For invalid_grant this text replaces any other, because the
# exact reason is for the owner only and would help an attacker.
EXPLANATIONS = {
    "invalid_client": "The client is unknown, or its secret is wrong, missing, or not expected.",
    "invalid_grant": "The code or refresh token is unknown, expired, revoked or already used; or it was issued to "
    "another client, for another redirect URI or with another code challenge.",
    "unsupported_grant_type": "Use grant_type=authorization_code or grant_type=refresh_token.",
}
OAuthlibResponse = tuple[object, dict[str, str], str, int]


def form_endpoint(respond: Callable[[HttpRequest], OAuthlibResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Make a POST view that passes forms to `respond`, in one transaction, and returns JSON that must not be cached."""

    @csrf_exempt
    @require_POST
    @sensitive_post_parameters()
    @functools.wraps(respond)
    def view(request: HttpRequest) -> HttpResponse:
        try:
            response = _answer(request, respond)
        except RequestDataTooBig as error:
            response = _refusal(request, f"The form is too large. {error}", 413)
        except (BadRequest, SuspiciousOperation):
            response = _refusal(request, "The form has too many fields, or is not UTF-8.")
        response["Cache-Control"] = "no-store"
        response["Pragma"] = "no-cache"
        return response

    return view


def _answer(request: HttpRequest, respond: Callable[[HttpRequest], OAuthlibResponse]) -> HttpResponse:
    if request.content_type != FORM:
        return _refusal(request, f"Send the parameters as {FORM}.")
    with transaction.atomic():
        _, headers, body, status = respond(request)
    response = HttpResponse(_explained(body), status=status, headers={"Content-Type": "application/json", **headers})
    if status == 401:
        # RFC 6749, section 5.2. The library names Bearer, with which no client can authenticate here.
        response["WWW-Authenticate"] = 'Basic realm="OwnSona"'
    return response


def _explained(body: str) -> str:
    answer: dict[str, Any] = json.loads(body) if body else {}
    is_said = "error_description" in answer and answer.get("error") != "invalid_grant"
    if answer.get("error") not in EXPLANATIONS or is_said:
        return body
    return json.dumps({**answer, "error_description": EXPLANATIONS[answer["error"]]})


def _refusal(request: HttpRequest, description: str, status: int = 400) -> HttpResponse:
    record_failure(request, Step.TOKEN, "invalid_request", description)
    return JsonResponse({"error": "invalid_request", "error_description": description}, status=status)


def _claimed_client(request: HttpRequest) -> str:
    """Return the unverified client id in the Basic credentials or in the form (RFC 6749, section 2.3.1)."""
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return request.POST.get("client_id", "")
    try:
        return unquote(base64.b64decode(credentials).decode().partition(":")[0])
    except ValueError:
        return ""


@form_endpoint
def token(request: HttpRequest) -> OAuthlibResponse:
    """Exchange a code or a refresh token for an access and a refresh token (/oauth/token; RFC 6749, section 3.2)."""
    answer: OAuthlibResponse = get_backend().create_token_response(request)
    _, _, body, status = answer
    if status >= 400:
        step = Step.REFRESH if request.POST.get("grant_type") == "refresh_token" else Step.TOKEN
        record_failure(request, step, *reason_and_description(body), _claimed_client(request))
    return answer


@form_endpoint
def revoke(request: HttpRequest) -> OAuthlibResponse:
    """Revoke a token of the calling app, with all tokens of the same consent (/oauth/revoke; RFC 7009)."""
    answer: OAuthlibResponse = get_backend().create_revocation_response(request)
    return answer


@form_endpoint
def introspect(request: HttpRequest) -> OAuthlibResponse:
    """Describe a token of the calling app (/oauth/introspect; RFC 7662)."""
    return get_backend().create_introspection_response(request)
