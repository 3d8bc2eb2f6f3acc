"""Tests of one-time codes: the valid ones, their single use, and the growing delay between wrong ones."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from oauthserver.login.limits import TooManyAttempts
from oauthserver.login.second_factor import (
    backup_codes_left,
    consume_code,
    is_on,
    pending_device,
    switch_off,
    switch_on,
)
from oauthserver.models import User
from tests.support.factories import make_user
from tests.support.oauth.authenticator import code_of, with_two_steps, wrong_code


def let_pass(time: timedelta) -> None:
    """Move the last wrong code by `time` into the past."""
    for kind in (TOTPDevice, StaticDevice):
        kind.objects.update(throttling_failure_timestamp=timezone.now() - time)


def test_it_is_on_only_after_a_first_right_code(owner: User) -> None:
    device = pending_device(owner)
    assert switch_on(owner, wrong_code(device)) == []
    assert not is_on(owner)
    let_pass(timedelta(seconds=2))
    assert len(set(switch_on(owner, code_of(device)))) == 10
    assert is_on(owner)
    assert not is_on(make_user())


def test_the_key_stays_the_same_until_it_is_confirmed_and_is_new_afterwards(owner: User) -> None:
    first = pending_device(owner)
    assert len(first.bin_key) == 20
    assert pending_device(owner) == first
    switch_on(owner, code_of(first))
    switch_off(owner)
    assert pending_device(owner).key != first.key


def test_what_was_never_begun_is_not_switched_on(owner: User) -> None:
    assert switch_on(owner, "000000") == []
    assert not is_on(owner)


def test_a_code_is_good_once(owner: User) -> None:
    device, _ = with_two_steps(owner)
    code = code_of(device)
    assert consume_code(owner, f" {code[:3]} {code[3:]} ")
    assert not consume_code(owner, code)


def test_the_code_that_switched_it_on_logs_nobody_in(owner: User) -> None:
    device = pending_device(owner)
    code = code_of(device)
    switch_on(owner, code)
    assert not consume_code(owner, code)


def test_a_backup_code_is_good_once(owner: User) -> None:
    _, codes = with_two_steps(owner)
    assert consume_code(owner, f"{codes[0][:4]}-{codes[0][4:].upper()}")
    assert backup_codes_left(owner) == 9
    assert not consume_code(owner, codes[0])


@pytest.mark.parametrize("code", ["", "12345", "1234567", "１２３４５６", "-12345", "abcdefgh", "x" * 5000])
def test_what_is_no_code_is_wrong(owner: User, code: str) -> None:
    with_two_steps(owner)
    assert not consume_code(owner, code)


def test_the_codes_of_another_are_wrong(owner: User) -> None:
    with_two_steps(owner)
    other, other_codes = with_two_steps(make_user())
    assert not consume_code(owner, code_of(other))
    assert not consume_code(owner, other_codes[0])


def test_nobody_needs_or_has_codes_while_it_is_off(owner: User) -> None:
    pending = pending_device(owner)
    assert not consume_code(owner, code_of(pending))
    device, codes = with_two_steps(owner)
    switch_off(owner)
    assert not is_on(owner)
    assert not consume_code(owner, code_of(device))
    assert not consume_code(owner, codes[0])


def test_each_wrong_code_doubles_the_wait_even_for_the_right_one(owner: User) -> None:
    device, _ = with_two_steps(owner)
    assert not consume_code(owner, wrong_code(device))
    for failures, seconds in [(6, 32), (7, 64), (8, 128)]:
        TOTPDevice.objects.update(throttling_failure_count=failures, throttling_failure_timestamp=timezone.now())
        with pytest.raises(TooManyAttempts) as refused:
            consume_code(owner, code_of(device))
        assert seconds / 2 < refused.value.retry_after <= seconds
    let_pass(timedelta(hours=1))
    assert consume_code(owner, code_of(device))


def test_a_wrong_code_before_the_clock_went_back_a_year_locks_nobody_out(owner: User) -> None:
    device, codes = with_two_steps(owner)
    for wrong in (wrong_code(device), "aaaaaaaa"):
        assert not consume_code(owner, wrong)
    let_pass(timedelta(days=-365))
    for code in (code_of(device), codes[0]):
        with pytest.raises(TooManyAttempts) as refusal:
            consume_code(owner, code)
        assert refusal.value.wait <= timedelta(seconds=2)
    let_pass(timedelta(seconds=2))
    assert consume_code(owner, code_of(device))
    assert consume_code(owner, codes[0])


def test_a_code_used_before_the_clock_went_back_a_year_does_not_refuse_those_of_now(owner: User) -> None:
    device, _ = with_two_steps(owner)
    TOTPDevice.objects.filter(pk=device.pk).update(last_t=(int(time.time()) + 365 * 86_400) // 30)
    assert not consume_code(owner, code_of(device))
    device.refresh_from_db()
    assert device.last_t - int(time.time()) // 30 <= 3
    TOTPDevice.objects.filter(pk=device.pk).update(last_t=device.last_t - 4)
    let_pass(timedelta(seconds=2))
    assert consume_code(owner, code_of(device))


@pytest.mark.django_db(transaction=True)
def test_of_one_code_used_many_times_at_once_one_use_succeeds() -> None:
    owner = make_user("owner")
    _, codes = with_two_steps(owner)

    def in_a_thread(_: int) -> bool:
        try:
            return consume_code(owner, codes[0])
        except TooManyAttempts:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(in_a_thread, range(8))) == 1


def test_the_owner_of_the_machine_can_end_the_wait(owner: User) -> None:
    device, codes = with_two_steps(owner)
    assert not consume_code(owner, wrong_code(device))
    assert not consume_code(owner, "aaaa-aaaa")
    for kind in (TOTPDevice, StaticDevice):
        kind.objects.update(throttling_failure_count=20)
    call_command("unlock_login")
    assert consume_code(owner, code_of(device))
    assert consume_code(owner, codes[0])


def test_the_owner_of_the_machine_can_switch_it_off(owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    with_two_steps(owner)
    call_command("two_step_off", "owner")
    assert "is off" in capsys.readouterr().out
    assert not is_on(owner)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nobody", "a\0b"])
def test_an_unknown_name_is_said_to_be_unknown(name: str) -> None:
    with pytest.raises(CommandError, match="There is no user"):
        call_command("two_step_off", name)
