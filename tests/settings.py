"""The settings of the tests: a data folder of their own and nothing from the developer's environment."""

import os
import tempfile
from pathlib import Path

for _name in list(os.environ):
    if _name.startswith(("OWNSONA_", "EMBEDDING_", "MCP_")) or _name in {"DATABASE_URL", "SECRET_KEY", "PORT", "HOST", "DEBUG"}:
        del os.environ[_name]

os.environ["OWNSONA_DATA_DIR"] = str(Path(tempfile.gettempdir()) / f"ownsona-tests-{os.getpid()}")
os.environ["SECRET_KEY"] = "only for the tests: " + "x" * 32
os.environ["EMBEDDING_PROVIDER"] = "fake"

from ownsona_site.settings import *  # noqa: E402, F403

MCP_RATE_LIMIT_PER_MINUTE = 0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
