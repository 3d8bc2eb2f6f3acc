"""Chunks, the passages of documents that are searched, with their indexed vectors and words."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from documents.embedded_parts import part_spans
from documents.models.document import Document, Version
from memories.models import EmbeddingSpace


class Chunk(models.Model):
    """A passage of the current version of a document: `version.text[start_char:end_char]`.

    - `context`: the title and the headings above it, which are embedded and searched with it.
    - `heading`: the headings above it, from the highest to the lowest.
    - `page`: the page that it begins on, from 1.
    - `source`, `tags`, `created_at`, `deleted_at`, `quarantined_from`: copies of the document's, for filters;
      `created_at` of its `updated_at`. See documents/writing/copies.py.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, db_index=False, related_name="chunks")
    number = models.PositiveIntegerField()
    text = models.TextField()
    context = models.TextField()
    heading = models.TextField()
    page = models.PositiveIntegerField(null=True)
    start_char = models.PositiveIntegerField()
    end_char = models.PositiveIntegerField()
    source = models.TextField()
    tags = ArrayField(models.TextField(), default=list)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)
    quarantined_from = models.TextField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "version", "id"], name="chunk_version"),
            models.Index(fields=["owner", "source"], name="chunk_source"),
            models.Index(
                fields=["owner"],
                name="chunk_inactive",
                condition=Q(deleted_at__isnull=False) | Q(quarantined_from__isnull=False),
            ),
            GinIndex(fields=["tags"], name="chunk_tags"),
        ]

    def __str__(self) -> str:
        return f"chunk {self.number} of {self.document_id}"

    @property
    def embedded_texts(self) -> list[str]:
        """The texts that are embedded, see `Corpus`: the parts of the text, each below its context."""
        return [f"{self.context}\n{self.text[part.start : part.end]}" for part in part_spans(self.text)]


class ChunkVector(models.Model):
    """One window of a chunk's text in one embedding space. See `memories.models.MemoryVector`."""

    pk = models.CompositePrimaryKey("space_id", "chunk_id", "window")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="vectors")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, db_index=False, related_name="+")
    window = models.SmallIntegerField()
    embedding = HalfVectorField()
    start_char = models.IntegerField(null=True)
    end_char = models.IntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "space", "chunk", "window"], name="chunk_vector_owner_space")]

    def __str__(self) -> str:
        return f"window {self.window} of chunk {self.chunk_id}"


class ChunkPosting(models.Model):
    """A word that is `tf` times in a chunk of `length` words. Triggers maintain it. See `memories.models.Posting`."""

    pk = models.CompositePrimaryKey("owner_id", "term", "chunk_id")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    term = models.TextField(db_collation="C")
    chunk = models.ForeignKey(Chunk, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    tf = models.SmallIntegerField()
    length = models.SmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["chunk"], name="chunk_posting_chunk")]

    def __str__(self) -> str:
        return f"{self.term} in chunk {self.chunk_id}"
