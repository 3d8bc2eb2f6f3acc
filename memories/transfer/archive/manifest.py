"""The manifest of an archive: its format, its origin, and the digests of its members."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Literal, Self

from django.conf import settings
from pydantic import BaseModel, Field, ValidationError

from common.texts import translatable
from common.zip_members import Member
from memories.transfer.archive.errors import UnusableArchive

MANIFEST = "manifest.json"
FORMAT: Literal["ownsona-archive"] = "ownsona-archive"
FORMAT_VERSION = 1
MAX_MANIFEST_BYTES = 64 * 1024 * 1024

RECORDED_SETTINGS = (
    "OWNER_TIME_ZONE",
    "EMBEDDING_PROVIDER",
    "EMBEDDING_MODEL",
    "EMBEDDING_DIMENSIONS",
    "MAX_TEXT_CHARS",
    "MAX_DOCUMENT_MB",
    "DEFAULT_RECALL_LIMIT",
    "MAX_RECALL_LIMIT",
)
"""Settings that change how the data behaves: no secrets, no addresses, nothing about the machine."""

SHOWN_NAMES = {"OWNER_TIME_ZONE": "OWNSONA_TIME_ZONE"}
"""The names that the owner knows, of settings with another name inside of the program."""


class Manifest(BaseModel):
    """The content of `manifest.json`. Fields that this version does not know are ignored."""

    format: Literal["ownsona-archive"] = FORMAT
    format_version: int = FORMAT_VERSION
    ownsona_version: str
    created_at: datetime
    """The archive has everything that was committed before this time, and nothing later."""
    counts: dict[str, int]
    """The number of lines of each list, by the member's name without its ending, and the number of originals."""
    settings: dict[str, str]
    hidden_values_left_out: int = 0
    """The number of values that the owner has not asked for. Their placeholders are in the texts."""
    members: dict[str, Member] = Field(max_length=1_000_000)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Parse a manifest. Raises UnusableArchive if it is invalid, or of an unknown format or a newer version."""
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError):
            raise UnusableArchive(translatable("Its %(manifest)s is not valid JSON.", manifest=MANIFEST)) from None
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise UnusableArchive(
                translatable(
                    "Its %(manifest)s does not say that it is an archive of `manage.py export`.", manifest=MANIFEST
                )
            )
        if fields.get("format_version") != FORMAT_VERSION:
            raise UnusableArchive(
                translatable(
                    "It has the archive format %(format)s, and this OwnSona reads format %(format_version)s. Update "
                    "OwnSona to the version that created it (%(version)s).",
                    format=repr(fields.get("format_version"))[:40],
                    format_version=FORMAT_VERSION,
                    version=f"{fields.get('ownsona_version'):.40}",
                )
            )
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise UnusableArchive(
                translatable(
                    "Its %(manifest)s is damaged: %(place)s: %(problem)s.",
                    manifest=MANIFEST,
                    place=f"{place:.80}",
                    problem=first["msg"],
                )
            ) from None


def recorded_settings() -> dict[str, str]:
    """Return the current values of the settings that an archive records."""
    return {name: str(getattr(settings, name)) for name in RECORDED_SETTINGS}
