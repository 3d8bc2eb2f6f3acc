"""What can go wrong in the domain: one small tree, each class with its stable code."""

from __future__ import annotations


class MemoriesError(Exception):
    """Base of every error that a caller may see. `str(error)` is safe to show to them."""

    code = "INTERNAL_ERROR"


class InvalidInput(MemoriesError):
    """An argument is wrong. The message names it and says what is allowed."""

    code = "INVALID_INPUT"


class NotFound(MemoriesError):
    """There is no such memory in the view that it was looked for in."""

    code = "NOT_FOUND"


class SecretRejected(MemoriesError):
    """The text holds something that looks like a credential. The message never repeats it."""

    code = "SECRET_REJECTED"


class LimitExceeded(MemoriesError):
    """More was asked for than one call may give."""

    code = "LIMIT_EXCEEDED"


class StorageFull(MemoriesError):
    """The disk is full. What reads, forgets or exports is never refused for that."""

    code = "DATABASE_ERROR"

    def __init__(self) -> None:
        super().__init__(
            "The disk of the server is full: nothing was stored. Trying again does not help until the owner has freed "
            "space: tell them. Reading and forgetting go on."
        )


class EmbeddingError(MemoriesError):
    """The embedding provider failed. `status` is its HTTP status, where it has one."""

    code = "EMBEDDING_ERROR"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
