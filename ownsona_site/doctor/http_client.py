"""HTTP as clients speak it, bounded in time and size."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

from ownsona_site.doctor.findings import CheckStopped, failed

REQUEST_SECONDS = 5.0
"""How long one request may take."""
MIN_REQUEST_SECONDS = 2.0
"""How long a request may take at least, also when the time is over."""
MAX_ANSWER_BYTES = 2_000_000
SHOWN_CHARS = 120
TITLE = re.compile(rb"<title[^>]*>([^<]{1,400})", re.IGNORECASE)

NO_RESPONSE_FIX = (
    "Look whether OwnSona runs, and whether what stands before it (proxy, tunnel, firewall) lets requests through. "
    "With WEB_CONCURRENCY=1 and WEB_THREADS=1 the server cannot call itself: raise one of them."
)


@dataclass(frozen=True, slots=True)
class ProbeResponse:
    """One HTTP response, read to its end. `seconds` is the time from sending to the last byte."""

    url: str
    status: int
    headers: httpx.Headers
    body: bytes
    seconds: float

    def document(self) -> Mapping[str, Any]:
        """The JSON object in the body. Raises CheckStopped when there is none."""
        try:
            value = httpx.Response(200, content=self.body).json()
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise CheckStopped(
                failed(f"{self.url} answered {self.status} without a JSON object: {self.excerpt}", NOT_OWNSONA_FIX)
            )
        return value

    def reason(self) -> str:
        """The `data.reason` of a JSON-RPC error; empty when the body is something else."""
        try:
            return str(self.document()["error"]["data"]["reason"])
        except (CheckStopped, KeyError, TypeError):
            return ""

    @property
    def excerpt(self) -> str:
        """The beginning of the body, of a page its title, on one line of printable characters."""
        title = TITLE.search(self.body)
        text = " ".join((title[1] if title else self.body[: 4 * SHOWN_CHARS]).decode("utf-8", "replace").split())
        clean = "".join(letter if letter.isprintable() else "?" for letter in text)
        return repr(clean[:SHOWN_CHARS]) if clean else "nothing"


NOT_OWNSONA_FIX = (
    "Something that is not OwnSona answers there: another site, a login page of the proxy or tunnel, or its error "
    "page. Send every path of this host to OwnSona, unchanged and without a login of the proxy's own."
)


class HttpClient:
    """Sends requests until `seconds` are over. Follows no redirect, and uses no proxy of the environment.

    Certificates are not verified here: one step judges them, and the others would only repeat what it says. Nothing
    but what the check itself has made goes over the wire before that step has passed.
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
        """The time that is left, negative when it is over."""
        return self._end - time.monotonic()

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **content: Any
    ) -> ProbeResponse:
        """The answer to one request; `content` as for httpx (`json`, `data`, `content`). Raises CheckStopped."""
        begin = time.monotonic()
        # Time to clean up there is always.
        limit = min(REQUEST_SECONDS, max(self.seconds_left, MIN_REQUEST_SECONDS))
        try:
            with self._http.stream(method, url, headers=headers, timeout=limit, **content) as response:
                body = b""
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_ANSWER_BYTES or time.monotonic() - begin > limit:
                        break
            # A cookie is the business of one step, which looks at the headers.
            self._http.cookies.clear()
            return ProbeResponse(url, response.status_code, response.headers, body, time.monotonic() - begin)
        except httpx.TimeoutException:
            raise CheckStopped(failed(f"{url} did not answer within {limit:.0f} seconds.", NO_RESPONSE_FIX)) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise CheckStopped(
                failed(f"{url} could not be asked: {error or type(error).__name__}.", NO_RESPONSE_FIX)
            ) from None
