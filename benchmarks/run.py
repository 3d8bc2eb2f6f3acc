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
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.live_server import free_port, live_server  # noqa: E402 - the project is not installed

if TYPE_CHECKING:
    from benchmarks.load import Timing

CLIENTS = (1, 8, 32)
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
    parser.add_argument("--providers", nargs="+", default=["fake", "local"], choices=["fake", "local"])
    return parser.parse_args()


def measure(provider: str, sizes: list[int], seconds: float) -> list[Row]:
    """Measure one embedding provider on a server that is filled from size to size."""
    with tempfile.TemporaryDirectory(prefix="ownsona-bench-", ignore_cleanup_errors=True) as folder:
        settings = {
            "PORT": str(free_port()),
            "EMBEDDING_PROVIDER": provider,
            "MCP_RATE_LIMIT_PER_MINUTE": "0",
            "OWNSONA_LOGIN_USERNAME": "bench",
            "OWNSONA_LOGIN_PASSWORD": "only-for-benchmarks",
            # The fake embedder's vectors have as many dimensions as the local model's: the database does equal work.
            "EMBEDDING_DIMENSIONS": "384" if provider == "fake" else "",
        }
        with live_server(Path(folder), **settings) as server:
            os.environ.update(server.environment, DJANGO_SETTINGS_MODULE="ownsona_site.settings")
            command = [sys.executable, str(ROOT / "benchmarks" / "measure.py"), str(seconds), *map(str, sizes)]
            done = subprocess.run(command, env=dict(os.environ), stdout=subprocess.PIPE, check=True, cwd=ROOT)
    rows: list[Row] = json.loads(done.stdout)
    return [{"provider": provider, **row} for row in rows]


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
    lines = ["| " + " | ".join(str(row[column]) for column in columns) + " |" for row in rows]
    table = "\n".join(["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns), *lines])
    return f"# Benchmark\n\n{head}\n\n{table}\n"


if __name__ == "__main__":
    main()
