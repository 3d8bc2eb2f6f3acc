"""Domain errors, each with a stable code."""

from __future__ import annotations


class MemoriesError(Exception):
    """Base class of the errors that a caller may see. `str(error)` is safe to show.

    `argument` is the name of the invalid argument, if the error is about one. `problem` is the message without it.
    """

    code = "INTERNAL_ERROR"

    def __init__(self, problem: str, argument: str | None = None) -> None:
        super().__init__(problem if argument is None else f"{argument}: {problem}")
        self.argument = argument
        self.problem = problem


class InvalidInput(MemoriesError):
    """An invalid argument. The message names it and says what is allowed."""

    code = "INVALID_INPUT"


class NotFound(MemoriesError):
    """A reference to a memory that does not exist in the caller's view, or is a tombstone where none is allowed."""

    code = "NOT_FOUND"


class SecretRejected(MemoriesError):
    """A text that contains something like a credential. The message never repeats it."""

    code = "SECRET_REJECTED"


class LimitExceeded(MemoriesError):
    """An argument or a request that exceeds a limit."""

    code = "LIMIT_EXCEEDED"


class NotConfigured(MemoriesError):
    """A reference to something whose settings do not work. The message says how to fix them."""

    code = "not_configured"


class StorageFull(MemoriesError):
    """A refusal to store anything on a full disk. Reading, forgetting and exporting are never refused for that."""

    code = "DATABASE_ERROR"

    def __init__(self) -> None:
        super().__init__(
            "The disk of the server is full: nothing was stored. Do not retry, but tell the owner to free space. "
            "Reading and forgetting still work."
        )


class EmbeddingError(MemoriesError):
    """A failure of the embedding provider. `status` is its HTTP status, if there is one."""

    code = "EMBEDDING_ERROR"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class EmbeddingRefused(EmbeddingError):
    """A refusal to send texts to the embedding provider, because a budget of the owner is used up."""
