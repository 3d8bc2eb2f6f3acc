"""Cost of open event streams: the memory of the web process that holds them, and the latency of calls beside them.

Run with `.venv/bin/python benchmarks/streams.py`. There is only one web process, so that it holds all streams.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.load import Call, run_load
from benchmarks.support.sample_texts import questions
from tests.support.live_server import LiveServer, live_server

CLIENTS = (1, 8)
MEMORIES = 1_000
FILL_AND_GET_TOKEN = f"""
from benchmarks.measure import fill
from oauthserver.models import User
from tests.support.factories import make_access_token
user = User.objects.get()
fill(user, {MEMORIES})
print(make_access_token(user))
"""


def main() -> None:
    """Measure before, during and after the streams, in one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each measurement lasts")
    arguments = parser.parse_args()
    settings = {
        "WEB_CONCURRENCY": "1",
        "MCP_MAX_STREAMS": str(arguments.streams),
        "MCP_RATE_LIMIT_PER_MINUTE": "0",
        "EMBEDDING_DIMENSIONS": "384",
    }
    with live_server(None, **settings) as server:
        token = server.run(FILL_AND_GET_TOKEN).strip()
        asyncio.run(measure(server, token, arguments.streams, arguments.seconds))


async def measure(server: LiveServer, token: str, count: int, seconds: float) -> None:
    """Measure with and without `count` open streams, and print the figures."""
    process = web_process(server)
    asked = questions(500)

    def recall(number: int) -> Call:
        return "recall", {"query": asked[number % 500]}

    async def say(when: str) -> None:
        for clients in CLIENTS:
            timing = await asyncio.to_thread(run_load, server.port, token, clients, seconds, recall)
            print(f"{when}, {clients} clients: {timing}, {process.memory_info().rss / 1e6:.0f} MB", flush=True)

    await say("warming up")
    await say("before")
    async with streams(server.port, token, count):
        await say(f"beside {count} streams")
    await say("after")


@asynccontextmanager
async def streams(port: int, token: str, count: int) -> AsyncIterator[None]:
    """Hold `count` streams open for the duration of the block, each on a connection of its own."""
    request = (
        f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Accept: text/event-stream\r\n\r\n"
    )
    readers: list[asyncio.Task[bytes]] = []
    writers = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request.encode())
        begun = await reader.readuntil(b"\n\n")
        if not begun.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(begun.decode())
        readers.append(asyncio.create_task(reader.read()))
        writers.append(writer)
    try:
        yield
    finally:
        for writer in writers:
            writer.close()
        await asyncio.gather(*readers, return_exceptions=True)


def web_process(server: LiveServer) -> psutil.Process:
    """Return the only web process, a child of the gunicorn main process."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    gunicorn = [process for process in children if "gunicorn" in " ".join(process.cmdline())]
    (worker,) = [process for process in gunicorn if process.parent() in gunicorn]
    return worker


if __name__ == "__main__":
    main()
