"""Tests of two-step login for a user: the page that switches it on and off, and the login that asks for a code."""

from __future__ import annotations

import re
from base64 import b32decode
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from oauthserver.login.login_page import PASSWORD_STEP
from oauthserver.login.second_factor import is_on, pending_device
from oauthserver.models import LoginAttempt, User
from tests.support.oauth.authenticator import code_of, with_two_steps, wrong_code
from tests.support.oauth.flow import PASSWORD, Browser, Registration, http_client

PAGE = "/admin/two-step-login/"


@pytest.fixture
def device(owner: User) -> TOTPDevice:
    """The owner's authenticator: two-step login is on."""
    return with_two_steps(owner)[0]


def give_password(client: Client, next_page: str = "/admin/") -> Any:
    return client.post("/login/", {"username": "owner", "password": PASSWORD, "next": next_page})


def give_code(client: Client, code: str, url: str = "/login/code/?next=/admin/") -> Any:
    return client.post(url, {"code": code})


def switch_on(client: Client, user: User, **changes: str) -> str:
    """Send the form that switches two-step login on. Return the page after it."""
    form = {"switch": "on", "password": PASSWORD, "code": code_of(pending_device(user)), **changes}
    response = client.post(PAGE, form)
    assert response.status_code == 200
    return str(response.content.decode())


def is_logged_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


def test_the_page_shows_the_key_as_picture_and_as_text(browser: Browser, owner: User) -> None:
    response = browser.client.get(PAGE)
    page = response.content.decode()
    key = re.search(r'<code class="secret" id="key" tabindex="0">([A-Z2-7]+)</code>', page)
    assert key is not None
    assert b32decode(key[1]) == pending_device(owner).bin_key
    assert "<svg" in page
    assert 'href="otpauth://totp/' in page, "a phone cannot scan its own screen"
    assert "no-store" in response["Cache-Control"]


def test_each_visit_shows_a_new_key_which_stays_after_a_wrong_code(browser: Browser, owner: User) -> None:
    browser.client.get(PAGE)
    seen_before = pending_device(owner)
    browser.client.get(PAGE)
    shown = pending_device(owner)
    assert shown.key != seen_before.key
    switch_on(browser.client, owner, password="wrong")
    assert pending_device(owner).key == shown.key
    switch_on(browser.client, owner, code=code_of(seen_before))
    assert not is_on(owner)


def test_switching_it_on_shows_ten_backup_codes_once(browser: Browser, owner: User) -> None:
    page = switch_on(browser.client, owner)
    codes = re.findall(r"<li><code>([a-z2-7]{4}-[a-z2-7]{4})</code></li>", page)
    assert len(codes) == 10
    again = browser.client.get(PAGE).content.decode()
    assert "10 unused backup codes" in again
    assert codes[0] not in again
    client = http_client()
    give_password(client)
    assert give_code(client, codes[0]).status_code == 302
    assert is_logged_in(client)


def test_switching_it_on_ends_the_sessions_that_began_without_a_code(browser: Browser, owner: User) -> None:
    elsewhere = http_client()
    elsewhere.force_login(owner)
    switch_on(browser.client, owner)
    assert is_logged_in(browser.client)
    assert not is_logged_in(elsewhere)
    owner.refresh_from_db()
    assert owner.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"password": "wrong"}, "The password is wrong."),
        ({"code": "12"}, "The code does not match the key"),
        ({"code": "\0"}, "Null characters"),
        ({"code": ""}, "This field is required."),
    ],
)
def test_it_takes_the_password_and_a_right_code(
    browser: Browser, owner: User, changes: dict[str, str], said: str
) -> None:
    assert said in switch_on(browser.client, owner, **changes)
    assert not is_on(owner)


def test_the_password_cannot_be_guessed_here_either(browser: Browser, owner: User, device: TOTPDevice) -> None:
    form = {"switch": "off", "password": "wrong"}
    assert [browser.client.post(PAGE, form).status_code for _ in range(6)] == [200] * 5 + [429]
    assert is_on(owner)


def test_switching_it_off_takes_the_password_and_a_code(browser: Browser, owner: User, device: TOTPDevice) -> None:
    right = {"switch": "off", "password": PASSWORD, "code": code_of(device)}
    for wrong in ({"password": "wrong"}, {"code": ""}, {"code": wrong_code(device)}):
        assert browser.client.post(PAGE, {**right, **wrong}).status_code == 200
        assert is_on(owner)
    TOTPDevice.objects.update(throttling_failure_count=0)
    page = browser.client.post(PAGE, right, follow=True).content.decode()
    assert "The login asks only for the password" in page
    assert not is_on(owner)


def test_a_backup_code_switches_it_off(browser: Browser, owner: User) -> None:
    _, codes = with_two_steps(owner)
    browser.client.post(PAGE, {"switch": "off", "password": PASSWORD, "code": codes[0]})
    assert not is_on(owner)


