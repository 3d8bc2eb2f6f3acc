"""Tests of custom tools in archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from customtools.models import AllowedHost, CustomTool, ToolSecret
from memories.transfer.archive.importing import import_archive
from oauthserver.models import User
from tests.customtools.support import allow, make_http_tool, make_secret, make_tool
from tests.customtools.test_files import GREET
from tests.memories.transfer.archive.contents import exported, lists_in
from tests.support.factories import Assistant, make_user, owner_actor


def test_another_owner_gets_the_tools_but_neither_hosts_nor_secrets(
    owner: User, assistant: Assistant, tools_folder: Path, tmp_path: Path
) -> None:
    make_tool(owner, "return 'first'")
    make_http_tool(owner, {"url": "https://api.example.com/x"})
    CustomTool.objects.filter(name="ask_server").update(is_enabled=False)
    allow(owner, "https://api.example.com")
    make_secret(owner, "home_token", "s3cret-value")
    (tools_folder / "greet.lua").write_text(GREET)
    assistant.result("tools/list")
    path = exported(owner, tmp_path / "all.zip")
    assert "s3cret-value" not in str(lists_in(path))
    other = make_user()
    for added in (3, 0):
        assert import_archive(owner_actor(other), path).of("custom tools").added == added
    rows = (
        CustomTool.objects.filter(owner=other).order_by("name").values_list("name", "kind", "is_enabled", "file_name")
    )
    assert list(rows) == [("ask_server", "http", False, ""), ("attempt", "lua", True, ""), ("greet", "lua", True, "")]
    assert not AllowedHost.objects.filter(owner=other).exists()
    assert not ToolSecret.objects.filter(owner=other).exists()
    assert Assistant.of(other).call("greet", name="Ada")["result"] == {"greeting": "Hello, Ada"}


@pytest.mark.django_db
def test_a_tool_that_is_not_valid_here_is_listed_and_the_rest_is_imported(owner: User, tmp_path: Path) -> None:
    make_tool(owner, "return 1", name="broken")
    make_tool(owner, "return 1", name="fine")
    CustomTool.objects.filter(name="broken").update(source="tool = {")
    other = make_user()
    summary = import_archive(owner_actor(other), exported(owner, tmp_path / "all.zip"))
    assert summary.of("custom tools").added == 1
    assert CustomTool.objects.get(owner=other).name == "fine"
