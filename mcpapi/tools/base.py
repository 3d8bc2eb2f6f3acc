"""The definition of a tool: a function, its arguments and result as pydantic models, its scope and its hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, TypeVar, cast, get_type_hints

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from common.scopes import Scope
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.approvals.enforcement import AssessRisk, require_approval
from mcpapi.calls.budgets import EmbeddingBudgetExceeded, budget_exceeded
from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.rpc.notifier import NotificationKind
from mcpapi.rpc.suspension import CallSuspended
from mcpapi.tool_failures import describe_validation, failure, failure_from
from mcpapi.tools import lenient
from mcpapi.tools.schema import input_schema, output_schema

UNKNOWN_NAMED = 3
"""The most unknown arguments that an error names."""


class Args(BaseModel):
    """Arguments of a tool. Only unambiguous values are converted, and no extra arguments are accepted.

    An optional argument that is null counts as not given: some clients fill in every argument that a tool has.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def is_dry_run(self) -> bool:
        """Whether the call only asks what would happen."""
        return bool(getattr(self, "dry_run", False))

    @property
    def is_hard_delete(self) -> bool:
        """Whether the call deletes permanently."""
        return bool(getattr(self, "hard_delete", False))

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, arguments: object) -> object:
        arguments = lenient.as_object(arguments)
        if not isinstance(arguments, dict):
            return arguments
        known = _fields_of(cls)
        given = {name: value for name, value in arguments.items() if value is not None or known.get(name, True)}
        for name in [name for name in given if name not in known][UNKNOWN_NAMED:]:
            del given[name]
        return given


@cache
def _fields_of(args: type[Args]) -> Mapping[str, bool]:
    """Return the names of the arguments, and whether each is required."""
    return {name: field.is_required() for name, field in args.model_fields.items()}


class Result(BaseModel):
    """The result of a tool without `ok`. Fields that were not set are left out."""

    model_config = ConfigDict(frozen=True)

    def payload(self) -> dict[str, Any]:
        """Return the result as a JSON object that begins with `ok`."""
        return {"ok": True, **self.model_dump(exclude_unset=True)}


class PlainResult(Result):
    """A result whose fields hold JSON values in place of models: the fields only describe them.

    For results of hot paths. Making models and serializing them takes several times as long as reading the values.
    """

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """Return the result with these fields. Nothing is validated: tests compare the values with the fields."""
        return cast(Self, cls.model_construct(_fields_set=set(fields), **fields))

    def payload(self) -> dict[str, Any]:
        """See `Result.payload`."""
        return {
            "ok": True,
            **{name: getattr(self, name) for name in _names_of(type(self)) if name in self.model_fields_set},
        }


@cache
def _names_of(result: type[Result]) -> Sequence[str]:
    return list(result.model_fields)


ArgsT = TypeVar("ArgsT", bound=Args)


@dataclass(frozen=True, slots=True)
class Hints:
    """The behaviour that a client may expect of a tool (MCP, ToolAnnotations).

    `open_world`: it reads files or servers outside of OwnSona.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    def as_json(self, title: str) -> dict[str, Any]:
        """Return the annotations as they are sent."""
        return {
            "title": title,
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that clients can call by name."""

    name: str
    title: str
    description: str
    scope: Scope
    hints: Hints
    args: type[Args]
    result: type[Result]
    run: Callable[[Caller, Any], Result]
    stronger_scope: Callable[[Any], Scope | None]
    risk: AssessRisk
    notifications: Set[NotificationKind]
    takes_many_texts: bool

    def required_scope(self, args: Args) -> Scope:
        """Return the scope that a call with these arguments needs."""
        return self.stronger_scope(args) or self.scope

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of `tools/call` (MCP, CallToolResult), which may be a failure.

        Raises RpcError for a missing scope. The scope is checked first, so that a caller without it learns nothing from
        the validation.
        """
        caller.require_scope(self.scope)
        try:
            args: Args = self.args.model_validate(arguments)
        except ValidationError as error:
            return call_result(caller, failure("INVALID_INPUT", describe_validation(error, self.args.model_fields)))
        caller.is_hard_delete = args.is_hard_delete
        caller.require_scope(self.required_scope(args))
        caller.is_dry_run = args.is_dry_run
        return call_result(caller, self._payload(caller, args))

    def _payload(self, caller: Caller, args: Args) -> dict[str, Any]:
        try:
            with require_approval(caller, self.name, args, self.risk):
                payload = self.run(caller, args).payload()
            caller.record_usage(is_write=not self.hints.read_only and not args.is_dry_run)
            return payload
        except (RpcError, CallSuspended):
            raise
        except EmbeddingBudgetExceeded as error:
            raise budget_exceeded(error.balance) from None
        except Exception as error:  # noqa: BLE001 - the one place where a tool's failure becomes its result
            return failure_from(error)

    def definition(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it, in the shape of the newest revision."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema(self.args),
            "outputSchema": output_schema(self.result),
            "annotations": self.hints.as_json(self.title),
        }


def call_result(caller: Caller, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload as MCP's CallToolResult, and record its error code."""
    if not payload["ok"]:
        caller.failure = payload["error"]["code"]
    encoded = orjson.dumps(payload)
    return {
        "content": [{"type": "text", "text": encoded.decode()}],
        "structuredContent": orjson.Fragment(encoded),
        "isError": not payload["ok"],
    }


def _no_stronger_scope(_: Args) -> Scope | None:
    return None


def _no_risk(_: Caller, __: Args) -> RiskyAction | None:
    return None


def tool(
    *,
    title: str,
    scope: Scope,
    hints: Hints,
    stronger_scope: Callable[[ArgsT], Scope | None] = _no_stronger_scope,
    risk: Callable[[Caller, ArgsT], RiskyAction | None] = _no_risk,
    notifications: Set[NotificationKind] = frozenset(),
    takes_many_texts: bool = False,
) -> Callable[[Callable[[Caller, ArgsT], Result]], Tool]:
    """Make a tool of a function: its name is the tool's, its docstring the description that a model reads.

    `risk` returns the risky action of a call, which the owner may want to approve first; it raises the errors of the
    call. `notifications` are the kinds that the function sends through `caller.notifier`. `takes_many_texts`: a call
    may have a large body.
    """

    def make(function: Callable[[Caller, ArgsT], Result]) -> Tool:
        hinted = get_type_hints(function)
        return Tool(
            name=function.__name__,
            title=title,
            description=" ".join(inspect.getdoc(function).split()),  # type: ignore[union-attr] # a test wants it
            scope=scope,
            hints=hints,
            args=hinted["args"],
            result=hinted["return"],
            run=function,
            stronger_scope=stronger_scope,
            risk=risk,
            notifications=notifications,
            takes_many_texts=takes_many_texts,
        )

    return make
