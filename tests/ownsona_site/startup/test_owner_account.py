"""Tests of the owner's login, which each start takes from the settings."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from ownsona_site.startup.owner_account import (
    READABLE,
    UsernameTaken,
    ensure_account,
    ensure_owner,
    password_will_be_replaced,
    readable_password,
)

pytestmark = pytest.mark.django_db


def names() -> list[str]:
    return sorted(get_user_model().objects.values_list("username", flat=True))


def can_log_in(username: str, password: str) -> bool:
    return get_user_model().objects.get(username=username, is_superuser=True).check_password(password)


def test_without_settings_a_password_is_made_up_once() -> None:
    login = ensure_owner()
    assert login is not None
    assert login.username == "owner"
    assert can_log_in("owner", login.password)
    assert ensure_owner() is None
    assert can_log_in("owner", login.password)


def test_an_account_that_was_made_without_a_login_gets_one_when_it_is_needed() -> None:
    owner = ensure_account()
    assert not owner.has_usable_password()
    assert ensure_account() == owner
    login = ensure_owner()
    assert login is not None
    assert get_user_model().objects.get() == owner
    assert can_log_in("owner", login.password)


def test_the_configured_login_is_the_owners(settings: Settings) -> None:
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "alice", "a long enough password"
    assert ensure_owner() is None
    assert names() == ["alice"]
    assert can_log_in("alice", "a long enough password")


def test_a_configured_name_alone_gets_a_password(settings: Settings) -> None:
    settings.LOGIN_USERNAME = "alice"
    login = ensure_owner()
    assert login is not None
    assert can_log_in("alice", login.password)


def test_a_configured_password_alone_is_of_the_default_name(settings: Settings) -> None:
    settings.LOGIN_PASSWORD = "a long enough password"
    assert ensure_owner() is None
    assert names() == ["owner"]
    assert can_log_in("owner", "a long enough password")


def test_a_configured_password_alone_leaves_another_name_as_it_is(settings: Settings) -> None:
    get_user_model().objects.create_superuser("alice", password="the first password")
    settings.LOGIN_PASSWORD = "a long enough password"
    ensure_owner()
    assert names() == ["alice"]
    assert can_log_in("alice", "a long enough password")


def test_of_several_superusers_the_one_of_the_default_name_is_the_owner(settings: Settings) -> None:
    for name in ("owner", "alice"):
        get_user_model().objects.create_superuser(name, password="the first password")
    settings.LOGIN_PASSWORD = "a long enough password"
    ensure_owner()
    assert can_log_in("owner", "a long enough password")
    assert can_log_in("alice", "the first password")


def test_a_changed_name_renames_the_owner_who_keeps_what_is_theirs(settings: Settings) -> None:
    ensure_owner()
    owner = get_user_model().objects.get()
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "alice", "a long enough password"
    ensure_owner()
    assert get_user_model().objects.get() == owner
    assert can_log_in("alice", "a long enough password")


def test_a_changed_password_holds_from_the_next_start(settings: Settings) -> None:
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "alice", "a long enough password"
    ensure_owner()
    settings.LOGIN_PASSWORD = "another long password"
    ensure_owner()
    assert can_log_in("alice", "another long password")
    assert not can_log_in("alice", "a long enough password")


def test_an_unchanged_password_keeps_its_hash_and_so_the_open_sessions(settings: Settings) -> None:
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "alice", "a long enough password"
    ensure_owner()
    before = get_user_model().objects.get().password
    ensure_owner()
    assert get_user_model().objects.get().password == before


def test_the_name_of_an_ordinary_user_is_never_taken_over(settings: Settings) -> None:
    get_user_model().objects.create_user("alice", password="of an ordinary user")
    ensure_owner()
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "alice", "a long enough password"
    with pytest.raises(UsernameTaken, match="OWNSONA_LOGIN_USERNAME: 'alice'"):
        ensure_owner()


def test_a_made_up_password_is_long_and_can_be_read_aloud() -> None:
    passwords = {readable_password() for _ in range(50)}
    assert len(passwords) == 50
    for password in passwords:
        groups = password.split("-")
        assert [len(group) for group in groups] == [5, 5, 5, 5]
        assert set("".join(groups)) <= set(READABLE)


def test_a_password_that_the_next_start_replaces_is_known(settings: Settings) -> None:
    settings.LOGIN_PASSWORD = "a long enough password"
    assert not password_will_be_replaced()  # There is no owner yet.
    owner = ensure_account()
    assert not password_will_be_replaced()  # There is no password yet.
    ensure_owner()
    assert not password_will_be_replaced()
    owner.set_password("another long password")
    owner.save()
    assert password_will_be_replaced()
    ensure_owner()
    assert can_log_in("owner", "a long enough password")
    settings.LOGIN_PASSWORD = ""
    assert not password_will_be_replaced()


def test_changepassword_says_where_the_next_start_sets_it_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long password")
    get_user_model().objects.create_user("guest")
    ensure_owner()
    call_command("changepassword", "owner")
    assert "OWNSONA_LOGIN_PASSWORD" not in capsys.readouterr().err
    settings.LOGIN_PASSWORD = "a long enough password"
    call_command("changepassword", "guest")
    assert "OWNSONA_LOGIN_PASSWORD" not in capsys.readouterr().err
    call_command("changepassword", "owner")
    assert "OWNSONA_LOGIN_PASSWORD is set: the next start resets the password" in capsys.readouterr().err
    assert can_log_in("owner", "another long password")


def test_changepassword_without_a_name_is_for_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long password")
    guest = get_user_model().objects.create_user("guest")
    owner = get_user_model().objects.create_superuser("someone")
    call_command("changepassword")
    for user in (guest, owner):
        user.refresh_from_db()
    assert owner.check_password("another long password")
    assert not guest.has_usable_password()


def test_changepassword_without_a_terminal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(prompt: str = "") -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", ended)
    ensure_owner()
    with pytest.raises(CommandError, match="Run the command in a terminal"):
        call_command("changepassword", "owner")
