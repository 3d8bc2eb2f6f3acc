"""System checks: an invalid setting or an unusable database stops the start, with its name and the fix."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core import checks
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection

from memories.embeddings.base import SHIPPED_MODELS
from memories.embeddings.store import configured_model

OLDEST_POSTGRESQL = 15
OLDEST_PGVECTOR = (0, 8)

_SERVER = """
SELECT current_setting('server_version_num')::int / 10000, coalesce(installed_version, default_version)
FROM (SELECT 1) AS one LEFT JOIN pg_available_extensions ON name = 'vector'
"""


def check_settings_valid(**_: object) -> list[CheckMessage]:
    """Return one error for each setting that was rejected when the settings were read."""
    return [
        Error(f"{problem.setting}: {problem.message}", hint=problem.fix, id="ownsona.E001")
        for problem in settings.SETTING_PROBLEMS
    ]


def check_risky_settings(**_: object) -> list[CheckMessage]:
    """Return warnings about settings that are allowed but probably a mistake."""
    found: list[CheckMessage] = []
    if settings.PUBLIC_URL.startswith("http://") and not settings.PUBLIC_URL_IS_LOOPBACK:
        message = f"OWNSONA_PUBLIC_URL: {settings.PUBLIC_URL} sends passwords and tokens over the network unencrypted."
        found.append(
            checks.Warning(
                message, hint="Put a TLS proxy in front of OwnSona and use its https URL.", id="ownsona.W001"
            )
        )
    ignored = {"EMBEDDING_ENDPOINT": settings.EMBEDDING_ENDPOINT, "EMBEDDING_API_KEY": settings.EMBEDDING_API_KEY}
    if settings.EMBEDDING_PROVIDER != "openai" and any(ignored.values()):
        names = " and ".join(name for name, value in ignored.items() if value)
        message = f"{names}: not used with EMBEDDING_PROVIDER={settings.EMBEDDING_PROVIDER}."
        found.append(
            checks.Warning(message, hint="Set EMBEDDING_PROVIDER=openai, or remove the setting.", id="ownsona.W002")
        )
    prefixes = {
        "EMBEDDING_QUERY_PREFIX": settings.EMBEDDING_QUERY_PREFIX,
        "EMBEDDING_PASSAGE_PREFIX": settings.EMBEDDING_PASSAGE_PREFIX,
    }
    has_no_prefix = settings.EMBEDDING_PROVIDER == "fake" or configured_model() in {"", *SHIPPED_MODELS}
    if has_no_prefix and any(prefixes.values()):
        names = " and ".join(name for name, value in prefixes.items() if value)
        message = f"{names}: not used by this embedding model."
        found.append(checks.Warning(message, hint="Remove the setting, or use another model.", id="ownsona.W006"))
    if settings.LOGIN_PASSWORD:
        try:
            validate_password(settings.LOGIN_PASSWORD)
        except ValidationError as error:
            message = f"OWNSONA_LOGIN_PASSWORD: {' '.join(error.messages)}"
            found.append(checks.Warning(message, hint="Use a longer and less common password.", id="ownsona.W003"))
    return found


def check_setting_names(**_: object) -> list[CheckMessage]:
    """Return a warning about each variable that is not a setting but is named almost like one."""
    return [
        checks.Warning(
            f"{name} is not a setting and is ignored.",
            hint=f"Rename it to {setting} if that is what you mean.",
            id="ownsona.W007",
        )
        for name, setting in settings.MISSPELLED_SETTINGS.items()
    ]


def check_database(databases: Sequence[str] | None = None, **_: object) -> list[CheckMessage]:
    """Return errors if the database cannot be reached, or PostgreSQL or pgvector is too old for OwnSona."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    place = "DATABASE_URL" if settings.DATABASE_URL else "The embedded PostgreSQL"
    try:
        with connection.cursor() as cursor:
            cursor.execute(_SERVER)
            version, pgvector = cursor.fetchone()
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        hint = "Check its address, user and password, and that it is running." if settings.DATABASE_URL else None
        return [Error(f"{place}: the database is not usable: {reason}", hint=hint, id="ownsona.E002")]
    found: list[CheckMessage] = []
    if version < OLDEST_POSTGRESQL:
        message = f"{place}: the server is PostgreSQL {version}."
        found.append(Error(message, hint=f"Use PostgreSQL {OLDEST_POSTGRESQL} or newer.", id="ownsona.E003"))
    if pgvector is None or tuple(int(part) for part in pgvector.split(".")[:2]) < OLDEST_PGVECTOR:
        message = f"{place}: the server has {f'pgvector {pgvector}' if pgvector else 'no pgvector'}."
        hint = "Install pgvector {}.{} or newer on the server.".format(*OLDEST_PGVECTOR)
        found.append(Error(message, hint=hint, id="ownsona.E004"))
    return found


def in_one_line(message: CheckMessage) -> str:
    """Return the problem and the fix in one line, without Django's formatting."""
    return f"{message.msg} {message.hint or ''}".rstrip()


def require_valid_settings() -> None:
    """Check the settings in a process that runs no system checks.

    Raises ImproperlyConfigured, which names every invalid setting.
    """
    if errors := check_settings_valid():
        raise ImproperlyConfigured(" ".join(map(in_one_line, errors)))
