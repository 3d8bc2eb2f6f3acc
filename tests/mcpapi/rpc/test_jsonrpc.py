"""Tests of the error codes."""

from __future__ import annotations

import re

from mcpapi.rpc import jsonrpc
from tests.support.live_server import ROOT

RESERVED = range(-32099, -32019)


def test_the_protocols_own_codes_are_those_of_its_schema() -> None:
    ours = {value for value in vars(jsonrpc).values() if isinstance(value, int) and value in RESERVED}
    schema = (ROOT / "tests" / "schemas" / "2026-07-28.json").read_text(encoding="utf-8")
    theirs = {int(code) for code in re.findall(r'"const": (-320[2-9]\d)', schema)}
    assert ours == theirs
