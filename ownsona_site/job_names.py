"""Names of background jobs for the owner. The queue knows them by the names of their functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext, gettext_noop

_NAMES: Final[Mapping[str, str]] = {
    "agents.read_files": gettext_noop("Read the files of agents"),
    "documents.read_queued": gettext_noop("Read new documents"),
    "documents.sync_due": gettext_noop("Sync the sources that are due"),
    "documents.sync_source": gettext_noop("Sync a source"),
    "mcpapi.forget_what_is_past": gettext_noop("Delete old sessions, calls and approvals"),
    "memories.delete_old_changes": gettext_noop("Delete old entries of the journal"),
    "memories.follow_model": gettext_noop("Change to another search model"),
    "memories.forget_old_recalls": gettext_noop("Delete old recalls"),
    "memories.get_model": gettext_noop("Download a search model"),
    "memories.index_pending": gettext_noop("Prepare new texts for the search by meaning"),
    "memories.compare_pending": gettext_noop("Compare new memories with similar ones"),
    "memories.keep_vector_indexes": gettext_noop("Build the indexes of the search"),
    "memories.run_imports": gettext_noop("Import files"),
    "memories.run_undos": gettext_noop("Undo in the background"),
    "memories.search_again": gettext_noop("Plan the next search for what could be tidied up"),
    "memories.search_findings": gettext_noop("Search for what could be tidied up"),
    "memories.tidy_imports": gettext_noop("Delete what imports leave behind"),
    "oauthserver.forget_expired_grants": gettext_noop("Delete expired logins and tokens"),
    "oauthserver.forget_unused_apps": gettext_noop("Delete apps that were never used"),
    "site.back_up": gettext_noop("Make a backup"),
    "site.compute_map": gettext_noop("Compute the map"),
    "site.delete_finished_jobs": gettext_noop("Delete finished jobs"),
    "site.follow_backup_plan": gettext_noop("Look whether a backup is due"),
    "site.forget_abandoned_apps": gettext_noop("Delete what connection checks leave behind"),
    "site.resume_stalled_jobs": gettext_noop("Continue interrupted jobs"),
    "workflows.clean_up_runs": gettext_noop("Delete old runs of workflows"),
}


def job_name(task: str) -> str:
    """Return what the jobs of a task do; the name of a task of another version."""
    return gettext(_NAMES[task]) if task in _NAMES else task
