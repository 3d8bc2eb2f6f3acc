"""Tests of reading settings: accepted values, refused values, and the error messages."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfoNotFoundError

import pytest
import tzlocal

from ownsona_site.configuration.environment import Environment, SettingProblem, is_origin, is_server_url


def reading(**variables: str) -> Environment:
    return Environment(variables)


def forget(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Unset a variable, also after the test if the test has set it."""
    monkeypatch.setenv(name, "")
    monkeypatch.delenv(name)


def the_problem(environment: Environment) -> SettingProblem:
    assert len(environment.problems) == 1
    return environment.problems[0]


def test_an_empty_value_counts_as_not_set() -> None:
    assert reading(NAME="  ").text("NAME", "default") == "default"


def test_a_secret_can_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the file\n", encoding="utf-8")
    assert reading(NAME_FILE=str(tmp_path / "secret")).text("NAME") == "of the file"


def test_a_value_and_a_file_at_once_are_refused(tmp_path: Path) -> None:
    environment = reading(NAME="a", NAME_FILE=str(tmp_path))
    environment.text("NAME")
    assert the_problem(environment).message == "NAME and NAME_FILE are both set."


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "not text"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    environment = reading(NAME_FILE=str(path))
    assert environment.text("NAME", "default") == "default"
    assert the_problem(environment).setting == "NAME_FILE"
    assert str(path) in the_problem(environment).message


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ("OWNSONA_PORT", "PORT"),
        ("OWNSONA_PORT_FILE", "PORT_FILE"),
        ("OWNSONA_PASSWORD", "OWNSONA_LOGIN_PASSWORD"),
        ("EMBEDING_PROVIDER", "EMBEDDING_PROVIDER"),
    ],
)
def test_a_variable_that_is_named_almost_like_a_setting_is_found(variable: str, setting: str) -> None:
    environment = reading(**{variable: "1"})
    for name in ("PORT", "OWNSONA_LOGIN_PASSWORD", "EMBEDDING_PROVIDER"):
        environment.text(name)
    assert environment.misspelled() == {variable: setting}


@pytest.mark.parametrize("variable", ["PORT", "PORT_FILE", "PORTS", "OWNSONA_TOKEN", "PATH", "PORT_RANGE"])
def test_settings_and_variables_of_other_programs_are_not_taken_for_misspelled(variable: str) -> None:
    environment = reading(**{variable: "1"})
    for name in ("PORT", "OWNSONA_TIME_ZONE", "METRICS_TOKEN"):
        environment.text(name)
    assert environment.misspelled() == {}


@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("10", 10), (" 7 ", 7)])
def test_a_number_within_its_range_is_read(value: str, expected: int) -> None:
    assert reading(NAME=value).integer("NAME", 5, 1, 10) == expected


@pytest.mark.parametrize("value", ["0", "11", "-1", "1.5", "many", "1e3", "9" * 5000])
def test_a_number_outside_its_range_leaves_the_default_and_a_fix(value: str) -> None:
    environment = reading(NAME=value)
    assert environment.integer("NAME", 5, 1, 10) == 5
    assert the_problem(environment).fix == "Use a whole number from 1 to 10."


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("ON", True), ("0", False), ("No", False)])
def test_a_switch_is_read_in_the_usual_words(value: str, expected: bool) -> None:
    environment = reading(NAME=value)
    assert environment.flag("NAME", default=not expected) is expected
    assert environment.problems == []


def test_a_switch_in_other_words_is_off_and_refused() -> None:
    environment = reading(NAME="maybe")
    assert environment.flag("NAME") is False
    assert the_problem(environment).setting == "NAME"


def test_a_choice_names_what_it_could_have_been() -> None:
    environment = reading(NAME="blue")
    assert environment.choice("NAME", ("red", "green")) == "red"
    assert the_problem(environment).fix == "Use one of: red, green."


@pytest.mark.parametrize("value", ["https://example.org", "http://127.0.0.1:8000", "http://[::1]:8000"])
def test_an_origin_is_scheme_host_and_port(value: str) -> None:
    assert is_origin(value)


@pytest.mark.parametrize(
    "value",
    [
        "example.org",
        "https://",
        "ftp://example.org",
        "https://a/path",
        "https://u@a",
        "https://a:0x",
        "https://a:99999",
        "*",
    ],
)
def test_anything_else_is_no_origin(value: str) -> None:
    assert not is_origin(value)


@pytest.mark.parametrize(
    "value",
    [
        "https://login.example",
        "https://login.example/",
        "https://login.example:8443/realms/home",
        "http://127.0.0.1:8080/realms/home",
        "http://localhost:8080",
        "http://[::1]:8080/",
    ],
)
def test_a_servers_address_may_have_a_path(value: str) -> None:
    assert is_server_url(value)
    assert Environment({"NAME": value}).url("NAME") == value


@pytest.mark.parametrize(
    "value",
    [
        "login.example",
        "http://login.example/",
        "ftp://login.example/",
        "https://",
        "https://login.example/?x=1",
        "https://login.example/#x",
        "https://user:pw@login.example/",
        "https://login.example:0/",
        "https://login.example:99999/",
        "https://[::1/",
        "https://login.example/a b",
        "https://login.example\\@evil.example/",
    ],
)
def test_anything_else_is_no_servers_address_and_is_named(value: str) -> None:
    environment = Environment({"NAME": value})

    assert environment.url("NAME") == ""
    assert [problem.setting for problem in environment.problems] == ["NAME"]


