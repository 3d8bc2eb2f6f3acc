"""Tests of the recorded scopes of a connection, and of tokens issued before these were recorded."""

from __future__ import annotations

from django.db import connection as database
from django.db.migrations.loader import MigrationLoader

from oauthserver.connections.connection_changes import delete_application
from oauthserver.models import Application, GrantedScope
from tests.support.oauth.flow import Browser, Connection, Registration

GRANTED_SCOPE = ("oauthserver", "0011_granted_scope")


def fill_the_new_table() -> None:
    loader = MigrationLoader(database)
    state = loader.project_state(GRANTED_SCOPE)
    with database.schema_editor() as editor:
        loader.get_migration(*GRANTED_SCOPE).operations[-1].database_forwards("oauthserver", editor, state, state)


def test_tokens_from_before_the_record_keep_their_scope(browser: Browser, registration: Registration) -> None:
    tokens = Connection.of(browser, registration, scopes="memory:read memory:write").tokens
    tokens = registration.refresh(tokens["refresh_token"]).json()
    GrantedScope.objects.all().delete()

    fill_the_new_table()
    for scope in ("memory:read", "memory:read memory:write"):
        tokens = registration.refresh(tokens["refresh_token"], scope=scope).json()

    assert tokens["scope"] == "memory:read memory:write"


def test_a_token_without_a_record_is_good_for_what_its_access_token_had(connection: Connection) -> None:
    GrantedScope.objects.all().delete()

    tokens = connection.registration.refresh(connection.refresh_token).json()

    assert tokens["scope"] == connection.tokens["scope"]


def test_of_a_deleted_app_no_record_is_left(connection: Connection) -> None:
    assert GrantedScope.objects.count() == 1

    delete_application(Application.objects.get().pk)

    assert not GrantedScope.objects.exists()
