"""Speed and memory of an import with the local model.

Run with `.venv/bin/python benchmarks/imports.py`. It imports a file of JSON Lines into an empty database, then the same
file again, and prints the memories per second and how much the process has grown.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django
from benchmarks.support.sample_texts import memory_texts

set_up_django("imports")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up

from memories.access import Actor, View  # noqa: E402
from memories.transfer.importer import ImportRun  # noqa: E402
from memories.transfer.opening import open_path  # noqa: E402
from oauthserver.models import User  # noqa: E402


def main() -> None:
    """Import and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000)
    options = parser.parse_args()
    try:
        _measure(options.lines)
    finally:
        remove_temporary_data()


def _measure(lines: int) -> None:
    call_command("migrate", verbosity=0)
    owner = User.objects.create_user("owner")
    with tempfile.NamedTemporaryFile("w+b", suffix=".jsonl") as file:
        for number, text in enumerate(memory_texts(lines)):
            file.write(json.dumps({"text": text, "tags": [f"tag-{number % 50}"]}).encode() + b"\n")
        file.flush()
        for name in ("import", "the same file again"):
            before, start = _peak_mb(), time.perf_counter()
            run = ImportRun(Actor(View.whole(owner.pk), "import", is_owner=True))
            with open(file.name, "rb") as stream:
                run.run(open_path(Path(file.name), stream).entries, print)
            seconds = time.perf_counter() - start
            print(
                f"{name}: {run.summary.inserted} inserted, {run.summary.duplicates} duplicates, "
                f"{lines / seconds:.0f} lines/s, {_peak_mb() - before:.0f} MB more"
            )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


if __name__ == "__main__":
    main()
