"""Tests of the page that changes the password, including its protection against guessing."""

from __future__ import annotations

from typing import Any

from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from oauthserver.models import LoginAttempt, User
from tests.support.oauth.authenticator import code_of, with_two_steps, wrong_code
from tests.support.oauth.flow import PASSWORD, Browser

PAGE = "/admin/password_change/"
NEW = "stapled to a tree"


def change(browser: Browser, old: str = PASSWORD, **more: str) -> Any:
    """Send the form and return the response."""
    return browser.client.post(PAGE, {"old_password": old, "new_password1": NEW, "new_password2": NEW, **more})


def has_changed(owner: User) -> bool:
    owner.refresh_from_db()
    return owner.check_password(NEW)


def test_the_password_cannot_be_guessed_with_a_session(browser: Browser, owner: User) -> None:
    assert [change(browser, "wrong").status_code for _ in range(5)] == [200] * 5

    response = change(browser)

    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 900
    assert "Try again in 15 minutes." in response.content.decode()
    assert not has_changed(owner)


def test_the_old_password_changes_it_and_counts_as_no_failure(browser: Browser, owner: User) -> None:
    assert "code" not in browser.client.get(PAGE).context["form"].fields
    change(browser, "wrong")
    assert change(browser)["Location"] == "/admin/account/"
    assert "Your password is changed." in browser.client.get("/admin/account/").content.decode()
    assert browser.client.get("/admin/password_change/done/")["Location"] == "/admin/account/"
    assert has_changed(owner)
    assert LoginAttempt.objects.count() == 1


def test_with_two_step_login_it_takes_a_code_too(browser: Browser, owner: User) -> None:
    device, codes = with_two_steps(owner)
    for wrong in ({}, {"code": ""}, {"code": wrong_code(device)}):
        assert "code" in change(browser, **wrong).context["form"].errors
        assert not has_changed(owner)
    assert change(browser, code=codes[0]).status_code == 302
    assert has_changed(owner)


def test_a_code_is_not_spent_on_a_form_that_has_other_errors(browser: Browser, owner: User) -> None:
    device, _ = with_two_steps(owner)
    code = code_of(device)
    assert change(browser, code=code, new_password2="another").status_code == 200
    assert change(browser, code=code).status_code == 302


def test_the_code_cannot_be_guessed_with_a_session(browser: Browser, owner: User) -> None:
    device, _ = with_two_steps(owner)
    change(browser, code=wrong_code(device))
    TOTPDevice.objects.update(throttling_failure_count=6)
    assert change(browser, code=code_of(device)).status_code == 429
    assert not has_changed(owner)


def test_the_page_says_when_the_next_start_sets_the_password_back(
    browser: Browser, owner: User, settings: Settings
) -> None:
    note = "A change here is only temporary."
    assert note not in browser.client.get(PAGE).content.decode()
    settings.LOGIN_PASSWORD = PASSWORD
    assert note not in browser.client.get(PAGE).content.decode()  # LOGIN_PASSWORD applies only to the superuser.
    owner.is_superuser = True
    owner.save()
    page = browser.client.get(PAGE).content.decode()
    assert note in page
    assert "OWNSONA_LOGIN_PASSWORD" in page


def test_what_is_wrong_with_the_new_passwords_is_said_at_once(browser: Browser, owner: User) -> None:
    errors = change(browser, new_password1="tree", new_password2="trees").context["form"].errors
    assert "too short" in errors["new_password1"][0]
    assert "match" in errors["new_password2"][0]
    assert not has_changed(owner)


def test_the_hint_about_common_passwords_is_good_german(browser: Browser) -> None:
    german = {"accept-language": "de"}
    page = browser.client.get(PAGE, headers=german).content.decode()
    assert "Das Passwort darf keines sein, das viele Leute verwenden." in page
    sent = {"old_password": PASSWORD, "new_password1": "1234567890", "new_password2": "1234567890"}
    assert (
        "Dieses Passwort verwenden zu viele Leute." in browser.client.post(PAGE, sent, headers=german).content.decode()
    )
