"""`make bench`: the speed of OwnSona over HTTP, and lower bounds for it.

Starts a separate server with its own data folder, fills it, measures it, and writes benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.live_server import free_port, live_server  # noqa: E402 - the project is not installed

if TYPE_CHECKING:
    from benchmarks.support.load import Timing

CLIENTS = (1, 8, 32)
PROVIDERS = ("fake", "local", "endpoint")
"""Sources of vectors: words hashed in the process, the local model, and an endpoint that responds at once."""

PEERS = ROOT / "benchmarks" / "data" / "peers.json"
Row = dict[str, Any]


def main() -> None:
    """Run the benchmarks that the arguments select, and write the results."""
    arguments = read_arguments()
    rows: list[Row] = []
    for provider in arguments.providers:
        rows += measure(provider, arguments.sizes, arguments.seconds)
    write(rows)


def read_arguments() -> argparse.Namespace:
    """Read from the command line what to measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each measurement lasts")
    parser.add_argument("--providers", nargs="+", default=PROVIDERS, choices=PROVIDERS)
    return parser.parse_args()


def measure(provider: str, sizes: list[int], seconds: float) -> list[Row]:
    """Measure one embedding provider on a server that is filled from size to size."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="ownsona-bench-", ignore_cleanup_errors=True))
        settings = {
            "PORT": str(free_port()),
            "MCP_RATE_LIMIT_PER_MINUTE": "0",
            "OWNSONA_LOGIN_USERNAME": "bench",
            "OWNSONA_LOGIN_PASSWORD": "only-for-benchmarks",
            **embedding_settings(provider, opened),
        }
        with live_server(Path(folder), **settings) as server:
            os.environ.update(server.environment, DJANGO_SETTINGS_MODULE="ownsona_site.settings")
            command = [sys.executable, str(ROOT / "benchmarks" / "measure.py"), str(seconds), *map(str, sizes)]
            done = subprocess.run(command, env=dict(os.environ), stdout=subprocess.PIPE, check=True, cwd=ROOT)
    rows: list[Row] = json.loads(done.stdout)
    return [{"provider": provider, **row} for row in rows]


def embedding_settings(provider: str, opened: ExitStack) -> dict[str, str]:
    """Return the settings of a provider. The endpoint is started, and stopped when `opened` is closed."""
    if provider != "endpoint":
        # The fake embedder's vectors have as many dimensions as the local model's: the database does equal work.
        return {"EMBEDDING_PROVIDER": provider, "EMBEDDING_DIMENSIONS": "384" if provider == "fake" else ""}
    port = free_port()
    command = [sys.executable, str(ROOT / "benchmarks" / "embedding_endpoint.py"), str(port)]
    endpoint = opened.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
    opened.callback(endpoint.terminate)
    assert endpoint.stdout is not None
    endpoint.stdout.readline()
    return {
        "EMBEDDING_PROVIDER": "openai",
        "EMBEDDING_ENDPOINT": f"http://127.0.0.1:{port}/v1",
        "EMBEDDING_MODEL": "text-embedding-3-small",
        "EMBEDDING_DIMENSIONS": "1536",
    }


def as_row(size: int, what: str, clients: int, timing: Timing) -> Row:
    """Build one row of the results."""
    return {"memories": size, "what": what, "clients": clients, **asdict(timing)}


def write(rows: list[Row]) -> None:
    """Save the results as JSON and as a Markdown table, and print the table."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    about = {
        "commit": commit,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "processor": processor(),
    }
    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    name = f"{about['at'][:10]}-{commit}"
    (folder / f"{name}.json").write_text(json.dumps({"about": about, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(as_table(about, rows), encoding="utf-8")
    print(as_table(about, rows))


def processor() -> str:
    """Return the name of the processor, if the system provides it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def as_table(about: dict[str, Any], rows: list[Row]) -> str:
    """Format the results as Markdown."""
    head = "\n".join(f"- {key}: {value}" for key, value in about.items())
    columns = ["provider", "memories", "what", "clients", "p50_ms", "p95_ms", "per_second", "requests"]
    peers = peers_by_call()
    lines = [
        "| " + " | ".join([*(str(row[column]) for column in columns), *figures_of_peers(row, peers)]) + " |"
        for row in rows
    ]
    heads = [*columns, *(f"{peer}, per second" for peer in peers)]
    table = "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *lines])
    return f"# Benchmark\n\n{head}\n\n{table}\n"


def peers_by_call() -> dict[str, dict[tuple[int, str, int], float]]:
    """Return the calls per second of other servers by memories, call and clients.

    They were measured on two cores of a quiet machine, with vectors of 1,536 dimensions from an endpoint that responds
    at once.
    """
    peers = json.loads(PEERS.read_text(encoding="utf-8"))
    return {name: {(size, what, clients): rate for size, what, clients, rate in rows} for name, rows in peers.items()}


def figures_of_peers(row: Row, peers: Mapping[str, Mapping[tuple[int, str, int], float]]) -> list[str]:
    """Return the figures of the peers for the call of a row, empty where there is none or the vectors differ."""
    call = row["memories"], row["what"], row["clients"]
    return [str(rates.get(call, "")) if row["provider"] == "endpoint" else "" for rates in peers.values()]


if __name__ == "__main__":
    main()
