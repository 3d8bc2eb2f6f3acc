"""Tests of the diagram of a call in docs/architecture.md, compared with the modules that real calls pass through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings

from oauthserver.models import User
from ownsona_site.web.asgi_handler import AsgiHandler
from tests.project.request_path import Stack, post_to_mcp, recorded_stacks
from tests.project.test_architecture import ROOT
from tests.support.factories import make_access_token, make_user
from tests.support.mcp.handshake_client import INITIALIZE

MOST_MODULES = 25
CALLS: dict[str, dict[str, Any]] = {
    "remember": {"text": "The dog is called Mochi"},
    "recall": {"query": "what is the dog called"},
}


@pytest.fixture
def application() -> Iterator[AsgiHandler]:
    """The ASGI application with one request thread, whose database connection is closed at the end."""
    with override_settings(WEB_THREADS=1):
        handler = AsgiHandler()
        yield handler
        handler._threads.submit(connections.close_all).result()


def stacks_of(application: AsgiHandler, user: User, tool: str) -> set[Stack]:
    """Return the stacks of modules of a call in a session, when all caches are filled."""
    headers = {"authorization": f"Bearer {make_access_token(user)}"}
    headers["mcp-session-id"] = post_to_mcp(application, headers, message("initialize", INITIALIZE))["Mcp-Session-Id"]
    post_to_mcp(application, headers, message("tools/call", {"name": tool, "arguments": CALLS[tool]}))
    arguments = {name: f"{value} again" for name, value in CALLS[tool].items()}
    with recorded_stacks() as stacks:
        post_to_mcp(application, headers, message("tools/call", {"name": tool, "arguments": arguments}))
    return stacks


def message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.django_db(transaction=True)
def test_the_diagram_shows_the_path_of_a_call_and_the_path_goes_forward(application: AsgiHandler) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (diagram,) = re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL)
    modules = dict(re.findall(r'(\w+)\["([\w/.]+)"\]', diagram))
    shown = {(modules[first], modules[second]) for first, second in re.findall(r"^ *(\w+) --> (\w+)", diagram, re.M)}
    order = list(modules.values())
    user = make_user()
    passed: set[tuple[str, str]] = set()
    for tool in CALLS:
        stacks = stacks_of(application, user, tool)
        assert len({module for stack in stacks for module in stack}) <= MOST_MODULES, tool
        passed |= {step for stack in stacks for step in pairwise(stack)}
    assert passed == shown
    assert all(order.index(first) < order.index(second) for first, second in passed)
