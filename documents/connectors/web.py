"""Connector for pages, feeds and sitemaps on the web."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from django.utils.translation import gettext_noop
from pydantic import Field, field_validator

from common.texts import translatable
from documents.connectors.base import Connector, ConnectorContext, PathSettings, Skipped, SourceError, SourceItem
from documents.connectors.parts import feeds, sitemaps
from documents.connectors.parts.budget import Budget, LimitReached
from documents.connectors.parts.gzip_limits import decompressed
from documents.connectors.parts.keys import display_name
from documents.connectors.parts.network_policy import policy
from documents.connectors.parts.page_fingerprints import PageFingerprint, list_id, parse_fingerprint, validator
from documents.connectors.parts.web_client import RobotsDisallow, WebClient, WebResponse
from documents.connectors.parts.web_documents import DocumentKind, kind_of
from documents.connectors.parts.web_run import NOT_LISTED, Listed, WebRun
from documents.connectors.parts.web_urls import normalized, page_name, path_in_site, shown, site_of

MAX_FEED_PAGES = 20
MAX_SITEMAPS = 500
GONE = frozenset({404, 410})
FEEDS = frozenset({DocumentKind.FEED, DocumentKind.JSON_FEED})
SITEMAPS = frozenset({DocumentKind.SITEMAP, DocumentKind.SITEMAP_INDEX})


class WebSettings(PathSettings):
    """Settings of a web source."""

    urls: list[str] = Field(
        min_length=1,
        max_length=1000,
        description=gettext_noop("Addresses of pages, feeds (RSS, Atom, JSON Feed) and sitemaps."),
    )
    include: list[str] = Field(
        default=[],
        description=gettext_noop(
            "Patterns in the format of .gitignore for the paths of pages in feeds and sitemaps, such as `/blog/` or "
            "`*.html`. Only pages that match one are read. Empty: all pages."
        ),
    )
    exclude: list[str] = Field(
        default=[],
        description=gettext_noop(
            "Patterns in the same format. Pages in feeds and sitemaps that match one are not read."
        ),
    )
    pause_seconds: float = Field(
        default=0.5, ge=0, le=60, description=gettext_noop("The pause between two requests to one site, in seconds.")
    )
    allow_private: bool = Field(
        default=False, description=gettext_noop("Needed for servers in your home or company, such as a NAS.")
    )

    @field_validator("urls")
    @classmethod
    def _are_urls(cls, urls: list[str]) -> list[str]:
        return list(dict.fromkeys(normalized(url) for url in urls))


class WebConnector(Connector[WebSettings]):
    """A reader of web pages: those of the settings, those that sitemaps list, and those that feeds link to.

    An entry of a feed is the page that it links to, because feeds often contain only excerpts. Without a link, its own
    content is the item. An entry that a feed does not list any more stays a part of the source: feeds contain only the
    newest entries. Pages of a sitemap belong to the source as long as the sitemap lists them.
    """

    settings_model = WebSettings

    def __init__(self, settings: WebSettings, context: ConnectorContext) -> None:
        super().__init__(settings, context)
        self._filter = settings.path_filter()
        self._network = policy(context.network, allow_private=settings.allow_private)
        # The page that was listed last, and all entries that have no page.
        self._last: tuple[SourceItem, bytes] | None = None
        self._entries: dict[str, bytes] = {}

    def check(self) -> None:
        """Raise SourceError unless the first address can be read."""
        _content(self._client(Budget(self._limits)).get(self._settings.urls[0]))

    def listing(self, known: Mapping[str, str]) -> Iterator[SourceItem | Skipped]:
        """Request every page, with conditions if it is known, and yield it. Raises SourceError."""
        budget = Budget(self._limits)
        run = WebRun(self._client(budget), known)
        self._entries.clear()
        for found in self._found(run):
            if isinstance(found, SourceItem):
                budget.add_item()
            run.count(found)
            yield found
        run.require_success()

    def read(self, item: SourceItem) -> bytes:
        """Return the content. Raises SourceError."""
        if self._last and self._last[0] == item:
            return self._last[1]
        client = self._client(Budget(self._limits))
        feed_url, is_entry, _ = item.key.partition("#")
        if not is_entry:
            return _content(client.get(item.key))
        if item.key not in self._entries:
            for entry in self._feed_entries(client, client.get(feed_url)):
                if entry:
                    self._entries[_entry_key(feed_url, entry)] = entry.content.encode("utf-8", "replace")
        if item.key not in self._entries:
            raise SourceError("not_found", translatable("The feed no longer contains %(name)s.", name=item.name))
        return self._entries[item.key]

    def close(self) -> None:
        """Release the memory of the listing."""
        self._last = None
        self._entries.clear()

    def _client(self, budget: Budget) -> WebClient:
        return WebClient(self._network, budget, self._limits, self._settings.pause_seconds)

    def _found(self, run: WebRun) -> Iterator[SourceItem | Skipped]:
        for url in self._settings.urls:
            yield from self._start(url, run)
        # Entries that were in a feed of these settings and are in none now.
        for key, text in run.known.items():
            fingerprint = parse_fingerprint(text)
            if fingerprint and fingerprint.feed in run.feeds and run.is_new(key):
                yield _unchanged(key, text, fingerprint)

    def _start(self, url: str, run: WebRun) -> Iterator[SourceItem | Skipped]:
        """Yield the items of an address of the settings, according to what is there.

        Raises SourceError if it was a feed or sitemap in the last run and is none now: its items may still exist.
        """
        try:
            response = run.client.get(url, run.conditions(url))
            content = decompressed(response.content, sitemaps.MAX_BYTES) if response.status == 200 else b""
        except SourceError as error:
            if isinstance(error, LimitReached) or run.was_list(url):
                raise
            if run.is_new(url):
                yield _skipped(url, error)
            return
        kind = kind_of(content)
        if kind in FEEDS:
            yield from self._feed(url, replace(response, content=content), run)
        elif kind in SITEMAPS:
            yield from self._sitemap(url, replace(response, content=content), run)
        elif run.was_list(url):
            _content(response)
            raise SourceError(
                "invalid",
                translatable("urls: %(shown)s is no longer a feed or sitemap. Check the address.", shown=shown(url)),
            )
        elif run.is_new(url):
            yield self._page_found(url, response, run)

    def _feed(self, start: str, response: WebResponse, run: WebRun) -> Iterator[SourceItem | Skipped]:
        run.feeds.add(list_id(start))
        for entry in self._feed_entries(run.client, response):
            if entry is None:
                if run.is_new(start):
                    yield Skipped(start, str(feeds.MALFORMED), is_temporary=True)
            elif entry.link:
                listed = Listed(feed=list_id(start), modified_at=entry.modified_at)
                yield from self._page(entry.link, response.url, run, listed)
            elif run.is_new(key := _entry_key(start, entry)):
                yield self._own_content(key, entry, list_id(start))

    def _feed_entries(self, client: WebClient, response: WebResponse) -> Iterator[feeds.FeedEntry | None]:
        """Yield the entries of a feed, from its first page on, which is `response`, and None for each malformed page.

        Raises SourceError.
        """
        visited = {response.url}
        page = feeds.parse(decompressed(_content(response), feeds.MAX_BYTES), response.url, _content_type(response))
        yield from _with_malformed(page)
        while page.next_url and len(visited) < MAX_FEED_PAGES:
            try:
                url = normalized(page.next_url, response.url)
                if url in visited:
                    return
                visited.add(url)
                response = client.get(url)
                page = feeds.parse(
                    decompressed(_content(response), feeds.MAX_BYTES), response.url, _content_type(response)
                )
            except LimitReached:
                raise
            except (SourceError, ValueError):
                # Older entries are known from earlier runs, or found in the next one.
                return
            yield from _with_malformed(page)

    def _own_content(self, key: str, entry: feeds.FeedEntry, feed: str) -> SourceItem:
        content = entry.content.encode("utf-8", "replace")
        self._entries[key] = content
        kind, suffix = ("html", ".html") if entry.is_html else ("plain", ".txt")
        fingerprint = PageFingerprint(
            sha256=hashlib.sha256(content).hexdigest(), content_type=f"text/{kind}; charset=utf-8", feed=feed
        )
        return SourceItem(
            key=key,
            name=display_name((entry.title or "entry").replace("/", "_") + suffix),
            fingerprint=str(fingerprint),
            url=key.partition("#")[0],
            modified_at=entry.modified_at,
            size_bytes=len(content),
            content_type=fingerprint.content_type,
        )

    def _sitemap(self, start: str, response: WebResponse, run: WebRun) -> Iterator[SourceItem | Skipped]:
        """Yield the pages of a sitemap, and of the sitemaps that it lists. Raises SourceError if one is missing."""
        is_empty = True
        for sitemap_url, entry in self._sitemap_entries(run.client, response):
            is_empty = False
            stated = entry.last_modified if sitemaps.is_settled(entry.last_modified, datetime.now(UTC)) else ""
            yield from self._page(entry.url, sitemap_url, run, Listed(sitemap=list_id(start), stated=stated))
        if is_empty and run.was_list(start):
            raise SourceError(
                "invalid",
                translatable(
                    "urls: %(shown)s is empty, but was not in the last run. If its pages are gone, remove it.",
                    shown=shown(start),
                ),
            )

    def _sitemap_entries(self, client: WebClient, response: WebResponse) -> Iterator[tuple[str, sitemaps.SitemapEntry]]:
        """Yield the URL of each sitemap with each of its pages."""
        visited = {response.url}
        pending = [response]
        while pending:
            response = pending.pop()
            content = decompressed(_content(response), sitemaps.MAX_BYTES)
            if kind_of(content) is not DocumentKind.SITEMAP_INDEX:
                yield from ((response.url, entry) for entry in sitemaps.entries(content))
                continue
            for entry in sitemaps.entries(content):
                try:
                    url = normalized(entry.url, response.url)
                except ValueError:
                    continue
                if url in visited or site_of(url) != site_of(response.url):
                    continue
                visited.add(url)
                if len(visited) > MAX_SITEMAPS:
                    raise SourceError(
                        "too_many_items",
                        translatable(
                            "urls: More than %(max_sitemaps)s sitemaps. List some of them.", max_sitemaps=MAX_SITEMAPS
                        ),
                    )
                pending.append(client.get(url))

    def _page(self, url: str, base: str, run: WebRun, listed: Listed) -> Iterator[SourceItem | Skipped]:
        """Request a page of a sitemap or feed, unless its stated time shows that it is unchanged, and yield it."""
        try:
            url = normalized(url, base)
        except ValueError as error:
            if run.is_new(key := display_name(url)):
                yield Skipped(key, translatable("Its address %(error)s.", error=error))
            return
        if not self._filter.matches(path_in_site(url)) or not run.is_new(url):
            return
        if listed.sitemap and site_of(url) != site_of(base):
            yield Skipped(url, translatable("It is on another site than the sitemap that lists it."))
            return
        text = run.known.get(url)
        known = parse_fingerprint(text)
        if text and known and listed.stated and known.stated == listed.stated:
            yield _unchanged(url, text, known)
            return
        try:
            response = run.client.get(url, run.conditions(url))
        except LimitReached:
            raise
        except SourceError as error:
            yield _skipped(url, error)
            return
        yield self._page_found(url, response, run, listed)

    def _page_found(
        self, url: str, response: WebResponse, run: WebRun, listed: Listed = NOT_LISTED
    ) -> SourceItem | Skipped:
        text = run.known.get(url)
        known = parse_fingerprint(text)
        if response.status == 304 and text and known:
            return _unchanged(url, text, known)
        if response.status != 200:
            is_gone = response.status in GONE
            return Skipped(url, _status_problem(response), is_temporary=not is_gone)
        fingerprint = PageFingerprint(
            sha256=hashlib.sha256(response.content).hexdigest(),
            etag=validator(response.headers.get("etag", "")),
            last_modified=validator(response.headers.get("last-modified", "")),
            content_type=validator(_content_type(response)),
            stated=listed.stated,
            feed=listed.feed,
            sitemap=listed.sitemap,
        )
        item = SourceItem(
            key=url,
            name=page_name(response.url),
            fingerprint=str(fingerprint),
            url=response.url,
            modified_at=_time(fingerprint.last_modified) or listed.modified_at,
            size_bytes=len(response.content),
            content_type=fingerprint.content_type or None,
        )
        self._last = (item, response.content)
        return item


def _unchanged(key: str, text: str, known: PageFingerprint) -> SourceItem:
    return SourceItem(key=key, name=page_name(key), fingerprint=text, url=key, content_type=known.content_type or None)


def _skipped(url: str, error: SourceError) -> Skipped:
    # Anything else may be a fault of the network or the server, which must not delete the page.
    is_permanent = isinstance(error, RobotsDisallow) or error.reason == "too_large"
    return Skipped(url, str(error), is_temporary=not is_permanent)


def _with_malformed(page: feeds.Feed) -> Iterator[feeds.FeedEntry | None]:
    """Yield the entries of a page, and None if it is malformed."""
    yield from page.entries
    if page.is_malformed:
        yield None


def _entry_key(feed_url: str, entry: feeds.FeedEntry) -> str:
    return f"{feed_url}#{entry.identity}"


def _content(response: WebResponse) -> bytes:
    """Return the content of a successful response. Raises SourceError for any other."""
    if response.status == 200:
        return response.content
    if response.status in GONE:
        raise SourceError("not_found", f"{shown(response.url)}: {_status_problem(response)}")
    if response.status in {401, 403}:
        raise SourceError("forbidden", f"{shown(response.url)}: {_status_problem(response)}")
    raise SourceError("unreachable", f"{shown(response.url)}: {_status_problem(response)}")


def _status_problem(response: WebResponse) -> str:
    if response.status in GONE:
        return translatable("It does not exist (HTTP status %(status)s). Check the address.", status=response.status)
    if response.status in {401, 403}:
        return translatable(
            "The server requires a login, or refuses programs (HTTP status %(status)s).", status=response.status
        )
    return translatable(
        "The server responded with HTTP status %(status)s. The next sync tries again.", status=response.status
    )


def _content_type(response: WebResponse) -> str:
    return response.headers.get("content-type", "")


def _time(header: str) -> datetime | None:
    try:
        stated = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)
