#!/usr/bin/env python3
"""Installs the clients that the tests connect with, each Python one into an environment of its own. Needs the network.

    .venv/bin/python scripts/install_clients.py

Python clients and Node.js itself go into `.clients/<name>`, for each `tests/clients/requirements/<name>.txt`; what runs
on Node.js goes into `tests/node_modules`, as `tests/package-lock.json` says. What is there already is left alone.
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
    """Leave every client installed, or end with a line that names those that could not be."""
    failed = [path.stem for path in sorted(REQUIREMENTS.glob("*.txt")) if not install_python_packages(path)]
    if "node" in failed or not install_node_packages():
        failed.append(str(NODE_PACKAGES.relative_to(ROOT)))
    if failed:
        sys.exit(f"Not installed, see above: {', '.join(failed)}. The tests that need them will be skipped.")


def install_python_packages(requirements: Path) -> bool:
    """Whether the packages are in their environment now."""
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
    """Whether the packages of Node.js are where the tests look for them now."""
    wanted = fingerprint(*((NODE_PROJECT / name).read_bytes() for name in ("package.json", "package-lock.json")))
    if is_installed(NODE_PACKAGES, wanted):
        return True
    print("Installing the Node.js clients …", flush=True)
    programs = CLIENTS / "node" / "bin"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    command = [str(programs / "npm"), "ci", "--prefix", str(NODE_PROJECT), "--loglevel", "error"]
    return noted(NODE_PACKAGES, wanted, succeeds(command, environment))


def fingerprint(*parts: bytes) -> str:
    """Changes with what is to be installed."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_installed(folder: Path, wanted: str) -> bool:
    """Whether `folder` holds what is `wanted`, all of it."""
    note = folder / "installed"
    return note.exists() and note.read_text(encoding="ascii") == wanted


def noted(folder: Path, wanted: str, is_done: bool) -> bool:
    """`is_done`, noted in `folder` so that nothing is installed twice."""
    if is_done:
        (folder / "installed").write_text(wanted, encoding="ascii")
    return is_done


def succeeds(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Whether the command succeeds; what it has to say is shown."""
    return subprocess.run(command, env=environment, check=False).returncode == 0  # noqa: S603 - our own command


if __name__ == "__main__":
    main()
