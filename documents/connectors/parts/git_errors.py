"""Failures of git as errors for the owner."""

from __future__ import annotations

from common.texts import translatable
from documents.connectors.base import Reason, SourceError

# Parts of the messages of git, curl and ssh in the locale C, the specific ones first.
FAILURES: tuple[tuple[tuple[str, ...], Reason, str], ...] = (
    (
        ("Host key verification failed",),
        "forbidden",
        translatable(
            "url: The key of the ssh server is not known. Connect to it once with ssh as OwnSona's user and "
            "check the key."
        ),
    ),
    (
        ("Permission denied (", "Too many authentication failures"),
        "forbidden",
        translatable("url: The ssh server refuses the login. Give OwnSona's user a key that may read the repository."),
    ),
    (
        ("detected dubious ownership",),
        "forbidden",
        translatable(
            "url: The repository belongs to another user of this machine. Let it belong to OwnSona's user, "
            "or use a clone."
        ),
    ),
    (
        ("Authentication failed", "could not read Username", "could not read Password", "error: 401", "error: 403"),
        "forbidden",
        translatable(
            "token: The server requires a login, or refuses this one. Create a token that may read the repository."
        ),
    ),
    (
        ("unable to update url base from redirection", "error: 301", "error: 302", "error: 307", "error: 308"),
        "invalid",
        translatable(
            "url: The server redirects to another address, which is not followed. Use the new address of "
            "the repository."
        ),
    ),
    (
        ("couldn't find remote ref", "Couldn't find remote ref"),
        "not_found",
        translatable("branch: The repository has no such branch, or no commit. Check the name."),
    ),
    (
        ("cannot run ssh",),
        "not_configured",
        translatable("url: Install ssh, or use the https address of the repository."),
    ),
    (
        ("transport '", "is not supported"),
        "invalid",
        translatable("url: git does not support this kind of address. Use https, ssh or an absolute path."),
    ),
    (
        ("not found", "does not exist", "does not appear to be a git repository", "Repository not found"),
        "not_found",
        translatable("url: There is no such repository, or it requires a login. Check the address and the token."),
    ),
    (
        (
            "unable to access",
            "Could not resolve host",
            "Connection refused",
            "Connection timed out",
            "Connection reset",
            "Connection closed",
            "early EOF",
            "the remote end hung up",
            "RPC failed",
            "Could not read from remote repository",
        ),
        "unreachable",
        translatable("url: The server did not respond as expected. Check the address; the next sync tries again."),
    ),
)
FAILED = translatable("git could not read the repository. Check the disk and the repository with `git fsck`.")


def source_error(stderr: str) -> SourceError:
    """Return the error for the owner, without the text of git, which could contain what a server sent."""
    for parts, reason, message in FAILURES:
        if any(part in stderr for part in parts):
            return SourceError(reason, message)
    return SourceError("failed", FAILED)
