"""Secrets that owners keep for themselves."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class SecretSettings(models.Model):
    """The kinds of secrets that an owner keeps instead of refusing them, as names of `Kind`.

    `last_number` is the newest number of a placeholder. Numbers are never used again: the text of an old version must
    not get the value of another one.
    """

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    kept = ArrayField(models.TextField(), default=list)
    last_number = models.BigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"kept secrets of {self.owner_id}"


class HiddenValue(models.Model):
    """The encrypted value of a placeholder in the text of a memory, or in that of one of its versions."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    memory = models.ForeignKey("memories.Memory", on_delete=models.CASCADE, db_index=False, related_name="+")
    number = models.BigIntegerField()
    kind = models.TextField()
    encrypted_value = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "number"], name="hidden_value_unique_number"),
        ]

    def __str__(self) -> str:
        return f"hidden value {self.number}"
