"""HTTP requests to web sites: redirects, robots.txt, and pauses between two requests."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from protego import Protego

from common.networking.outbound import HttpResponse, NetworkPolicy, request
from common.texts import translatable
from documents.connectors.base import SourceError, SourceLimits
from documents.connectors.parts.budget import Budget, LimitReached, out_of_time
from documents.connectors.parts.gzip_limits import decompressed
from documents.connectors.parts.network_policy import network_errors
from documents.connectors.parts.web_urls import normalized, origin_of

USER_AGENT = "OwnSona"
HEADERS = (("Accept", "*/*"), ("Accept-Encoding", "identity"), ("User-Agent", USER_AGENT))
REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5
# RFC 9309, section 2.5: a crawler reads at least 500 KiB of robots.txt.
ROBOTS_BYTES = 500 * 1024
# A longer delay would use up the time of a run with a few pages.
MAX_CRAWL_DELAY_SECONDS = 10.0
NOT_ALLOWED_BY_ROBOTS = translatable("The site's robots.txt does not allow programs to read it.")
NO_RULES = Protego.parse("")


class RobotsDisallow(SourceError):
    """A page that robots.txt forbids."""

    def __init__(self) -> None:
        super().__init__("forbidden", NOT_ALLOWED_BY_ROBOTS)


@dataclass(frozen=True, slots=True)
class WebResponse:
    """The last response of a chain of redirects, and its URL. The content is decompressed."""

    url: str
    status: int
    content: bytes
    headers: Mapping[str, str]


class WebClient:
    """A client for one listing or one read, with the rules of each site that it has met."""

    def __init__(self, network: NetworkPolicy, budget: Budget, limits: SourceLimits, pause_seconds: float) -> None:
        self._network = network
        self._budget = budget
        self._limits = limits
        self._pause_seconds = pause_seconds
        self._rules: dict[str, Protego | SourceError] = {}
        self._next_request_at: dict[str, float] = {}

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> WebResponse:
        """Request a normalized URL with additional `headers`, and follow redirects. Raises SourceError.

        Each redirect is checked like the first URL: scheme, robots.txt and addresses.
        """
        for _ in range(MAX_REDIRECTS + 1):
            self._require_allowed(url)
            response = self._send(url, self._limits.item_bytes, headers or {})
            if response.status not in REDIRECTS:
                return self._complete(url, response)
            try:
                url = normalized(response.headers.get("location", ""), url)
            except ValueError as error:
                raise SourceError(
                    "invalid", translatable("The server redirects to an address that %(error)s.", error=error)
                ) from None
        raise SourceError(
            "invalid",
            translatable("The server redirects more than %(max_redirects)s times.", max_redirects=MAX_REDIRECTS),
        )

    def _complete(self, url: str, response: HttpResponse) -> WebResponse:
        content, encoding = response.content, response.headers.get("content-encoding", "identity").strip().lower()
        if encoding in {"gzip", "x-gzip"}:
            content = decompressed(content, self._limits.item_bytes)
        elif encoding not in {"identity", ""} and content:
            raise SourceError("invalid", translatable("The server sent an encoding that was not requested."))
        return WebResponse(url, response.status, content, response.headers)

    def _send(self, url: str, max_bytes: int, headers: Mapping[str, str]) -> HttpResponse:
        self._wait_for_turn(origin_of(url))
        with network_errors():
            response = request(
                url,
                self._network,
                self._budget.request_deadline(),
                max_bytes,
                headers=[*HEADERS, *headers.items()],
            )
        self._budget.add_bytes(len(response.content))
        return response

    def _wait_for_turn(self, origin: str) -> None:
        rules = self._rules.get(origin)
        delay = rules.crawl_delay(USER_AGENT) if isinstance(rules, Protego) else None
        pause = max(self._pause_seconds, min(float(delay or 0), MAX_CRAWL_DELAY_SECONDS))
        seconds = self._next_request_at.get(origin, 0.0) - time.monotonic()
        if seconds > 0:
            if time.monotonic() + seconds > self._budget.deadline:
                raise out_of_time(self._limits.seconds)
            time.sleep(seconds)
        self._next_request_at[origin] = time.monotonic() + pause

    def _require_allowed(self, url: str) -> None:
        """Raise SourceError if robots.txt forbids `url` or cannot be read."""
        origin = origin_of(url)
        if origin not in self._rules:
            self._rules[origin] = self._read_rules(f"{origin}/robots.txt")
        rules = self._rules[origin]
        if isinstance(rules, SourceError):
            raise SourceError(rules.reason, str(rules))
        if not rules.can_fetch(url, USER_AGENT):
            raise RobotsDisallow

    def _read_rules(self, url: str) -> Protego | SourceError:
        """Return the rules at `url`, following redirects as RFC 9309, section 2.3.1.2, asks for.

        If there is no such file, everything is allowed. If the server fails, nothing is (section 2.3.1.4).
        """
        try:
            for _ in range(MAX_REDIRECTS):
                response = self._send(url, ROBOTS_BYTES, {})
                if response.status not in REDIRECTS:
                    break
                url = normalized(response.headers.get("location", ""), url)
        except ValueError:
            return NO_RULES
        except LimitReached:
            raise
        except SourceError as error:
            if error.reason == "too_large":
                return SourceError("invalid", translatable("The site's robots.txt is too large."))
            return error
        if response.status == 200:
            return Protego.parse(response.content.decode("utf-8", "replace"))
        if response.status >= 500 or response.status == 429:
            return SourceError(
                "unreachable",
                translatable(
                    "The site's robots.txt cannot be read (HTTP status %(status)s). The next sync tries again.",
                    status=response.status,
                ),
            )
        return NO_RULES
