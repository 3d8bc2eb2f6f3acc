"""Access of sources to the files, the ssh keys and the network of the server: only for the accounts that run it."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth import get_user_model

from common.texts import translatable
from documents.connectors.registry import CONNECTORS, validated_settings
from memories.errors import InvalidInput

ONLY_OPERATORS = translatable(
    "Only accounts that run this server can use its files, its ssh keys and servers in its network. Ask the person who "
    "runs it to add the source."
)


def local_setting(kind: str, settings: Mapping[str, object]) -> str | None:
    """Return the name of the setting by which a source reads what belongs to the server, or None.

    Raises InvalidSettings. The kind must exist.
    """
    return validated_settings(CONNECTORS[kind], settings).local_setting


def check_server_access(owner_id: int, kind: str, settings: Mapping[str, object]) -> None:
    """Raise InvalidInput if the owner may not have a source with these valid settings."""
    setting = local_setting(kind, settings)
    if setting and not get_user_model().objects.filter(pk=owner_id, is_superuser=True).exists():
        raise InvalidInput(ONLY_OPERATORS, argument=setting)
