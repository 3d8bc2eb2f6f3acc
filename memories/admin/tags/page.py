"""The page that lists tags with their synonyms, and renames, merges and deletes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from common.pages.owner_pages import owner_page, say
from common.pages.relative_times import plural
from memories.access import Actor
from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.changes.kinds import joined
from memories.admin.tags.limited_apps import warnings_about
from memories.admin.undo.now import undo_address
from memories.errors import MemoriesError
from memories.models import Memory, TagSynonym
from memories.writing.tag_changes import TagOutcome, delete_tags, merge_tags
from memories.writing.tag_uses import TagUse, tag_uses

MAX_SHOWN = 1_000
"""Number of tags on the page, most used first."""

_CONFIRM = "confirm"


@dataclass(frozen=True, slots=True)
class Row:
    """A tag, the numbers of memories and documents with it, and its synonyms."""

    use: TagUse
    synonyms: Sequence[str]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of tags that awaits the owner's confirmation. `is_renaming` is set for a single tag and a new name.

    `active` is the number of active memories that it changes, the ones that the list of tags counts.
    """

    action: str
    tags: Sequence[str]
    into: str
    keeps_synonyms: bool
    outcome: TagOutcome
    active: int
    warnings: Sequence[str]
    is_renaming: bool

    @property
    def others(self) -> int:
        """The number of other memories and documents that it changes: forgotten and expired ones, and in the inbox."""
        outcome = self.outcome
        return outcome.memories + outcome.forgotten - self.active + outcome.documents.forgotten

    @property
    def names(self) -> str:
        """The tags as a list in words."""
        return _in_words(self.tags)

    @property
    def synonyms(self) -> str:
        """The new synonyms as a list in words."""
        return _in_words(self.outcome.synonyms)


def tags_page(request: HttpRequest) -> HttpResponse:
    """Show the tags. On POST show what a change would do, or with the field `confirm` make it."""
    title = _("Tags")
    if request.method == "POST":
        actor = acting_owner(owner_id(request))
        try:
            if _CONFIRM in request.POST:
                _report(request, actor, _carry_out(request, actor, dry_run=False))
                return redirect("tags")
            context: dict[str, Any] = {"proposal": _proposal(request, actor)}
            return owner_page(request, "memories/manage_tags.html", context, title=title)
        except MemoriesError as error:
            messages.error(request, str(error))
            return redirect("tags")
    found = tag_uses(owners_view(request))
    context = {"rows": _rows(request, found[:MAX_SHOWN]), "has_more": len(found) > MAX_SHOWN}
    return owner_page(request, "memories/manage_tags.html", context, title=title)


def _carry_out(request: HttpRequest, actor: Actor, *, dry_run: bool) -> TagOutcome:
    """Change the tags as the form says. Raises MemoriesError, and Http404 for a form that no page can have sent."""
    sent, tags = request.POST, request.POST.getlist("tags")
    match sent.get("action"):
        case "merge":
            keeps_synonyms = "keeps_synonyms" in sent
            return merge_tags(actor, tags, sent.get("into", ""), keeps_synonyms=keeps_synonyms, dry_run=dry_run)
        case "delete":
            return delete_tags(actor, tags, dry_run=dry_run)
        case _:
            raise Http404


def _proposal(request: HttpRequest, actor: Actor) -> Proposal:
    sent, tags = request.POST, request.POST.getlist("tags")
    outcome = _carry_out(request, actor, dry_run=True)
    sources = [tag for tag in tags if tag != outcome.target]
    is_new = outcome.target not in {use.tag for use in tag_uses(owners_view(request))}
    return Proposal(
        sent["action"],
        tags,
        sent.get("into", ""),
        "keeps_synonyms" in sent,
        outcome,
        Memory.objects.visible_to(owners_view(request)).active().tagged(sources).count(),
        warnings_about(actor.owner_id, sources, outcome.target),
        is_renaming=len(tags) == 1 and outcome.target is not None and is_new,
    )


def _in_words(tags: Iterable[str]) -> str:
    """Return the tags in quotation marks as a list in words."""
    return joined(_("“%(tag)s”") % {"tag": tag} for tag in tags)


def _report(request: HttpRequest, actor: Actor, outcome: TagOutcome) -> None:
    changed = [plural(outcome.memories + outcome.forgotten, "memory", "memories")]
    if count := outcome.documents.all:
        changed.append(plural(count, "document"))
    said = _("Tags changed: %(what)s.") % {"what": joined(changed)}
    say(request, said, undo_url=undo_address(actor.change_set, reverse("tags")))


def _rows(request: HttpRequest, found: Sequence[TagUse]) -> list[Row]:
    synonyms = _synonyms_by_tag(owner_id(request))
    return [Row(use, synonyms.get(use.tag, ())) for use in found]


def _synonyms_by_tag(owner: int) -> Mapping[str, Sequence[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for variant, canonical in (
        TagSynonym.objects.filter(owner_id=owner).order_by("variant").values_list("variant", "canonical")
    ):
        grouped[canonical].append(variant)
    return grouped
