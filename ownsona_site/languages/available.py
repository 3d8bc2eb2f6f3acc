"""The languages that the pages are available in: English, and one for each file in `locale/`."""

from __future__ import annotations

from pathlib import Path

from django.conf.locale import LANG_INFO

ENGLISH = "en"
"""The language of the texts in the source code."""


def languages_in(folder: Path) -> list[tuple[str, str]]:
    """Return the codes and the own names of the languages, English first."""
    codes = [ENGLISH, *sorted(path.stem for path in folder.glob("*.po"))]
    return [(code, LANG_INFO.get(code, {}).get("name_local", code).capitalize()) for code in codes]
