"""Pages that an app may open in a window of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def allow_opener(view: View[P]) -> View[P]:
    """Let the window that `view` is shown in still know the page that opened it.

    Web apps open the login in a small window, which tells them how it went when it is back at their own page. A
    stricter policy than this one would cut that tie for good.
    """

    @functools.wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return page
