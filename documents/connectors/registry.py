"""Table of the kinds of sources, and creation of connectors from stored settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from common.texts import translatable
from documents.connectors.base import (
    SETTING_ERROR,
    Connector,
    ConnectorContext,
    ConnectorSettings,
    InvalidSettings,
    SettingProblem,
)
from documents.connectors.folder import FolderConnector
from documents.connectors.git import GitConnector
from documents.connectors.s3 import S3Connector
from documents.connectors.web import WebConnector

CONNECTORS: Mapping[str, type[Connector[Any]]] = {
    "folder": FolderConnector,
    "git": GitConnector,
    "web": WebConnector,
    "s3": S3Connector,
}
"""The connector of each kind of source. The kinds are stored, so they never change."""


def open_connector(kind: str, settings: Mapping[str, object], context: ConnectorContext) -> Connector[Any]:
    """Return a connector for a source of this kind. Raises InvalidSettings, also for an unknown kind."""
    connector = CONNECTORS.get(kind)
    if connector is None:
        raise InvalidSettings(
            [SettingProblem("kind", translatable("must be one of %(values)s", values=", ".join(CONNECTORS)))]
        )
    return connector(validated_settings(connector, settings), context)


def validated_settings(connector: type[Connector[Any]], settings: Mapping[str, object]) -> ConnectorSettings:
    """Return the settings of a connector. Raises InvalidSettings, which names each invalid one and no value."""
    try:
        return connector.settings_model.model_validate(settings)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        # None from: the original error could hold a secret.
        raise InvalidSettings([_problem(details) for details in problems]) from None


def _problem(details: ErrorDetails) -> SettingProblem:
    if details["type"] == SETTING_ERROR:
        setting = details["ctx"]["setting"]
    else:
        setting = ".".join(str(part) for part in details["loc"])
    return SettingProblem(setting, details["msg"].removeprefix("Value error, ").removesuffix("."))
