"""Download of everything that an owner has, as an archive."""

from __future__ import annotations

import tempfile
from typing import IO

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.disk_space import is_about_full_disk, is_full
from memories.access import View
from memories.admin.base import owners_view
from memories.transfer.archive.exporting import write_archive

BLOCK_BYTES = 256 * 1024


@never_cache
@require_POST
def download_data(request: HttpRequest) -> HttpResponseBase:
    """Send an archive of everything that the owner has, as `manage.py export` writes it."""
    view = owners_view(request)
    # Each archive takes as much of the disk as the owner's data: one at a time.
    with locked_if_free(AdvisoryLock.DOWNLOAD, view.owner_id) as is_free:
        archive = _archive(view, with_hidden_values="hidden_values" in request.POST) if is_free else None
    if archive is None:
        problem = (
            gettext("The disk is too full to make the file.") if is_free else gettext("The file is already being made.")
        )
        messages.error(request, problem)
        return redirect("backups")
    response = FileResponse(archive, as_attachment=True, filename=f"ownsona-data-{timezone.localdate()}.zip")
    response.block_size = BLOCK_BYTES
    return response


def _archive(view: View, *, with_hidden_values: bool) -> IO[bytes] | None:
    """Return the archive as an open file without a name, which ends with the process; None if the disk is full."""
    if is_full():
        return None
    file = tempfile.TemporaryFile(dir=settings.DATA_DIR)  # noqa: SIM115 - the response closes it
    try:
        write_archive(view, file, with_hidden_values=with_hidden_values)
    except BaseException as error:
        file.close()
        if not is_about_full_disk(error):
            raise
        return None
    file.seek(0)
    return file
