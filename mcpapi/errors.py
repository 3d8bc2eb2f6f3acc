"""From errors of the domain to a tool's failure: one table, by class."""

from __future__ import annotations

import logging
from typing import Any

from django.db import DatabaseError
from pydantic import ValidationError

from memories.errors import EmbeddingError, MemoriesError

logger = logging.getLogger(__name__)

Failure = dict[str, Any]


def failure(code: str, message: str, **extra: Any) -> Failure:
    """The payload of a tool that failed."""
    return {"ok": False, "error": {"code": code, "message": message, **extra}}


def failure_from(error: Exception) -> Failure:
    """What the client may know of `error`: the text of an unexpected one stays in the log."""
    match error:
        case EmbeddingError(status=int(status)):
            return failure(error.code, str(error), status=status)
        case MemoriesError():
            return failure(error.code, str(error))
        case ValidationError():
            return failure("INVALID_INPUT", describe_validation(error))
        case DatabaseError():
            logger.exception("The database failed")
            return failure("DATABASE_ERROR", "The database failed. Nothing was changed; try again.")
        case _:
            logger.exception("A tool failed unexpectedly")
            return failure("INTERNAL_ERROR", "Something went wrong in the server. The detail is in its log.")


def describe_validation(error: ValidationError) -> str:
    """One sentence for each wrong argument: its name and what it should be. Never the value: it may be a secret."""
    return " ".join(_describe(problem["loc"], problem["type"], problem["msg"]) for problem in error.errors())


def _describe(location: tuple[int | str, ...], kind: str, message: str) -> str:
    name = ".".join(str(part) for part in location) or "arguments"
    match kind:
        case "missing":
            return f"{name}: is required."
        case "extra_forbidden":
            return f"{name}: is not an argument of this tool."
        case _:
            return f"{name}: {message}."
