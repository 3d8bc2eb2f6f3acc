#!/usr/bin/env python3
"""Installation of the clients for the tests, each Python client in an environment of its own. It needs the network.

    .venv/bin/python scripts/install_clients.py

Python clients and Node.js itself go into `.clients/<name>`, for each `tests/clients/requirements/<name>.txt`. Clients
that run on Node.js go into `tests/node_modules`, according to `tests/package-lock.json`. Packages that are installed
already are skipped.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / ".clients"
REQUIREMENTS = ROOT / "tests" / "clients" / "requirements"
NODE_PROJECT = ROOT / "tests"
NODE_PACKAGES = NODE_PROJECT / "node_modules"


def main() -> None:
    """Install all clients, or exit with a line that names those that could not be installed."""
    failed = [path.stem for path in sorted(REQUIREMENTS.glob("*.txt")) if not install_python_packages(path)]
    if "node" in failed or not install_node_packages():
        failed.append(str(NODE_PACKAGES.relative_to(ROOT)))
    if failed:
        sys.exit(f"Not installed, see above: {', '.join(failed)}. The tests that need them will be skipped.")


def install_python_packages(requirements: Path) -> bool:
    """Install the packages into their environment. Return whether they are installed now."""
    folder = CLIENTS / requirements.stem
    wanted = fingerprint(requirements.read_bytes(), os.fsencode(sys.executable))
    if is_installed(folder, wanted):
        return True
    print(f"Installing {requirements.read_text(encoding='utf-8').strip()} …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return noted(folder, wanted, succeeds([*pip, "--requirement", str(requirements)]))


def install_node_packages() -> bool:
    """Install the Node.js packages for the tests. Return whether they are installed now."""
    wanted = fingerprint(*((NODE_PROJECT / name).read_bytes() for name in ("package.json", "package-lock.json")))
    if is_installed(NODE_PACKAGES, wanted):
        return True
    print("Installing the Node.js clients …", flush=True)
    programs = CLIENTS / "node" / "bin"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    command = [str(programs / "npm"), "ci", "--prefix", str(NODE_PROJECT), "--loglevel", "error"]
    return noted(NODE_PACKAGES, wanted, succeeds(command, environment))


def fingerprint(*parts: bytes) -> str:
    """Return a hash of the data that defines an installation."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_installed(folder: Path, wanted: str) -> bool:
    """Return whether `folder` contains the complete installation with the hash `wanted`."""
    note = folder / "installed"
    return note.exists() and note.read_text(encoding="ascii") == wanted


def noted(folder: Path, wanted: str, is_done: bool) -> bool:
    """Record a successful installation in `folder`, so that it is not repeated. Return `is_done`."""
    if is_done:
        (folder / "installed").write_text(wanted, encoding="ascii")
    return is_done


def succeeds(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run the command, showing its output, and return whether it succeeds."""
    return subprocess.run(command, env=environment, check=False).returncode == 0  # noqa: S603 - our own command


if __name__ == "__main__":
    main()
