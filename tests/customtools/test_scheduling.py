"""Tests of the scheduling of custom tools: a process runs only some of them at once."""

from __future__ import annotations

from io import BytesIO

import pytest

from oauthserver.models import User
from ownsona_site.web.request_bodies import Body
from ownsona_site.web.request_threads import is_expensive
from tests.customtools.support import make_tool
from tests.support.factories import Assistant


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("/mcp", b'{"method": "tools/call", "params": {"name": "scheduled_tool"}}', True),
        ("/tools/scheduled_tool", b"{}", True),
        ("/mcp", b'{"method": "tools/call", "params": {"name": "ping"}}', False),
        ("/tools/ping", b"{}", False),
    ],
)
def test_calls_of_custom_tools_are_expensive(
    owner: User, assistant: Assistant, path: str, content: bytes, expected: bool
) -> None:
    make_tool(owner, "return 1", name="scheduled_tool")
    assistant.call("scheduled_tool")
    assert is_expensive({"method": "POST", "path": path}, Body(BytesIO(content))) is expected
