"""Memory of the whole application: idle, with the model loaded, and during a long series of calls.

`.venv/bin/python benchmarks/memory_usage.py` starts two web processes, the job process and PostgreSQL on a separate
data folder. Memory that processes share is counted once (proportional set size), if the system reports it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.load import Call, run_load
from benchmarks.support.sample_texts import memory_texts, questions
from tests.support.live_server import LiveServer, live_server

CLIENTS = 8
ROUND_SECONDS = 30.0
IDLE_SECONDS = 5.0
FILL_AND_GET_TOKEN = """
from benchmarks.measure import fill
from oauthserver.models import User
from tests.support.factories import make_access_token
user = User.objects.get()
fill(user, {memories})
print(make_access_token(user))
"""


def main() -> None:
    """Print the memory usage after each round of calls, until the requested number of calls is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=1_000)
    arguments = parser.parse_args()
    settings = {"WEB_CONCURRENCY": "2", "MCP_RATE_LIMIT_PER_MINUTE": "0", "EMBEDDING_PROVIDER": "local"}
    with live_server(None, **settings) as server:
        say(server, "started")
        token = server.run(FILL_AND_GET_TOKEN.format(memories=arguments.memories)).strip()
        done = 0
        for calls in rounds(server, token):
            done += calls
            time.sleep(IDLE_SECONDS)
            say(server, f"after {done} calls")
            if done >= arguments.calls:
                return


def rounds(server: LiveServer, token: str) -> Iterator[int]:
    """Run rounds of calls, nine questions for each new memory. Yield the number of calls of each round."""
    asked = questions(500)
    made = 0

    def call(number: int) -> Call:
        if number % 10:
            return "recall", {"query": asked[number % 500]}
        return "remember", {"text": memory_texts(1, seed=made * 1_000 + number + 1)[0], "tags": ["bench"]}

    while True:
        timing = run_load(server.port, token, CLIENTS, ROUND_SECONDS, call)
        made += timing.requests
        yield timing.requests


def say(server: LiveServer, when: str) -> None:
    """Print the memory usage of each kind of process, in MB."""
    taken = Counter[str]()
    for process in [psutil.Process(server.process.pid), *psutil.Process(server.process.pid).children(recursive=True)]:
        taken["PostgreSQL" if process.name() == "postgres" else "Python"] += memory_of(process)
    parts = ", ".join(f"{kind} {size / 1e6:.0f}" for kind, size in sorted(taken.items()))
    print(f"{when}: {taken.total() / 1e6:.0f} MB ({parts})", flush=True)


def memory_of(process: psutil.Process) -> int:
    """Return the memory of a process in bytes: its private memory plus, if known (PSS), its part of shared memory.

    A process that has ended, as database connections do at any moment, takes none.
    """
    try:
        figures = process.memory_full_info()
    except psutil.NoSuchProcess:
        return 0
    size: int = getattr(figures, "pss", figures.uss)
    return size


if __name__ == "__main__":
    main()
