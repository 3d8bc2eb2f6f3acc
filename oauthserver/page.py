"""Headers of the pages on which a person logs in or decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

# No form-action: Chrome applies it to the redirect that follows the form, and would not let the person back to the app.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def safe_page(view: View[P]) -> View[P]:
    """Keep what `view` shows out of frames and caches, and free of scripts."""

    @functools.wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        response["X-Frame-Options"] = "DENY"
        response["Cache-Control"] = "no-store"
        return response

    return page
