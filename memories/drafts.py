"""Memories that are not stored yet, and the checks of their fields."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext

from memories.errors import InvalidInput, LimitExceeded, SecretRejected
from memories.models import Memory
from memories.models.days import days_literal
from memories.times.statements import stated_period
from memories.validation.secrets.kinds import Kind
from memories.validation.text import (
    check_storable,
    check_visible,
    clean_tags,
    clean_text,
    normalized_hash,
    refuse_secrets,
)

MAX_LABEL_CHARS = 200
MAX_REASON_CHARS = 2_000
MAX_CLIENT_CHARS = 500
FIRST_YEAR, LAST_YEAR = 1900, 9998
CLOCK_SKEW = timedelta(minutes=5)
"""Maximum deviation of a client's clock: its "now" is accepted although it is in the future or in the past here."""


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that a placeholder with this number stands for. Only its owner may see it."""

    number: int
    kind: Kind
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SafeText:
    """A text without secrets, and the values that were replaced by placeholders."""

    text: str
    values: tuple[KeptValue, ...] = ()


Hide = Callable[[str, str], SafeText]
"""A function that makes a cleaned text safe. Its first argument is the name for errors. Raises SecretRejected."""


def refuse(name: str, text: str) -> SafeText:
    """Return a text that has no secrets. Raises SecretRejected."""
    refuse_secrets(name, text)
    return SafeText(text)


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that is not stored yet, as its writer gave it. `checked` makes it fit to store.

    `importance` is 0–1. Times are aware. `created_at` is for imports; None means the database's now.
    `last_confirmed_at` None means `created_at`. With `is_imported` the draft was a memory before and may be expired.
    `valid_from`, `valid_until` and `named_days` are read from the text, as said at `created_at`; if one of the first
    two is given, both are as given. `quarantined_from` names the client that inferred it, if the owner wants to review
    it first. `agent` names the agent that it belongs to; None: the user.
    `briefing_place` is stored only if the owner acts: an app cannot pin its own memories. `kept` are the values that
    placeholders in the text of a checked draft stand for.
    """

    text: str
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    source_provider: str | None = None
    capture_mode: str = Memory.CaptureMode.EXPLICIT
    session_id: str | None = None
    expires_at: datetime | None = None
    last_confirmed_at: datetime | None = None
    created_at: datetime | None = None
    is_imported: bool = False
    quarantined_from: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    named_days: str | None = None
    briefing_place: str | None = None
    agent: str | None = None
    text_hash: bytes = field(default=b"", compare=False)
    kept: tuple[KeptValue, ...] = field(default=(), compare=False)

    def checked(self, hide: Hide = refuse) -> Draft:
        """Return a checked copy with cleaned text and tags. Raises InvalidInput, LimitExceeded or SecretRejected.

        `hide` decides about secrets in the text; those in other fields are always refused.
        """
        safe = safe_text(self.text, hide)
        text = safe.text
        checked_end = checked_time if self.is_imported else checked_expiry
        created_at = checked_past_time("created_at", self.created_at)
        valid_from, valid_until, named_days = stated_times(text, created_at or timezone.now())
        if self.valid_from or self.valid_until:
            valid_from, valid_until = checked_validity(self.valid_from, self.valid_until)
        refuse_values(safe.values, "tags", self.tags)
        for name in ("source_provider", "session_id", "agent"):
            refuse_values(safe.values, name, [getattr(self, name) or ""])
        return Draft(
            text=text,
            tags=tuple(clean_tags(self.tags)),
            importance=checked_importance(self.importance),
            source_provider=checked_label("source_provider", self.source_provider),
            capture_mode=checked_capture_mode(self.capture_mode),
            session_id=checked_label("session_id", self.session_id),
            expires_at=checked_end("expires_at", self.expires_at),
            last_confirmed_at=self._checked_confirmation(valid_until),
            created_at=created_at,
            is_imported=self.is_imported,
            quarantined_from=_checked_short_text("quarantined_from", self.quarantined_from, MAX_CLIENT_CHARS),
            valid_from=valid_from,
            valid_until=valid_until,
            named_days=named_days,
            briefing_place=self.briefing_place,
            agent=checked_label("agent", self.agent),
            text_hash=normalized_hash(text),
            kept=safe.values,
        )

    def _checked_confirmation(self, valid_until: datetime | None) -> datetime | None:
        """Return when it was last confirmed. What is stored as ended already was not confirmed after its end."""
        confirmed_at = checked_past_time("last_confirmed_at", self.last_confirmed_at)
        if confirmed_at is None and self.valid_until and valid_until and not self.is_imported:
            return valid_until if valid_until < timezone.now() else None
        return confirmed_at

    def with_tags(self, tags: Iterable[str]) -> Draft:
        """Return a copy with other tags, which must be clean."""
        return replace(self, tags=tuple(tags))


def stated_times(text: str, said_at: datetime) -> tuple[datetime | None, datetime | None, str | None]:
    """Return `valid_from`, `valid_until` and `named_days` of a text that was said at that time.

    Days are those of the owner's time zone.
    """
    stated = stated_period(text, said_at.astimezone(settings.OWNER_TIME_ZONE))
    if stated is None:
        return None, None, None
    return (
        stated.valid_from and stated.valid_from.astimezone(UTC),
        stated.valid_until and stated.valid_until.astimezone(UTC),
        days_literal(stated.days),
    )


def checked_validity(first: datetime | None, last: datetime | None) -> tuple[datetime | None, datetime | None]:
    """Return `valid_from` and `valid_until` in UTC.

    Raises InvalidInput if one cannot be stored, or if the last is before the first.
    """
    valid_from, valid_until = checked_time("valid_from", first), checked_time("valid_until", last)
    if valid_from and valid_until and valid_until < valid_from:
        raise InvalidInput(gettext("must not be earlier than valid_from."), argument="valid_until")
    return valid_from, valid_until


