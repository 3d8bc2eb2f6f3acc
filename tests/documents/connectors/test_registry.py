"""The table of connectors, and rules that hold for every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from documents.connectors.base import Connector, ConnectorContext, SourceError
from documents.connectors.registry import CONNECTORS, open_connector

VALID: dict[str, dict[str, Any]] = {
    "folder": {"path": "/notes"},
    "git": {"url": "https://git.example/x", "token": "sesame"},
    "web": {"urls": ["https://site.example/"]},
    "s3": {"endpoint": "https://s3.example", "bucket": "papers", "access_key": "AKIA", "secret_key": "sesame"},
}


def opened(kind: str, settings: dict[str, Any], cache: Path) -> Connector[Any]:
    return open_connector(kind, settings, ConnectorContext(cache))


@pytest.mark.parametrize("kind", CONNECTORS)
def test_every_field_has_a_description_and_every_secret_is_hidden(kind: str, tmp_path: Path) -> None:
    fields = CONNECTORS[kind].settings_model.model_fields

    assert all(field.description and field.description.endswith(".") for field in fields.values())
    for name, field in fields.items():
        is_secret = any(word in name for word in ("token", "secret", "password"))
        assert is_secret == (field.annotation in {SecretStr, SecretStr | None}), name
    connector = opened(kind, VALID[kind], tmp_path)
    assert "sesame" not in f"{connector!r}{vars(connector)}"


@pytest.mark.parametrize("kind", CONNECTORS)
def test_an_unknown_field_is_refused_without_its_value(kind: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as error:
        opened(kind, {**VALID[kind], "passwort": "sesame"}, tmp_path)

    assert (error.value.reason, str(error.value).startswith("passwort: ")) == ("invalid", True)
    assert "sesame" not in f"{error.value!r}{error.value.__cause__}"


@pytest.mark.parametrize("kind", CONNECTORS)
@pytest.mark.parametrize("pattern", ["[z-a]", "!"])
def test_an_invalid_pattern_is_refused(kind: str, pattern: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="exclude: must contain patterns"):
        opened(kind, {**VALID[kind], "exclude": ["*.md", pattern]}, tmp_path)


def test_an_unknown_kind_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="folder, git, web, s3"):
        opened("ftp", {}, tmp_path)


@pytest.mark.parametrize("kind", CONNECTORS)
def test_nothing_is_requested_or_created_before_the_first_use(kind: str, tmp_path: Path) -> None:
    with opened(kind, VALID[kind], tmp_path / "cache"):
        assert not (tmp_path / "cache").exists()
