"""Test runs of a tool, with the rights of its owner."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from common.scopes import ADMIN, READ, WRITE
from common.texts import translatable
from customtools.definitions.reading import read_http
from customtools.describing import describe
from customtools.models import CustomTool
from customtools.registry import Definition
from customtools.running.execution import execute
from mcpapi.calls.caller import Caller
from mcpapi.tool_failures import describe_validation, failure_from
from mcpapi.tools.custom.arguments import validator_of
from mcpapi.tools.custom.host import CallerHost
from memories.admin.base import ADMIN_CLIENT
from memories.errors import InvalidInput
from oauthserver.resource_server.principal import Principal

CLIENT_NAME: Final = "Test run"
MAX_SHOWN_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class TestRun:
    """The outcome of a test run: the result as JSON, or the problem."""

    __test__ = False

    text: str
    is_fine: bool
    milliseconds: int


def run_test(owner_id: int, kind: str, source: str, arguments: str) -> TestRun:
    """Run the tool as it was entered, without storing it. It really does what it does: stores and sends."""
    started = time.monotonic()
    try:
        text, is_fine = _result_of(owner_id, kind, source, arguments), True
    except Exception as error:  # noqa: BLE001 - shown like the failure of a call
        text, is_fine = failure_from(error)["error"]["message"], False
    return TestRun(text[:MAX_SHOWN_CHARS], is_fine, round((time.monotonic() - started) * 1000))


def _result_of(owner_id: int, kind: str, source: str, arguments: str) -> str:
    declaration = describe(owner_id, kind, source)
    template = read_http(source).template if kind == CustomTool.Kind.HTTP else None
    definition = Definition(0, 0, owner_id, kind, source, declaration, template)
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise InvalidInput(
            translatable('must be a JSON object such as {"name": "Ada"}.'), argument="arguments"
        ) from None
    try:
        values = validator_of(declaration.parameters).validate_python(given)
    except ValidationError as error:
        raise InvalidInput(describe_validation(error)) from None
    scopes = frozenset({READ, WRITE, ADMIN})
    principal = Principal(owner_id, ADMIN_CLIENT, CLIENT_NAME, scopes, (), (), "all", quarantine=False, permission=None)
    result = execute(definition, values, CallerHost(Caller.of(principal, ""), declaration.scope))
    return json.dumps(result, ensure_ascii=False, indent=2)
