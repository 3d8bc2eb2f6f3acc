"""Tag synonyms."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class TagSynonym(models.Model):
    """A variant of a tag and the canonical tag that replaces it. Edited by the owner."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="tag_synonyms"
    )
    variant = models.TextField()
    canonical = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "variant"], name="tag_synonym_unique_variant")]

    def __str__(self) -> str:
        return self.variant
