"""The conversion of domain errors to failures of tools."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable
from typing import Any, Final

from django.db import DatabaseError
from pydantic import ValidationError

from common.disk_space import is_about_full_disk, note_full_disk
from common.texts import translatable
from mcpapi.calls.approval_errors import NotApproved
from memories.errors import EmbeddingError, MemoriesError, SecretRejected, StorageFull
from memories.validation.text import refuse_secrets

logger = logging.getLogger(__name__)

Failure = dict[str, Any]

PYDANTIC_MESSAGES: Final = (
    translatable("must be a valid string"),
    translatable("must be a valid integer"),
    translatable("must be a valid integer, unable to parse string as an integer"),
    translatable("must be a valid integer, got a number with a fractional part"),
    translatable("must be a valid number"),
    translatable("must be a valid number, unable to parse string as a number"),
    translatable("must be a valid boolean"),
    translatable("must be a valid boolean, unable to interpret input"),
    translatable("must be a valid list"),
    translatable("must be greater than %(least)s"),
    translatable("must be greater than or equal to %(least)s"),
    translatable("must be less than %(most)s"),
    translatable("must be less than or equal to %(most)s"),
    translatable("must be %(choices)s or %(choice)s"),
    translatable("String should have at most %(most)s characters"),
    translatable("String should have at least %(least)s character"),
    translatable("List should have at most %(most)s items after validation, not %(given)s"),
    translatable("List should have at least %(least)s item after validation, not %(given)s"),
    # Of mcpapi/tools/arguments.py
    translatable("names a day that does not exist. Check the month and the day"),
    translatable("must be an ISO 8601 time, such as 2026-05-17T14:00:00Z, or a date"),
)
"""Pydantic's messages about arguments, as `_describe` returns them. Pages translate them with this list."""

MAX_PROBLEMS = 10
MAX_NAME_CHARS = 100


def failure(code: str, message: str, **extra: Any) -> Failure:
    """Return the payload of a failed tool."""
    return {"ok": False, "error": {"code": code, "message": message, **extra}}


def failure_from(error: Exception) -> Failure:
    """Return what the client may know of `error`. The text of an unexpected error is only logged."""
    match error:
        case EmbeddingError(status=int(status)):
            return failure(error.code, str(error), status=status)
        case NotApproved():
            return failure(error.code, str(error), rpc_code=error.rpc_code)
        case MemoriesError():
            return failure(error.code, str(error))
        case ValidationError():
            return failure("INVALID_INPUT", describe_validation(error))
        case DatabaseError() if is_about_full_disk(error):
            note_full_disk()
            return failure_from(StorageFull())
        case DatabaseError():
            logger.exception("The database failed")
            return failure("DATABASE_ERROR", "The database failed. Try again.")
        case _:
            logger.exception("A tool failed unexpectedly")
            return failure("INTERNAL_ERROR", "Something went wrong in the server. See its log for details.")


def describe_validation(error: ValidationError, known: Iterable[str] = (), whole: str = "arguments") -> str:
    """Return one sentence per wrong argument: its name and what it should be. Never the value: it may be a secret.

    `known` are the arguments that there are, for errors about others or about the whole, and `whole` is what has them.
    """
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    said = [_describe(problem["loc"], problem["type"], problem["msg"], whole) for problem in problems[:MAX_PROBLEMS]]
    names = ", ".join(known)
    if names and any(problem["type"] == "extra_forbidden" or not problem["loc"] for problem in problems):
        said.append(translatable("The arguments are: %(names)s.", names=names))
    return " ".join(said)


def _describe(location: tuple[int | str, ...], kind: str, message: str, whole: str) -> str:
    name = _name_at(location, whole)
    match kind:
        case "missing":
            said = translatable("is required.")
        case "extra_forbidden":
            said = translatable("is not an argument of this tool.")
        case "model_type" | "dict_type":
            said = translatable("must be an object.")
        case _:
            said = f"{message.replace('Input should be', 'must be')}."
    return f"{name}: {said}"


def _name_at(location: tuple[int | str, ...], whole: str) -> str:
    """Return the argument and, within a list, the index. The rest of pydantic's location is internal."""
    indexes = itertools.takewhile(lambda part: isinstance(part, int), location[1:])
    name = ".".join(str(part)[:MAX_NAME_CHARS] for part in (*location[:1], *indexes)) or whole
    try:
        refuse_secrets("name", name)
    except SecretRejected:
        return "an argument that looks like a secret"
    return name
