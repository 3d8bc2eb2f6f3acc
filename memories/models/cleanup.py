"""Findings about memories, and plans that propose to tidy them up."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now


class CleanupPlan(models.Model):
    """Changes that the owner, a rule or an app proposes, for the owner to review line by line.

    `client` proposed it. `closed_at` is set when no line is open any more.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    client = models.TextField()
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = [models.Index(fields=["owner", "-id"], name="cleanup_plan_newest")]

    def __str__(self) -> str:
        return f"plan {self.pk}"


class CleanupLine(models.Model):
    """One proposed change: its action, memories and arguments, and what became of it.

    `details` are the arguments by name, as JSON values. `seen` is a digest of the memories as they were when the line
    was proposed. `message` says why it was not applied. `change_set` is the one that applied it last, or undid that.
    """

    class Action(models.TextChoices):
        MERGE = "merge"
        SPLIT = "split"
        CORRECT = "correct"
        RETAG = "retag"
        EXPIRE = "expire"
        FORGET = "forget"
        CONFIRM = "confirm"

    class State(models.TextChoices):
        OPEN = "open"
        APPLIED = "applied"
        REJECTED = "rejected"
        STALE = "stale"
        FAILED = "failed"

    plan = models.ForeignKey(CleanupPlan, on_delete=models.CASCADE, db_index=False, related_name="lines")
    position = models.PositiveIntegerField()
    action = models.TextField(choices=Action)
    memory_ids = ArrayField(models.BigIntegerField())
    details = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    seen = models.BinaryField(max_length=32)
    state = models.TextField(choices=State, default=State.OPEN)
    message = models.TextField(blank=True)
    change_set = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "position"], name="cleanup_line_position")]
        indexes = [GinIndex(fields=["memory_ids"], name="cleanup_line_memories")]

    def __str__(self) -> str:
        return f"{self.action} {self.memory_ids}"


class CleanupFinding(models.Model):
    """Memories that may need tidying up, as the last search found them, and what the owner decided about that.

    `details` say what is proposed, as JSON values: see `memories.cleanup.findings`. `key` identifies the kind, the
    memories and the tags of a finding, so that a dismissed one is never shown again. `strength` orders the findings of
    a kind, the surest first.
    """

    class State(models.TextChoices):
        OPEN = "open"
        PLANNED = "planned"
        DISMISSED = "dismissed"

    CONTRADICTION: ClassVar[str] = "contradiction"
    """The kind of a dismissed finding that recall heeds."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    kind = models.TextField()
    key = models.BinaryField(max_length=32)
    memory_ids = ArrayField(models.BigIntegerField())
    details = models.JSONField(default=dict)
    reason = models.TextField()
    strength = models.FloatField()
    state = models.TextField(choices=State, default=State.OPEN)
    found_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="cleanup_finding_key")]
        indexes = [
            models.Index(fields=["owner", "state", "kind", "-strength", "id"], name="cleanup_finding_strongest"),
            GinIndex(fields=["memory_ids"], name="cleanup_finding_memories"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.memory_ids}"


class CleanupSearch(models.Model):
    """The last search for findings of an owner. `finished_at` is None while it is under way or was interrupted."""

    owner = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"search of {self.started_at}"
