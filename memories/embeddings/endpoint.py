"""Client of a JSON endpoint that may be slow, busy or down: one POST with bounded retries."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit

import orjson
from urllib3 import BaseHTTPResponse, Timeout
from urllib3.exceptions import ConnectTimeoutError, DecodeError, HTTPError, NewConnectionError, ReadTimeoutError
from urllib3.util import Url, make_headers, parse_url

from memories.embeddings.connection_pool import open_pool
from memories.embeddings.interactive import is_interactive
from memories.errors import EmbeddingError

RETRIED_STATUSES = frozenset({408, 409, 429, *range(500, 600)})
MAX_ANSWER_BYTES = 64 * 1024 * 1024
READ_BYTES = 65_536
ADVICE = {
    400: "Check EMBEDDING_MODEL and EMBEDDING_DIMENSIONS.",
    401: "Check EMBEDDING_API_KEY.",
    403: "Check EMBEDDING_API_KEY.",
    404: "Check EMBEDDING_ENDPOINT and EMBEDDING_MODEL.",
    429: "Its rate limit or quota is exhausted.",
}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The limits of retries at a failing endpoint: attempts, and seconds."""

    attempts: int = 4
    first_delay_seconds: float = 0.5
    connect_seconds: float = 5.0
    read_seconds: float = 30.0
    total_seconds: float = 40.0
    interactive_attempts: int = 2
    interactive_seconds: float = 10.0
    """Limits that replace `attempts` and `total_seconds` while a caller waits, with `interactive_attempts`."""

    cooldown_seconds: float = 15.0
    """Time for which an endpoint that failed is not called: requests fail at once instead of waiting for it."""

    def for_interactive_use(self) -> RetryPolicy:
        """Return the limits for requests that a caller waits for, never above the ordinary ones."""
        return replace(
            self,
            attempts=min(self.attempts, self.interactive_attempts),
            total_seconds=min(self.total_seconds, self.interactive_seconds),
        )

    def timeout(self, seconds_left: float) -> Timeout:
        """Return the timeouts of one attempt, none of them beyond the time that is left."""
        left = max(0.1, seconds_left)
        return Timeout(connect=min(self.connect_seconds, left), read=min(self.read_seconds, left))

    def delay_seconds(self, failures: int, retry_after: float | None) -> float:
        """Return the pause after that many failures (1, 2, …): doubling, and at least what the server asked for."""
        # Jitter keeps processes that failed together from retrying together.
        jitter = random.uniform(0.5, 1.0)  # noqa: S311 - nothing secret
        return max(self.first_delay_seconds * 2.0 ** (failures - 1) * jitter, retry_after or 0.0)


