"""The map of an owner's memories and documents."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from memories.models.vectors import EmbeddingSpace


class MemoryMap(models.Model):
    """The last map of an owner: ids, positions and groups, but no texts, so that hard deletion leaves nothing behind.

    - `space`: the embedding space whose vectors were compared.
    - `started_at`, `finished_at`: of the last computation. It is under way while `finished_at` is None.
    - `computed_at`: when the stored positions were computed; None if there are none yet.
    - `memory_ids`, `document_ids`: the points, memories first.
    - `xs`, `ys`, `groups`: for each point its position, from 0 to 1000, and the number of its group.
    - `problem`: why the last computation failed.
    """

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.SET_NULL, null=True, related_name="+")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    computed_at = models.DateTimeField(null=True)
    memory_ids = ArrayField(models.BigIntegerField(), default=list)
    document_ids = ArrayField(models.UUIDField(), default=list)
    xs = ArrayField(models.SmallIntegerField(), default=list)
    ys = ArrayField(models.SmallIntegerField(), default=list)
    groups = ArrayField(models.SmallIntegerField(), default=list)
    problem = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"map of {self.computed_at}"
