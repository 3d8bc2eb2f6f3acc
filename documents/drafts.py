"""Documents that are not stored yet, and the checks of their fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.utils.translation import gettext

from common.pages.relative_times import number
from memories.errors import InvalidInput
from memories.validation.text import check_storable, clean_tags, clean_text, refuse_secrets

ADDED = "documents"
"""The source of documents that were added one by one, in any way."""

MAX_TITLE_CHARS = 500
MAX_URL_CHARS = 2_000
MAX_KEY_CHARS = 4_000
MAX_NAME_CHARS = 255


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document that is not stored yet, without its content.

    - `file_name`: only a hint for the format, and a name for downloads.
    - `title`: None for the one that the file states, or else its name.
    - `source_key`: identifies it within its source; None for its URL, or else its content.
    - `quarantined_from`: the client that adds it, if the owner wants to review it first.
    """

    file_name: str
    title: str | None = None
    tags: tuple[str, ...] = ()
    source: str = ADDED
    source_key: str | None = None
    source_url: str | None = None
    quarantined_from: str | None = None

    def checked(self) -> DocumentDraft:
        """Return a checked copy with cleaned fields. Raises InvalidInput or SecretRejected."""
        return replace(
            self,
            file_name=clean_file_name(self.file_name),
            title=_checked_label("title", self.title, MAX_TITLE_CHARS),
            tags=tuple(clean_tags(self.tags)),
            source_key=_checked_key(self.source_key),
            source_url=_checked_url(self.source_url),
        )


def clean_file_name(name: str) -> str:
    """Return the last part of a path as a name that is safe to show and to store; "document" if nothing is left."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(character for character in last if character.isprintable())
    storable = kept.encode("utf-8", "ignore").decode().strip(" .")
    if len(storable) <= MAX_NAME_CHARS:
        return storable or "document"
    stem, dot, extension = storable.rpartition(".")
    if not dot or len(extension) > 10:
        return storable[:MAX_NAME_CHARS]
    return f"{stem[: MAX_NAME_CHARS - len(extension) - 1]}.{extension}"


def checked_title(title: str) -> str:
    """Return a cleaned title. Raises InvalidInput and SecretRejected."""
    cleaned = _checked_label("title", title, MAX_TITLE_CHARS)
    if cleaned is None:
        raise InvalidInput(gettext("must not be empty."), argument="title")
    return cleaned


def _checked_label(name: str, value: str | None, most: int) -> str | None:
    if value is None:
        return None
    check_storable(name, value)
    if len(value) > most:
        raise InvalidInput(
            gettext("has %(number)s characters; at most %(most)s are allowed.")
            % {"number": number(len(value)), "most": number(most)},
            argument=name,
        )
    cleaned = " ".join(clean_text(value).split())
    refuse_secrets(name, cleaned)
    return cleaned or None


def _checked_key(key: str | None) -> str | None:
    """Return the key as it is: two paths can differ in nothing but blanks."""
    _checked_label("source_key", key, MAX_KEY_CHARS)
    return key or None


def _checked_url(url: str | None) -> str | None:
    if not url:
        return None
    checked = _checked_label("source_url", url, MAX_URL_CHARS)
    try:
        parts = urlsplit(checked or "")
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_web = False
    if not is_web:
        raise InvalidInput(
            gettext("must be a web address without a password, such as https://example.com/page."), "source_url"
        )
    return checked
