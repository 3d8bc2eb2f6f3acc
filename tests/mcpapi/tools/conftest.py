"""A check that each result of a tool in these tests satisfies the tool's output schema."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcpapi.tools import TOOLS, UNLISTED
from oauthserver.models import User
from tests.support.factories import Assistant

SCHEMAS = {tool.name: tool.definition()["outputSchema"] for tool in (*TOOLS, *UNLISTED)}


class CheckedAssistant(Assistant):
    """An assistant as strict as the strictest client."""

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        payload = super().call(tool, **arguments)
        schema = SCHEMAS[tool]
        Draft202012Validator(schema).validate(payload)
        unknown = set(payload) - set(schema["properties"])
        assert not unknown, f"{tool} answers with fields that its schema does not name: {unknown}"
        return payload


@pytest.fixture
def assistant(owner: User) -> CheckedAssistant:
    return CheckedAssistant.of(owner)
