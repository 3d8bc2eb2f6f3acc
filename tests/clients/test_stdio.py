"""Real clients that start `manage.py mcp_stdio`, in both eras."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from mcp.client.subscriptions import ResourcesListChanged

from ownsona_site.embedded_postgres.processes import server_processes
from tests.clients.driven import ANSWER_LIMIT_SECONDS, DRIVERS, Session
from tests.clients.installed import NODE_PACKAGES, node, python_of
from tests.support.first_database import copy_first_database
from tests.support.live_server import server_environment
from tests.support.processes import ROOT, eventually, temporary_data_directory

PROGRAM = [sys.executable, str(ROOT / "manage.py"), "mcp_stdio"]


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """The environment in which clients start the program: a data folder of its own, and no running server."""
    with temporary_data_directory() as path:
        copy_first_database(path)
        settings = server_environment(path, 8000)
        # The first start takes longer than others. A client that is unsure of the era would not wait that long.
        subprocess.run(PROGRAM, cwd=ROOT, env=settings, stdin=subprocess.DEVNULL, check=True)
        yield settings
        assert eventually(lambda: not server_processes(path / "postgres"))


@pytest.mark.parametrize(
    ("mode", "agreed"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]
)
def test_the_python_sdk_lists_and_calls_in_either_era(environment: dict[str, str], mode: Any, agreed: str) -> None:
    program = StdioServerParameters(command=PROGRAM[0], args=PROGRAM[1:], env=environment)

    async def work() -> None:
        async with Client(stdio_client(program), mode=mode) as client:
            assert client.protocol_version == agreed
            assert "recall" in {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("remember", {"text": f"I know {mode}"})
            assert result.structured_content is not None
            assert result.structured_content["ok"] is True
            assert "ownsona://stats" in {str(each.uri) for each in (await client.list_resources()).resources}

    asyncio.run(work())


def test_the_python_sdk_hears_of_changes(environment: dict[str, str]) -> None:
    program = StdioServerParameters(command=PROGRAM[0], args=PROGRAM[1:], env=environment)

    async def work() -> None:
        async with (
            Client(stdio_client(program), mode="2026-07-28") as client,
            client.listen(resources_list_changed=True) as heard,
        ):
            await client.call_tool("remember", {"text": "The house has a new door"})
            async with asyncio.timeout(ANSWER_LIMIT_SECONDS):
                assert await anext(aiter(heard)) == ResourcesListChanged()

    asyncio.run(work())


DRIVEN = {
    "Python SDK 1.x": [python_of("python-sdk-1"), DRIVERS / "stdio_python_sdk_1.py"],
    "TypeScript 2.x": [node(), DRIVERS / "stdio_typescript_client_2.mjs"],
}


@pytest.mark.parametrize("name", DRIVEN)
def test_an_sdk_that_is_a_program_of_its_own_uses_tools(environment: dict[str, str], tmp_path: Path, name: str) -> None:
    interpreter, driver = DRIVEN[name]
    if not interpreter.exists() or (driver.suffix == ".mjs" and not (NODE_PACKAGES / "@modelcontextprotocol").exists()):
        pytest.skip(f"{name} is not installed: run `make clients`")
    with (tmp_path / "stderr").open("w") as stderr:
        process = subprocess.Popen(
            [interpreter, driver, *PROGRAM],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    with process:
        try:
            session = Session(process, tmp_path)
            assert {"remember", "recall"} <= set(session.tools)
            fact = f"My favourite program is {name}"
            memory_id = session.call("remember", text=fact)["memory_id"]
            assert session.call("recall", query=fact)["matches"][0]["id"] == memory_id
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(ANSWER_LIMIT_SECONDS) == 0, (tmp_path / "stderr").read_text()
        finally:
            process.kill()
