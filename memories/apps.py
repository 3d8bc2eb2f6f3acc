"""Configuration of the domain app: memories, their vectors, tags and history."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created
from django.db.models.signals import post_save
from django.utils.module_loading import import_string

from memories.database import prepare_searches


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "Memories"

    def ready(self) -> None:
        """Set up default tag synonyms for every new user and search settings for every new database connection."""
        connection_created.connect(prepare_searches, dispatch_uid="memories.searches")
        post_save.connect(_add_default_synonyms, sender=settings.AUTH_USER_MODEL, dispatch_uid="memories.welcome")


def _add_default_synonyms(instance: Any, created: bool, raw: bool, **_: object) -> None:
    # Fixtures are complete, so raw saves are skipped. Imported late, because models load after this module.
    if created and not raw:
        import_string("memories.tags.add_default_synonyms")(instance.pk)
