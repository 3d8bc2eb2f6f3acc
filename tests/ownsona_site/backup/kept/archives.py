"""Small archives of which only the manifest is read."""

from __future__ import annotations

import os
import zipfile
from datetime import datetime
from pathlib import Path

from django.conf import settings

from ownsona_site.backup.kept.folder import new_name
from ownsona_site.backup.manifest import Manifest, SecretKey, fingerprint


def put_archive(
    folder: Path, made_at: datetime, *, key: str = "", memories: int = 0, forgotten: int | None = None
) -> Path:
    """Create an archive of this installation, or of one with another key, without a dump."""
    manifest = Manifest(
        ownsona_version="1",
        created_at=made_at,
        postgresql_version="18",
        pg_dump_version="18",
        pgvector_version=None,
        database_bytes=1,
        migrations={},
        rows={"memories_memory": memories},
        forgotten_memories=forgotten,
        secret_key=SecretKey(included=True, fingerprint=fingerprint(key or settings.SECRET_KEY)),
        settings={},
        members={},
    )
    folder.mkdir(exist_ok=True)
    path = folder / new_name(made_at)
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("manifest.json", manifest.model_dump_json())
    os.utime(path, (made_at.timestamp(), made_at.timestamp()))
    return path
