"""Undos that run in the background."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class UndoJob(models.Model):
    """An undo of more changes than fit into one transaction, by the owner.

    - `change_set`: all changes of the undo, also after a restart.
    - `selection`: the changes to undo; see `memories.undo.background`. `description`: the heading of its page.
    - `last_memory_id`, `last_document_id`: the last ones that were undone: it continues after them.
    - `position`, `total`: the numbers of memories and documents that were undone, and of all.
    - `counts`: the numbers of what was done to them, by name.
    - `attempts`: how often the job process began without getting any further.
    - `problem`: why it failed, or why it does not go on for now.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    change_set = models.UUIDField(default=uuid.uuid4)
    selection = models.JSONField()
    description = models.TextField()
    state = models.TextField(choices=State, default=State.RUNNING)
    last_memory_id = models.BigIntegerField(null=True)
    last_document_id = models.UUIDField(null=True)
    position = models.BigIntegerField(default=0)
    total = models.BigIntegerField()
    counts = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    problem = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at"], name="undo_job_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["owner"], condition=models.Q(state="running"), name="undo_job_one_running"),
        ]

    def __str__(self) -> str:
        return self.description
