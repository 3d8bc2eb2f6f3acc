"""Embedding spaces, and what is indexed of a memory: its vectors and its words."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from pgvector.django import HalfVectorField

from memories.models.memory import Memory


class EmbeddingSpace(models.Model):
    """One provider, model and dimension: vectors compare only within a space. One of them is in use.

    `source` says where its model is: a folder, or the address of an endpoint; empty for the provider's own, null where
    it is unknown.
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
    """One window of a memory's text in one embedding space. Kept narrow: it is what a search by meaning scans.

    It stands from `start_char` to `end_char` in the text, in characters; null for the only window of a text, and for
    those from before this was noted.
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
        # The index for searches by meaning is one of an owner and a space: see memories/vectors/hnsw.py.
        indexes = [models.Index(fields=["owner", "space", "memory", "window"], name="vector_owner_space_memory")]

    def __str__(self) -> str:
        return f"window {self.window} of memory {self.memory_id}"


class Posting(models.Model):
    """A word in a memory: `tf` times, in a text of `length` words. Triggers keep it, and no foreign key checks it.

    A term is a stem; one that begins with @ is a name that the text begins with, and so whom it is about.
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
