"""One running server for all the clients of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live_server import LiveServer, live_server


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live_server(MCP_RATE_LIMIT_PER_MINUTE="0") as running:
        yield running
