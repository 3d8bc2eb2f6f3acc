"""Tests of the settings that are derived from the public URL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.live_server import ROOT, server_environment


def settings_with(data_directory: Path, names: str, **variables: str) -> Any:
    """Return the values of the settings `names`, separated by spaces, in a new process with these variables."""
    program = (
        "import json, sys; from ownsona_site import settings;"
        "print(json.dumps([getattr(settings, name) for name in sys.argv[1:]], default=str))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *names.split()],
        cwd=ROOT,
        env=server_environment(data_directory, 8000, OWNSONA_ENV_FILE=os.devnull, **variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("public_url", "trusted"),
    [
        ("http://127.0.0.1:8000", []),
        ("http://memory.example", []),
        ("https://memory.example", ["127.0.0.0/8", "::1/128"]),
    ],
)
def test_a_proxy_on_this_machine_is_trusted_where_there_must_be_one(
    tmp_path: Path, public_url: str, trusted: list[str]
) -> None:
    [networks] = settings_with(tmp_path, "TRUSTED_PROXIES", OWNSONA_PUBLIC_URL=public_url)
    assert networks == trusted


@pytest.mark.parametrize(
    ("public_url", "prefix", "is_secure"),
    [("https://memory.example", "__Host-", True), ("http://127.0.0.1:8000", "", False)],
)
def test_cookies_are_bound_to_the_host_where_there_is_tls(
    tmp_path: Path, public_url: str, prefix: str, is_secure: bool
) -> None:
    names = "SESSION_COOKIE_NAME SESSION_COOKIE_SECURE CSRF_COOKIE_NAME CSRF_COOKIE_SECURE"
    session, session_is_secure, csrf, csrf_is_secure = settings_with(tmp_path, names, OWNSONA_PUBLIC_URL=public_url)
    assert (session, csrf) == (f"{prefix}sessionid", f"{prefix}csrftoken")
    assert session_is_secure is csrf_is_secure is is_secure


@pytest.mark.parametrize(
    ("variables", "wrong"),
    [
        ({"OIDC_ISSUER": "https://login.example", "OIDC_AUDIENCE": "ownsona"}, []),
        ({"OIDC_ISSUER": "https://login.example"}, ["OIDC_AUDIENCE"]),
        ({"OIDC_AUDIENCE": "ownsona"}, ["OIDC_ISSUER"]),
        ({"OIDC_ISSUER": "http://login.example", "OIDC_AUDIENCE": "ownsona"}, ["OIDC_ISSUER", "OIDC_ISSUER"]),
        ({"OIDC_JWKS_URL": "https://login.example/keys"}, ["OIDC_JWKS_URL"]),
        ({"OIDC_ISSUER": "http://127.0.0.1:8000", "OIDC_AUDIENCE": "ownsona"}, ["OIDC_ISSUER"]),
    ],
)
def test_a_second_issuer_is_named_in_full_or_not_at_all(
    tmp_path: Path, variables: dict[str, str], wrong: list[str]
) -> None:
    [problems] = settings_with(tmp_path, "SETTING_PROBLEMS", **variables)

    assert [str(problem).partition("'")[2].partition("'")[0] for problem in problems] == wrong


def test_the_owners_name_is_kept_as_the_login_page_reads_it(tmp_path: Path) -> None:
    [name] = settings_with(tmp_path, "LOGIN_USERNAME", OWNSONA_LOGIN_USERNAME="\uff32obin Bru\u0308cke")
    assert name == "Robin Br\u00fccke"


@pytest.mark.parametrize(
    ("token", "is_wrong"), [("m" * 32, False), ("m" * 31, True), ("ö" * 40, True), ("a b" * 20, True)]
)
def test_the_token_of_the_metrics_is_long_and_fits_into_a_header(tmp_path: Path, token: str, is_wrong: bool) -> None:
    [problems] = settings_with(tmp_path, "SETTING_PROBLEMS", METRICS_TOKEN=token)

    assert ["METRICS_TOKEN" in str(problem) for problem in problems] == [True] * is_wrong


def test_child_processes_know_the_zone_of_the_machine(tmp_path: Path) -> None:
    """In their environment, Django sets the variable TZ to UTC."""
    zone_of_child = "from django.conf import settings; print(settings.OWNER_TIME_ZONE)"
    program = (
        "import os, subprocess, sys; from django.conf import settings; settings.OWNER_TIME_ZONE;"
        f"print(os.environ['TZ']); subprocess.run([sys.executable, '-c', {zone_of_child!r}], check=True)"
    )
    variables = {"TZ": "Asia/Tokyo", "OWNSONA_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "ownsona_site.settings"}
    environment = server_environment(tmp_path, 8000, **variables)
    environment.pop("OWNSONA_TIME_ZONE", None)
    done = subprocess.run(
        [sys.executable, "-u", "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["UTC", "Asia/Tokyo"]
