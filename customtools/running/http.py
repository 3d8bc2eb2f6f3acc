"""Requests of custom tools to servers that their owner allows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from ssl import SSLContext
from typing import Final
from urllib.parse import urljoin

import httpx

from common.networking.addresses import can_be_server, is_public
from common.networking.outbound import AddressNotAllowed, FetchError, HttpResponse, NetworkPolicy, request
from common.texts import translatable
from customtools.definitions.origins import InvalidOrigin, origin_of_url
from customtools.definitions.templates import Request
from customtools.errors import ToolError, ToolTimeout
from customtools.limits import MAX_RESPONSE_BYTES
from customtools.models import AllowedHost

MAX_REDIRECTS: Final = 3
_AS_GET: Final = frozenset({301, 302, 303})
_REDIRECTS: Final = _AS_GET | {307, 308}
_HEADERS: Final = {"Accept": "*/*", "User-Agent": "OwnSona"}


def send(owner_id: int, wanted: Request, deadline: float) -> HttpResponse:
    """Send the request if the owner allows its server, follow redirects to allowed servers, and return the response.

    `deadline` is by time.monotonic. Raises ToolError, ToolTimeout.
    """
    for _ in range(MAX_REDIRECTS + 1):
        response = _send_once(_policy_for(owner_id, wanted.url), wanted, deadline)
        if response.status not in _REDIRECTS or "location" not in response.headers:
            return response
        wanted = _redirected(wanted, response)
    raise ToolError(translatable("The server redirects more than %(most)s times.", most=MAX_REDIRECTS))


def _policy_for(owner_id: int, url: str) -> NetworkPolicy:
    """Return the network policy of the URL's server. Raises ToolError unless the owner allows the server."""
    try:
        origin = origin_of_url(url)
    except InvalidOrigin as error:
        raise ToolError(translatable("The URL %(problem)s", problem=error)) from None
    allowed = AllowedHost.objects.filter(owner_id=owner_id, origin=origin).first()
    if allowed is None:
        raise ToolError(
            translatable(
                "Requests to %(origin)s are not allowed. The owner can allow the server on the page Allowed hosts.",
                origin=origin,
            )
        )
    return NetworkPolicy(is_allowed=can_be_server if allowed.is_private else is_public, port=None, tls=_tls())


@cache
def _tls() -> SSLContext:
    return httpx.create_ssl_context()


def _send_once(policy: NetworkPolicy, wanted: Request, deadline: float) -> HttpResponse:
    headers = {name.lower(): (name, value) for name, value in {**_HEADERS, **wanted.headers}.items()}
    sent = [*headers.values(), ("Accept-Encoding", "identity")]
    if wanted.content or wanted.method not in {"GET", "DELETE"}:
        sent.append(("Content-Length", str(len(wanted.content))))
    try:
        return request(
            wanted.url,
            policy,
            deadline,
            MAX_RESPONSE_BYTES,
            headers=sent,
            max_error_bytes=MAX_RESPONSE_BYTES,
            method=wanted.method,
            content=wanted.content,
        )
    except AddressNotAllowed as error:
        raise ToolError(
            translatable(
                "%(problem)s The owner can allow a server in a private network on the page Allowed hosts.",
                problem=error,
            )
        ) from None
    except FetchError as error:
        if time.monotonic() >= deadline:
            raise ToolTimeout(str(error)) from None
        raise ToolError(str(error)) from None
    except ValueError:
        raise ToolError(translatable("The URL is not valid.")) from None


def _redirected(wanted: Request, response: HttpResponse) -> Request:
    """Return the request that a redirect asks for. Another server gets neither the headers nor the body."""
    try:
        url = urljoin(wanted.url, response.headers["location"])
        is_same = origin_of_url(url) == origin_of_url(wanted.url)
    except ValueError:
        raise ToolError(translatable("The server redirects to an invalid address.")) from None
    as_get = response.status in _AS_GET and wanted.method != "GET"
    if as_get or not is_same:
        if not as_get and wanted.content:
            raise ToolError(
                translatable("The server redirects a request with a body to another server, which is not followed.")
            )
        headers: Mapping[str, str] = (
            {name: value for name, value in wanted.headers.items() if name.lower() != "content-type"} if is_same else {}
        )
        return Request("GET" if as_get else wanted.method, url, headers, b"")
    return replace(wanted, url=url)
