"""Responses to requests that Django itself refuses: an HTML page for people, JSON for programs."""

from __future__ import annotations

import re

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.defaults import bad_request as bad_request_page

from mcpapi.http.entry import unknown_host_error
from mcpapi.rest.errors import error_response
from oauthserver.authorization.cors import OPEN_PATHS
from ownsona_site.web.request_bodies import BodyTooLarge

OAUTH_PATHS = re.compile(rf"{OPEN_PATHS.pattern}|/oauth/introspect\Z")
API_PATHS = re.compile(r"/(?:tools|agents)(?:/|\Z)|/(?:health|metrics)\Z")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return a 400 response, or 413 if the request is too large.

    An unknown `Host` is reported in the error format of the path: on OAuth paths that of RFC 6749, section 5.2.
    """
    if isinstance(exception, BodyTooLarge):
        return render(request, "413.html", {"most": exception.limit}, status=413)
    is_oauth = OAUTH_PATHS.match(request.path_info) is not None
    if not isinstance(exception, DisallowedHost) or not (is_oauth or API_PATHS.match(request.path_info)):
        return bad_request_page(request, exception)
    error = unknown_host_error(request)
    body = (
        {"error": "invalid_request", "error_description": error.data["details"]}
        if is_oauth
        else error_response(error).data
    )
    return JsonResponse(body, status=error.status, headers={"Cache-Control": "no-store"})
