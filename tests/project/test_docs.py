"""Tests of the documentation's statements about the project."""

from __future__ import annotations

import re
from pathlib import Path

from ownsona_site.doctor.runner import CLEANUP_STEPS, OWN_SERVER_STEPS

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_security_page_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "security.md").read_text(encoding="utf-8")))
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 50
    assert named <= written, sorted(named - written)


def test_the_page_about_troubleshooting_names_the_steps_of_the_connection_check() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    table = page.partition("### The steps")[2].partition("### ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]
    named = {name for cell in cells for name in cell.split(", ")}
    assert named == {step.title for step in OWN_SERVER_STEPS} | {step.title for step in CLEANUP_STEPS}
