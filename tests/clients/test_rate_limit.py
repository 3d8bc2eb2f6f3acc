"""The default rate limit, enforced by all web processes of a real server together."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.clients.test_raw_http import PING, TOKEN_SCRIPT
from tests.support.live_server import live_server

DEFAULT_LIMIT = 60
CLIENTS = 4
REQUESTS_EACH = 25


def test_sixty_requests_of_a_minute_are_answered_whichever_processes_they_reach() -> None:
    with live_server() as server:
        headers = {"authorization": f"Bearer {server.run(TOKEN_SCRIPT).strip()}"}

        def call_often(number: int) -> list[httpx.Response]:
            with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
                return [client.post("/mcp", json=PING) for _ in range(REQUESTS_EACH)]

        with ThreadPoolExecutor(CLIENTS) as pool:
            responses = [response for some in pool.map(call_often, range(CLIENTS)) for response in some]
        refused = CLIENTS * REQUESTS_EACH - DEFAULT_LIMIT
        assert Counter(response.status_code for response in responses) == {200: DEFAULT_LIMIT, 429: refused}
        assert all(int(response.headers["Retry-After"]) >= 1 for response in responses if response.status_code == 429)
