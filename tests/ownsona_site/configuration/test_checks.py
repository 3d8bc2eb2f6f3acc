"""Tests of the system checks, and of the settings named in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from ownsona_site import settings as settings_module
from ownsona_site.configuration import checks
from ownsona_site.configuration.environment import SettingProblem

ROOT = Path(__file__).resolve().parents[3]


def test_every_rejected_setting_is_an_error_with_its_name_and_fix(settings: Settings) -> None:
    settings.SETTING_PROBLEMS = [
        SettingProblem("PORT", "'x' is not allowed.", "Use a number."),
        SettingProblem("HOST", "No.", "Yes."),
    ]
    found = checks.check_settings_valid()
    assert [(error.msg, error.hint) for error in found] == [
        ("PORT: 'x' is not allowed.", "Use a number."),
        ("HOST: No.", "Yes."),
    ]


def test_the_applications_refuse_wrong_settings(settings: Settings) -> None:
    settings.SETTING_PROBLEMS = [SettingProblem("PORT", "'x' is not allowed.", "Use a number.")]
    with pytest.raises(ImproperlyConfigured, match=r"PORT: 'x' is not allowed\. Use a number\."):
        checks.require_valid_settings()


def test_right_settings_are_let_through(settings: Settings) -> None:
    settings.SETTING_PROBLEMS = []
    checks.require_valid_settings()
    assert checks.check_settings_valid() == []


def test_a_public_address_without_tls_is_warned_about(settings: Settings) -> None:
    settings.PUBLIC_URL, settings.PUBLIC_URL_IS_LOOPBACK = "http://memory.example", False
    assert [warning.id for warning in checks.check_risky_settings()] == ["ownsona.W001"]


def test_settings_of_another_embedding_provider_are_warned_about(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_API_KEY = "local", "a key"
    (warning,) = checks.check_risky_settings()
    assert warning.msg == "EMBEDDING_API_KEY: not used with EMBEDDING_PROVIDER=local."


def test_prefixes_that_the_model_does_not_use_are_warned_about(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_QUERY_PREFIX = "local", "query: "
    (warning,) = checks.check_risky_settings()
    assert warning.msg == "EMBEDDING_QUERY_PREFIX: not used by this embedding model."
    settings.EMBEDDING_MODEL = "/a/folder"
    assert checks.check_risky_settings() == []


def test_a_weak_password_is_warned_about_and_not_shown(settings: Settings) -> None:
    settings.LOGIN_USERNAME, settings.LOGIN_PASSWORD = "owner", "iloveyou"
    (warning,) = checks.check_risky_settings()
    assert warning.msg.startswith("OWNSONA_LOGIN_PASSWORD: ")
    assert "iloveyou" not in warning.msg


def test_a_misspelled_setting_is_warned_about(settings: Settings) -> None:
    settings.MISSPELLED_SETTINGS = {"OWNSONA_PORT": "PORT"}
    (warning,) = checks.check_setting_names()
    assert warning.msg == "OWNSONA_PORT is not a setting and is ignored."
    assert warning.hint == "Rename it to PORT if that is what you mean."


def test_the_defaults_are_wise(settings: Settings) -> None:
    settings.PUBLIC_URL_IS_LOOPBACK = True
    assert checks.check_risky_settings() == []
    assert checks.check_setting_names() == []


@pytest.mark.django_db
def test_the_embedded_database_is_usable() -> None:
    assert checks.check_database(databases=["default"]) == []


def test_the_database_is_left_alone_unless_it_was_asked_for() -> None:
    assert checks.check_database() == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("postgresql", "pgvector", "expected"),
    [
        (15, "0.8.0", []),
        (14, "0.8.0", ["ownsona.E003"]),
        (18, "0.7.4", ["ownsona.E004"]),
        (18, "0.10.1", []),
        (18, None, ["ownsona.E004"]),
        (13, None, ["ownsona.E003", "ownsona.E004"]),
    ],
)
def test_an_older_database_is_refused_with_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, postgresql: int, pgvector: str | None, expected: list[str]
) -> None:
    shown = f"'{pgvector}'" if pgvector else "NULL"
    monkeypatch.setattr(checks, "_SERVER", f"SELECT {postgresql}, {shown}::text")
    assert [error.id for error in checks.check_database(databases=["default"])] == expected


@pytest.mark.django_db
def test_a_database_that_fails_is_one_line_that_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.DATABASE_URL = "postgresql://elsewhere/mine"
    monkeypatch.setattr(checks, "_SERVER", "SELECT no_such_function()")
    (error,) = checks.check_database(databases=["default"])
    assert error.msg.startswith("DATABASE_URL: the database is not usable: ")
    assert "\n" not in error.msg


@pytest.mark.parametrize("path", [".env.example", "docs/configuration.md"])
def test_the_documentation_lists_exactly_the_settings_that_are_read(path: str) -> None:
    pattern = r"^# ([A-Z_]+)=" if path == ".env.example" else r"^\| `([A-Z_]+)` \|"
    documented = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(documented) == sorted(settings_module.env.names)
