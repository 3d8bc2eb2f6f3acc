"""Limits of custom tools. How they were chosen: docs/decisions/lua-sandbox.md."""

from __future__ import annotations

from typing import Final

from common.texts import translatable

MAX_TOOLS: Final = 100
"""The most custom tools of an owner, those from files included."""

MAX_SOURCE_CHARS: Final = 100_000
MAX_NAME_CHARS: Final = 48
MAX_DESCRIPTION_CHARS: Final = 2_000

DEFAULT_SECONDS: Final = 10
MAX_SECONDS: Final = 60
"""Elapsed time of a call, which a definition may set. It includes requests to other servers."""

CPU_SECONDS: Final = 2.0
"""Processor time of a script in one call. A script that ends itself late is ended one second after that."""

OUT_OF_TIME: Final = translatable(
    "The script used more than %(seconds)s seconds of processor time.", seconds=f"{CPU_SECONDS:g}"
)

SCRIPT_MEMORY_MB: Final = 32
PROCESS_MEMORY_MB: Final = 512
"""Address space of the process of a script: Python, Lua, and copies of a large result."""

MAX_RESULT_BYTES: Final = 1_000_000
"""Size of a result, of the arguments of a context call, and of the response to one, as JSON."""

MAX_DEPTH: Final = 32
MAX_VALUES: Final = 100_000
"""Levels and values of a table that becomes JSON."""

MAX_CONTEXT_CALLS: Final = 100
MAX_LOG_LINES: Final = 200
MAX_LOG_CHARS: Final = 20_000
"""The most that one call of a script can log, with `print` or `context.log`."""

MAX_RESPONSE_BYTES: Final = 1_000_000
"""Size of a response of another server."""
