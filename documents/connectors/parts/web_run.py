"""State of one listing of a web source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from common.texts import translatable
from documents.connectors.base import Skipped, SourceError, SourceItem
from documents.connectors.parts.page_fingerprints import list_id, parse_fingerprint
from documents.connectors.parts.web_client import WebClient

# The server is down, or it refuses everything. Each further request could take `request_seconds`.
MAX_FAILURES_IN_A_ROW = 10


@dataclass(frozen=True, slots=True)
class Listed:
    """Statements of a feed or sitemap about a page: the ids of the lists, and times of modification."""

    feed: str = ""
    sitemap: str = ""
    stated: str = ""
    modified_at: datetime | None = None


NOT_LISTED = Listed()


@dataclass
class WebRun:
    """The pages that one listing has met, and the ids of the feeds that it has read."""

    client: WebClient
    known: Mapping[str, str]
    feeds: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    _failures: int = 0
    _last_failure: str = ""
    _has_item: bool = False

    def is_new(self, key: str) -> bool:
        """Return whether `key` is asked for the first time."""
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def conditions(self, url: str) -> dict[str, str]:
        """Return the headers of a conditional request for a page of the last run."""
        known = parse_fingerprint(self.known.get(url))
        return known.conditions() if known else {}

    def was_list(self, url: str) -> bool:
        """Return whether a page of the last run was found in the feed or sitemap at `url`."""
        return list_id(url) in self._lists

    def count(self, found: SourceItem | Skipped) -> None:
        """Record an item or a failure. Raises SourceError after too many failures in a row."""
        if isinstance(found, SourceItem):
            self._has_item = True
            self._failures = 0
        elif found.is_temporary:
            self._failures += 1
            self._last_failure = found.why
            if self._failures >= MAX_FAILURES_IN_A_ROW:
                raise SourceError(
                    "unreachable",
                    translatable(
                        "%(failures)s pages in a row cannot be read. %(why)s", failures=self._failures, why=found.why
                    ),
                )

    def require_success(self) -> None:
        """Raise SourceError if pages failed and none was read."""
        if self._last_failure and not self._has_item:
            raise SourceError(
                "unreachable", translatable("No page can be read. %(last_failure)s", last_failure=self._last_failure)
            )

    @cached_property
    def _lists(self) -> frozenset[str]:
        fingerprints = map(parse_fingerprint, self.known.values())
        return frozenset(found for known in fingerprints if known for found in (known.feed, known.sitemap) if found)
