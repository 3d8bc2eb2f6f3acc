"""Tests of adding, testing and calling a custom tool, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from customtools.running.log import tool_log
from customtools.sandbox.pool import pool
from oauthserver.models import User
from tests.browser.apps.test_approvals import call
from tests.browser.conftest import fits, log_in
from tests.support.concurrency import in_threads
from tests.support.factories import make_memory, make_personal_token

SOURCE = """\
tool = {
  name = "where_is",
  description = "Tells where something is.",
  parameters = { type = "object", properties = { thing = { type = "string" } }, required = { "thing" } },
}

function tool.execute(params, context)
  local found = context.text = params.thing
end
"""
FIXED = SOURCE.replace(
    "  local found = context.text = params.thing\n",
    '  local found = context.recall(params.thing, { mode = "keyword" }).matches[1]\n'
    '  if not found then\n    error("nobody knows where it is")\n  end\n  return { place = found.text }\n',
)


@pytest.fixture
def token(person: User) -> Iterator[str]:
    """A token of an app, created first: while the browser runs, this thread can run no query."""
    # Lines of earlier tests, whose owners are gone, could not be stored together with the new ones.
    tool_log.flush_safely()
    make_memory(person, "The kettle stands in the kitchen.")
    yield make_personal_token(person, "Kitchen app")
    pool.close()


def listed(live_server: LiveServer, token: str) -> set[str]:
    """Return the names of the tools that the app lists and that are not built-in."""
    answer = httpx.get(f"{live_server.url}/tools/list", headers={"authorization": f"Bearer {token}"}, timeout=30)
    return {tool["name"] for tool in answer.json()["tools"] if not tool["builtin"]}


def test_a_tool_is_added_corrected_tested_and_called(
    token: str, page: Page, live_server: LiveServer, complaints: list[str]
) -> None:
    page.goto("/login/?next=/admin/custom-tools/")
    log_in(page)
    page.get_by_role("link", name="Add a Lua script").click()
    source = page.get_by_label("Source")
    assert source.evaluate("field => innerWidth > 719 || field.scrollWidth <= field.clientWidth")
    expect(source).to_contain_text("days_until")
    assert fits(page)
    source.fill(SOURCE)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("line 8: unexpected symbol near '='")).to_be_visible()
    expect(source).to_have_value(SOURCE)
    assert fits(page)
    assert listed(live_server, token) == set()

    source.fill(FIXED)
    page.get_by_label("Arguments of a test run").fill('{"thing": "bicycle"}')
    page.get_by_role("button", name="Test run").click()
    outcome = page.get_by_role("status", name="Test run")
    expect(outcome).to_contain_text("The test run failed")
    expect(outcome).to_contain_text("line 10: nobody knows where it is")
    page.get_by_label("Arguments of a test run").fill('{"thing": "kettle"}')
    page.get_by_role("button", name="Test run").click()
    expect(outcome).to_contain_text("The test run succeeded")
    expect(outcome).to_contain_text("The kettle stands in the kitchen.")
    assert fits(page)
    assert listed(live_server, token) == set()

    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved where_is.")).to_be_visible()
    assert listed(live_server, token) == {"where_is"}
    result = call(live_server, token, "where_is", thing="kettle")
    assert result == {"ok": True, "result": {"place": "The kettle stands in the kitchen."}}
    failed = call(live_server, token, "where_is", thing="bicycle")
    assert failed["error"] == {"code": "tool_error", "message": "line 10: nobody knows where it is"}

    page.goto("/admin/custom-tools/")
    expect(page.get_by_role("link", name="where_is")).to_be_visible()
    assert fits(page)
    # Tests have no thread that does this, and this one cannot.
    in_threads(1, lambda _: tool_log.flush())
    page.get_by_role("link", name="Log What tools logged").click()
    expect(page.get_by_role("heading", name="Log of custom tools")).to_be_visible()
    expect(page.get_by_text("line 10: nobody knows where it is").first).to_be_visible()
    expect(page.get_by_text("Kitchen app").first).to_be_visible()
    assert fits(page)

    page.goto("/admin/custom-tools/")
    page.get_by_role("link", name="where_is").click()
    page.get_by_role("link", name="Delete this tool").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted where_is.")).to_be_visible()
    assert listed(live_server, token) == set()
    assert complaints == []


def test_no_line_of_an_example_is_cut_off(page: Page) -> None:
    page.goto("/login/?next=/admin/custom-tools/add/")
    log_in(page)
    for kind in ("lua", "http"):
        page.goto(f"/admin/custom-tools/add/?kind={kind}")
        assert page.get_by_label("Source").evaluate("(field) => field.scrollWidth <= field.clientWidth")
        assert fits(page)


def test_two_windows_do_not_overwrite_each_other(token: str, page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/custom-tools/add/%3Fkind=lua")
    log_in(page)
    page.get_by_label("Source").fill(FIXED)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved where_is.")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    for window, text in ((page, "first"), (other, "second")):
        window.get_by_label("Source").fill(FIXED.replace("nobody knows", text))
        window.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved where_is.")).to_be_visible()
    expect(
        other.get_by_text("This tool was changed after you opened the page, perhaps in another tab.")
    ).to_be_visible()
    expect(other.get_by_label("Source")).to_have_value(FIXED.replace("nobody knows", "second"))
    page.reload()
    expect(page.get_by_label("Source")).to_have_value(FIXED.replace("nobody knows", "first"))
    assert complaints == []
