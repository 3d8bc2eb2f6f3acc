"""Choice of the key that signs sessions and encrypts stored keys: from the settings or from the data folder."""

from __future__ import annotations

import secrets
import shlex
import sys
from pathlib import Path

from ownsona_site.configuration.data_directory import (
    LEAST_KEY_LENGTH,
    DamagedSecretKey,
    RestoreInterrupted,
    load_or_create_secret_key,
)
from ownsona_site.configuration.environment import Environment


def chosen_secret_key(environment: Environment, data_directory: Path) -> str:
    """Return the key in SECRET_KEY, else the one in the data folder. Reject an unusable key, which stops the start.

    Until the system check has stopped it, a random key replaces that of an unusable file, since no key that anyone
    could know may be used.
    """
    if key := environment.text("SECRET_KEY"):
        if len(key) < LEAST_KEY_LENGTH:
            message = f"It is shorter than {LEAST_KEY_LENGTH} characters."
            environment.reject("SECRET_KEY", message, "Use a longer random key, or remove the setting.")
        return key
    # `restore` brings its own key, and the data folder must not be changed before it runs.
    if sys.argv[1:2] == ["restore"]:
        return secrets.token_urlsafe()
    try:
        return load_or_create_secret_key(data_directory)
    except RestoreInterrupted as error:
        message = f"{data_directory} is neither the old data folder nor the new one."
        environment.reject("OWNSONA_DATA_DIR", message, str(error))
    except DamagedSecretKey as damaged:
        environment.reject(
            "SECRET_KEY",
            str(damaged),
            f"Restore it from a backup. Without one, run `rm {shlex.quote(str(damaged.path))}` and start again: a new "
            "key is created, which logs everyone out of the pages; memories, passwords and connected apps are kept.",
        )
    except OSError as error:
        environment.reject(
            "OWNSONA_DATA_DIR",
            f"{error.filename or data_directory} is not accessible: {error.strerror or error}.",
            f"Give the user that runs OwnSona access to {data_directory} and its contents, or choose another folder.",
        )
    return secrets.token_urlsafe()
