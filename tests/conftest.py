"""Fixtures for all tests: one shared PostgreSQL server, which is removed when the tests end."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string
from procrastinate.contrib.django import app

from common.clock import clock_watch
from common.provided import supply_now
from common.write_behind import WriteBehind
from mcpapi.execution import call_threads
from mcpapi.observability.audit import audit_lines
from mcpapi.observability.call_counts import counts
from memories.embeddings import clear_embedders
from memories.recall_log.past_recalls import pending_recalls
from memories.vectors.hnsw import cached_indexes
from memories.vectors.spaces import cached_space
from oauthserver.connections.failure_log import pending_failures
from oauthserver.connections.usage import pending_uses
from oauthserver.tokens import access_tokens, signing_keys
from oauthserver.tokens.public_keys import KeyRing
from ownsona_site.embedded_postgres.cluster import DATABASE_NAME
from ownsona_site.embedded_postgres.server import get_server
from ownsona_site.languages.compiled import compile_catalogues
from tests.support import first_database
from tests.support.emptying import empty_quickly
from tests.support.reused_keys import reuse_keys

SLOW = ("tests/browser/", "tests/clients/", "tests/conformance/", "tests/ownsona_site/", "tests/project/")
"""Folders of tests that start servers or browsers, or run other tests."""


@pytest.fixture(autouse=True)
def fresh_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty caches, so that no value read from the database outlives its test."""
    cached_space.invalidate()
    cached_indexes.invalidate()
    if settings.EMBEDDING_PROVIDER == "fake":
        # The vectors of questions that another test has asked. A local model would have to be loaded again.
        clear_embedders()
    # The processes of tests are younger than the hour for which a clock must be steady.
    monkeypatch.setattr(clock_watch, "_steady_since", float("-inf"))
    monkeypatch.setattr(signing_keys, "generate_private_key", reuse_keys())
    # A process looks up only a limited number of keys per second.
    monkeypatch.setattr(access_tokens, "_key_ring", KeyRing())
    pending_uses._waiting.clear()
    pending_failures._waiting.clear()
    audit_lines._waiting.clear()
    counts._waiting.clear()
    pending_recalls._waiting.clear()
    # A thread must not hold a connection to the test database for longer than its test.
    monkeypatch.setattr(call_threads, "IDLE_SECONDS", 0.0)
    # Another thread would not see the rows of a test's transaction. Tests flush before they look.
    monkeypatch.setattr(WriteBehind, "_write_soon", lambda self: None)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Have the database of the tests copied from that of a first start, in place of running the migrations again."""
    first_database.copy_first_database(Path(settings.DATA_DIR), durable=False)
    connection.settings_dict["TEST"]["TEMPLATE"] = DATABASE_NAME


@pytest.fixture
def empty_queue() -> Iterator[None]:
    """The job queue, emptied before and after. Its tables are not managed by the ORM, so nothing else empties them."""
    _empty_queue()
    yield
    _empty_queue()


def _empty_queue() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers CASCADE")


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processes: one more than cores, because many tests wait for servers and browsers."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Handle SIGINT again if the shell started pytest in the background, and prepare the databases of the tests."""
    # Every server of a test would ignore the signal, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _load_everything()
    empty_quickly()
    compile_catalogues()
    # Parallel workers, and tests that run other tests, inherit the variable and share the folder.
    own = str(Path(settings.DATA_DIR) / "first-start")
    first_database.folder = Path(os.environ.setdefault("TESTS_FIRST_DATABASE", own))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that take longest first, so that no process works on one of them when the others have ended."""
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW))


def _load_everything() -> None:
    """Load what a web server has loaded, so that no test depends on what an earlier one has loaded."""
    import_string("ownsona_site.urls.urlpatterns")
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    supply_now()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt what was loaded and collected from garbage collections: it is kept until the end."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the tests' database server and remove its files. The parallel workers have exited by now."""
    data_directory = Path(settings.DATA_DIR)
    if hasattr(config, "workerinput") or not data_directory.exists():
        return
    if (data_directory / "postgres").exists():
        # A killed worker leaves the server running. The server stops when its last user releases it.
        server = get_server(data_directory)
        server.use()
        server.release()
    shutil.rmtree(data_directory)
