"""Configuration of the app of documents."""

from django.apps import AppConfig

from documents.corpus import CHUNKS
from memories.corpus import register_corpus


class DocumentsConfig(AppConfig):
    name = "documents"
    verbose_name = "Documents"

    def ready(self) -> None:
        """Have chunks embedded and indexed by the retrieval engine."""
        register_corpus(CHUNKS)
