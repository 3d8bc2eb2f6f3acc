"""Downloads of originals. Browsers save them and never open them: anybody may have written them."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from documents.models import Document, Version
from documents.originals import read_original
from memories.admin.base import owners_view

POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


@require_safe
def download_page(request: HttpRequest, document_id: uuid.UUID, number: int) -> StreamingHttpResponse:
    """Send the original of a version, part by part. Raises Http404 for a document of another owner."""
    documents = Document.objects.visible_including_quarantined(owners_view(request)).filter(pk=document_id)
    version = (
        Version.objects.filter(document__in=documents, number=number).defer("text").select_related("original").first()
    )
    if version is None:
        raise Http404
    headers = {
        # RFC 6266 and RFC 8187.
        "Content-Disposition": content_disposition_header(True, version.file_name) or "attachment",
        "Content-Length": str(version.original.size_bytes),
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingHttpResponse(
        read_original(version.original), content_type="application/octet-stream", headers=headers
    )
