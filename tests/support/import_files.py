"""The files of the imports of a test, in the data folder, which all workers share."""

from __future__ import annotations

from memories.models import ImportJob
from memories.transfer.background.stored_files import delete_file


def delete_import_files() -> None:
    """Delete the files of all imports in the database of this worker."""
    for import_id in ImportJob.objects.values_list("pk", flat=True):
        delete_file(import_id)
