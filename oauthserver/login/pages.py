"""Decorator for pages that an app may open in a pop-up window."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def allow_opener(view: View[P]) -> View[P]:
    """Keep `window.opener` for the pages of `view`.

    Web apps open the login in a pop-up window, which reports the result to its opener once it is back on the app's own
    page. A stricter Cross-Origin-Opener-Policy would clear `window.opener` permanently.
    """

    @functools.wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return page
