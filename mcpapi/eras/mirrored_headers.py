"""Headers that repeat the body of a stateless request (MCP 2026-07-28, Streamable HTTP, "Request Metadata").

A proxy may route by them: a header that differs from the body would let a request bypass the proxy's rules.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

from mcpapi.rpc.envelope import VERSION_HEADER
from mcpapi.rpc.jsonrpc import HEADER_MISMATCH, Call, RpcError

METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""By method: the parameter that Mcp-Name repeats."""

_ENCODED = re.compile(r"=\?base64\?(?P<value>.*)\?=", re.DOTALL)
_PLAIN = re.compile(r"[\x20-\x7e\t]*")


def check_headers(headers: Mapping[str, str], call: Call, protocol_version: str) -> None:
    """Raise RpcError -32020 if a header is missing, malformed or different from the body."""
    _compare(headers, VERSION_HEADER, protocol_version)
    _compare(headers, METHOD_HEADER, call.method)
    name = call.params.get(NAMED_BY.get(call.method, ""))
    # A missing name is an error that the method itself reports.
    if isinstance(name, str):
        _compare(headers, NAME_HEADER, name)


def _compare(headers: Mapping[str, str], header: str, expected: str) -> None:
    sent = headers.get(header)
    if sent is None:
        raise _mismatch(header, "is missing")
    if not _PLAIN.fullmatch(sent):
        raise _mismatch(header, "has characters that are not allowed in a header: encode it as =?base64?…?=")
    if (decoded := decoded_header(sent) if header == NAME_HEADER else sent) is None:
        raise _mismatch(header, "is not valid base64 of UTF-8 between =?base64? and ?=")
    if decoded != expected:
        raise _mismatch(header, "differs from the body")


def decoded_header(value: str) -> str | None:
    """Decode a header value ("Value Encoding"). Return None if its encoding is invalid."""
    encoded = _ENCODED.fullmatch(value)
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded["value"], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _mismatch(header: str, problem: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"Header mismatch: {header} {problem}", reason="header_mismatch", header=header)
