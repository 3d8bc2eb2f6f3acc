"""Latency of /health and `recall` during an attack with thousands of idle and slow connections.

`.venv/bin/python benchmarks/idle_connections.py` starts a separate server. From loopback, it opens 5,000 idle
connections, 1,500 that send a header byte by byte and 500 that never finish their body. It opens connections again that
the server has closed.
"""

from __future__ import annotations

import argparse
import http.client
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.connection_attack import Attack, Attacker
from benchmarks.support.load import Connection, Timing, timing_of
from benchmarks.support.sample_texts import questions
from tests.support.live_server import live_server

MEMORIES = 1_000
HEALTH_PAUSE_SECONDS = 0.05
FILL_AND_GET_TOKEN = f"""
from benchmarks.measure import fill
from oauthserver.models import User
from tests.support.factories import make_access_token
user = User.objects.get()
fill(user, {MEMORIES})
print(make_access_token(user))
"""


def main() -> None:
    """Measure before and during the attack."""
    arguments = read_arguments()
    attacker = Attacker()
    lower_limits(arguments.soft_limit, arguments.hard_limit)
    settings = {"MCP_RATE_LIMIT_PER_MINUTE": "0", "EMBEDDING_DIMENSIONS": "384"}
    with live_server(None, **settings) as server:
        token = server.run(FILL_AND_GET_TOKEN).strip()
        client = Connection(server.port, token)
        said_before = len("".join(server.output))
        list(measured(client, server.port, 2.0))
        for line in measured(client, server.port, arguments.seconds):
            print(f"quiet:    {line}", flush=True)
        attack = Attack(server.port, arguments.idle, arguments.dripping, arguments.half_sent, arguments.addresses)
        with attacker.attacking(attack):
            for line in measured(client, server.port, arguments.seconds):
                print(f"attacked: {line}", flush=True)
        report = attacker.report()
        print(f"connections: {report.is_open} open at the end, {report.was_closed} closed by the server")
        for line in measured(client, server.port, arguments.seconds):
            print(f"after:    {line}", flush=True)
        said = "".join(server.output)[said_before:]
        print(f"log: {len(said.splitlines())} lines, {said.count('Traceback')} tracebacks\n{said[:2000]}")


def read_arguments() -> argparse.Namespace:
    """Read the parameters of the attack from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=int, default=5_000)
    parser.add_argument("--dripping", type=int, default=1_500)
    parser.add_argument("--half-sent", type=int, default=500)
    parser.add_argument("--addresses", type=int, default=1, help="from how many addresses of this machine")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each measurement lasts")
    parser.add_argument("--soft-limit", type=int, help="how many files the server may open at its start")
    parser.add_argument("--hard-limit", type=int, help="how many it may open at all")
    return parser.parse_args()


def lower_limits(soft: int | None, hard: int | None) -> None:
    """Lower the limits on open files, which the server inherits."""
    if soft or hard:
        now = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft or hard or now[0], hard or now[1]))


def measured(client: Connection, port: int, seconds: float) -> Iterator[str]:
    """Measure calls on a persistent connection, and /health on a new connection each time."""
    asked = questions(500)
    recalls: list[float] = []
    checks: list[float] = []
    began = time.perf_counter()
    while time.perf_counter() < began + seconds:
        recalls.append(_timed(lambda: client.call("recall", {"query": asked[len(recalls) % 500]})))
        if len(recalls) % 10 == 0:
            checks.append(_timed(lambda: ask_health(port)))
    wall_seconds = time.perf_counter() - began
    yield f"recall  {_told(timing_of(recalls, wall_seconds), recalls)}"
    yield f"/health {_told(timing_of(checks, wall_seconds), checks)}"


def _timed(work: object) -> float:
    assert callable(work)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _told(timing: Timing, durations: list[float]) -> str:
    return f"p50 {timing.p50_ms} ms, p95 {timing.p95_ms} ms, longest {max(durations) * 1000:.0f} ms ({timing.requests})"


def ask_health(port: int) -> None:
    """Request /health on a new connection. Raises OSError or RuntimeError if the server does not report health."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/health", headers={"Host": "localhost"})
    response = connection.getresponse()
    response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError(f"/health: {response.status}")


if __name__ == "__main__":
    main()
