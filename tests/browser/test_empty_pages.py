"""Pages without anything say so in the middle of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import log_in

EMPTY_PAGES = (
    "/admin/memories/journalentry/",
    "/admin/review/",
    "/admin/inbox/",
    "/admin/mcpapi/approval/",
    "/admin/cleanup/",
    "/admin/documents/source/",
    "/admin/oauthserver/connection/",
    "/admin/mcpapi/auditline/",
    "/admin/mcpapi/ownprompt/",
    "/admin/mcpapi/session/",
    "/admin/customtools/allowedhost/",
    "/admin/undo/",
)
OFF_CENTRE = """() => {
    const middle = part => { const box = part.getBoundingClientRect(); return box.left + box.width / 2; };
    return Math.abs(middle(document.querySelector(".empty")) - middle(document.querySelector("main")));
}"""


@pytest.mark.parametrize("window_width", [1360, 390])
def test_an_empty_page_says_so_in_its_middle(page: Page) -> None:
    page.goto("/login/?next=/admin/")
    log_in(page)
    for path in EMPTY_PAGES:
        page.goto(path)
        assert page.evaluate(OFF_CENTRE) < 1, path


@pytest.mark.parametrize("window_width", [1360])
def test_a_search_without_a_match_keeps_its_width(page: Page) -> None:
    page.goto("/login/?next=/admin/oauthserver/application/")
    log_in(page)
    page.goto("/admin/oauthserver/application/?q=nothing")
    search = page.locator(".search").bounding_box()
    assert search is not None
    assert search["width"] == 760
