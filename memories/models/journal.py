"""Journal of changes."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Now

_ONE_SUBJECT = (
    models.Q(memory_id__isnull=False, document_id__isnull=True, variant__isnull=True)
    | models.Q(memory_id__isnull=True, document_id__isnull=False, variant__isnull=True)
    | models.Q(memory_id__isnull=True, document_id__isnull=True, variant__isnull=False)
)


class JournalEntry(models.Model):
    """One change to one memory, document or tag synonym: the state before and after, the client and the change set.

    A change set is what one call, page action, import or undo has changed. `session_id` is the session that the memory
    was stored in, or else the client's session; empty if neither is known. `before` and `after` hold only the changed
    fields. `proposed_by` is the client whose plan was applied, empty if `client` made the change without one.
    Exactly one of `memory_id`, `document_id` and `variant`, the variant of a synonym, says what was changed.
    The ids are not foreign keys, because the entry of a hard delete outlives its memory or document, without any of its
    content. `after` of SHOW names the kind of value that was shown.
    """

    class Operation(models.TextChoices):
        REMEMBER = "remember"
        REVIVE = "revive"
        UPDATE = "update"
        CONFIRM = "confirm"
        FORGET = "forget"
        RESTORE = "restore"
        ACCEPT = "accept"
        REJECT = "reject"
        UNDO = "undo"
        REDO = "redo"
        """An undo was undone."""
        HARD_DELETE = "hard_delete"
        SHOW = "show"
        """The owner looked at a hidden value. Nothing was changed, and no app hears of it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    memory_id = models.BigIntegerField(null=True)
    document_id = models.UUIDField(null=True)
    variant = models.TextField(null=True)
    operation = models.TextField(choices=Operation)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    client = models.TextField()
    change_set = models.UUIDField()
    session_id = models.TextField(default="", db_default="")
    proposed_by = models.TextField(default="", db_default="")

    class Meta:
        verbose_name_plural = "journal entries"
        constraints = [models.CheckConstraint(condition=_ONE_SUBJECT, name="journal_one_subject")]
        indexes = [
            models.Index(fields=["owner", "memory_id", "-id"], name="journal_memory"),
            models.Index(fields=["owner", "-id"], name="journal_newest"),
            models.Index(fields=["owner", "change_set", "id"], name="journal_change_set"),
            models.Index(fields=["owner", "client", "-id"], name="journal_client"),
            models.Index(
                fields=["owner", "session_id", "-id"], name="journal_session", condition=~models.Q(session_id="")
            ),
            models.Index(
                fields=["owner", "document_id", "-id"],
                name="journal_document",
                condition=models.Q(document_id__isnull=False),
            ),
            models.Index(
                fields=["owner", "variant", "-id"], name="journal_variant", condition=models.Q(variant__isnull=False)
            ),
            BrinIndex(fields=["at"], name="journal_at", pages_per_range=32),
        ]

    def __str__(self) -> str:
        return f"{self.get_operation_display()} {self.subject}"

    @property
    def subject(self) -> str:
        """The kind of what was changed: memory, document or synonym."""
        if self.memory_id is not None:
            return "memory"
        return "synonym" if self.document_id is None else "document"
