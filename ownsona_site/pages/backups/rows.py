"""The list of backups: the archives in the folder, and the backups that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from ownsona_site.backup.checked_files import CheckedFile, checked_files
from ownsona_site.backup.kept.folder import KeptArchive, archives
from ownsona_site.backup.kept.pruning import FAILURES_SHOWN
from ownsona_site.backup.kept.states import state_of
from ownsona_site.models import BackupProblem, BackupRun

PROBLEMS: Mapping[str, str] = {
    BackupProblem.DISK_FULL: gettext_noop("the disk is full"),
    BackupProblem.NO_FOLDER: gettext_noop("the folder does not exist"),
    BackupProblem.NOT_WRITABLE: gettext_noop("the folder is not writable"),
    BackupProblem.DATABASE: gettext_noop("the database could not be read"),
    BackupProblem.DAMAGED: gettext_noop("the file is damaged"),
    BackupProblem.INTERRUPTED: gettext_noop("it was interrupted"),
    BackupProblem.OTHER: gettext_noop("an unexpected error"),
}
"""The reasons of failures in the words of the pages."""


@dataclass(frozen=True, slots=True)
class BackupRow:
    """A backup as the pages show it. `archive` is None if it failed without one.

    - `checked_at`: when the archive was found complete; None if it was not checked, or if there is a `problem`.
    - `problem`: why it failed, in words; `detail` is the message of the error.
    """

    made_at: datetime
    archive: KeptArchive | None
    checked_at: datetime | None
    problem: str = ""
    detail: str = ""


def rows() -> list[BackupRow]:
    """Return the backups, newest first."""
    runs = {run.name: run for run in BackupRun.objects.exclude(finished_at=None)}
    checks, found = checked_files(), archives()
    shown = [row_of(archive, runs.get(archive.name), checks) for archive in found]
    names, since = {archive.name for archive in found}, timezone.now() - FAILURES_SHOWN
    failed = [run for run in runs.values() if run.problem and run.name not in names and run.started_at > since]
    shown += [BackupRow(run.started_at, None, None, in_words(run.problem), run.detail) for run in failed]
    return sorted(shown, key=lambda row: row.made_at, reverse=True)


def row_of(archive: KeptArchive, run: BackupRun | None, checks: Mapping[str, CheckedFile]) -> BackupRow:
    """Return the row of an archive. The arguments are those of `state_of`."""
    state = state_of(archive, run, checks)
    problem = in_words(state.problem) if state.problem else ""
    return BackupRow(archive.made_at, archive, state.checked_at, problem, state.detail)


def in_words(problem: str) -> str:
    """Return why a backup failed, to end a sentence."""
    return gettext(PROBLEMS[problem])
