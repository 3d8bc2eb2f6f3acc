"""Embedding spaces, and the indexed vectors and words of memories."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from pgvector.django import HalfVectorField

from memories.models.memory import Memory


class EmbeddingSpace(models.Model):
    """One provider, model and dimension. Vectors compare only within a space. One of the spaces is in use.

    `source` is the location of the model: a folder or the URL of an endpoint; empty for the provider's default, null
    if it is unknown.
    """

    provider = models.TextField()
    model = models.TextField()
    dimensions = models.PositiveIntegerField()
    source = models.TextField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    in_use_since = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "model", "dimensions"], name="embedding_space_unique"),
            models.UniqueConstraint(
                models.ExpressionWrapper(Q(in_use_since__isnull=False), models.BooleanField()),
                condition=Q(in_use_since__isnull=False),
                name="embedding_space_one_in_use",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.model} ({self.dimensions})"


class MemoryVector(models.Model):
    """One window of a memory's text in one embedding space. Kept narrow, because searches by meaning scan this table.

    The window is `text[start_char:end_char]`, in characters. Both are null for the only window of a text, and for rows
    older than these columns.
    """

    pk = models.CompositePrimaryKey("space_id", "memory_id", "window")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="vectors")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, db_index=False, related_name="+")
    window = models.SmallIntegerField()
    embedding = HalfVectorField()
    start_char = models.IntegerField(null=True)
    end_char = models.IntegerField(null=True)

    class Meta:
        # Indexes for searches by meaning are built per owner and space: see memories/vectors/hnsw.py.
        indexes = [models.Index(fields=["owner", "space", "memory", "window"], name="vector_owner_space_memory")]

    def __str__(self) -> str:
        return f"window {self.window} of memory {self.memory_id}"


class Posting(models.Model):
    """A word that is `tf` times in a memory of `length` words. Triggers maintain it; there are no foreign keys.

    A term is a stem. A term that begins with @ is a name at the beginning of the text: whom the memory is about.
    """

    pk = models.CompositePrimaryKey("owner_id", "term", "memory_id")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    term = models.TextField(db_collation="C")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    tf = models.SmallIntegerField()
    length = models.SmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["memory"], name="posting_memory")]

    def __str__(self) -> str:
        return f"{self.term} in memory {self.memory_id}"
