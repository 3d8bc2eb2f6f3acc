"""Django with a database of its own, for benchmarks that run the domain code in this process."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import django
from django.apps import apps
from django.db import connections

from common.write_behind import flush_all
from ownsona_site.embedded_postgres.base import embedded_server

KEEPS_DATA = "OWNSONA_DATA_DIR" in os.environ


def set_up_django(name: str, **settings: str) -> None:
    """Set up Django with these settings; without any with the local model.

    The data is in OWNSONA_DATA_DIR if that is set, else in a temporary folder with `name`. Without effect if another
    benchmark, which imports this one, has done so already.
    """
    if apps.ready:
        return
    if not KEEPS_DATA:
        folder = Path(tempfile.mkdtemp(prefix=f"ownsona-{name}-"))
        folder.chmod(0o755)  # Under root, PostgreSQL runs as another user.
        os.environ["OWNSONA_DATA_DIR"] = str(folder)
    defaults = {"EMBEDDING_PROVIDER": "local"}
    os.environ.update(DJANGO_SETTINGS_MODULE="ownsona_site.settings", OWNSONA_ENV_FILE=os.devnull)
    os.environ.update(defaults | settings)
    django.setup()


def remove_temporary_data() -> None:
    """Write what is buffered, stop the database, and remove the temporary folder if there is one."""
    flush_all()
    connections.close_all()
    embedded_server().release()
    if not KEEPS_DATA:
        shutil.rmtree(os.environ["OWNSONA_DATA_DIR"], ignore_errors=True)