class _TransientError(Exception):
    """A failed attempt whose cause may be transient."""

    def __init__(self, error: EmbeddingError, retry_after: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


class Endpoint:
    """The endpoint `{base_url}/embeddings`, with an API key if it needs one. Thread-safe; keeps its connections.

    `str(endpoint)` names it without secrets.
    """

    def __init__(self, base_url: str, api_key: str, retry_policy: RetryPolicy) -> None:
        self._retry_policy = retry_policy
        self._failed: tuple[float, EmbeddingError] | None = None
        url = _embeddings_url(base_url)
        if not api_key.isascii() or not api_key.isprintable():
            raise EmbeddingError("EMBEDDING_API_KEY contains a character that cannot be sent in a header.")
        try:
            self._pool = open_pool(url)
        except (ValueError, OSError, HTTPError) as error:
            raise EmbeddingError("The proxy or certificate settings of this machine are not valid.") from error
        self._host = url.host
        self._url = url._replace(auth=None).url
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **_credentials(url, api_key)}

    def __str__(self) -> str:
        return f"The embedding endpoint {self._host}"

    def post(self, payload: dict[str, object]) -> bytes:
        """Send `payload` and return the body of the response.

        Ends within `total_seconds` of the retry policy, to the second; within `interactive_seconds` if a caller waits;
        at once during the cooldown after a failure. Raises EmbeddingError, with the HTTP status of the last attempt if
        there was one.
        """
        self._refuse_during_cooldown()
        retry_policy = self._retry_policy.for_interactive_use() if is_interactive() else self._retry_policy
        deadline = time.monotonic() + retry_policy.total_seconds
        failures = 0
        while True:
            try:
                answer = self._attempt(payload, deadline)
            except _TransientError as failure:
                failures += 1
                delay = retry_policy.delay_seconds(failures, failure.retry_after)
                if failures == retry_policy.attempts or time.monotonic() + delay >= deadline:
                    self._failed = time.monotonic(), failure.error
                    raise failure.error from failure
            else:
                self._failed = None
                return answer
            time.sleep(delay)

    def _refuse_during_cooldown(self) -> None:
        failed = self._failed
        if failed is not None and time.monotonic() < failed[0] + self._retry_policy.cooldown_seconds:
            raise EmbeddingError(f"{failed[1]} OwnSona retries in a moment.", failed[1].status)

    def _attempt(self, payload: dict[str, object], deadline: float) -> bytes:
        try:
            response = self._pool.request(
                "POST",
                self._url,
                body=orjson.dumps(payload),
                headers=self._headers,
                timeout=self._retry_policy.timeout(deadline - time.monotonic()),
                retries=False,
                # A redirect could carry the key to another host.
                redirect=False,
                preload_content=False,
            )
            try:
                self._require_success(response)
                body = self._body(response, deadline)
            except BaseException:
                response.close()
                raise
            response.release_conn()
            return body
        except DecodeError as error:
            raise EmbeddingError(f"{self} sent a response that cannot be decoded.") from error
        except HTTPError as error:
            # A refused connection counts as a timeout in urllib3.
            is_late = isinstance(error, ConnectTimeoutError | ReadTimeoutError)
            is_late = is_late and not isinstance(error, NewConnectionError)
            problem = "did not respond in time" if is_late else "is not reachable"
            raise _TransientError(EmbeddingError(f"{self} {problem}.")) from error

    def _require_success(self, response: BaseHTTPResponse) -> None:
        """Raise an error unless the response is a success.

        The server's message is left out: it may repeat the key or the text.
        """
        status = response.status
        if 200 <= status < 300:
            return
        if 300 <= status < 400:
            advice = "It redirects: set EMBEDDING_ENDPOINT to the target address."
        else:
            advice = ADVICE.get(status, "")
        error = EmbeddingError(f"{self} responded with HTTP status {status}. {advice}".rstrip(), status)
        if status in RETRIED_STATUSES:
            raise _TransientError(error, retry_after_seconds(response.headers.get("Retry-After", "")))
        raise error

    def _body(self, response: BaseHTTPResponse, deadline: float) -> bytes:
        body = bytearray()
        # One read from the connection at a time: a larger one would wait for all of it, however slowly it comes.
        while chunk := response.read1(READ_BYTES, decode_content=True):
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise EmbeddingError(f"{self} sent more than {MAX_ANSWER_BYTES} bytes.", response.status)
            if time.monotonic() > deadline:
                raise EmbeddingError(f"{self} did not respond in time.", response.status)
        return bytes(body)


def retry_after_seconds(value: str) -> float | None:
    """Return a Retry-After header as seconds from now, ≥ 0; None if it is invalid.

    RFC 9110, section 10.2.3: seconds, or a date.
    """
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _embeddings_url(base_url: str) -> Url:
    try:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise EmbeddingError("EMBEDDING_ENDPOINT must look like https://host/v1 or http://host:port/v1.")
        return parse_url(base_url.rstrip("/").removesuffix("/embeddings") + "/embeddings")
    except (ValueError, HTTPError) as error:
        raise EmbeddingError("EMBEDDING_ENDPOINT is not a valid address.") from error


def _credentials(url: Url, api_key: str) -> dict[str, str]:
    """Return the header with the API key, or with the user name and password of the address."""
    if api_key:
        return {"Authorization": f"Bearer {api_key}"}
    return make_headers(basic_auth=unquote(url.auth)) if url.auth else {}
