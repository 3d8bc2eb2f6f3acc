"""Tests of the limits of wrong passwords: their number, by name and address, and their duration."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from oauthserver.housekeeping import delete_expired
from oauthserver.login.limits import TooManyAttempts, begin_attempt, record_success
from oauthserver.models import LoginAttempt

pytestmark = pytest.mark.django_db

HOME = "192.0.2.1"
ELSEWHERE = "198.51.100.7"


def heard(name: str = "owner", address: str = HOME) -> bool:
    try:
        begin_attempt(name, address)
    except TooManyAttempts:
        return False
    return True


def addresses() -> Iterator[str]:
    """Return 60,000 distinct addresses."""
    return (f"10.0.{number // 250}.{number % 250}" for number in range(60_000))


def let_pass(time: timedelta) -> None:
    for attempt in LoginAttempt.objects.all():
        LoginAttempt.objects.filter(pk=attempt.pk).update(at=attempt.at - time)


def test_five_failures_of_a_name_from_an_address_are_heard_within_a_quarter_of_an_hour() -> None:
    assert [heard() for _ in range(7)] == [True] * 5 + [False] * 2
    assert heard(name="somebody else")
    assert heard(address=ELSEWHERE)


def test_twenty_failures_from_an_address_are_heard_within_an_hour() -> None:
    assert [heard(name=f"name {number}") for number in range(21)] == [True] * 20 + [False]
    assert heard(name="name 1", address=ELSEWHERE)


def test_fifty_failures_of_a_name_are_heard_within_an_hour_from_all_addresses_together() -> None:
    assert [heard(address=address) for address, _ in zip(addresses(), range(51), strict=False)] == [True] * 50 + [False]
    assert heard(name="somebody else", address=ELSEWHERE)


def test_a_clock_that_goes_back_a_year_locks_nobody_out() -> None:
    assert [heard() for _ in range(6)] == [True] * 5 + [False]
    let_pass(timedelta(days=-365))
    with pytest.raises(TooManyAttempts) as refusal:
        begin_attempt("owner", HOME)
    assert refusal.value.wait <= timedelta(minutes=15)
    let_pass(timedelta(minutes=16))
    assert heard()


def test_who_logged_in_from_an_address_is_heard_there_however_many_guess_elsewhere() -> None:
    record_success(begin_attempt("owner", HOME))
    for address, _ in zip(addresses(), range(50), strict=False):
        heard(address=address)
    assert not heard(address=ELSEWHERE)
    assert heard()
    let_pass(timedelta(days=31))
    for address, _ in zip(addresses(), range(50), strict=False):
        heard(address=address)
    assert not heard()


def test_the_wait_ends_when_the_first_failure_is_past_and_is_not_prolonged() -> None:
    for _ in range(5):
        heard()
    let_pass(timedelta(minutes=14))
    with pytest.raises(TooManyAttempts) as refused:
        begin_attempt("owner", HOME)
    assert 0 < refused.value.retry_after <= 60
    assert [heard() for _ in range(5)] == [False] * 5
    let_pass(timedelta(minutes=1))
    assert heard()


def test_a_success_makes_good_the_slips_before_it() -> None:
    for _ in range(4):
        heard()
    record_success(begin_attempt("owner", HOME))
    assert [heard() for _ in range(5)] == [True] * 5


def test_an_unknown_address_is_counted_too() -> None:
    assert [heard(address="") for _ in range(6)] == [True] * 5 + [False]


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_are_heard_than_of_as_many_in_a_row() -> None:
    def in_a_thread(_: int) -> bool:
        try:
            return heard()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(in_a_thread, range(24))) <= 5
    assert LoginAttempt.objects.count() <= 5


def test_the_owner_of_the_machine_can_end_the_wait(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(6):
        heard()
    assert not heard()
    call_command("unlock_login")
    assert "5 failed attempts cleared." in capsys.readouterr().out
    assert heard()


def test_old_attempts_are_forgotten_and_known_addresses_kept_a_month() -> None:
    heard()
    record_success(begin_attempt("somebody else", HOME))
    let_pass(timedelta(hours=2))
    delete_expired()
    assert [attempt.succeeded for attempt in LoginAttempt.objects.all()] == [True]
    LoginAttempt.objects.update(at=timezone.now() - timedelta(days=31))
    delete_expired()
    assert not LoginAttempt.objects.exists()
