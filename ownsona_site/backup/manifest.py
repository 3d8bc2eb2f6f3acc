"""The manifest of an archive: its content, its time, and the versions that made it."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, Field, ValidationError

from common.zip_members import Member
from memories.transfer.archive.manifest import FORMAT as EXPORT_FORMAT
from ownsona_site.backup.errors import BackupError

FORMAT: Literal["ownsona-backup"] = "ownsona-backup"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, 2)
"""The first version had no files of the owner."""

MAX_MANIFEST_BYTES = 4 * 1024 * 1024
KEY_NOTE = (
    "The signing keys in the database are encrypted under SECRET_KEY, which came from the environment and is not in "
    "this archive. A restore needs it."
)


class SecretKey(BaseModel):
    """The manifest's entry about the key that encrypts the signing keys in the database."""

    included: bool
    fingerprint: str
    note: str = ""


class Manifest(BaseModel):
    """The content of `manifest.json`. Fields that this version does not know are ignored."""

    format: Literal["ownsona-backup"] = FORMAT
    format_version: int = FORMAT_VERSION
    ownsona_version: str
    created_at: datetime
    """The time of the snapshot: the archive has everything that was committed before it, and nothing later."""
    postgresql_version: str
    pg_dump_version: str
    pgvector_version: str | None
    database_bytes: int = Field(ge=0)
    """The size of the database on the disk, indexes included."""
    migrations: dict[str, list[str]]
    """The applied migrations of each Django app."""
    rows: dict[str, int]
    """The number of rows of every table, in the snapshot that the dump was made from."""
    forgotten_memories: int | None = None
    """The number of forgotten memories. None in archives of versions that did not count them."""
    secret_key: SecretKey
    settings: dict[str, str]
    """Settings that change how the restored data behaves if they differ. No secrets."""
    members: dict[str, Member]

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Parse the manifest in `content`. Raises BackupError if it is invalid or of an unknown format."""
        try:
            fields = json.loads(content)
        except ValueError:
            raise BackupError(
                "Its manifest.json is not valid JSON: this is not an archive of `manage.py backup`."
            ) from None
        if isinstance(fields, dict) and fields.get("format") == EXPORT_FORMAT:
            raise BackupError(
                "It is an archive of the data of one user, not a backup: import it with `manage.py import_archive`, or "
                "on the page Import."
            )
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise BackupError("Its manifest.json does not say that it is an archive of `manage.py backup`.")
        if fields.get("format_version") not in READABLE_VERSIONS:
            raise BackupError(
                f"It has the archive format {fields.get('format_version')!r:.40}, and this OwnSona reads formats up to "
                f"{FORMAT_VERSION}: restore it with the OwnSona that made it ({fields.get('ownsona_version')!s:.40})."
            )
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise BackupError(f"Its manifest.json is damaged: {place}: {first['msg']}.") from None


def fingerprint(secret_key: str) -> str:
    """Return a short digest that distinguishes secret keys."""
    return hashlib.sha256(b"ownsona backup: secret key\0" + secret_key.encode()).hexdigest()[:16]
