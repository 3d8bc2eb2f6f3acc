"""HTTP templates: one request with placeholders, and the part of the response that is the result.

`{{name}}` stands for an argument, `{{secret:name}}` for a secret. A value is encoded for its place when the request is
made: percent-encoded in the URL, as JSON or as a form field in the body. The server that a request goes to is fixed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import quote, urlencode, urlsplit

from common.texts import translatable
from customtools.definitions.declaration import Declaration
from customtools.definitions.origins import InvalidOrigin, origin_of_url
from customtools.errors import InvalidDefinition
from memories.errors import InvalidInput

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
BODY_KINDS: Final = ("json", "form", "text")
MAX_HEADERS: Final = 30
MAX_URL_CHARS: Final = 8_000
SECRET_NAME: Final = re.compile(r"[a-z][a-z0-9_]{1,47}")
CONTENT_TYPES: Final[Mapping[str, str]] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "text": "text/plain; charset=utf-8",
}

# RFC 9110, section 5.6.2.
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# Those that the connection itself sets; a second one could smuggle a request.
FORBIDDEN_HEADERS: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_PLACEHOLDER: Final = re.compile(r"\{\{\s*(secret:)?([\w-]{1,64})\s*\}\}")
# Other double braces stay as they are: servers may have templates of their own.
_NESTED: Final = re.compile(r"\{\{[^{}]*\{\{")
_UNREAD_SECRET: Final = re.compile(r"\{\{\s*secret\s*:[^{}]{0,40}")
_REQUEST_FIELDS: Final = frozenset({"method", "url", "headers", *BODY_KINDS})

RevealSecret = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to another server, with everything filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class HttpTemplate:
    """A valid template. `body_kind` is "" for no body. `pointer` is a JSON Pointer; None for the text as it is."""

    method: str
    url: str
    headers: Mapping[str, str]
    body_kind: str
    body: Any
    pointer: str | None

    @classmethod
    def of(cls, given: Any, response: Any, declaration: Declaration) -> Self:
        """Return the template of the fields `request` and `response`. Raises InvalidDefinition."""
        if not isinstance(given, dict):
            raise InvalidDefinition(
                translatable("is required: an object with method, url, headers and a body."), "request"
            )
        if unknown := sorted(set(given) - _REQUEST_FIELDS):
            raise InvalidDefinition(translatable("is not known."), f"request.{unknown[0][:40]}")
        kinds = [kind for kind in BODY_KINDS if kind in given]
        if len(kinds) > 1:
            raise InvalidDefinition(translatable("can have only one body: json, form or text."), "request")
        template = cls(
            method=_checked_method(given.get("method", "GET")),
            url=_checked_url(given.get("url")),
            headers=_checked_headers(given.get("headers", {})),
            body_kind=kinds[0] if kinds else "",
            body=_checked_body(kinds[0], given[kinds[0]]) if kinds else None,
            pointer=_checked_pointer(response),
        )
        template._check_placeholders(declaration)
        return template

    @property
    def origin(self) -> str:
        """The scheme, host and port of the server."""
        return origin_of_url(_PLACEHOLDER.sub("x", self.url))

    @property
    def secret_names(self) -> list[str]:
        """The names of the secrets that the template uses."""
        return list(dict.fromkeys(name for secret, name in self._placeholders() if secret))

    def render(self, arguments: Mapping[str, Any], reveal: RevealSecret) -> Request:
        """Return the request for these arguments. Raises InvalidInput, which names the argument."""
        filler = _Filler(arguments, reveal)
        headers = {name: filler.header(name, value) for name, value in self.headers.items()}
        if self.body_kind and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = CONTENT_TYPES[self.body_kind]
        url = filler.url(self.url)
        if len(url) > MAX_URL_CHARS:
            raise InvalidInput(
                translatable("make the URL longer than %(most)s characters.", most=f"{MAX_URL_CHARS:,}"),
                argument="arguments",
            )
        return Request(self.method, url, headers, self._content(filler))

    def _content(self, filler: _Filler) -> bytes:
        match self.body_kind:
            case "json":
                return json.dumps(filler.value(self.body), ensure_ascii=False).encode()
            case "form":
                return urlencode({name: filler.text(value) for name, value in self.body.items()}).encode()
            case "text":
                return filler.text(self.body).encode()
        return b""

    def _all_texts(self) -> Iterator[str]:
        yield from (self.url, *self.headers.values(), *_texts(self.body))

    def _placeholders(self) -> Iterator[tuple[str, str]]:
        for text in self._all_texts():
            yield from _PLACEHOLDER.findall(text)

    def _check_placeholders(self, declaration: Declaration) -> None:
        for text in self._all_texts():
            if _NESTED.search(text):
                raise InvalidDefinition(
                    translatable("has a placeholder inside another: templates are filled only once."), "request"
                )
            if unread := _UNREAD_SECRET.search(_PLACEHOLDER.sub(" ", text)):
                raise InvalidDefinition(
                    translatable(
                        "“%(found)s” cannot be read. Write {{secret:name}} with the name of a secret.", found=unread[0]
                    ),
                    "request",
                )
        known = declaration.parameters["properties"]
        for secret, name in self._placeholders():
            if secret and not SECRET_NAME.fullmatch(name):
                raise InvalidDefinition(translatable("“%(name)s” is not a name for a secret.", name=name), "request")
            if not secret and name not in known:
                raise InvalidDefinition(
                    translatable("{{%(name)s}} is not one of the parameters.", name=name), "request"
                )


class _Filler:
    """Replaces placeholders by values. Values are never searched for placeholders."""

    def __init__(self, arguments: Mapping[str, Any], reveal: RevealSecret) -> None:
        self._arguments = arguments
        self._reveal = reveal

    def text(self, template: str) -> str:
        return _PLACEHOLDER.sub(self._as_text, template)

    def url(self, template: str) -> str:
        filled = _PLACEHOLDER.sub(lambda found: quote(self._as_text(found), safe=""), template)
        # A value such as ".." would lead to another path.
        for before, after in zip(_segments(template), _segments(filled), strict=True):
            if before != after and after in {".", "..", ""}:
                name = next((found[1] for found in _PLACEHOLDER.findall(before)), "arguments")
                raise InvalidInput(
                    translatable("must not be empty, “.” or “..”: it is a part of a path."), argument=name
                )
        return filled

    def header(self, name: str, template: str) -> str:
        filled = self.text(template)
        if not is_header_value(filled):
            names = [found[1] for found in _PLACEHOLDER.findall(template) if not found[0]]
            raise InvalidInput(
                translatable(
                    "must have no line breaks or control characters: it is a part of the header %(name)s.", name=name
                ),
                argument=names[0] if names else name,
            )
        return filled

    def value(self, template: Any) -> Any:
        """Return a JSON value with the placeholders filled in. One that is a whole string keeps the argument's type."""
        if isinstance(template, str):
            whole = _PLACEHOLDER.fullmatch(template)
            return self.text(template) if whole is None or whole[1] else self._arguments.get(whole[2])
        if isinstance(template, dict):
            return {name: self.value(each) for name, each in template.items() if not self._is_left_out(each)}
        if isinstance(template, list):
            return [self.value(each) for each in template if not self._is_left_out(each)]
        return template

    def _is_left_out(self, template: Any) -> bool:
        """Return whether it stands for an optional argument that was not given."""
        whole = _PLACEHOLDER.fullmatch(template) if isinstance(template, str) else None
        return whole is not None and not whole[1] and self._arguments.get(whole[2]) is None

    def _as_text(self, found: re.Match[str]) -> str:
        if found[1]:
            return self._reveal(found[2])
        value = self._arguments.get(found[2])
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_header_name(name: str) -> bool:
    """Return whether a tool may set the header."""
    return bool(_HEADER_NAME.fullmatch(name)) and name.lower() not in FORBIDDEN_HEADERS


