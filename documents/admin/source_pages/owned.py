"""Sources of the logged-in owner."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from documents.models import Source
from memories.admin.base import owner_id


def owned_source(request: HttpRequest, source_id: int) -> Source:
    """Return a source of the logged-in owner. Raises Http404 for any other id."""
    source = Source.objects.filter(pk=source_id, owner_id=owner_id(request)).first()
    if source is None:
        raise Http404
    return source
