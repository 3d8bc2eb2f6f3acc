"""States of imports in words."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from memories.models import ImportJob

IMPORT_CLIENT = "import"
"""Name of imports as a client in the journal, as for `manage.py import`."""

_WORDS = {
    ImportJob.State.READY: _("Not started yet: check the preview"),
    ImportJob.State.DONE: _("Imported"),
    ImportJob.State.FAILED: _("Failed"),
    ImportJob.State.CANCELLED: _("Cancelled"),
}


def state_in_words(job: ImportJob, *, is_undone: bool = False) -> str:
    """Return the state of an import for people. `is_undone`: all that it stored has been undone since."""
    if is_undone:
        return str(_("Undone"))
    if job.state in _WORDS:
        return str(_WORDS[ImportJob.State(job.state)])
    verb = _("Reading the file") if job.state == ImportJob.State.CHECKING else _("Importing")
    if not job.position:
        return str(verb if job.state == ImportJob.State.CHECKING else _("Waiting for the job process"))
    if job.total:
        return _("{verb}: {done} of {total} entries").format(verb=verb, done=job.position, total=job.total)
    return _("{verb}: {done} entries").format(verb=verb, done=job.position)


def has_stored(job: ImportJob) -> bool:
    """Return whether an import has added something."""
    kinds = job.counts.get("archive", {}).values()
    return bool(job.counts.get("inserted") or any(kind["added"] for kind in kinds))
