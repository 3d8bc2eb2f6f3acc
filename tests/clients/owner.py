"""The owner's browser, as far as forms go: it logs in and decides on the consent page."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx

FORM = re.compile(r"<form\b(?P<attributes>[^>]*)>(?P<inside>.*?)</form>", re.DOTALL)
FIELD = re.compile(r"<(?:input|button)\b[^>]*>")


def _attribute(tag: str, name: str) -> str | None:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return unescape(found[1]) if found else None


def _filled_form(page: httpx.Response, **answers: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the address and the fields of the page's form, with the checkboxes in their default state."""
    form = FORM.search(page.text)
    assert form, page.text
    fields = []
    for tag in FIELD.findall(form["inside"]):
        name, kind = _attribute(tag, "name"), _attribute(tag, "type")
        if name is None or name in answers or kind in {"submit", "button"} or tag.startswith("<button"):
            continue
        if kind in {"checkbox", "radio"} and not re.search(r"\bchecked\b", tag):
            continue
        fields.append((name, _attribute(tag, "value") or ""))
    address = _attribute(form["attributes"], "action") or str(page.url)
    return urljoin(str(page.url), address), [*fields, *answers.items()]


def parameters(address: str) -> dict[str, str]:
    """Return the query parameters of `address`."""
    return dict(parse_qsl(urlsplit(address).query))


class OwnerBrowser:
    """A browser session of the owner."""

    def __init__(self, username: str, password: str) -> None:
        self._credentials = {"username": username, "password": password}
        self._http = httpx.Client(follow_redirects=False, timeout=30)

    def authorize(self, url: str, decision: str = "allow") -> str:
        """Open `url`, log in if asked, and decide. Return the address of the app to which the browser is redirected."""
        page = self._follow(self._http.get(url))
        if "/login/" in str(page.url):
            page = self._submit(page, **self._credentials)
        return str(self._submit(page, decision=decision).headers["location"])

    def _submit(self, page: httpx.Response, **answers: str) -> httpx.Response:
        address, fields = _filled_form(page, **answers)
        body: dict[str, list[str]] = {}
        for name, value in fields:
            body.setdefault(name, []).append(value)
        return self._follow(self._http.post(address, data=body, headers={"referer": str(page.url)}))

    def _follow(self, response: httpx.Response) -> httpx.Response:
        """Follow redirects as long as they lead to the server itself."""
        while response.is_redirect:
            target = urljoin(str(response.url), response.headers["location"])
            if urlsplit(target).netloc != response.url.netloc.decode():
                return response
            response = self._http.get(target)
        assert response.status_code == 200, response.text
        return response
