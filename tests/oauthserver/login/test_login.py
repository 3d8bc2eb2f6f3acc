"""Tests of the login page: access, the redirect after it, and the cookies in the browser."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from oauthserver.models import LoginAttempt, User
from tests.support.oauth.authenticator import with_two_steps
from tests.support.oauth.flow import HOST, PASSWORD, Browser, Registration, http_client

STRANGER = "198.51.100.7"


def log_in(client: Client, password: str = PASSWORD, name: str = "owner", **fields: Any) -> Any:
    """Send the login form from the address REMOTE_ADDR, and return the response."""
    address = fields.pop("REMOTE_ADDR", "127.0.0.1")
    return client.post("/login/", {"username": name, "password": password, **fields}, REMOTE_ADDR=address)


def is_logged_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


@pytest.mark.django_db
def test_the_login_says_how_to_set_a_password_without_naming_the_folder(settings: Settings) -> None:
    page = http_client().get("/login/").content.decode()
    assert "manage.py changepassword</code>" in page
    assert str(settings.BASE_DIR) not in page
    settings.BASE_DIR = settings.BASE_DIR / "no-such-folder"
    assert "<code>python manage.py changepassword</code>" in http_client().get("/login/").content.decode()


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "http://evil.example/",
        "//evil.example/",
        "///evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "\n//evil.example",
        " //evil.example",
        "http:evil.example",
        "http:///evil.example",
        "http://127.0.0.1:8000@evil.example/",
        "http://127.0.0.1:8000.evil.example/",
        "http://127.0.0.1:9000/",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "ftp://127.0.0.1:8000/",
        "\x00//evil.example",
        "https://evil.example?http://127.0.0.1:8000/",
        "//evil.example?/admin/",
        "?//evil.example",
        f"https://evil.example/?state={'s' * 3000}",
        "",
    ],
)
def test_login_leads_nowhere_but_to_this_host(owner: User, target: str) -> None:
    response = log_in(http_client(), next=target)
    assert (response.status_code, response["Location"]) == (302, "/")


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/admin/", "/admin/"),
        ("/oauth/authorize?client_id=a&state=%2F%2Fevil", "/oauth/authorize?client_id=a&state=%2F%2Fevil"),
        ("/%2f%2fevil.example", "/%2f%2fevil.example"),
        ("/a\x00b\r\nSet-Cookie: a=b", "/a%00b%0D%0ASet-Cookie:%20a=b"),
        ("http://127.0.0.1:8000/admin/", "http://127.0.0.1:8000/admin/"),
    ],
)
def test_login_leads_back_to_a_page_of_this_host(owner: User, target: str, location: str) -> None:
    response = log_in(http_client(), next=target)
    assert (response.status_code, response["Location"]) == (302, location)


def test_the_admin_has_no_login_page_of_its_own(owner: User) -> None:
    client = http_client()
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/login/?next=/admin/"
    form = {"username": "owner", "password": PASSWORD, "this_is_the_login_form": "1"}
    assert client.post("/admin/login/", form)["Location"].startswith("/login/")
    assert not is_logged_in(client)


def test_login_gives_the_session_and_the_form_token_new_values(owner: User) -> None:
    client = http_client()
    session = client.session
    session["before"] = True
    session.save()
    planted = session.session_key
    assert planted is not None
    client.cookies["sessionid"] = planted
    token = client.get("/login/").cookies["csrftoken"].value

    log_in(client)

    assert client.cookies["sessionid"].value != planted
    assert client.cookies["csrftoken"].value != token
    thief = http_client()
    thief.cookies["sessionid"] = planted
    assert not is_logged_in(thief)


def test_a_session_ends_with_the_logout_and_that_takes_a_post(browser: Browser) -> None:
    key = browser.client.cookies["sessionid"].value
    assert browser.client.get("/logout/").status_code == 405
    assert is_logged_in(browser.client)

    assert browser.client.post("/logout/")["Location"] == "/login/"

    browser.client.cookies["sessionid"] = key
    assert not is_logged_in(browser.client)


def test_a_new_password_ends_every_other_session(owner: User) -> None:
    here, elsewhere = http_client(), http_client()
    log_in(here)
    log_in(elsewhere)
    typed = {"old_password": PASSWORD, "new_password1": "stapled to a tree", "new_password2": "stapled to a tree"}

    assert here.post("/admin/password_change/", typed).status_code == 302

    assert is_logged_in(here)
    assert not is_logged_in(elsewhere)


def test_the_cookies_are_kept_from_scripts_and_other_sites(owner: User) -> None:
    client = http_client()
    client.get("/login/")
    log_in(client)
    assert client.cookies.keys() == {"sessionid", "csrftoken"}
    for cookie in client.cookies.values():
        assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (True, "Lax", "/", "")
    assert client.cookies["sessionid"]["max-age"] == 1_209_600


def test_no_other_origin_may_read_the_login(owner: User) -> None:
    client = Client(headers={"host": HOST, "origin": "https://page.example"})
    for response in (client.get("/login/"), client.options("/login/"), log_in(client)):
        assert not any(name.startswith("Access-Control-") for name in response.headers)


@pytest.mark.parametrize(
    "form",
    [
        {"username": "owner", "password": "wrong"},
        {"username": "a\0b", "password": "\0"},
        {"username": "owner", "password": "\ud800".encode("utf-8", "surrogatepass")},
        {"username": "o" * 100_000, "password": "p" * 100_000},
        {"username": "owner"},
        {},
    ],
)
def test_a_failed_login_says_so_and_shows_no_more(owner: User, form: dict[str, Any]) -> None:
    response = http_client().post("/login/", form)
    assert response.status_code == 200
    assert "The name or password is wrong" in response.content.decode()


def test_an_unknown_name_costs_and_reads_the_same_as_a_wrong_password(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counting(hasher: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(hasher, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counting)
    wrong_password = log_in(http_client(), "first guess")
    unknown_name = log_in(http_client(), "second guess", name="nobody")
    assert hashed == ["first guess", "second guess"]
    assert wrong_password.status_code == unknown_name.status_code
    assert wrong_password.headers.keys() == unknown_name.headers.keys()
    errors = [response.context["form"].errors for response in (wrong_password, unknown_name)]
    assert errors[0] == errors[1]


@pytest.mark.parametrize("name", ["owner", "nobody"])
def test_the_sixth_try_is_not_heard_and_told_how_long_to_wait(owner: User, name: str) -> None:
    client = http_client()
    assert [log_in(client, "wrong", name).status_code for _ in range(5)] == [200] * 5

    response = log_in(client, PASSWORD, name)

    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 900
    assert "Try again in 15 minutes." in response.content.decode()
    (again,) = re.findall(r'<a href="([^"]*)">Try again</a>', response.content.decode())
    assert "Log in" in client.get(again).content.decode()
    assert not is_logged_in(client)


def test_a_stranger_does_not_lock_the_owner_out_elsewhere(owner: User) -> None:
    for _ in range(6):
        last = log_in(http_client(), "wrong", REMOTE_ADDR=STRANGER)
    assert last.status_code == 429
    client = http_client()
    assert log_in(client).status_code == 302
    assert is_logged_in(client)


def test_after_the_wait_the_owner_is_heard(owner: User) -> None:
    for _ in range(5):
        log_in(http_client(), "wrong")
    assert log_in(http_client()).status_code == 429
    LoginAttempt.objects.update(at=timezone.now() - timedelta(minutes=15))
    assert log_in(http_client()).status_code == 302


def test_the_address_counts_that_a_trusted_proxy_names(owner: User, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = ()
    for number in range(6):
        headers = {"host": HOST, "x-forwarded-for": f"203.0.113.{number}"}
        last = log_in(Client(headers=headers), "wrong", REMOTE_ADDR=STRANGER)
    assert last.status_code == 429


def test_no_password_is_stored_or_logged(owner: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "typed into the wrong field"
    log_in(http_client(), secret)
    log_in(http_client(), "wrong", name=secret)
    assert LoginAttempt.objects.count() == 2
    assert secret not in caplog.text
    assert secret not in str(list(LoginAttempt.objects.values()))


def test_a_login_takes_seventeen_statements(owner: User, django_assert_num_queries: Callable[[int], Any]) -> None:
    client = http_client()
    with django_assert_num_queries(17):
        assert log_in(client).status_code == 302


def test_an_app_gets_its_person_back_after_the_login(owner: User) -> None:
    client = http_client()
    url = Registration.of_new_app().authorize_url()
    login_url = client.get(url)["Location"]
    assert client.get(login_url).context["next"] == url
    assert log_in(client, next=url)["Location"] == url


@pytest.mark.parametrize("with_code", [False, True])
def test_an_app_gets_its_answer_with_a_state_of_thousands_of_characters(owner: User, with_code: bool) -> None:
    backup_codes = with_two_steps(owner)[1] if with_code else []
    client, state = http_client(), "s~/+&=é" * 430
    at = client.get(Registration.of_new_app().authorize_url(state=state))["Location"]
    at = client.post(at, {"username": "owner", "password": PASSWORD, "next": client.get(at).context["next"]})[
        "Location"
    ]
    if with_code:
        at = client.post(at, {"code": backup_codes[0]})["Location"]
    answer = Browser(client).decide(at)
    assert answer["state"] == state
    assert answer["code"]
