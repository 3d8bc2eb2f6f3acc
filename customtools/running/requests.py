"""Requests that scripts describe with the options of `context.http`."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from common.networking.outbound import HttpResponse
from common.texts import translatable
from customtools.definitions.templates import (
    BODY_KINDS,
    CONTENT_TYPES,
    MAX_HEADERS,
    MAX_URL_CHARS,
    METHODS,
    Request,
    is_header_name,
    is_header_value,
)
from customtools.errors import ToolError
from customtools.running.secrets import CallSecrets

_OPTIONS: Final = frozenset({"url", "method", "headers", "auth", *BODY_KINDS})


def request_of(options: Mapping[str, Any], secrets: CallSecrets) -> Request:
    """Return the request that a script describes, with its secrets. Raises ToolError, which names the option."""
    if unknown := sorted(set(options) - _OPTIONS):
        raise ToolError(
            translatable(
                "http: %(unknown)s is not an option. The options are %(options)s.",
                unknown=unknown[0][:40],
                options=", ".join(sorted(_OPTIONS)),
            )
        )
    method = options.get("method", "GET")
    if method not in METHODS:
        raise ToolError(translatable("http: method must be one of %(methods)s.", methods=", ".join(METHODS)))
    url = options.get("url")
    if not isinstance(url, str) or not url or any(character <= " " for character in url):
        raise ToolError(translatable("http: url must be a URL without blanks."))
    url = secrets.reveal(url, lambda value: quote(value, safe=""))
    if len(url) > MAX_URL_CHARS:
        raise ToolError(translatable("http: url must have at most %(most)s characters.", most=f"{MAX_URL_CHARS:,}"))
    headers = _headers(options.get("headers") or {}, secrets)
    if auth := options.get("auth"):
        headers["Authorization"] = _basic(auth, secrets)
    kinds = [kind for kind in BODY_KINDS if kind in options]
    if len(kinds) > 1:
        raise ToolError(translatable("http: a request can have only one of json, form and text."))
    if not kinds:
        return Request(method, url, headers, b"")
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = CONTENT_TYPES[kinds[0]]
    return Request(method, url, headers, _content(kinds[0], secrets.reveal_all(options[kinds[0]])))


def response_value(response: HttpResponse, secrets: CallSecrets) -> dict[str, Any]:
    """Return a response for the script: status, headers by name in lower case, and the body as text."""
    return {
        "status": response.status,
        "headers": secrets.redact_all(dict(response.headers)),
        "body": secrets.redact(response.content.decode(errors="replace")),
    }


def _headers(given: Any, secrets: CallSecrets) -> dict[str, str]:
    if not isinstance(given, dict) or len(given) > MAX_HEADERS:
        raise ToolError(
            translatable("http: headers must be a table of at most %(most)s texts by name.", most=MAX_HEADERS)
        )
    headers = {}
    for name, value in given.items():
        if not is_header_name(name):
            raise ToolError(translatable("http: the header %(name)s cannot be set.", name=repr(name[:100])))
        filled = secrets.reveal(value) if isinstance(value, str) else json.dumps(value)
        if not is_header_value(filled):
            raise ToolError(
                translatable("http: the header %(name)s must have no line breaks or control characters.", name=name)
            )
        headers[name] = filled
    return headers


def _basic(auth: Any, secrets: CallSecrets) -> str:
    """Return the value of the header for HTTP Basic (RFC 7617)."""
    if not isinstance(auth, dict) or not all(isinstance(auth.get(name), str) for name in ("username", "password")):
        raise ToolError(translatable("http: auth must be a table with username and password."))
    pair = f"{secrets.reveal(auth['username'])}:{secrets.reveal(auth['password'])}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _content(kind: str, body: Any) -> bytes:
    if kind == "json":
        return json.dumps(body, ensure_ascii=False).encode()
    if kind == "form":
        if not isinstance(body, dict):
            raise ToolError(translatable("http: form must be a table of values by name."))
        return urlencode({name: _as_text(value) for name, value in body.items()}).encode()
    if not isinstance(body, str):
        raise ToolError(translatable("http: text must be a text."))
    return body.encode()


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
