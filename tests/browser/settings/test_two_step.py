"""Tests of two-step login in a real browser: setup with an authenticator app, then a login with a code."""

from __future__ import annotations

from base64 import b32decode

from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page, expect
from pytest_django import Settings

from tests.browser.conftest import PASSWORD, fits, log_in
from tests.support.oauth.authenticator import code_of


def test_the_password_page_says_that_the_next_start_sets_it_back(
    page: Page, settings: Settings, complaints: list[str]
) -> None:
    settings.LOGIN_PASSWORD = PASSWORD
    page.goto("/login/?next=/admin/password_change/")
    log_in(page)
    expect(page.get_by_role("note")).to_contain_text("A change here is only temporary.")
    assert fits(page)
    assert complaints == []


def test_from_the_qr_code_to_a_login_with_a_backup_code(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/two-step-login/")
    log_in(page)

    expect(page.locator(".qr-code svg")).to_be_visible()
    assert fits(page)
    key = b32decode(page.locator("code.secret").inner_text()).hex()
    page.get_by_label("Code shown by the app").fill(code_of(TOTPDevice(key=key)))
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Turn on").click()
    backup_codes = page.locator(".backup-codes code")
    expect(backup_codes).to_have_count(10)
    assert fits(page)
    backup_code, another_backup_code, *others = backup_codes.all_inner_texts()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy all codes").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").split() == [backup_code, another_backup_code, *others]

    page.context.clear_cookies()
    page.goto("/login/?next=/admin/two-step-login/")
    log_in(page)
    assert fits(page)
    page.get_by_label("Code").fill(backup_code)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("You have 9 unused backup codes.")).to_be_visible()
    assert fits(page)

    page.goto("/admin/password_change/")
    expect(page.get_by_label("Code of your authenticator app")).to_be_visible()
    assert fits(page)
    page.goto("/admin/two-step-login/")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_label("Code of your authenticator app").fill(another_backup_code)
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("The login asks only for the password")).to_be_visible()
    assert complaints == []
