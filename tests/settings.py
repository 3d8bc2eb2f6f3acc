"""Settings of the tests: a data folder of their own, and nothing from the developer's environment or `.env`."""

import os
import re
import tempfile
from pathlib import Path

_EXAMPLE = Path(__file__).parent.parent / ".env.example"
for _name in re.findall(r"^# ([A-Z_]+)=", _EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE):
    os.environ.pop(_name, None)
    os.environ.pop(f"{_name}_FILE", None)

# The parallel workers inherit the variable from the process that starts them, and so share one server.
os.environ.setdefault("TESTS_DATA_DIR", str(Path(tempfile.gettempdir()) / f"ownsona-tests-{os.getpid()}"))
os.environ["OWNSONA_DATA_DIR"] = os.environ["TESTS_DATA_DIR"]
os.environ["OWNSONA_ENV_FILE"] = os.devnull
os.environ["SECRET_KEY"] = "only for the tests: " + "x" * 32
os.environ["EMBEDDING_PROVIDER"] = "fake"

from ownsona_site.settings import *  # noqa: E402, F403

MCP_RATE_LIMIT_PER_MINUTE = 0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Static files come directly from the apps, since nothing was collected.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True
