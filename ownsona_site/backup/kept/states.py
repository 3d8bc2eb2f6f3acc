"""Whether an archive in the folder of backups was found complete or damaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ownsona_site.backup.checked_files import CheckedFile, checked_files
from ownsona_site.backup.kept.folder import KeptArchive
from ownsona_site.models import BackupProblem, BackupRun


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """`checked_at` is when the archive was found complete, `problem` why it cannot be used, with the error `detail`."""

    checked_at: datetime | None = None
    problem: str = ""
    detail: str = ""


def state_of(
    archive: KeptArchive, run: BackupRun | None, checks: Mapping[str, CheckedFile] | None = None
) -> ArchiveState:
    """Return the state of the file. `run` has made it, unless it was copied there, or made before a restore or by hand.

    `checks` are those of `checked_files`, if they were read already.
    """
    if archive.manifest is None:
        return ArchiveState(problem=BackupProblem.DAMAGED)
    check = (checked_files() if checks is None else checks).get(str(archive.path.absolute()))
    if check and (check.bytes, check.modified_ns) == (archive.bytes, archive.modified_ns):
        if check.problem:
            return ArchiveState(problem=BackupProblem.DAMAGED, detail=check.problem)
        return ArchiveState(check.checked_at)
    if run is None or run.finished_at is None:
        return ArchiveState()
    if run.problem:
        return ArchiveState(problem=run.problem, detail=run.detail)
    # A file that was written after the check is another one.
    is_of_run = archive.modified_ns <= run.finished_at.timestamp() * 1e9
    return ArchiveState(run.finished_at if is_of_run else None)
