"""Tests of the number of requests allowed per minute, and of the response to further ones."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from pytest_django import DjangoAssertNumQueries, Settings

from mcpapi.eras import HANDSHAKE, STATELESS
from mcpapi.models import RateWindow
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.state.rate_limit import KEPT_SECONDS, SLOTS, consume_rate_limit
from mcpapi.tasks import delete_expired_rows
from oauthserver.models import Connection, User
from oauthserver.resource_server.principal import Principal
from tests.mcpapi.eras.test_batches import BATCHING, NOTE, PING
from tests.support.concurrency import in_threads
from tests.support.factories import Assistant, make_access_token, make_app, make_user
from tests.support.mcp.handshake_client import assert_error
from tests.support.mcp.stateless_client import ask

LIMIT = 3


@pytest.fixture(autouse=True)
def low_limit(settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = LIMIT


def pass_time(seconds: int) -> None:
    """Move the counted requests `seconds` into the past."""
    assert RateWindow.objects.update(second=F("second") - seconds)


def use_up(assistant: Assistant) -> None:
    for _ in range(LIMIT):
        assert assistant.request("ping").status_code == 200


def is_refused(response: Any) -> bool:
    assert response.status_code in {200, 429}, response.content
    return bool(response.status_code == 429)


def a_principal(permission: int = 1) -> Principal:
    return Principal(1, "app", "App", frozenset(), (), (), "auto", False, (Connection, permission))


def test_a_request_over_the_limit_is_told_the_limit_and_the_wait(assistant: Assistant) -> None:
    use_up(assistant)
    response = assistant.request("ping")
    error = assert_error(response, 429, -32004, "rate_limited")
    wait = int(response["Retry-After"])
    assert 59 <= wait <= SLOTS
    assert (error["data"]["limit_per_minute"], error["data"]["retry_after_seconds"]) == (LIMIT, wait)
    assert str(LIMIT) in error["data"]["details"]
    assert f"{wait} seconds" in error["data"]["details"]
    assert response.json()["id"] == 1


def test_the_stateless_era_has_the_same_limit(assistant: Assistant) -> None:
    use_up(assistant)
    assert_error(ask(assistant, "tools/list"), 429, -32004, "rate_limited")


def test_there_is_room_again_after_the_wait_and_not_before(assistant: Assistant) -> None:
    use_up(assistant)
    wait = int(assistant.request("ping")["Retry-After"])
    pass_time(wait - 3)
    assert is_refused(assistant.request("ping"))
    pass_time(3)
    assert not is_refused(assistant.request("ping"))


def test_only_as_many_are_let_in_as_have_left_the_minute(assistant: Assistant) -> None:
    assistant.request("ping")
    pass_time(40)
    for _ in range(LIMIT - 1):
        assert not is_refused(assistant.request("ping"))
    refused = assistant.request("ping")
    assert is_refused(refused)
    assert 19 <= int(refused["Retry-After"]) <= 21
    pass_time(25)
    assert [is_refused(assistant.request("ping")) for _ in range(2)] == [False, True]


def test_what_is_refused_does_not_prolong_the_wait(assistant: Assistant) -> None:
    use_up(assistant)
    for _ in range(5):
        assert is_refused(assistant.request("ping"))
    pass_time(SLOTS)
    use_up(assistant)


def test_a_clock_that_goes_back_lets_nobody_through_twice(assistant: Assistant) -> None:
    use_up(assistant)
    pass_time(-30)
    assert is_refused(assistant.request("ping"))


YEAR = 365 * 86_400


def test_a_clock_that_goes_back_a_year_locks_nobody_out(assistant: Assistant) -> None:
    use_up(assistant)
    pass_time(-YEAR)
    refused = assistant.request("ping")
    assert is_refused(refused)
    assert int(refused["Retry-After"]) <= SLOTS
    pass_time(SLOTS)
    use_up(assistant)
    assert is_refused(assistant.request("ping"))


def test_a_window_of_the_future_counts_as_the_current_one(assistant: Assistant) -> None:
    assistant.request("ping")
    pass_time(-YEAR)
    for _ in range(LIMIT - 1):
        assert not is_refused(assistant.request("ping"))
    assert is_refused(assistant.request("ping"))
    pass_time(SLOTS)
    assert not is_refused(assistant.request("ping"))


def test_every_app_and_every_person_has_a_limit_of_their_own(assistant: Assistant, owner: User) -> None:
    use_up(assistant)
    for other in (Assistant.of(owner, app=make_app("Other")), Assistant.of(make_user())):
        use_up(other)
        assert is_refused(other.request("ping"))


def test_a_renewed_token_does_not_begin_anew(owner: User) -> None:
    app = make_app()
    use_up(Assistant(make_access_token(owner, app=app)))
    assert is_refused(Assistant(make_access_token(owner, app=app)).request("ping"))


def test_each_message_of_a_batch_counts(assistant: Assistant) -> None:
    assert not is_refused(assistant.post([PING, PING], BATCHING))
    assert_error(assistant.post([PING, PING], BATCHING), 429, -32004, "rate_limited")
    assert not is_refused(assistant.request("ping"))
    assert is_refused(assistant.request("ping"))


def test_a_batch_that_can_never_fit_is_refused_and_counts_nothing(assistant: Assistant) -> None:
    response = assistant.post([PING] * (LIMIT + 1), BATCHING)
    assert_error(response, 429, -32004, "rate_limited")
    assert int(response["Retry-After"]) >= 1
    use_up(assistant)


def test_notifications_and_replies_do_not_count(assistant: Assistant) -> None:
    for message in (NOTE, {"jsonrpc": "2.0", "id": 9, "result": {}}) * LIMIT:
        assert assistant.post(message).status_code == 202
    use_up(assistant)
    assert assistant.post(NOTE).status_code == 202


def test_without_a_limit_nothing_is_counted(assistant: Assistant, settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 0
    for _ in range(LIMIT + 1):
        assert assistant.request("ping").status_code == 200
    assert not RateWindow.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_get_through_than_the_limit_allows(settings: Settings) -> None:
    settings.MCP_RATE_LIMIT_PER_MINUTE = 50

    def try_ten_times(number: int) -> int:
        return sum(is_let_through(a_principal()) for _ in range(10))

    assert sum(in_threads(8, try_ten_times)) == 50


def is_let_through(principal: Principal) -> bool:
    try:
        consume_rate_limit(principal, 1)
    except RpcError:
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_it_costs_one_query_and_no_write_to_the_log_of_the_database(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(1):
        consume_rate_limit(a_principal(), 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'mcpapi_ratewindow'")
        assert cursor.fetchone() == ("u",)


@pytest.mark.django_db
def test_counts_of_the_past_are_forgotten(settings: Settings) -> None:
    consume_rate_limit(a_principal(1), 1)
    pass_time(KEPT_SECONDS + 1)
    consume_rate_limit(a_principal(2), 1)
    delete_expired_rows(0)
    assert [window.permission for window in RateWindow.objects.all()] == ["connection:2"]
    pass_time(-YEAR)
    delete_expired_rows(0)
    assert not RateWindow.objects.exists()


@pytest.mark.parametrize("method", sorted({*HANDSHAKE.methods, *STATELESS.methods}))
def test_every_method_counts_in_the_rate_limit(assistant: Assistant, method: str) -> None:
    use_up(assistant)
    for refused in (assistant.request(method), ask(assistant, method)):
        assert_error(refused, 429, -32004, "rate_limited")
