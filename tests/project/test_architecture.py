"""Tests of the direction of imports, between the apps and between the packages of each app. There are no cycles."""

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
    "documents": {"common", "memories"},
    "customtools": {"common", "memories"},
    "agents": {"common", "memories", "customtools"},
    "workflows": {"common", "memories", "agents"},
    "oauthserver": {"common"},
    "mcpapi": {"common", "memories", "documents", "customtools", "agents", "workflows", "oauthserver"},
    "ownsona_site": {
        "common",
        "memories",
        "documents",
        "customtools",
        "agents",
        "workflows",
        "oauthserver",
        "mcpapi",
    },
}
LEVELS = {
    "common": [
        "texts",
        "slugs",
        "tag_lists",
        "provided",
        "pages",
        "advisory_locks",
        "lazy_pattern",
        "allocation",
        "clock",
        "encryption",
        "isolated_process",
        "networking",
        "new_file",
        "parser_messages",
        "placeholders",
        "process_limits",
        "inferences",
        "risks",
        "row_copy",
        "rows",
        "scopes",
        "timestamps",
        "ttl",
        "write_behind",
        "zip_members",
        "disk_space",
        "disk_reserve",
    ],
    "memories": [
        "errors",
        "lexicon",
        "times",
        "relations",
        "aspects",
        "validation",
        "access",
        "models",
        "drafts",
        "tags",
        "corpus",
        "database",
        "memory_rows",
        "embeddings",
        "cross_encoders",
        "vectors",
        "comparisons",
        "queries",
        "recall",
        "writing",
        "recall_log",
        "briefing",
        "undo",
        "cleanup",
        "map",
        "transfer",
        "admin",
        "apps",
        "events",
        "management",
        "tasks",
    ],
    "documents": [
        "embedded_parts",
        "corpus",
        "apps",
        "events",
        "drafts",
        "extraction",
        "connectors",
        "chunking",
        "secrets",
        "models",
        "originals",
        "queue",
        "writing",
        "selectors",
        "census",
        "search",
        "undo",
        "sources",
        "archive",
        "map_vectors",
        "review_count",
        "admin",
        "tasks",
        "management",
    ],
    "customtools": [
        "apps",
        "events",
        "limits",
        "models",
        "errors",
        "definitions",
        "sandbox",
        "describing",
        "files",
        "registry",
        "storing",
        "requirements",
        "running",
        "archived",
        "admin",
    ],
    "agents": [
        "apps",
        "events",
        "arguments",
        "argument_lines",
        "templates",
        "definitions",
        "models",
        "file_content",
        "lua_files",
        "toml_files",
        "shipped",
        "files",
        "selectors",
        "changes",
        "archive",
        "admin",
        "tasks",
    ],
    "workflows": [
        "apps",
        "events",
        "schema",
        "models",
        "references",
        "conditions",
        "definitions",
        "instructions",
        "graph",
        "selectors",
        "changes",
        "records",
        "execution",
        "runs",
        "plan",
        "archive",
        "views",
        "admin",
        "tasks",
    ],
    "oauthserver": [
        "apps",
        "redirects",
        "models",
        "connections",
        "budgets",
        "tokens",
        "admin",
        "clients",
        "login",
        "authorization",
        "housekeeping",
        "management",
        "resource_server",
        "tasks",
        "urls",
    ],
    "mcpapi": [
        "apps",
        "models",
        "rpc",
        "calls",
        "state",
        "approvals",
        "tool_failures",
        "tools",
        "resources",
        "prompts",
        "catalog",
        "observability",
        "admin",
        "subscriptions",
        "methods",
        "eras",
        "execution",
        "http",
        "management",
        "rest",
        "stdio",
        "tasks",
        "urls",
    ],
    "ownsona_site": [
        "models",
        "job_names",
        "admin",
        "formats",
        "languages",
        "wiring",
        "configuration",
        "monitoring",
        "web",
        "apps",
        "asgi",
        "embedded_postgres",
        "startup",
        "backup",
        "doctor",
        "management",
        "metrics",
        "templatetags",
        "pages",
        "settings",
        "tasks",
        "urls",
    ],
}
"""By app: its packages and modules, lowest first. Each imports only those before it."""

ENTRANCES_TO_OAUTHSERVER = {
    "oauthserver.budgets.spending",
    "oauthserver.resource_server.bearer",
    "oauthserver.resource_server.companion",
    "oauthserver.resource_server.principal",
    "oauthserver.connections.signals",
}


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


def test_mcpapi_uses_few_modules_of_the_authorization_server() -> None:
    for path in sources("mcpapi"):
        for module in imported_modules(path):
            assert not module.startswith("oauthserver") or module in ENTRANCES_TO_OAUTHSERVER, f"{path}: {module}"


@pytest.mark.parametrize("app", LEVELS)
def test_each_package_imports_only_those_below_it(app: str) -> None:
    order = {name: level for level, name in enumerate(LEVELS[app])}
    for path in sources(app):
        name = path.relative_to(ROOT / app).parts[0].removesuffix(".py")
        if name == "__init__":
            continue
        assert name in order, f"{path} has no level"
        for imported in imported_parts(app, path):
            assert order[imported] <= order[name], f"{path} imports {app}.{imported}"


def imported_parts(app: str, path: Path) -> Iterator[str]:
    """Yield the packages and modules directly in `app` that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == app:
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{app}."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith(f"{app}."))


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
