"""Responses to HEAD requests: the headers of the GET response without its content (RFC 9110, section 9.3.2)."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


def drop_content(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Remove the content from responses to HEAD. Django leaves that to the server, and gunicorn complains."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method == "HEAD" and not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response

    return answer
