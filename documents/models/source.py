"""Sources that documents are imported from, and the state of their items."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from documents.models.document import Document


class Source(models.Model):
    """A folder, repository, site or bucket of an owner, and the record of its last sync.

    - `settings`: those of the connector, without secrets; `encrypted_secrets`: the secrets among them.
    - `tags`: added to every document of the source.
    - `interval_minutes`: the time between two syncs; 0 for manual syncs only.
    - `limits`: those that differ from the defaults of `SourceLimits`, by name.
    - `started_at`, `finished_at`: of the last sync; while one runs, `finished_at` is None.
    - `added` … `unchanged`: the numbers of items in the last sync; `problem`: why it failed, for the owner.
    - `notes`: sentences about some of the skipped items.
    - `unconfirmed_removals`: the documents that it did not forget because the owner has to confirm it.
    - `failures`: the syncs in a row that failed or were killed.
    - `next_run_at`: when the next sync is due; None if only manually.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    name = models.TextField()
    kind = models.TextField()
    settings = models.JSONField(default=dict)
    encrypted_secrets = models.TextField(default="", blank=True, editable=False)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    interval_minutes = models.PositiveIntegerField(default=60)
    paused_at = models.DateTimeField(null=True, blank=True)
    limits = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    added = models.PositiveIntegerField(default=0, editable=False)
    changed = models.PositiveIntegerField(default=0, editable=False)
    removed = models.PositiveIntegerField(default=0, editable=False)
    skipped = models.PositiveIntegerField(default=0, editable=False)
    unchanged = models.PositiveIntegerField(default=0, editable=False)
    problem = models.TextField(default="", editable=False)
    notes = ArrayField(models.TextField(), default=list, editable=False)
    unconfirmed_removals = models.PositiveIntegerField(default=0, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False)
    next_run_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="source_unique_name")]

    def __str__(self) -> str:
        return self.name


class SourceItemState(models.Model):
    """An item of a source, as the last sync that read it found it.

    - `fingerprint`: that of the connector; empty while the item is gone from the source.
    - `content_hash`: the SHA-256 of the content that was stored last; empty if none ever was.
    - `document`: None if nothing was stored, or the owner has hard-deleted it.
    - `is_forgotten_by_sync`: a sync forgot the document, so a sync may restore it. What the owner has forgotten stays
      forgotten.
    - `problem`: why the content was not stored.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, db_index=False, related_name="items")
    key = models.TextField()
    fingerprint = models.TextField()
    content_hash = models.BinaryField(max_length=32, default=b"")
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, related_name="+")
    is_forgotten_by_sync = models.BooleanField(default=False)
    problem = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "key"], name="source_item_unique_key")]

    def __str__(self) -> str:
        return self.key
