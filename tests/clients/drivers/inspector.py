"""Driver of the MCP Inspector's command line, one run per call: `inspector.py URL`. See driven.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.clients.installed import NODE_PACKAGES, node
from tests.support.live_server import free_port

PROGRAM = NODE_PACKAGES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"


def inspect(url: str, *arguments: str) -> Any:
    """Return the result that the Inspector prints for one method. It reports errors on stderr itself."""
    command = [str(node()), str(PROGRAM), "--cli", "--server-url", url, "--transport", "http", "--format", "json"]
    command += ["--callback-url", f"http://127.0.0.1:{free_port()}/oauth/callback"]
    # These settings let it open a browser without a terminal and keep tokens without a keychain.
    environment = {**os.environ, "MCP_AUTO_OPEN_ENABLED": "true", "MCP_INSPECTOR_SECRET_STORE": "file"}
    done = subprocess.run(
        [*command, "--method", *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)["result"]


def main(url: str) -> None:
    print(json.dumps([tool["name"] for tool in inspect(url, "tools/list")["tools"]]), flush=True)
    for line in sys.stdin:
        call = json.loads(line)
        arguments = json.dumps(call["arguments"])
        result = inspect(url, "tools/call", "--tool-name", call["name"], "--tool-args-json", arguments)
        print(json.dumps(result["structuredContent"]), flush=True)


main(sys.argv[1])
