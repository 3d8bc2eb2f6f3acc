"""The language of the console in which OwnSona is started, for a hint about multilingual models."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings

from memories.embeddings.base import SHIPPED_MODELS
from memories.embeddings.store import configured_model


def is_other_language(environment: Mapping[str, str]) -> bool:
    """Return whether the language of the messages is set to another one than English.

    The first variable that is set counts (POSIX, chapter 8.2, Internationalization Variables).
    """
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    language = locale.partition(".")[0].partition("_")[0].lower()
    return language not in {"", "c", "posix", "en"}


def uses_shipped_model() -> bool:
    """Return whether memories will be embedded with a model that comes with OwnSona, which knows English best."""
    return settings.EMBEDDING_PROVIDER == "local" and configured_model() in {"", *SHIPPED_MODELS}
