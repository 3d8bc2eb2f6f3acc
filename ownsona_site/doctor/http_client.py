"""An HTTP client that behaves as MCP clients do, with limits on time and size."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx
from django.utils.translation import gettext, gettext_noop

from ownsona_site.doctor.findings import CheckStopped, failed

REQUEST_SECONDS = 5.0
"""The time limit of one request."""
MIN_REQUEST_SECONDS = 2.0
"""The least time that a request is given, even if the time of the run is over."""
MAX_ANSWER_BYTES = 2_000_000
SHOWN_CHARS = 120
TITLE = re.compile(rb"<title[^>]*>([^<]{1,400})", re.IGNORECASE)

NO_RESPONSE_FIX = gettext_noop(
    "Check that OwnSona is running, and that the proxy, tunnel or firewall in front of it lets requests through. "
    "With WEB_CONCURRENCY=1 and WEB_THREADS=1 the server cannot call itself: increase one of them."
)


@dataclass(frozen=True, slots=True)
class ProbeResponse:
    """One HTTP response, read completely. `seconds` is the time from sending the request to the last byte."""

    url: str
    status: int
    headers: httpx.Headers
    body: bytes
    seconds: float

    def document(self) -> Mapping[str, Any]:
        """Return the JSON object in the body. Raises CheckStopped if there is none."""
        try:
            value = httpx.Response(200, content=self.body).json()
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise CheckStopped(
                failed(
                    gettext("%(url)s returned %(status)s without a JSON object: %(excerpt)s")
                    % {"url": self.url, "status": self.status, "excerpt": self.excerpt},
                    NOT_OWNSONA_FIX,
                )
            )
        return value

    def reason(self) -> str:
        """Return the `data.reason` of a JSON-RPC error; empty if the body is something else."""
        try:
            return str(self.document()["error"]["data"]["reason"])
        except (CheckStopped, KeyError, TypeError):
            return ""

    @property
    def excerpt(self) -> str:
        """The title of an HTML page, else the beginning of the body, as one line of printable characters."""
        title = TITLE.search(self.body)
        text = " ".join((title[1] if title else self.body[: 4 * SHOWN_CHARS]).decode("utf-8", "replace").split())
        clean = "".join(letter if letter.isprintable() else "?" for letter in text)
        return repr(clean[:SHOWN_CHARS]) if clean else "nothing"


NOT_OWNSONA_FIX = gettext_noop(
    "The response is not from OwnSona, but from another site, or it is a login or error page of the proxy or tunnel. "
    "Send every path of this host to OwnSona, unchanged and without a login of the proxy's own."
)


class HttpClient:
    """An HTTP client for a run of `seconds`. It follows no redirect and ignores proxies set in the environment.

    Certificates are not verified here: one step checks them, and all others would only repeat its finding. Until that
    step has passed, only data that the check itself created is sent.
    """

    def __init__(self, user_agent: str, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._http = httpx.Client(
            verify=False,  # noqa: S501 - see above
            trust_env=False,
            follow_redirects=False,
            headers={"User-Agent": user_agent, "Accept": "application/json, text/event-stream"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    @property
    def seconds_left(self) -> float:
        """The remaining time of the run; negative if it is over."""
        return self._end - time.monotonic()

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **content: Any
    ) -> ProbeResponse:
        """Send one request and return the response. Raises CheckStopped if it fails.

        `content` is passed to httpx (`json`, `data`, `content`).
        """
        begin = time.monotonic()
        # The minimum leaves time to clean up after the run is over.
        limit = min(REQUEST_SECONDS, max(self.seconds_left, MIN_REQUEST_SECONDS))
        try:
            with self._http.stream(method, url, headers=headers, timeout=limit, **content) as response:
                body = b""
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_ANSWER_BYTES or time.monotonic() - begin > limit:
                        break
            # Only one step needs cookies, and it reads them from the headers.
            self._http.cookies.clear()
            return ProbeResponse(url, response.status_code, response.headers, body, time.monotonic() - begin)
        except httpx.TimeoutException:
            raise CheckStopped(
                failed(
                    gettext("%(url)s did not respond within %(limit)s seconds.")
                    % {"url": url, "limit": f"{limit:.0f}"},
                    NO_RESPONSE_FIX,
                )
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CheckStopped(
                failed(
                    gettext("The request to %(url)s failed: %(value)s.")
                    % {"url": url, "value": error or type(error).__name__},
                    NO_RESPONSE_FIX,
                )
            ) from None
