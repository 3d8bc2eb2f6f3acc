"""Database tables of the site: the plan of backups, and the backups that the job process has made."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

LEAST_KEPT, MOST_KEPT, KEPT = 1, 365, 14
"""The smallest, the largest and the usual number of archives to keep."""


class BackupPlan(models.Model):
    """The owner's settings for backups. There is at most one row: see `current`.

    - `nightly_since`: when the backups of every night were turned on; None if they are off.
    - `keep`: how many archives are kept.
    """

    ONLY = 1

    id = models.SmallIntegerField(primary_key=True, default=ONLY, editable=False)
    nightly_since = models.DateTimeField(null=True)
    keep = models.SmallIntegerField(default=KEPT)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="backup_plan_is_only_one"),
            models.CheckConstraint(
                condition=models.Q(keep__range=(LEAST_KEPT, MOST_KEPT)), name="backup_plan_keeps_some"
            ),
        ]

    def __str__(self) -> str:
        return "plan of backups"

    @classmethod
    def current(cls) -> BackupPlan:
        """Return the plan. Without a row, no backup is made at night."""
        return cls.objects.filter(pk=cls.ONLY).first() or cls()

    def switch(self, *, nightly: bool) -> None:
        """Turn the backups of every night on or off, without saving."""
        if not nightly:
            self.nightly_since = None
        elif self.nightly_since is None:
            self.nightly_since = timezone.now()


class BackupProblem(models.TextChoices):
    """Reasons for which a backup fails."""

    DISK_FULL = "disk_full"
    NO_FOLDER = "no_folder"
    NOT_WRITABLE = "not_writable"
    DATABASE = "database"
    DAMAGED = "damaged"
    INTERRUPTED = "interrupted"
    OTHER = "other"


class BackupRun(models.Model):
    """A backup by the job process. It is under way, or was interrupted, while `finished_at` is None.

    - `name`: the name of the archive in the folder of backups.
    - `is_nightly`: whether it was made by the plan. Otherwise somebody asked for it.
    - `problem`: why it failed; empty if the archive was made, and checked at `finished_at`.
    - `detail`: the message of the error.
    """

    name = models.CharField(max_length=40, unique=True)
    is_nightly = models.BooleanField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=20, blank=True, choices=BackupProblem.choices)
    detail = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.name
