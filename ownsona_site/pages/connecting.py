"""Commands and settings with which each client connects, for the home page."""

from __future__ import annotations

import json
import sys

from django.conf import settings
from django.utils.translation import gettext_noop

from ownsona_site.configuration.data_directory import data_folder_setting

CLIENTS = (
    ("claude-code", "Claude Code"),
    ("claude", "Claude"),
    ("chatgpt", "ChatGPT"),
    ("cursor", "Cursor"),
    ("vs-code", "VS Code"),
    ("codex", "Codex"),
    ("gemini-cli", "Gemini CLI"),
    ("windsurf", "Windsurf"),
    ("zed", "Zed"),
    ("stdio", gettext_noop("Local (stdio) connection")),
    ("scripts", gettext_noop("Scripts")),
)
"""The ids of the sections of the page, and the names of their links."""

SCRIPT = """curl {url} \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}'"""


def connection_snippets(url: str, *, with_paths: bool) -> dict[str, str]:
    """Return what the owner copies for each client, by the name of the client.

    `url` is the MCP URL. `with_paths` shows the full paths of this installation, which a visitor must not see.
    """
    return {
        "claude_code": f"claude mcp add --transport http ownsona {url}",
        "cursor": _entry("mcpServers", {"url": url}),
        "vs_code": _entry("servers", {"type": "http", "url": url}),
        "codex": f"codex mcp add ownsona --url {url}\ncodex mcp login ownsona",
        "gemini_cli": f"gemini mcp add --transport http ownsona {url}",
        "windsurf": _entry("mcpServers", {"serverUrl": url}),
        "zed": _entry("context_servers", {"url": url}),
        "stdio": _program_entry(with_paths=with_paths),
        "remote": f"npx -y mcp-remote {url}",
        "scripts": SCRIPT.format(url=url),
    }


def _entry(key: str, server: dict[str, object]) -> str:
    """Return the JSON of a client's settings file, whose servers are under `key`."""
    return json.dumps({key: {"ownsona": server}}, indent=2, ensure_ascii=False)


def _program_entry(*, with_paths: bool) -> str:
    """Return the JSON by which a client starts `mcp_stdio`, with full paths or with those relative to the folder."""
    python, program = (
        (sys.executable, str(settings.BASE_DIR / "manage.py")) if with_paths else (".venv/bin/python", "manage.py")
    )
    entry: dict[str, object] = {"command": python, "args": [program, "mcp_stdio"]}
    if with_paths and (setting := data_folder_setting(settings.DATA_DIR)):
        entry["env"] = setting
    return _entry("mcpServers", entry)
