"""Tests of approving a risky call, in a real browser."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from common.risks import Risk
from memories.models import Memory
from oauthserver.models import User
from tests.browser.conftest import Finger, fits, log_in, press
from tests.support.factories import make_memory, make_personal_token


@pytest.fixture
def token(person: User) -> str:
    """A token of a script that needs approval, created first: while the browser runs, this thread can run no query."""
    return make_personal_token(person, "Tidy script", approvals=Risk.values)


@pytest.fixture
def memories(person: User) -> list[Memory]:
    return [make_memory(person, f"Fact number {number} is worth a line.") for number in range(12)]


def call(live_server: LiveServer, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    answer = httpx.post(
        f"{live_server.url}/mcp", json=message, headers={"authorization": f"Bearer {token}"}, timeout=30
    )
    payload: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return payload


def test_calls_are_approved_and_rejected_one_by_one(
    token: str, memories: list[Memory], page: Page, live_server: LiveServer
) -> None:
    ids = [memory.pk for memory in memories]
    assert call(live_server, token, "forget_batch", ids=ids)["error"]["code"] == "APPROVAL_TIMED_OUT"
    assert call(live_server, token, "export_memories")["error"]["code"] == "APPROVAL_TIMED_OUT"
    page.goto("/login/?next=/admin/")
    log_in(page)
    waiting = page.get_by_role("link", name="2 calls need your approval")
    expect(waiting).to_be_visible()
    assert fits(page)
    waiting.click()
    forgetting = page.get_by_role("form", name="Forget 12 memories")
    expect(forgetting.get_by_text("Fact number 9 is worth a line.")).to_be_visible()
    expect(forgetting.get_by_text("and 2 more")).to_be_visible()
    assert fits(page)
    forgetting.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected. Nothing is changed.")).to_be_visible()
    page.get_by_role("form", name="Export").get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Nothing awaits your approval")).to_be_visible()
    assert call(live_server, token, "forget_batch", ids=ids)["error"]["code"] == "APPROVAL_REJECTED"
    assert call(live_server, token, "export_memories")["count"] == 12
    page.reload()
    expect(page.get_by_text("Carried out")).to_be_visible()
    assert fits(page)


def test_a_permanent_deletion_is_approved_with_a_key_of_its_own_pressed_twice(
    token: str, memories: list[Memory], page: Page, live_server: LiveServer, complaints: list[str]
) -> None:
    pk = memories[0].pk
    assert call(live_server, token, "forget", id=pk, hard_delete=True)["error"]["code"] == "APPROVAL_TIMED_OUT"
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    for key in ("k", "Enter", "Control+Enter", "f"):
        press(page, key)
        expect(page.get_by_role("button", name="Approve")).to_be_visible()
    press(page, "a")
    question = page.get_by_text("This cannot be undone. Press A again to delete permanently.")
    expect(question).to_be_visible()
    expect(page.locator("#sure")).to_be_focused()
    assert fits(page)
    for key in ("Enter", "Control+Enter"):
        press(page, key)
        expect(question).to_be_visible()
    for key in ("Escape", "k", "f", "l"):
        press(page, key)
        expect(question).to_be_hidden()
        press(page, "a")
        expect(question).to_be_visible()
    press(page, "a")
    expect(page.get_by_text("Nothing to decide")).to_be_visible()
    assert call(live_server, token, "forget", id=pk, hard_delete=True)["ok"] is True
    assert complaints == []


def test_a_permanent_deletion_is_rejected_in_its_second_step(
    token: str, memories: list[Memory], page: Page, live_server: LiveServer
) -> None:
    pk = memories[0].pk
    assert call(live_server, token, "forget", id=pk, hard_delete=True)["error"]["code"] == "APPROVAL_TIMED_OUT"
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    press(page, "a")
    expect(page.locator("#sure")).to_be_focused()
    assert fits(page)
    press(page, "r")
    expect(page.get_by_text("Rejected. Nothing is changed.")).to_be_visible()
    press(page, "a")
    assert call(live_server, token, "forget", id=pk, hard_delete=True)["error"]["code"] == "APPROVAL_REJECTED"


@pytest.mark.parametrize("end", [360, 30])
def test_a_swipe_decides_nothing_about_an_approval(
    token: str, memories: list[Memory], chromium: Browser, live_server: LiveServer, end: int
) -> None:
    call(live_server, token, "forget", id=memories[0].pk, hard_delete=True)
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    Finger(page).move((195, 300), (end, 304)).lift()
    page.wait_for_timeout(300)
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    expect(page.get_by_text("Swipe")).to_be_hidden()
