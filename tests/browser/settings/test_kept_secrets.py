"""Keeping a secret in a real browser: choosing it, adding a memory with one, and looking at the value."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, Page

from memories.models import HiddenValue, Memory
from oauthserver.models import User
from tests.browser.conftest import fits, log_in


def test_an_owner_keeps_an_alarm_code_and_looks_at_it(page: Page, person: User, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/secrets/")
    log_in(page)
    page.get_by_role("switch", name="Alarm and door codes").check()
    assert fits(page)
    page.get_by_role("button", name="Save").click()
    assert page.get_by_role("switch", name="Alarm and door codes").is_checked()
    assert not page.get_by_role("switch", name="PINs").is_checked()

    page.goto("/admin/add/")
    page.fill("textarea[name=text]", "The alarm code at home is 471183")
    page.get_by_role("main").get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("heading", name="The alarm code at home is [hidden: code #1]").wait_for()
    assert "471183" not in page.content()

    page.get_by_role("button", name="Show value 1").click()
    page.locator("#hidden-value").wait_for()
    assert page.locator("#hidden-value").inner_text() == "471183"
    assert fits(page)
    page.get_by_role("link", name="Hide it again").click()
    page.get_by_text("You looked at the hidden alarm or door code").wait_for()
    assert "471183" not in page.content()
    # The browser has not stored the page of the value: going back does not show it again.
    with pytest.raises(Error, match="ERR_CACHE_MISS"):
        page.go_back()
    page.wait_for_url("chrome-error://**")

    page.goto(f"/admin/memories/memory/{Memory.objects.get().pk}/edit/")
    page.fill("textarea[name=text]", "There is an alarm at home")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="There is an alarm at home").wait_for()
    assert not HiddenValue.objects.exists()
    assert complaints == []
