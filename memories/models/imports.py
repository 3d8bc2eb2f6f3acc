"""Imports that run in the background."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class ImportJob(models.Model):
    """An import of a file: who wants it, how, how far it is, and what became of it.

    - `client`, `only_tags`, `is_quarantined`, `refused_inferences`, `is_owner`, `session_id`: the actor. `permission`
      names that of an app.
    - `change_set`: all changes of the import, also after a restart.
    - `options`: see `memories.transfer.background.choices`.
    - `position`: the number of entries that were read; `total`: the largest possible number, if it is known.
    - `preview`, `counts`: JSON values for pages and apps; see `memories.transfer.background.results`.
    - `attempts`: how often the job process began without getting any further.
    - `version`: that of the readers. Another one may divide the file into other entries.
    - `problem`: why it failed, or why it does not go on for now.

    The file is in the data folder until the import ends.
    """

    class State(models.TextChoices):
        CHECKING = "checking"
        READY = "ready"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN = (State.CHECKING, State.READY, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    client = models.TextField()
    permission = models.TextField(blank=True)
    only_tags = ArrayField(models.TextField(), default=list)
    is_quarantined = models.BooleanField(default=False)
    refused_inferences = ArrayField(models.TextField(), default=list)
    is_owner = models.BooleanField(default=False)
    session_id = models.TextField(blank=True)
    change_set = models.UUIDField(default=uuid.uuid4)
    name = models.TextField()
    size_bytes = models.BigIntegerField()
    options = models.JSONField(default=dict)
    state = models.TextField(choices=State, default=State.CHECKING)
    position = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    preview = models.JSONField(null=True)
    counts = models.JSONField(default=dict)
    problem = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    version = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at"], name="import_newest"),
            models.Index(
                fields=["created_at"],
                name="import_open",
                condition=models.Q(state__in=["checking", "ready", "running"]),
            ),
        ]

    def __str__(self) -> str:
        return f"import of {self.name}"

    @property
    def is_open(self) -> bool:
        """Whether its file is still needed."""
        return self.state in self.OPEN


class ImportReport(models.Model):
    """The outcomes of the entries of one batch, as JSON Lines. `first` is the position of its first entry."""

    job = models.ForeignKey(ImportJob, on_delete=models.CASCADE, db_index=False, related_name="reports")
    first = models.BigIntegerField()
    lines = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "first"], name="import_report_first")]

    def __str__(self) -> str:
        return f"outcomes from {self.first}"
