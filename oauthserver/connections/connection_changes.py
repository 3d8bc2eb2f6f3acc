"""Creation, change and revocation of connections.

Code that issues or revokes tokens first locks the connection, so that no token escapes a revocation. Before that, code
that adds rows to an app or deletes it locks the app, so that no row refers to a deleted app.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Subquery
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.connections.signals import connection_revoked
from oauthserver.connections.usage import format_permission_key
from oauthserver.models import Application, Connection, User


def save_consent(
    user: User, application: Application, *, asked: Collection[str], granted: Collection[str], tags: Sequence[str]
) -> Connection:
    """Store the decision of `user`: the scopes `asked`, those `granted`, and `tags` of visible memories (empty: all).

    Scopes of a connected app that it did not request again are kept. Raises Application.DoesNotExist when the app was
    deleted meanwhile.
    """
    with transaction.atomic():
        application = Application.objects.select_for_update().get(pk=application.pk)
        connection, _ = Connection.objects.select_for_update().get_or_create(user=user, application=application)
        kept = set(connection.scopes) - set(asked) if has_tokens(connection) else set()
        connection.scopes = _in_order(kept.union(granted))
        connection.declined = _in_order((set(connection.declined) | set(asked)) - set(granted))
        connection.tags = list(tags)
        connection.save()
    return connection


def lock_connection(user_id: int, application: Application) -> Connection | None:
    """Lock the app and its connection until the transaction ends. Return the connection, or None if there is none."""
    # One round trip. PostgreSQL runs the inner query first, so the app is locked first here, too.
    locked_id = Subquery(Application.objects.select_for_update().filter(pk=application.pk).values("pk"))
    return Connection.objects.select_for_update().filter(user_id=user_id, application=locked_id).first()


def disconnect(connection: Connection) -> int:
    """Revoke all tokens and unused codes of `connection`, and return the number of access tokens.

    The app is refused at its next call.
    """
    own = {"user_id": connection.user_id, "application_id": connection.application_id}
    with transaction.atomic():
        Connection.objects.select_for_update().filter(pk=connection.pk).first()
        Grant.objects.filter(**own).delete()
        RefreshToken.objects.filter(**own, revoked=None).update(revoked=timezone.now())
        tokens = AccessToken.objects.filter(**own)
        count: int = tokens.count()
        tokens.delete()
        connection_revoked.send(Connection, name=format_permission_key((Connection, connection.pk)))
    return count


def revoke_token_family(token_family: uuid.UUID | None) -> None:
    """Revoke all tokens of one consent, including renewed ones, whether used or not."""
    with transaction.atomic():
        token = RefreshToken.objects.filter(token_family=token_family).select_related("application").first()
        if token:
            lock_connection(token.user_id, token.application)
            RefreshToken.revoke_family(token_family)


def delete_connection(connection: Connection) -> None:
    """Revoke and delete the connection. Also delete the app if nobody else uses it and it was not entered by hand."""
    with transaction.atomic():
        application = _lock_application(connection.application_id)
        if application is None:
            return
        disconnect(connection)
        connection.delete()
        if application.is_self_registered and not application.connections.exists():
            application.delete()


def delete_application(application_id: int) -> None:
    """Revoke all connections of the app, and delete it with them. Safe to run concurrently."""
    with transaction.atomic():
        application = _lock_application(application_id)
        if application is None:
            return
        for connection in application.connections.order_by("pk"):
            disconnect(connection)
        application.delete()


def has_tokens(connection: Connection) -> bool:
    """Return whether the app is connected now: whether it has access tokens."""
    tokens = AccessToken.objects.filter(user_id=connection.user_id, application_id=connection.application_id)
    return bool(tokens.exists())


def _lock_application(application_id: int) -> Application | None:
    return Application.objects.select_for_update().filter(pk=application_id).first()


def _in_order(scopes: Collection[str]) -> list[str]:
    return [name for name in MEMORY_SCOPES if name in scopes]
