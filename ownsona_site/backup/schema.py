"""Comparison of the schema of an archive with the schema of this code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.manifest import Manifest
from ownsona_site.backup.programs import MAJOR_VERSION


def missing_migrations(applied: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the migrations of this code that are not in `applied`, as `app.name`."""
    done = {(app, name) for app, names in applied.items() for name in names}
    loader = MigrationLoader(None)
    return [f"{app}.{name}" for app, name in sorted(loader.graph.nodes) if (app, name) not in done]


def require_known_schema(manifest: Manifest) -> None:
    """Raise BackupError if the archive was made by a newer OwnSona or PostgreSQL than this one."""
    known = MigrationLoader(None).disk_migrations
    unknown = [
        f"{app}.{name}" for app, names in manifest.migrations.items() for name in names if (app, name) not in known
    ]
    if unknown:
        shown = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else "")
        raise BackupError(
            f"The archive was made by a newer OwnSona ({manifest.ownsona_version}; this is {settings.VERSION}): its "
            f"tables have migrations that are unknown here: {shown}. Restore it with that version or a newer one."
        )
    versions = (manifest.postgresql_version, manifest.pg_dump_version)
    newest = max(int(version.partition(".")[0]) for version in versions)
    if newest > MAJOR_VERSION:
        raise BackupError(
            f"The archive was made with PostgreSQL {newest}, but this OwnSona has PostgreSQL {MAJOR_VERSION}: "
            "restore it with a newer OwnSona."
        )