def checked_text(text: str) -> str:
    """Return `text` cleaned.

    Raises InvalidInput if nothing is visible, LimitExceeded if it is too long, and SecretRejected if it has a secret.
    """
    return safe_text(text, refuse).text


def safe_text(text: str, hide: Hide) -> SafeText:
    """Return `text` cleaned and without secrets. Raises the errors of `checked_text`; `hide` decides about secrets."""
    check_storable("text", text)
    cleaned = clean_text(text)
    check_visible("text", cleaned)
    if len(cleaned) > settings.MAX_TEXT_CHARS:
        raise LimitExceeded(
            gettext("has %(number)s characters; at most %(max_text_chars)s are allowed.")
            % {
                "number": number_format(len(cleaned), force_grouping=True),
                "max_text_chars": number_format(settings.MAX_TEXT_CHARS, force_grouping=True),
            },
            argument="text",
        )
    return hide("text", cleaned)


def refuse_values(kept: Iterable[KeptValue], name: str, others: Iterable[str]) -> None:
    """Raise SecretRejected if another field of a memory has a value that is hidden in its text."""
    bare = [_bare(each) for each in others]
    for each in kept:
        if any(_bare(each.value) in other for other in bare):
            raise SecretRejected(gettext("contains a value that is hidden in the text. Remove it."), argument=name)


def _bare(text: str) -> str:
    """Return the letters and digits of `text`: tags have no others."""
    return re.sub(r"[\W_]", "", text).casefold()


def checked_importance(importance: float) -> float:
    """Return `importance`. Raises InvalidInput unless it is a number from 0 to 1."""
    if not (math.isfinite(importance) and 0.0 <= importance <= 1.0):
        raise InvalidInput(gettext("must be a number from 0 to 1."), argument="importance")
    return importance


def checked_capture_mode(capture_mode: str) -> str:
    """Return `capture_mode`. Raises InvalidInput unless it is one of the capture modes."""
    if capture_mode not in Memory.CaptureMode.values:
        raise InvalidInput(gettext("must be 'explicit' or 'inferred'."), argument="capture_mode")
    return capture_mode


def checked_label(name: str, value: str | None) -> str | None:
    """Return a label cleaned, or None if it is empty. Raises InvalidInput or SecretRejected."""
    return _checked_short_text(name, value, MAX_LABEL_CHARS)


def checked_reason(reason: str | None) -> str | None:
    """Return the reason of a forget cleaned, or None if it is empty. Raises InvalidInput or SecretRejected."""
    return _checked_short_text("reason", reason, MAX_REASON_CHARS)


def _checked_short_text(name: str, value: str | None, limit: int) -> str | None:
    if value is None:
        return None
    check_storable(name, value)
    if len(value) > limit:
        raise InvalidInput(
            gettext("has %(number)s characters; at most %(limit)s are allowed.")
            % {
                "number": number_format(len(value), force_grouping=True),
                "limit": number_format(limit, force_grouping=True),
            },
            argument=name,
        )
    cleaned = clean_text(value)
    refuse_secrets(name, cleaned)
    return cleaned or None


def checked_time(name: str, moment: datetime | None) -> datetime | None:
    """Return `moment` in UTC. Raises InvalidInput if it has no time zone, or a year that cannot be stored."""
    if moment is None:
        return None
    if moment.utcoffset() is None:
        raise InvalidInput(
            gettext("has no time zone. Use ISO 8601 with one, such as 2026-05-17T14:00:00Z."), argument=name
        )
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise InvalidInput(
            gettext("the year must be from %(first_year)s to %(last_year)s.")
            % {"first_year": FIRST_YEAR, "last_year": LAST_YEAR},
            argument=name,
        )
    # Converted, because PostgreSQL does not accept offsets of 16 hours or more.
    return moment.astimezone(UTC)


def shown_moment(moment: datetime) -> str:
    """Return a time in UTC as tools show it, without fractions of a second."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def checked_past_time(name: str, moment: datetime | None) -> datetime | None:
    """Return `moment` in UTC. Raises InvalidInput if it has no time zone or is in the future."""
    checked = checked_time(name, moment)
    if checked is not None and checked > timezone.now() + CLOCK_SKEW:
        raise InvalidInput(
            gettext("%(isoformat)s is in the future.") % {"isoformat": shown_moment(checked)}, argument=name
        )
    return checked


def checked_expiry(name: str, moment: datetime | None) -> datetime | None:
    """Return `moment` in UTC. Raises InvalidInput if it has no time zone or is in the past."""
    checked = checked_time(name, moment)
    if checked is not None and checked < timezone.now() - CLOCK_SKEW:
        raise InvalidInput(
            gettext(
                "%(isoformat)s is in the past, so the memory would never be recalled. Give a future "
                "time, or leave it out; use forget for what is no longer true."
            )
            % {"isoformat": shown_moment(checked)},
            argument=name,
        )
    return checked


def check_batch_size(name: str, items: Iterable[Any]) -> None:
    """Raise InvalidInput if a batch is empty, and LimitExceeded if it is too large."""
    count = len(list(items))
    if not count:
        raise InvalidInput(gettext("must not be empty."), argument=name)
    if count > settings.MAX_BATCH_SIZE:
        raise LimitExceeded(
            gettext("has %(count)s entries; at most %(max_batch_size)s are allowed in one call.")
            % {"count": count, "max_batch_size": settings.MAX_BATCH_SIZE},
            argument=name,
        )
