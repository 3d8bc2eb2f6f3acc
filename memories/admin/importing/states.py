"""States of imports in words."""

from __future__ import annotations

from memories.models import ImportJob

IMPORT_CLIENT = "import"
"""Name of imports as a client in the journal, as for `manage.py import`."""

_WORDS = {
    ImportJob.State.READY: "Not started: look at the preview",
    ImportJob.State.DONE: "Imported",
    ImportJob.State.FAILED: "Failed",
    ImportJob.State.CANCELLED: "Cancelled",
}


def state_in_words(job: ImportJob) -> str:
    """Return the state of an import for people."""
    if job.state in _WORDS:
        return _WORDS[ImportJob.State(job.state)]
    verb = "Reading the file" if job.state == ImportJob.State.CHECKING else "Importing"
    if not job.position:
        return verb if job.state == ImportJob.State.CHECKING else "Waiting for the job process"
    return f"{verb}: {job.position} of {job.total} entries" if job.total else f"{verb}: {job.position} entries"
