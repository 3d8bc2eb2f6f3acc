"""Fingerprints of pages, which also carry the validators for the next conditional request (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, ConfigDict, ValidationError

MAX_VALIDATOR_CHARS = 300


class PageFingerprint(BaseModel):
    """A version of a page: the SHA-256 of its content, its validators and its content type.

    `stated` is the time of modification in a sitemap, if that time alone shows that the page is unchanged. `feed` and
    `sitemap` are the ids of the lists in the settings that the page was found in.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    sha256: str
    etag: str = ""
    last_modified: str = ""
    content_type: str = ""
    stated: str = ""
    feed: str = ""
    sitemap: str = ""

    def __str__(self) -> str:
        return self.model_dump_json(exclude_defaults=True)

    def conditions(self) -> dict[str, str]:
        """Return the headers of a request that is only to be answered with content if there is another version."""
        # RFC 9110, section 13.1.3: If-Modified-Since is ignored with If-None-Match, but not by every old server.
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.last_modified} if self.last_modified else {}


def list_id(url: str) -> str:
    """Return the id of a feed or sitemap, which is shorter than its URL."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def validator(header: str) -> str:
    """Return a header of a response for use in a request; empty if it is not a validator of usual length in ASCII."""
    return header if len(header) <= MAX_VALIDATOR_CHARS and header.isascii() and header.isprintable() else ""


def parse_fingerprint(text: str | None) -> PageFingerprint | None:
    """Return the fingerprint that `text` contains. None for no text, and for the format of another release."""
    try:
        return PageFingerprint.model_validate_json(text) if text else None
    except ValidationError:
        return None
