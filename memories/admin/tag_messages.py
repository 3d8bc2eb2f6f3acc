"""Messages about tags that were stored otherwise than the owner typed them."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from memories.tags import TagChange


def report_tag_changes(request: HttpRequest, changes: Iterable[TagChange]) -> None:
    """Say for each of `changes` what became of the tag."""
    for change in changes:
        if change.stored is None:
            messages.info(
                request,
                gettext("The tag “%(given)s” was dropped: a tag must have at least two letters or digits.")
                % {"given": change.given},
            )
        else:
            text = gettext(
                'The tag “{given}” was stored as “{stored}”, because of a <a href="{url}">tag synonym</a> that you can '
                "change."
            )
            url = reverse("admin:memories_tagsynonym_changelist")
            messages.info(request, format_html(text, given=change.given, stored=change.stored, url=url))
