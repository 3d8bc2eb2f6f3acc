"""Tag synonyms, and their journal."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


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
        return f"{self.variant} → {self.canonical}"


class SynonymChange(models.Model):
    """One change of a synonym: the canonical tag of a variant before and after; None if it had none.

    `client`, `change_set` and `session_id` are as in the journal of memories.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    variant = models.TextField()
    before = models.TextField(null=True)
    after = models.TextField(null=True)
    client = models.TextField()
    change_set = models.UUIDField()
    session_id = models.TextField(default="", db_default="")

    class Meta:
        indexes = [
            models.Index(fields=["owner", "change_set", "id"], name="synonym_change_set"),
            models.Index(fields=["owner", "client", "id"], name="synonym_change_client"),
        ]

    def __str__(self) -> str:
        return f"{self.variant}: {self.before or 'none'} → {self.after or 'none'}"
