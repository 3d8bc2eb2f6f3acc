"""Running servers for the tests of all clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.live_server import LiveServer, live_server


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server of each file, because what one file stores must not change what another one recalls."""
    with live_server(MCP_RATE_LIMIT_PER_MINUTE="0") as running:
        yield running


@pytest.fixture(scope="module")
def short_lived_server() -> Iterator[LiveServer]:
    """A server whose access tokens expire after seconds."""
    with live_server(
        MCP_RATE_LIMIT_PER_MINUTE="0", DJANGO_SETTINGS_MODULE="tests.clients.short_lived_tokens"
    ) as running:
        yield running
