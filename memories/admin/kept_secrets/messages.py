"""Messages about hidden values after a change on a page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext

from memories.writing.updating import UpdateOutcome


def report_deleted_values(request: HttpRequest, outcome: UpdateOutcome) -> None:
    """Say that values were deleted with their placeholders, if any were."""
    if outcome.deleted_values:
        messages.warning(
            request, gettext("The hidden value was deleted with its placeholder. Undoing does not bring it back.")
        )
