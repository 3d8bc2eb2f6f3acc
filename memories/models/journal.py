"""Journal of changes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class JournalEntry(models.Model):
    """One change to one memory: the state before and after, the client and the call.

    `before` and `after` hold only the changed fields. `memory_id` is not a foreign key, because the entry of a hard
    delete outlives the memory, without any of its content.
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
        HARD_DELETE = "hard_delete"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    memory_id = models.BigIntegerField()
    operation = models.TextField(choices=Operation)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    client = models.TextField()
    call_id = models.UUIDField()

    class Meta:
        verbose_name_plural = "journal entries"
        indexes = [
            models.Index(fields=["owner", "memory_id", "-id"], name="journal_memory"),
            models.Index(fields=["owner", "-id"], name="journal_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_operation_display()} memory {self.memory_id}"
