"""The page on which owners choose what becomes of each kind of secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page, say
from memories.admin.base import owner_id
from memories.admin.kept_secrets.words import WORDS, KindWords
from memories.models import HiddenValue
from memories.writing.hidden_values import keep_kinds, kept_kinds

KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind of secret, its field in the form, whether it is kept, and how many values of it are stored."""

    field: str
    words: KindWords
    is_kept: bool
    count: int


def secrets_page(request: HttpRequest) -> HttpResponse:
    """Show the choice for each kind of secret (GET), or store it (POST). A kind that is not sent is refused."""
    if request.method == "POST":
        keep_kinds(owner_id(request), [kind for kind in WORDS if request.POST.get(kind.name) == KEEP])
        say(request, gettext("Saved."))
        return redirect("kept_secrets")
    return owner_page(request, "memories/kept_secrets.html", {"choices": _choices(request)}, title=gettext("Secrets"))


def _choices(request: HttpRequest) -> Sequence[Choice]:
    kept = kept_kinds(owner_id(request))
    counts: dict[str, int] = {}
    for kind in HiddenValue.objects.filter(owner_id=owner_id(request)).values_list("kind", flat=True):
        counts[kind] = counts.get(kind, 0) + 1
    return [Choice(kind.name, words, kind in kept, counts.get(kind.name, 0)) for kind, words in WORDS.items()]
