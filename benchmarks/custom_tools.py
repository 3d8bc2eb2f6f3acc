"""Cost of a custom tool that does nothing, beside the built-in tool that does the least.

    .venv/bin/python benchmarks/custom_tools.py

Calls go through the whole request in this process: the token, the method, the tool and its records. The process of the
script is warm. With OWNSONA_DATA_DIR the database is kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.load import timing_of
from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("custom-tools")

from django.conf import settings  # noqa: E402 - needs Django to be set up
from django.core.management import call_command  # noqa: E402

from customtools.models import CustomTool  # noqa: E402
from customtools.sandbox.pool import pool  # noqa: E402
from customtools.storing import ToolDraft, add_tool  # noqa: E402
from oauthserver.models import User  # noqa: E402
from tests.support.factories import Assistant  # noqa: E402

SOURCES = {
    "nothing": "return nil",
    "three_recalls": 'for i = 1, 3 do context.recall("question " .. i) end',
    "json_100_kb": 'local t = {} for i = 1, 1000 do t[i] = ("x"):rep(100) end return t',
}


def main() -> None:
    """Print p50 and p95 of calls of built-in and custom tools, in rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500, help="calls in each of the rounds")
    parser.add_argument("--rounds", type=int, default=3, help="the machine may be busy: compare the rounds")
    arguments = parser.parse_args()
    settings.MCP_RATE_LIMIT_PER_MINUTE = 0
    try:
        call_command("migrate", verbosity=0)
        owner, _ = User.objects.get_or_create(username="custom-tools")
        CustomTool.objects.filter(owner=owner).delete()
        for name, body in SOURCES.items():
            source = f'tool = {{ name = "{name}", description = "x" }}\nfunction tool.execute(_, context) {body} end'
            add_tool(owner.pk, ToolDraft(CustomTool.Kind.LUA, source, is_enabled=True))
        print("| tool | round | p50 ms | p95 ms |\n|---|---|---|---|")
        calls = measured_calls(Assistant.of(owner))
        for number in range(arguments.rounds):
            for name, call in calls.items():
                p50, p95 = measure(call, arguments.runs)
                print(f"| {name} | {number + 1} | {p50:.1f} | {p95:.1f} |", flush=True)
    finally:
        pool.close()
        remove_temporary_data()


def measured_calls(assistant: Assistant) -> dict[str, Callable[[], object]]:
    """Return the measured calls by name."""
    custom = {name: lambda name=name: assistant.call(name) for name in SOURCES}
    return {"ping (built-in)": lambda: assistant.call("ping"), **custom}


def measure(call: Callable[[], object], runs: int) -> tuple[float, float]:
    """Return p50 and p95 of `runs` calls, in milliseconds."""
    call()
    durations = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        durations.append(time.perf_counter() - started)
    timing = timing_of(durations, sum(durations))
    return timing.p50_ms, timing.p95_ms


if __name__ == "__main__":
    main()
