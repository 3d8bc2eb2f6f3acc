"""Everything that can be tapped on a phone is large enough for a finger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.browser.conftest import log_in
from tests.ownsona_site.languages.world import addresses

PARTS = 3
"""Number of tests among which the pages are divided, so that several processes share them."""

SMALL = """() => {
    // WCAG 2.5.8 exempts links in a sentence, whose size follows from that of the text around them.
    const isInSentence = each => {
        if (each.tagName !== "A" || getComputedStyle(each).display !== "inline") return false;
        const block = each.closest("p, li, dd, td, small, div").cloneNode(true);
        block.querySelectorAll("a, button, time, .sr").forEach(part => part.remove());
        return /[\\p{L}\\d]/u.test(block.textContent);
    };
    // What reacts to a tap may be larger than its box: a pseudo-element, or the label of a field.
    const isHit = (each, x, y) => {
        const top = document.elementFromPoint(x, y);
        return Boolean(top) && (each.contains(top) || Boolean(top.closest("label")?.contains(each)));
    };
    const reach = (each, x, y, right, down) => {
        let steps = 0;
        while (steps < 48 && isHit(each, x + right * (steps + 1), y + down * (steps + 1))) steps++;
        return steps;
    };
    const least = each => each.matches(".sec > header > a, .btn, .chip, .tabs a, .nav a, .delete > a") ? 36 : 24;
    const isSmall = each => {
        each.scrollIntoView({block: "center", inline: "center"});
        const box = each.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
        if (!isHit(each, x, y)) return true;
        const width = reach(each, x, y, -1, 0) + reach(each, x, y, 1, 0) + 1;
        const height = reach(each, x, y, 0, -1) + reach(each, x, y, 0, 1) + 1;
        return width < 24 || height < least(each);
    };
    const all = [...document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), select, textarea")];
    const isShown = each => each.checkVisibility({visibilityProperty: true}) && !each.closest(".sr, .skip");
    const small = all.filter(each => isShown(each) && !isInSentence(each) && isSmall(each));
    return small.map(each => each.outerHTML.slice(0, 200));
}"""


@pytest.fixture
def page(person: User, chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A page of a phone, logged in."""
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    window = context.new_page()
    window.set_default_timeout(30_000)
    window.goto("/login/?next=/admin/")
    log_in(window)
    yield window
    context.close()


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_can_be_tapped_is_large_enough(page: Page, person: User, part: int) -> None:
    small: dict[str, list[str]] = {}
    for path in addresses(person)[part::PARTS]:
        page.goto(path)
        if found := page.evaluate(SMALL):
            small[path] = found
    assert not small, "\n".join(f"{path}: {each}" for path, found in small.items() for each in found)
