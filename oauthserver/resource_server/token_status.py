"""The status of a token: whether it is still valid, and what its owner allows now, read at every request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.conf import settings
from django.db import connection
from django.utils import timezone

from common.rows import reader_of
from oauthserver.connections.scopes import allowed_scopes
from oauthserver.models import EXTERNAL_CLIENT, PERSONAL_CLIENT, Connection, ExternalIdentity, Permission, PersonalToken
from oauthserver.resource_server.companion import Companion, CompanionTable
from oauthserver.resource_server.principal import Principal
from oauthserver.tokens.external_issuer import ExternalClaims

_PERMISSION_COLUMNS = """
    permission.id AS permission_id, permission.user_id AS owner_id, permission.scopes AS granted_scopes,
    permission.tags, permission.tools, permission.profile, permission.quarantine, permission.approvals,
    permission.asks_in_app, permission.refused_inferences, permission.paused_at IS NOT NULL AS is_paused,
    EXISTS (SELECT FROM oauthserver_budget WHERE user_id = permission.user_id) AS has_budgets
"""
# One round trip checks that the token was not revoked, the app was not restricted, paused or deleted, and the user is
# active.
_APP_TOKEN = f"""
    SELECT {_PERMISSION_COLUMNS}, app.client_id, app.name AS client_name, token.scope AS token_scope,
           false AS is_expired{{companion}}
      FROM oauth2_provider_accesstoken AS token
      JOIN oauthserver_application AS app ON app.id = token.application_id
      JOIN oauthserver_user AS person ON person.id = token.user_id AND person.is_active
      JOIN oauthserver_connection AS permission
           ON permission.application_id = token.application_id AND permission.user_id = token.user_id
      {{joined}}
     WHERE token.token_checksum = %(checksum)s AND token.expires > %(now)s
"""  # noqa: S608 - constants
_PERSONAL_TOKEN = f"""
    SELECT {_PERMISSION_COLUMNS}, '{PERSONAL_CLIENT}' || permission.id AS client_id, permission.name AS client_name,
           array_to_string(permission.scopes, ' ') AS token_scope,
           coalesce(permission.expires_at <= %(now)s, false) AS is_expired{{companion}}
      FROM oauthserver_personaltoken AS permission
      JOIN oauthserver_user AS person ON person.id = permission.user_id AND person.is_active
      {{joined}}
     WHERE permission.token_sha256 = %(checksum)s
"""  # noqa: S608 - constants
_EXTERNAL_IDENTITY = f"""
    SELECT {_PERMISSION_COLUMNS}, %(client_id)s::text AS client_id, %(client_name)s::text AS client_name,
           %(token_scope)s::text AS token_scope, false AS is_expired{{companion}}
      FROM oauthserver_externalidentity AS permission
      JOIN oauthserver_user AS person ON person.id = permission.user_id AND person.is_active
      {{joined}}
     WHERE permission.issuer = %(issuer)s AND permission.subject = %(subject)s
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the statements above.

    `token_scope` lists the scopes of the token, `granted_scopes` those that the owner grants now.
    """

    permission_id: int
    owner_id: int
    granted_scopes: list[str]
    tags: list[str]
    tools: list[str]
    profile: str
    quarantine: bool
    approvals: list[str]
    asks_in_app: bool
    refused_inferences: list[str]
    is_paused: bool
    has_budgets: bool
    client_id: str
    client_name: str
    token_scope: str
    is_expired: bool


@dataclass(frozen=True, slots=True)
class TokenStatus:
    """The principal of a known token. The owner may have paused its permission, or the token may have expired."""

    principal: Principal
    is_paused: bool
    is_expired: bool


def find_app_token(checksum: str, companion: Companion | None = None) -> TokenStatus | None:
    """Return the status of an app's access token; None if it has expired or was revoked."""
    return _find(Connection, _APP_TOKEN, {"checksum": checksum, "now": timezone.now()}, companion)


def find_personal_token(checksum: str, companion: Companion | None = None) -> TokenStatus | None:
    """Return the status of a personal token; None if there is none with this checksum."""
    return _find(PersonalToken, _PERSONAL_TOKEN, {"checksum": checksum, "now": timezone.now()}, companion)


def find_external_identity(claims: ExternalClaims, companion: Companion | None = None) -> TokenStatus | None:
    """Return the status of an external issuer's token; None if its subject belongs to no user."""
    parameters = {
        "issuer": settings.OIDC_ISSUER,
        "subject": claims.subject,
        "client_id": f"{EXTERNAL_CLIENT}{claims.client}",
        "client_name": claims.client or claims.subject,
        "token_scope": claims.scope,
    }
    return _find(ExternalIdentity, _EXTERNAL_IDENTITY, parameters, companion)


def _find(
    kind: type[Permission], statement: str, parameters: Mapping[str, object], companion: Companion | None
) -> TokenStatus | None:
    others = len(companion.table.columns) if companion else 0
    completed = _completed(statement, companion.table if companion else None)
    with connection.cursor() as cursor:
        cursor.execute(completed, cast(Any, {**parameters, "companion": companion.key} if companion else parameters))
        found = cursor.fetchone()
        if found is None:
            return None
        row = _Row(*reader_of(cursor, _Row, completed, others)(found))
    if companion is not None:
        # The first column is the key, which is null if there is no such row.
        beside = found[len(found) - others :]
        companion.values = None if beside[0] is None else beside
    return TokenStatus(_principal(kind, row), row.is_paused, row.is_expired)


@cache
def _completed(statement: str, table: CompanionTable | None) -> str:
    if table is None:
        return statement.format(companion="", joined="")
    columns = "".join(f", companion.{column}" for column in table.columns)
    joined = f"LEFT JOIN {table.name} AS companion ON companion.{table.columns[0]} = %(companion)s"
    return statement.format(companion=columns, joined=joined)


def _principal(kind: type[Permission], row: _Row) -> Principal:
    return Principal(
        owner_id=row.owner_id,
        client_id=row.client_id,
        client_name=row.client_name or row.client_id,
        scopes=frozenset(allowed_scopes(row.token_scope, row.granted_scopes)),
        tags=tuple(row.tags),
        tools=tuple(row.tools),
        profile=row.profile,
        quarantine=row.quarantine,
        permission=(kind, row.permission_id),
        approvals=frozenset(row.approvals),
        asks_in_app=row.asks_in_app,
        refused_inferences=tuple(row.refused_inferences),
        has_budgets=row.has_budgets,
    )
