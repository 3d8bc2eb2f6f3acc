"""The process of scripts with a tenth of their processor time, for tests of scripts that do not end."""

from __future__ import annotations

from customtools.sandbox import child, script

LIMITS = ((child, "CPU_SECONDS", 0.2), (child, "_SPARE_SECONDS", 0.2), (script, "CPU_SECONDS", 0.2))


def main() -> None:
    """Run scripts until standard input ends."""
    for module, name, seconds in LIMITS:
        assert hasattr(module, name)
        setattr(module, name, seconds)
    child.main()
