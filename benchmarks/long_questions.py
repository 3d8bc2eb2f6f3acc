"""Latency of /health and of an ordinary `recall` while other clients ask questions of the maximum length.

`.venv/bin/python benchmarks/long_questions.py` starts a separate server with the real local model. 16 clients at once
send questions of 16,000 characters.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.idle_connections import FILL_AND_GET_TOKEN, ask_health
from benchmarks.support.load import Connection, Timing, timing_of
from benchmarks.support.sample_texts import memory_texts, questions
from tests.support.live_server import live_server

CHARACTERS = 16_000
PAUSE_SECONDS = 0.05


def main() -> None:
    """Measure without and during the long questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each measurement lasts")
    arguments = parser.parse_args()
    with live_server(None, MCP_RATE_LIMIT_PER_MINUTE="0", EMBEDDING_PROVIDER="local") as server:
        token = server.run(FILL_AND_GET_TOKEN).strip()
        asked = questions(500)
        client = Connection(server.port, token)
        watched: dict[str, Callable[[int], object]] = {
            "/health": lambda _: ask_health(server.port),
            "recall": lambda number: client.call("recall", {"query": asked[number % 500]}),
        }
        for number in range(20):
            watched["recall"](number)
        for name, work in watched.items():
            print(f"quiet:  {name:8} {told(*timings(work, arguments.seconds / 4))}", flush=True)
        with long_questions(server.port, token, arguments.clients) as durations:
            for name, work in watched.items():
                print(f"beside: {name:8} {told(*timings(work, arguments.seconds))}", flush=True)
        print(f"long questions:  {told(timing_of(durations, 2 * arguments.seconds), max(durations))}")


@contextmanager
def long_questions(port: int, token: str, clients: int) -> Iterator[list[float]]:
    """Let `clients` ask without a pause for the duration of the block. Yield the list of durations in seconds."""
    durations: list[float] = []
    is_over = threading.Event()

    def ask(number: int) -> None:
        connection = Connection(port, token)
        question = " ".join(memory_texts(400, seed=number))[:CHARACTERS]
        while not is_over.is_set():
            began = time.perf_counter()
            connection.call("recall", {"query": question})
            durations.append(time.perf_counter() - began)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    try:
        yield durations
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def timings(work: Callable[[int], object], seconds: float) -> tuple[Timing, float]:
    """Measure `work`, repeated for `seconds`. Return the figures and the longest duration in seconds."""
    durations: list[float] = []
    began = time.perf_counter()
    while time.perf_counter() < began + seconds:
        start = time.perf_counter()
        work(len(durations))
        durations.append(time.perf_counter() - start)
        time.sleep(PAUSE_SECONDS)
    return timing_of(durations, seconds), max(durations)


def told(timing: Timing, longest: float) -> str:
    """Format the figures."""
    return (
        f"p50 {timing.p50_ms:.0f} ms, p95 {timing.p95_ms:.0f} ms, longest {longest * 1000:.0f} ms ({timing.requests})"
    )


if __name__ == "__main__":
    main()
