"""Running a script in the sandbox, without a tool and a database."""

from __future__ import annotations

from typing import Any

from customtools.sandbox.pool import pool

SECONDS = 60.0
"""Only a busy machine needs more than the limit of processor time."""


def tool_with(body: str) -> str:
    """Return a script whose tool runs `body` with `params` and `context`."""
    return f"tool = {{ name = 'attempt' }}\nfunction tool.execute(params, context)\n{body}\nend"


def run_script(source: str, seconds: float = SECONDS, logged: list[str] | None = None, **parameters: Any) -> Any:
    """Run a script and return its result. Context calls return their own name and arguments."""
    command = {"action": "execute", "source": source, "parameters": parameters, "now": "2026-05-17T14:00:00Z"}

    def answer(name: str, arguments: Any) -> tuple[bool, Any]:
        return (False, "refused") if name == "get" else (True, {"name": name, "arguments": arguments})

    return pool.run(1, command, seconds, answer, (logged if logged is not None else []).append)


def run_body(body: str, **parameters: Any) -> Any:
    """Run the body of a tool and return its result."""
    return run_script(tool_with(body), **parameters)
