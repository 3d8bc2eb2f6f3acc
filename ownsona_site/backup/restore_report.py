"""The result of a restore, and the report about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ownsona_site.backup.backing_up import recorded_settings
from ownsona_site.backup.formatting import counts, moment
from ownsona_site.backup.manifest import Manifest

SETTING_NAMES = {"PUBLIC_URL": "OWNSONA_PUBLIC_URL"}
SETTING_CONSEQUENCES = {
    "PUBLIC_URL": "apps have to connect again, since their tokens are for the old address",
    "EMBEDDING_PROVIDER": "all vectors are computed again, and until then searches use keywords only",
    "EMBEDDING_MODEL": "all vectors are computed again, and until then searches use keywords only",
}


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore."""

    migrations: list[str]
    """The migrations that the schema of the archive lacked."""
    place: str
    """The present location of the data, in words."""
    before: Path | None
    """The present path of what the restore replaced; None if it replaced nothing."""


def content(manifest: Manifest) -> str:
    """Describe the archive: its time, the versions that made it, and its content."""
    return (
        f"the backup of {moment(manifest.created_at)}, made by OwnSona {manifest.ownsona_version} with PostgreSQL "
        f"{manifest.postgresql_version}: {counts(manifest.rows)}"
    )


def different_settings(manifest: Manifest) -> Iterator[str]:
    """Yield a warning for each setting whose value differs from the one in the archive."""
    now = recorded_settings()
    for name, consequence in SETTING_CONSEQUENCES.items():
        before = manifest.settings.get(name, now[name])
        if before != now[name]:
            shown = SETTING_NAMES.get(name, name)
            yield f"{shown} was {before or 'not set'} and is {now[name] or 'not set'} here: {consequence}."


def report(manifest: Manifest, restored: Restored) -> Iterator[str]:
    """Yield the report: what was restored, where it is, and what to do next."""
    yield f"Restored {content(manifest)}."
    yield f"It is now {restored.place}."
    if restored.migrations:
        yield f"Its tables were of an older version. {len(restored.migrations)} migrations were applied."
    if restored.before is not None:
        yield f"The previous data is now {restored.before}. Delete it when you no longer need it."
    yield "Next: start OwnSona, and check a few memories, Connected apps and Personal tokens."
    yield (
        "Everything is as it was at that time: deletions, revocations and other changes since then, including "
        "passwords, are undone."
    )
