"""Plans that propose to tidy up memories."""

from __future__ import annotations

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
    was proposed. `message` says why it was not applied.
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

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "position"], name="cleanup_line_position")]
        indexes = [GinIndex(fields=["memory_ids"], name="cleanup_line_memories")]

    def __str__(self) -> str:
        return f"{self.action} {self.memory_ids}"
