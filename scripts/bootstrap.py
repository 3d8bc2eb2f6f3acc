#!/usr/bin/env python3
"""Creation of `.venv` with the pinned packages, unless they are installed already. It needs only Python.

    python3 scripts/bootstrap.py [--dev]

`--dev` adds the packages for the tests. Concurrent runs wait for each other.
"""

import fcntl
import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 14)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RUN_REQUIREMENTS = ROOT / "requirements.txt"
DEV_REQUIREMENTS = ROOT / "requirements-dev.txt"


def main(arguments: list[str]) -> None:
    """Create a complete virtual environment, or exit with one line that says what is missing."""
    if reason := unsupported():
        sys.exit(reason)
    requirements = DEV_REQUIREMENTS if "--dev" in arguments else RUN_REQUIREMENTS
    with open(__file__, "rb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not is_installed(requirements):
            make_environment()
            install(requirements)


def unsupported() -> str | None:
    """Return why OwnSona cannot be installed with this Python on this machine, or None if it can."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        found = ".".join(str(part) for part in sys.version_info[:2])
        return (
            f"OwnSona needs Python 3.11 to 3.14, and this is {found}: pass another one with `make run "
            f"PYTHON=/path/to/python`."
        )
    if sys.platform == "darwin" and platform.machine() != "arm64":
        return (
            "On macOS, OwnSona needs Apple silicon and a Python for it: onnxruntime, which runs the search model, "
            "has no packages for Intel. On a Mac with an Intel processor, use the Docker image."
        )
    return None


def is_installed(requirements: Path) -> bool:
    """Return whether exactly these requirements are installed, for the current Python."""
    stamp = stamp_of(requirements)
    return PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="ascii") == fingerprint(requirements)


def stamp_of(requirements: Path) -> Path:
    """Return the path of the file that records the installed packages."""
    return VENV / f"{requirements.stem}.installed"


def fingerprint(requirements: Path) -> str:
    """Return a hash of the pinned versions and of the path of the virtual environment's Python."""
    parts = [RUN_REQUIREMENTS.read_bytes(), requirements.read_bytes(), os.fsencode(PYTHON.resolve())]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def make_environment() -> None:
    """Create the virtual environment, unless a working one exists."""
    if succeeds([str(PYTHON), "-m", "pip", "--version"]):
        return
    print("Creating the virtual environment …", flush=True)
    result = subprocess.run(  # noqa: S603 - the running Python
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if result.returncode:
        reason = (result.stdout + result.stderr).strip()
        hint = "On Debian and Ubuntu, install python3-venv." if "ensurepip" in reason else reason
        sys.exit(f"The virtual environment could not be created in {VENV}. {hint}")


def install(requirements: Path) -> None:
    """Install the pinned packages and record that they are installed."""
    print("Installing the packages. This is needed once and takes a minute or two …", flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*command, "--requirement", str(requirements)], check=False).returncode:  # noqa: S603 - as above
        sys.exit("The packages could not be installed: see above. This step needs network access.")
    installed = {RUN_REQUIREMENTS, requirements}  # The development requirements include the other ones.
    for each in installed:
        stamp_of(each).write_text(fingerprint(each), encoding="ascii")


def succeeds(command: list[str]) -> bool:
    """Return whether the command can be run and succeeds."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - as above
    except OSError:
        return False


if __name__ == "__main__":
    main(sys.argv[1:])
