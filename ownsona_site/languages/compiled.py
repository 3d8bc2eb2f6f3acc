"""Compiled catalogues in the data folder, which Django reads in place of the text files in `locale/`."""

from __future__ import annotations

from pathlib import Path

import polib
from django.conf import settings

from common.new_file import new_file


def compile_catalogues() -> None:
    """Compile each `locale/*.po` into the folder that Django reads, unless that was done since its last change.

    Raises OSError, also for a file that is not a catalogue.
    """
    for source in settings.CATALOGUES.glob("*.po"):
        target = compiled_path(source.stem)
        if not target.exists() or target.stat().st_mtime_ns <= source.stat().st_mtime_ns:
            target.parent.mkdir(parents=True, exist_ok=True)
            with new_file(target, overwrite=True) as stream:
                stream.write(polib.pofile(str(source), encoding="utf-8").to_binary())


def compiled_path(language: str) -> Path:
    """Return where Django looks for the compiled catalogue of a language."""
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.mo"