def is_header_value(value: str) -> bool:
    """Return whether `value` can be sent in a header: visible characters of Latin-1, blanks and tabs."""
    return all(character == "\t" or " " <= character <= "~" or "\xa0" <= character <= "\xff" for character in value)


def select(value: Any, pointer: str) -> Any:
    """Return the part of a JSON value that a JSON Pointer (RFC 6901) names. Raises LookupError."""
    for escaped in pointer.split("/")[1:]:
        part = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            if not (part.isascii() and part.isdigit() and len(part) < 7):
                raise LookupError(part)
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value[part]
        else:
            raise LookupError(part)
    return value


def _segments(url: str) -> list[str]:
    # Placeholders have neither of the characters that end a part of the URL.
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    return path.split("/")[3:]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _checked_method(method: Any) -> str:
    if method not in METHODS:
        raise InvalidDefinition(translatable("must be one of %(values)s.", values=", ".join(METHODS)), "request.method")
    return str(method)


def _checked_url(url: Any) -> str:
    if not isinstance(url, str) or not url:
        raise InvalidDefinition(translatable("is required."), "request.url")
    if len(url) > MAX_URL_CHARS or any(character <= " " or character == "\x7f" for character in _without_names(url)):
        raise InvalidDefinition(
            translatable("must have at most %(most)s characters and no blanks.", most=f"{MAX_URL_CHARS:,}"),
            "request.url",
        )
    netloc = urlsplit(url).netloc
    if "{{" in url.partition("://")[0] or "{" in netloc:
        raise InvalidDefinition(translatable("must begin with a fixed scheme, host and port."), "request.url")
    try:
        origin_of_url(_without_names(url))
    except InvalidOrigin as error:
        raise InvalidDefinition(str(error), "request.url") from None
    if "#" in url:
        raise InvalidDefinition(translatable("must not have a fragment (#)."), "request.url")
    return url


def _without_names(url: str) -> str:
    return _PLACEHOLDER.sub("x", url)


def _checked_headers(headers: Any) -> dict[str, str]:
    if not isinstance(headers, dict) or len(headers) > MAX_HEADERS:
        raise InvalidDefinition(
            translatable("must be an object with at most %(most)s texts by name.", most=MAX_HEADERS), "request.headers"
        )
    for name, value in headers.items():
        if not is_header_name(name):
            raise InvalidDefinition(translatable("“%(name)s” cannot be set.", name=name[:100]), "request.headers")
        if not isinstance(value, str) or not is_header_value(_without_names(value)):
            raise InvalidDefinition(translatable("must be a text without line breaks."), f"request.headers.{name}")
    return dict(headers)


def _checked_body(kind: str, body: Any) -> Any:
    if kind == "text" and not isinstance(body, str):
        raise InvalidDefinition(translatable("must be a text."), "request.text")
    if kind == "form" and not (isinstance(body, dict) and all(isinstance(value, str) for value in body.values())):
        raise InvalidDefinition(translatable("must be an object with texts by name."), "request.form")
    return body


def _checked_pointer(response: Any) -> str | None:
    if response is None:
        return None
    if not isinstance(response, dict) or set(response) - {"pointer"}:
        raise InvalidDefinition(translatable("must be an object with pointer, or be left out."), "response")
    pointer = response.get("pointer")
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")) or len(pointer) > 500:
        raise InvalidDefinition(
            translatable("must be a JSON Pointer such as /state or /items/0/name; an empty one means the whole JSON."),
            "response.pointer",
        )
    return pointer