def test_the_code_cannot_be_guessed_here_either(browser: Browser, owner: User, device: TOTPDevice) -> None:
    form = {"switch": "off", "password": PASSWORD, "code": wrong_code(device)}
    assert browser.client.post(PAGE, form).status_code == 200
    TOTPDevice.objects.update(throttling_failure_count=6)
    assert browser.client.post(PAGE, {**form, "code": code_of(device)}).status_code == 429
    assert is_on(owner)


def test_sending_the_form_twice_does_not_switch_it_off_again(browser: Browser, owner: User) -> None:
    form = {"switch": "on", "password": PASSWORD, "code": code_of(pending_device(owner))}
    browser.client.post(PAGE, form)
    assert browser.client.post(PAGE, form)["Location"] == PAGE
    assert is_on(owner)


def test_the_page_is_for_people_who_are_logged_in(owner: User) -> None:
    assert http_client().get(PAGE)["Location"] == f"/admin/login/?next={PAGE}"


def test_the_password_alone_logs_nobody_in(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    assert give_password(client)["Location"] == "/login/code/?next=%2Fadmin%2F"
    assert not is_logged_in(client)
    url = Registration.of_new_app().authorize_url()
    assert client.get(url)["Location"].startswith("/login/")


def test_the_second_step_says_how_to_go_on_without_a_code(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    page = client.get(give_password(client)["Location"]).content.decode()
    assert "manage.py two_step_off owner</code>" in page


def test_password_and_code_log_in_and_lead_where_one_was_going(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    url = Registration.of_new_app().authorize_url()
    second_step = give_password(client, url)["Location"]
    assert client.get(second_step).status_code == 200
    before = client.cookies["sessionid"].value
    assert give_code(client, code_of(device), second_step)["Location"] == url
    assert is_logged_in(client)
    assert client.cookies["sessionid"].value != before
    assert PASSWORD_STEP not in client.session


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_the_second_step_leads_nowhere_but_to_this_host(owner: User, device: TOTPDevice, target: str) -> None:
    client = http_client()
    assert "evil" not in give_password(client, target)["Location"]
    assert client.post("/login/code/", {"code": code_of(device), "next": target})["Location"] == "/"


def test_a_wrong_code_is_said_to_be_wrong_and_waited_for(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    give_password(client)
    assert "This code is wrong" in give_code(client, wrong_code(device)).content.decode()
    TOTPDevice.objects.update(throttling_failure_count=6)
    response = give_code(client, code_of(device))
    assert response.status_code == 429
    assert 16 < int(response["Retry-After"]) <= 32
    assert f"Try again in {response['Retry-After']} seconds." in response.content.decode()
    assert not is_logged_in(client)


def test_a_code_that_has_to_wait_is_not_counted(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    give_password(client)
    give_code(client, wrong_code(device))
    TOTPDevice.objects.update(throttling_failure_count=6)
    assert [give_code(client, code_of(device)).status_code for _ in range(6)] == [429] * 6
    assert LoginAttempt.objects.count() == 1


def test_codes_count_as_attempts_and_a_right_password_does_not_make_them_good(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    for _ in range(5):
        give_password(client)
        give_code(client, wrong_code(device))
        TOTPDevice.objects.update(throttling_failure_count=0)
    assert LoginAttempt.objects.count() == 5
    assert give_password(client).status_code == 429
    assert give_code(client, code_of(device)).status_code == 429


def test_the_second_step_is_open_to_nobody_without_the_first(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    for response in (client.get("/login/code/?next=/admin/"), give_code(client, code_of(device))):
        assert response["Location"] == "/login/?next=%2Fadmin%2F"
    assert not is_logged_in(client)


@pytest.mark.parametrize("change", ["late", "clock set back", "new password", "inactive"])
def test_the_first_step_lasts_only_so_long_as_it_holds(owner: User, device: TOTPDevice, change: str) -> None:
    client = http_client()
    give_password(client)
    if change in {"late", "clock set back"}:
        session = client.session
        until = timezone.now() + timedelta(days=-1 if change == "late" else 365)
        session[PASSWORD_STEP] = {**session[PASSWORD_STEP], "until": until.timestamp()}
        session.save()
    elif change == "new password":
        owner.set_password("stapled to a tree")
        owner.save()
    else:
        User.objects.update(is_active=False)
    assert give_code(client, code_of(device))["Location"].startswith("/login/?")
    assert not is_logged_in(client)


def test_the_first_step_leaves_a_planted_session(owner: User, device: TOTPDevice) -> None:
    client = http_client()
    session = client.session
    session["before"] = True
    session.save()
    planted = session.session_key
    assert planted is not None
    client.cookies["sessionid"] = planted
    give_password(client)
    thief = http_client()
    thief.cookies["sessionid"] = planted
    assert thief.get("/login/code/").status_code == 302
