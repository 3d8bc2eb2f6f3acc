"""Tests of apps that are deleted during other operations on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, TypeVar

import pytest
from django.db import connection as database
from django.db import transaction
from django.http import HttpRequest
from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauthlib.common import Request

from oauthserver import models
from oauthserver.authorization.grant_rules import Validator
from oauthserver.authorization.oauthlib_backend import Backend
from oauthserver.clients.registration_limits import UNUSED_FOR, delete_unused_apps
from oauthserver.connections.connection_changes import delete_application, delete_connection, disconnect, save_consent
from oauthserver.models import Application, User
from tests.support.oauth.flow import ALLOW_READING, Browser, Connection, Registration

T = TypeVar("T")
pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def at_once(work: Callable[[], T]) -> Iterator[Future[T]]:
    """Run `work` in another thread with its own connection to the database. Yield its future."""

    def run() -> T:
        try:
            return work()
        finally:
            database.close()

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(run)


def test_an_app_that_is_deleted_during_a_refresh_is_gone_with_the_new_tokens(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshing, deleted = Event(), Event()
    create = Validator._create_refresh_token

    def create_while_being_deleted(self: Validator, *args: Any) -> RefreshToken:
        refreshing.set()
        assert not deleted.wait(0.5), "the deletion did not wait for the refresh"
        token: RefreshToken = create(self, *args)
        return token

    monkeypatch.setattr(Validator, "_create_refresh_token", create_while_being_deleted)
    with at_once(lambda: connection.registration.refresh(connection.refresh_token)) as refresh:
        assert refreshing.wait(30)
        delete_application(Application.objects.get().pk)
        deleted.set()

    assert refresh.result().status_code == 200
    for model in (Application, models.Connection, AccessToken, RefreshToken, Grant):
        assert not model.objects.exists()


def test_a_refresh_while_the_app_is_deleted_is_refused(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    deleting, arrived = Event(), Event()
    validate = Validator.validate_refresh_token

    def arrive(self: Validator, *args: Any) -> bool:
        arrived.set()
        return validate(self, *args)

    def refresh_meanwhile() -> Any:
        assert deleting.wait(30)
        return connection.registration.refresh(connection.refresh_token)

    monkeypatch.setattr(Validator, "validate_refresh_token", arrive)
    with at_once(refresh_meanwhile) as refresh, transaction.atomic():
        app = Application.objects.select_for_update().get()
        deleting.set()
        assert arrived.wait(30)
        delete_application(app.pk)

    assert refresh.result().json()["error"] == "invalid_grant"


def test_allowing_an_app_that_is_deleted_meanwhile_grants_nothing(
    browser: Browser, registration: Registration, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Backend.read_authorization_request

    def delete_afterwards(self: Backend, request: HttpRequest) -> Request:
        asked = read(self, request)
        delete_application(asked.client.pk)
        return asked

    monkeypatch.setattr(Backend, "read_authorization_request", delete_afterwards)
    response = browser.client.post(registration.authorize_url(), ALLOW_READING)

    assert response.status_code == 400
    assert "This app cannot be connected" in response.content.decode()
    assert not models.Connection.objects.exists()


def test_an_app_that_is_being_let_in_is_not_forgotten_as_unused(owner: User) -> None:
    app = Application.objects.get(client_id=Registration.of_new_app().client_id)
    Application.objects.update(created=app.created - 2 * UNUSED_FOR)

    with transaction.atomic():
        save_consent(owner, app, asked=["memory:read"], granted=["memory:read"], tags=[])
        with at_once(delete_unused_apps) as forgetting:
            forgetting.result(30)

    assert models.Connection.objects.get().application == app


def test_ending_a_connection_that_has_ended_does_nothing(connection: Connection) -> None:
    kept, same = models.Connection.objects.get(), models.Connection.objects.get()

    delete_connection(kept)
    delete_connection(same)

    assert disconnect(same) == 0
    delete_application(same.application_id)
    assert not Application.objects.exists()