def test_origins_lose_their_slash_and_wrong_ones_are_dropped_and_named() -> None:
    environment = reading(NAME="https://a.example/, nonsense ,https://b.example")
    assert environment.origin_list("NAME") == ["https://a.example", "https://b.example"]
    assert "'nonsense'" in the_problem(environment).message


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("10.0.0.1", ["10.0.0.1/32"]),
        ("10.0.0.0/8, ::1", ["10.0.0.0/8", "::1/128"]),
        ("none", []),
        (" , ", []),
        ("", ["127.0.0.0/8"]),
    ],
)
def test_networks_are_addresses_or_ranges(value: str, expected: list[str]) -> None:
    environment = reading(NAME=value)
    assert [str(network) for network in environment.networks("NAME", "127.0.0.0/8")] == expected
    assert environment.problems == []


@pytest.mark.parametrize("value", ["proxy.example", "*", "10.0.0.1/8", "0.0.0.0/0", "::/0", "10.0.0.0/33"])
def test_a_network_that_is_none_or_everyone_is_refused(value: str) -> None:
    environment = reading(NAME=value)
    assert environment.networks("NAME", "none") == ()
    assert repr(value) in the_problem(environment).message


def test_a_database_url_becomes_djangos_settings() -> None:
    database = reading(NAME="postgresql://me:p%40ss@db.example:5433/mine?sslmode=require").database("NAME")
    assert database["ENGINE"] == "django.db.backends.postgresql"
    expected = {"NAME": "mine", "USER": "me", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": 5433}
    assert {name: database[name] for name in expected} == expected
    assert database["OPTIONS"] == {"connect_timeout": 10, "sslmode": "require"}


def test_a_database_url_can_name_the_folder_of_a_socket() -> None:
    assert reading(NAME="postgresql://%2Frun%2Fpostgresql/mine").database("NAME")["HOST"] == "/run/postgresql"


@pytest.mark.parametrize(
    "url", ["mysql://a/b", "postgresql://host/", "postgresql://host:port/b", "sqlite:///x", "words"]
)
def test_a_database_url_of_something_else_is_refused(url: str) -> None:
    environment = reading(NAME=url)
    assert environment.database("NAME") == {}
    assert the_problem(environment).setting == "NAME"


def test_the_env_file_fills_in_what_the_environment_leaves_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("IN_BOTH=file\nIN_FILE=file\n", encoding="utf-8")
    monkeypatch.setenv("IN_BOTH", "environment")
    forget(monkeypatch, "IN_FILE")
    forget(monkeypatch, "OWNSONA_ENV_FILE")
    environment = Environment.load(tmp_path / ".env")
    assert environment.text("IN_BOTH") == "environment"
    assert environment.text("IN_FILE") == "file"


def test_a_missing_env_file_matters_only_when_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "OWNSONA_ENV_FILE")
    assert Environment.load(tmp_path / ".env").problems == []
    monkeypatch.setenv("OWNSONA_ENV_FILE", str(tmp_path / "other"))
    assert the_problem(Environment.load(tmp_path / ".env")).setting == "OWNSONA_ENV_FILE"


def test_a_time_zone_goes_by_its_name() -> None:
    environment = reading(NAME="Europe/Berlin")
    assert environment.time_zone("NAME").key == "Europe/Berlin"
    assert not environment.problems


@pytest.mark.parametrize(
    "value", ["Mars/Phobos", "../etc/passwd", "/etc/localtime", "Europe", "A" * 5000, "CET-1CEST", "+02:00"]
)
def test_what_is_no_time_zone_leaves_utc_and_a_fix(value: str) -> None:
    environment = reading(NAME=value)
    assert environment.time_zone("NAME").key == "UTC"
    assert "is not a time zone" in the_problem(environment).message
    assert "Europe/Berlin" in the_problem(environment).fix


@pytest.mark.parametrize(("name", "expected"), [("Asia/Tokyo", "Asia/Tokyo"), (None, "UTC"), ("Mars/Phobos", "UTC")])
def test_the_zone_of_the_machine_stands_in(monkeypatch: pytest.MonkeyPatch, name: str | None, expected: str) -> None:
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: name)
    environment = reading()
    assert (environment.time_zone("NAME").key, environment.problems) == (expected, [])


def test_a_machine_whose_zone_is_unclear_is_taken_for_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise ZoneInfoNotFoundError("Multiple conflicting time zone configurations found")

    monkeypatch.setattr(tzlocal, "get_localzone_name", fail)
    assert reading().time_zone("NAME").key == "UTC"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", None),
        ("query:", "query: "),
        (" query: ", "query: "),
        ("none", ""),
        ("None", ""),
        (r"Instruct: find\nQuery:", "Instruct: find\nQuery: "),
        ("为检索：", "为检索： "),
    ],
)
def test_a_prefix_ends_with_one_space(value: str, expected: str | None) -> None:
    assert reading(NAME=value).prefix("NAME") == expected


@pytest.mark.parametrize("value", ["x" * 201, "a\tb", "a\x00b"])
def test_a_prefix_of_control_characters_or_too_long_is_refused(value: str) -> None:
    environment = reading(NAME=value)
    assert environment.prefix("NAME") is None
    assert "longer than 200 characters or contains control characters" in the_problem(environment).message
