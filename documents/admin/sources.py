"""Sources of documents on the pages."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.db.models import Count
from django.utils.translation import gettext

from documents.drafts import ADDED
from documents.models import Document
from memories.access import View


def source_label(source: str) -> str:
    """Return the name of a source."""
    return gettext("Added directly") if source == ADDED else source


def count_sources(view: View) -> list[tuple[str, int]]:
    """Return the sources of documents that are not forgotten with their counts, most used first. One query."""
    counted = Document.objects.visible_to(view).not_deleted().order_by().values_list("source")
    return list(counted.annotate(count=Count("pk")).order_by("-count", "source"))


def web_address(url: str | None) -> str:
    """Return the URL if a browser may open it; empty for any other, which would run or open something local."""
    return url if url and urlsplit(url).scheme in {"http", "https"} else ""
