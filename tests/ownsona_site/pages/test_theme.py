"""Tests of the choice between the light and the dark theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from tests.support.factories import HOST, make_user

PAGE = "/admin/theme/"
STYLES = Path(settings.BASE_DIR) / "ownsona_site" / "static" / "ownsona"


@pytest.fixture
def pages(db: None) -> Client:
    """The owner's browser, logged in."""
    browser = Client(headers={"host": HOST})
    browser.force_login(make_user("owner"))
    return browser


def root_of(pages: Client, path: str) -> str:
    return pages.get(path).content.decode().partition("<html")[2].partition(">")[0]


def test_the_system_decides_until_a_theme_is_chosen(pages: Client) -> None:
    assert "data-theme" not in root_of(pages, "/admin/account/")
    response = pages.post(PAGE, {"theme": "dark"})
    assert response["Location"] == "/admin/account/"
    assert response.cookies["theme"]["httponly"]
    page = pages.get("/admin/account/").content.decode()
    assert 'value="dark" aria-pressed="true"' in page
    assert '<meta name="theme-color" content="#121213">' in page
    for path in ("/admin/", "/", "/admin/memories/memory/", "/admin/mcpapi/auditline/"):
        assert 'data-theme="dark"' in root_of(pages, path)
    pages.post(PAGE, {"theme": "system"})
    assert "data-theme" not in root_of(pages, "/admin/")


def test_the_theme_stays_after_logging_out(pages: Client) -> None:
    pages.post(PAGE, {"theme": "light"})
    pages.logout()
    pages.cookies["theme"] = "light"
    assert 'data-theme="light"' in root_of(pages, "/login/")


def test_an_unknown_theme_is_refused_and_an_unknown_cookie_ignored(pages: Client) -> None:
    assert pages.post(PAGE, {"theme": "pink"}).status_code == 400
    assert pages.get(PAGE).status_code == 405
    pages.cookies["theme"] = '"><script>'
    assert "data-theme" not in root_of(pages, "/admin/")


def test_a_visitor_is_sent_to_the_login(db: None) -> None:
    response = Client(headers={"host": HOST}).post(PAGE, {"theme": "dark"})
    assert response["Location"].startswith("/admin/login/")
    assert "theme" not in response.cookies


@pytest.mark.parametrize("name", ["shell.css", "base.css", "forms.css", "site.css"])
def test_colours_do_without_functions_that_older_browsers_lack(name: str) -> None:
    style = (STYLES / name).read_text(encoding="utf-8")
    assert "light-dark(" not in style.replace("without light-dark()", "")
    for line in style.splitlines():
        # A value with var() is not refused where it is read, so that no earlier value would take its place.
        if "var(" in line and "color-mix(" in line and "background: color-mix" in line:
            assert "@supports (color: color-mix" in line
