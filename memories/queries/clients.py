"""The clients that have changed memories, and their names on pages and in tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.utils.translation import gettext_noop

from common.provided import Provided
from memories.database import fetch_rows

BUILTIN_CLIENTS: Mapping[str, str] = {"admin": gettext_noop("you"), "import": gettext_noop("an import")}
"""Names of the built-in clients."""

SOURCE_CLIENT = "source:"
"""Beginning of the clients that are sources of documents, followed by the name of the source."""

names_of_apps: Provided[[Collection[str]], dict[str, str]] = Provided("the names of apps")
"""Function that returns the names of those of the clients that are apps or personal tokens, by client."""

# One index look-up per client: reading all entries to find a dozen clients would take seconds.
_CLIENTS = """
WITH RECURSIVE known AS (
    (SELECT client FROM memories_journalentry WHERE owner_id = %(owner)s ORDER BY client LIMIT 1)
    UNION ALL
    SELECT (SELECT client FROM memories_journalentry
            WHERE owner_id = %(owner)s AND client > known.client ORDER BY client LIMIT 1)
    FROM known WHERE known.client IS NOT NULL
)
SELECT client FROM known WHERE client IS NOT NULL
"""


def client_names(clients: Collection[str]) -> dict[str, str]:
    """Return the name of each client: a built-in name, the name of the app, or its id if the app was deleted."""
    named = names_of_apps(clients)
    return {client: builtin_name(client) or named.get(client) or client for client in clients}


def builtin_name(client: str) -> str | None:
    """Return the name of a client that is not an app; None for others."""
    if client.startswith(SOURCE_CLIENT):
        return f"the source {client.removeprefix(SOURCE_CLIENT)}"
    return BUILTIN_CLIENTS.get(client)


def clients_with_changes(owner_id: int) -> list[str]:
    """Return the clients in the owner's journal. One query."""
    return [client for (client,) in fetch_rows(_CLIENTS, {"owner": owner_id})]


def clients_called(owner_id: int, name: str) -> list[str]:
    """Return the clients in the owner's journal that have this name or id. Case does not matter in names."""
    wanted = name.casefold()
    names = client_names(clients_with_changes(owner_id))
    return [client for client, known in names.items() if client == name or known.casefold() == wanted]
