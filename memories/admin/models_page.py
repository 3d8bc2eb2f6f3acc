"""The page “Search models”: the models that can be used, their download, and the progress of a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page
from common.pages.translated import translated
from memories.embeddings.base import DEFAULT_MODEL, FLOAT_MINILM, INTEGER_MINILM, MINILM_AND_USE
from memories.embeddings.curated import CURATED, CuratedModel
from memories.embeddings.hub.client import DEFAULT_HUB, DownloadError, Hub
from memories.embeddings.hub.progress import DownloadState, read_state
from memories.embeddings.prefixes import model_and_prefix
from memories.embeddings.store import choose_model, is_stored
from memories.models import EmbeddingSpace, Memory
from memories.vectors.following import space_to_follow
from memories.vectors.indexing import pending_memories
from memories.vectors.model_jobs import download_soon, follow_soon
from memories.vectors.spaces import OpenSpace, space_in_use_or_none

FORMER_DEFAULTS = (MINILM_AND_USE, INTEGER_MINILM)
"""The other models that come with OwnSona and that the page offers."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model as the page shows it. `download` is its download if it is the last one. `facts` is None if shipped."""

    name: str
    facts: CuratedModel | None
    is_in_use: bool
    is_stored: bool
    download: DownloadState | None

    @property
    def is_multilingual(self) -> bool:
        """Whether the model knows other languages than English."""
        return self.facts.is_multilingual if self.facts else self.name in {DEFAULT_MODEL, MINILM_AND_USE}


@dataclass(frozen=True, slots=True)
class Move:
    """A move of all memories to another model: `done` of `total` have vectors of it."""

    model: str
    done: int
    total: int


def models_page(request: HttpRequest) -> HttpResponse:
    """Show the models (GET), or use one, after its download if necessary (POST). Only for superusers."""
    if not request.user.is_superuser:
        raise PermissionDenied
    if request.method == "POST":
        _use(request, request.POST.get("model", ""), request.POST.get("mirror", "").strip())
        return redirect("models")
    state, move = read_state(), current_move()
    in_use = space_in_use_or_none()
    is_busy = move is not None or (state is not None and state.is_running)
    context: dict[str, Any] = {
        "in_use": in_use,
        "rows": _rows(in_use, state),
        "move": move,
        "is_busy": is_busy,
        "overriding": overriding_setting(),
        "default_hub": DEFAULT_HUB,
        "has_hint": move is None and prefers_other_language(request) and not is_multilingual(in_use),
    }
    return owner_page(request, "memories/models.html", context, title=_("Search models"))


def overriding_setting() -> str:
    """Return the setting that takes precedence over a choice on this page; empty if there is none."""
    if settings.EMBEDDING_PROVIDER != "local":
        return "EMBEDDING_PROVIDER"
    return "EMBEDDING_MODEL" if settings.EMBEDDING_MODEL else ""


def prefers_other_language(request: HttpRequest) -> bool:
    """Return whether the first language of the browser is not English."""
    first = request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip().lower()
    return bool(first) and first != "*" and not first.startswith("en")


def is_multilingual(space: OpenSpace | None) -> bool:
    """Return whether a space may be of a multilingual model: it is not that of a model known to be English."""
    if space is None:
        return False
    name = space.space.model
    english = (*(model.name for model in CURATED.values() if not model.is_multilingual), INTEGER_MINILM, FLOAT_MINILM)
    return not name.startswith(english)


def current_move() -> Move | None:
    """Return the progress of a move that the job process makes; None if there is none."""
    wanted = space_to_follow()
    if wanted is None:
        return None
    space, total = wanted.space, Memory.objects.count()
    row = EmbeddingSpace.objects.filter(provider=space.provider, model=space.model, dimensions=space.dimensions).first()
    pending = pending_memories(OpenSpace(row.pk, space)).count() if row else total
    return Move(model_and_prefix(space.model)[0], total - pending, total)


def _rows(in_use: OpenSpace | None, state: DownloadState | None) -> list[ModelRow]:
    used = in_use.space.model if in_use else ""

    def row(name: str, facts: CuratedModel | None) -> ModelRow:
        is_used = used == name or used.startswith(f"{name}-")
        return ModelRow(name, facts, is_used, is_stored(name), state if state and state.name == name else None)

    rows = [row(DEFAULT_MODEL, None), *(row(name, model) for name, model in CURATED.items())]
    rows += [row(name, None) for name in FORMER_DEFAULTS]
    return sorted(rows, key=lambda row: not row.is_in_use)


def _use(request: HttpRequest, name: str, mirror: str) -> None:
    if name not in CURATED and name not in {DEFAULT_MODEL, *FORMER_DEFAULTS}:
        raise Http404
    try:
        if mirror:
            Hub(mirror).close()
    except DownloadError as error:
        messages.error(request, translated(error).replace("--mirror", _("Mirror")))
        return
    if is_stored(name):
        choose_model(name)
        follow_soon()
        messages.success(
            request, _("All memories are being embedded with {name}. Then searches switch to it.").format(name=name)
        )
    elif download_soon(name, mirror):
        messages.success(request, _("{name} is being downloaded.").format(name=name))
    else:
        messages.warning(request, _("Another download is already queued. Wait until it has ended."))
