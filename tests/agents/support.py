"""Agents for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.changes import create_agent
from agents.definitions import read_definition
from agents.files import agents_folder
from agents.models import Agent
from oauthserver.models import User

REVIEWER = {
    "title": "Reviewer",
    "description": "Reviews an incident.",
    "soul": "You review incidents of {service} calmly.",
    "tools": ["recall", "search_documents"],
    "config": {"temperature": 0.2, "model": "any"},
    "arguments": [
        {"name": "service", "description": "The service.", "required": True},
        {"name": "severity", "description": "How bad.", "choices": ["P1", "P2"], "default": "P2"},
    ],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "{severity} in {service}.\n{memories:service}"},
        {"role": "assistant", "content": "Understood."},
    ],
}
"""The data of an agent with everything that one can have."""


def make_agent(owner: User, name: str = "reviewer", **changes: Any) -> Agent:
    """Store an agent of the page: REVIEWER with `changes`."""
    return create_agent(owner.pk, name, read_definition({**REVIEWER, **changes}))


def write_file(name: str, content: str | bytes) -> Path:
    """Write a file into the folder of agents and return its path."""
    folder = agents_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
