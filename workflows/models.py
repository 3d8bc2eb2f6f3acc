"""The tables of workflows: definitions with their versions, and runs with a record per step."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy


class Workflow(models.Model):
    """A workflow. `definition` is JSON of the published schema, `version` the number of its last change, from 1."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    name = models.TextField()
    definition = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="workflow_unique_name")]

    def __str__(self) -> str:
        return self.name


class WorkflowVersion(models.Model):
    """The definition of a workflow after one of its changes. The current one is a version, too."""

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, db_index=False, related_name="versions")
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workflow", "number"], name="workflow_version_unique")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.workflow_id}"


class Run(models.Model):
    """One run of a workflow by an app; see workflows/execution.py.

    `permission` names the app's connection: only that app can resume the run. `definitions` holds the workflow and
    those that its steps run, by name, as they were when the run began. `definitions`, `arguments` and the results of
    the steps are deleted when the run ends: only what happened stays.
    """

    class State(models.TextChoices):
        """The states of a run. RUNNING without a process at work means that the process was killed."""

        RUNNING = "running", gettext_lazy("Running")
        WAITING = "waiting", gettext_lazy("Waiting")
        UNKNOWN = "unknown", gettext_lazy("Needs a decision")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")
        EXPIRED = "expired", gettext_lazy("Expired")

    UNFINISHED = (State.RUNNING, State.WAITING, State.UNKNOWN)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    workflow = models.TextField()
    version = models.PositiveIntegerField()
    permission = models.TextField()
    client_name = models.TextField()
    definitions = models.JSONField(null=True)
    arguments = models.JSONField(null=True)
    state = models.TextField(choices=State, default=State.RUNNING)
    message = models.TextField(default="", blank=True)
    started_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-started_at"], name="run_newest"),
            models.Index(
                fields=["permission"], name="run_unfinished", condition=Q(state__in=["running", "waiting", "unknown"])
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.workflow}"


class RunStep(models.Model):
    """The record of one step of a run. `path` is its id, below the ids of the steps that run its workflow.

    It is stored as STARTED before the tool is called, and changed after the call. `result` is the tool's, as JSON.
    """

    class State(models.TextChoices):
        STARTED = "started", gettext_lazy("Started")
        DONE = "done", gettext_lazy("Done")
        SKIPPED = "skipped", gettext_lazy("Skipped")
        WAITING = "waiting", gettext_lazy("Waiting")
        FAILED = "failed", gettext_lazy("Failed")
        UNKNOWN = "unknown", gettext_lazy("Unknown")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, db_index=False, related_name="steps")
    path = models.TextField()
    tool = models.TextField()
    state = models.TextField(choices=State)
    error_code = models.TextField(default="", blank=True)
    message = models.TextField(default="", blank=True)
    result = models.JSONField(null=True)
    memory_ids = ArrayField(models.BigIntegerField(), default=list)
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "path"], name="run_step_unique_path")]
        indexes = [GinIndex(fields=["memory_ids"], name="run_step_memories")]

    def __str__(self) -> str:
        return f"{self.path} of run {self.run_id}"
