"""Documents and their versions."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memories.access import Actor, View


class DocumentQuerySet(models.QuerySet["Document"]):
    """A query for documents. Methods continue “documents …”.

    Security: every query for a caller must begin with `visible_to` or `changeable_by`.
    """

    def visible_to(self, view: View) -> DocumentQuerySet:
        """Select the documents that `view` shows, without quarantined ones."""
        return self.visible_including_quarantined(view).filter(quarantined_from=None)

    def visible_including_quarantined(self, view: View) -> DocumentQuerySet:
        """Select the documents that `view` shows and quarantined ones, for the owner's own pages."""
        owned = self.filter(owner_id=view.owner_id)
        return owned if view.is_whole else owned.filter(tags__overlap=list(view.only_tags))

    def changeable_by(self, actor: Actor) -> DocumentQuerySet:
        """Select the documents in view that `actor` may change: in quarantine, clients only their own, owners all."""
        reached = self.visible_including_quarantined(actor.view)
        if actor.is_owner:
            return reached
        return reached.filter(Q(quarantined_from=None) | Q(quarantined_from=actor.client))

    def not_deleted(self) -> DocumentQuerySet:
        """Exclude forgotten documents."""
        return self.filter(deleted_at__isnull=True)

    def newest_first(self) -> DocumentQuerySet:
        """Order documents from the latest updated to the first."""
        return self.order_by("-updated_at", "-pk")


_Manager = models.Manager.from_queryset(DocumentQuerySet)


class DocumentManager(_Manager["Document"]):
    """The manager `Document.objects`, with the methods of the queryset."""


class Document(models.Model):
    """A file or page that the owner has collected. A tombstone (`deleted_at` set) records what was forgotten.

    - `source`, `source_key`: where it comes from, and what identifies it there: a path, a URL or a hash of its content.
    - `current`: the version that is searched; None until one is ready.
    - `is_title_given`: the title is not the file's own, so a new version does not change it.
    - `quarantined_from`: the client that added it, while it awaits the owner's review.
    - `updated_at`: when the current version was stored, or the document was changed since.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    source = models.TextField()
    source_key = models.TextField()
    source_url = models.TextField(null=True)
    title = models.TextField()
    is_title_given = models.BooleanField(default=False)
    author = models.TextField(null=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    forget_reason = models.TextField(null=True)
    quarantined_from = models.TextField(null=True, editable=False)
    stored_by = models.TextField(editable=False)
    current = models.ForeignKey("Version", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")

    objects = DocumentManager()

    class Meta:
        default_manager_name = "objects"
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "source", "source_key"],
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True),
                name="document_unique_in_source",
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-updated_at", "-id"], name="document_newest"),
            GinIndex(fields=["tags"], name="document_tags"),
        ]

    def __str__(self) -> str:
        return self.title


class Original(models.Model):
    """The bytes of a file, stored once for each owner, in parts (`OriginalPart`)."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    content_hash = models.BinaryField(max_length=32)
    size_bytes = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "content_hash"], name="original_unique_content")]

    def __str__(self) -> str:
        return f"{self.size_bytes} bytes"


class OriginalPart(models.Model):
    """A part of the bytes of an original: all but the last have the same size."""

    original = models.ForeignKey(Original, on_delete=models.CASCADE, db_index=False, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["original", "number"], name="original_part_unique")]

    def __str__(self) -> str:
        return f"part {self.number}"


class Version(models.Model):
    """One state of a document's content, and what was read from it.

    - `title`: the one that the file states, or the heading that it begins with; empty if it has none or was not read.
    - `text`: the extracted text, with secrets replaced. Chunks are parts of it.
    - `problem`: one sentence for the owner about why nothing could be read.
    - `is_final`: the problem is in the file itself, so that another attempt would fail in the same way.
    - `notes`: sentences about what could not be read.
    - `secrets`: kinds of secrets that were replaced, with articles.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        READY = "ready"
        FAILED = "failed"

    document = models.ForeignKey(Document, on_delete=models.CASCADE, db_index=False, related_name="versions")
    number = models.PositiveIntegerField()
    original = models.ForeignKey(Original, on_delete=models.RESTRICT, related_name="versions")
    file_name = models.TextField()
    media_type = models.TextField(default="")
    title = models.TextField(default="", db_default="")
    state = models.TextField(choices=State)
    problem = models.TextField(default="")
    is_final = models.BooleanField(default=False, db_default=False)
    notes = ArrayField(models.TextField(), default=list)
    secrets = ArrayField(models.TextField(), default=list)
    pages = models.PositiveIntegerField(null=True)
    text = models.TextField(default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="version_number_unique")]
        indexes = [
            models.Index(fields=["id"], name="version_queued", condition=Q(state="queued")),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.document_id}"
