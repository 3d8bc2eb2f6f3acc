"""Collection of static files into the data folder, when they have changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static_files() -> None:
    """Collect the static files into STATIC_ROOT, unless nothing has changed since the last time. Raises OSError."""
    folder = Path(settings.STATIC_ROOT)
    stamp = folder.with_suffix(".collected")
    fingerprint = _fingerprint()
    # errors="replace": a damaged stamp must not prevent the start.
    if not stamp.exists() or not folder.is_dir() or stamp.read_text("ascii", "replace") != fingerprint:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        stamp.write_text(fingerprint, encoding="ascii")


def _fingerprint() -> str:
    """Return a digest that changes with any static file of any app."""
    digest = hashlib.sha256(str(settings.STATIC_ROOT).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            status = Path(storage.path(path)).stat()
            digest.update(f"{storage.path(path)}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
