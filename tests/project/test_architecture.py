"""The direction of imports: ownsona_site → mcpapi → {memories, oauthserver} → common, and no way back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    "common": set[str](),
    "memories": {"common"},
    "oauthserver": {"common"},
    "mcpapi": {"common", "memories", "oauthserver"},
    "ownsona_site": {"common", "memories", "oauthserver", "mcpapi"},
}
DOOR_TO_OAUTHSERVER = "oauthserver.resource_server.bearer"


def sources(package: str) -> list[Path]:
    return [path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts]


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_only_what_is_below_them(package: str) -> None:
    files = sources(package)
    assert files
    for path in files:
        for module in imported_modules(path):
            target = module.partition(".")[0]
            assert target not in ALLOWED or target == package or target in ALLOWED[package], f"{path}: {module}"
            assert target not in {"tests", "benchmarks"}, f"{path}: {module}"


def test_mcpapi_enters_the_authorization_server_by_one_door() -> None:
    for path in sources("mcpapi"):
        for module in imported_modules(path):
            assert not module.startswith("oauthserver") or module == DOOR_TO_OAUTHSERVER, f"{path}: {module}"


@pytest.mark.parametrize("package", ALLOWED)
def test_no_import_hides_in_a_function(package: str) -> None:
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                hidden = [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.Import | ast.ImportFrom)]
                assert not hidden, f"{path}:{hidden}"


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", "--check", "--dry-run")
    assert "No changes detected" in capsys.readouterr().out
