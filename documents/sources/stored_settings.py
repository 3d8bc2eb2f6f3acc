"""Settings of connectors as they are stored: secrets apart and encrypted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import orjson
from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from pydantic import SecretStr

from common.encryption import cipher
from common.texts import translatable
from documents.connectors.base import Connector, InvalidSettings, SettingProblem, SourceError
from documents.connectors.registry import CONNECTORS, validated_settings
from documents.models import Source


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """The values of `Source.settings` and `Source.encrypted_secrets`."""

    plain: dict[str, Any]
    encrypted_secrets: str


def settings_to_store(kind: str, given: Mapping[str, object]) -> StoredSettings:
    """Return valid settings in the form in which they are stored. Raises InvalidSettings, which names each field."""
    connector = CONNECTORS.get(kind)
    if connector is None:
        raise InvalidSettings(
            [SettingProblem("kind", translatable("must be one of %(values)s", values=", ".join(CONNECTORS)))]
        )
    validated = validated_settings(connector, given)
    secrets = {name: value.get_secret_value() for name, value in validated if isinstance(value, SecretStr)}
    plain = validated.model_dump(mode="json", exclude=set(secrets), exclude_unset=True)
    return StoredSettings(plain, _cipher().encrypt(orjson.dumps(secrets)).decode() if secrets else "")


def settings_with_secrets(source: Source) -> dict[str, Any]:
    """Return the settings for the connector. Raises SourceError if the secrets cannot be decrypted."""
    if not source.encrypted_secrets:
        return dict(source.settings)
    try:
        secrets = orjson.loads(_cipher().decrypt(source.encrypted_secrets.encode()))
    except InvalidToken:
        raise SourceError(
            "not_configured",
            translatable(
                "The secrets of the source cannot be decrypted, because SECRET_KEY has changed. Enter them "
                "again: on the page of the source, or with manage.py change_source %(name)s.",
                name=source.name,
            ),
        ) from None
    return {**source.settings, **secrets}


def changed_settings(source: Source, changes: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of the source with `changes`, for `change_source`. None stands for the default of a setting.

    Secrets that are not among the changes are kept, unless the source would send them to another address. Raises
    SourceError if they cannot be decrypted, InvalidSettings if they have to be given again.
    """
    connector = CONNECTORS.get(source.kind)
    kept_secrets = [name for name in (secret_names(connector) if connector else ()) if name not in changes]
    before = settings_with_secrets(source) if kept_secrets else dict(source.settings)
    after = {name: value for name, value in {**before, **changes}.items() if value is not None}
    if connector and any(before.get(name) != after.get(name) for name in connector.settings_model.address_settings):
        # Somebody at the owner's open browser must not have a secret sent to a server of their own.
        lost = [name for name in kept_secrets if name in before]
        if lost:
            raise InvalidSettings(
                [SettingProblem(name, translatable("must be given again for the new address")) for name in lost]
            )
    return after


def secret_names(connector: type[Connector[Any]]) -> list[str]:
    """Return the names of the settings that are stored encrypted."""
    fields = connector.settings_model.model_fields.items()
    return [name for name, field in fields if SecretStr in {field.annotation, *get_args(field.annotation)}]


def configuration_problem(source: Source) -> str:
    """Return why the source cannot be opened, as far as its settings show; "" if they are valid."""
    connector = CONNECTORS.get(source.kind)
    if connector is None:
        return translatable("This version of OwnSona has no sources of the kind %(kind)s.", kind=source.kind)
    try:
        validated_settings(connector, settings_with_secrets(source))
    except SourceError as error:
        return str(error)
    return ""


def _cipher() -> MultiFernet:
    return cipher(b"ownsona source secrets", settings.SECRET_KEY)
