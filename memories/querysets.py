"""Questions about memories that read as a sentence: `Memory.objects.visible_to(view).live().tagged(tags)`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Length, Now

from memories.access.actor import Actor
from memories.access.view import View

if TYPE_CHECKING:
    from memories.models import Memory  # noqa: F401 - named in quotes below


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Every method narrows; `visible_to` comes first, always."""

    def visible_to(self, view: View) -> MemoryQuerySet:
        """… that `view` shows: none in quarantine. What replaced a tombstone is shown where the view shows it too."""
        return self.with_quarantined(view).out_of_quarantine()

    def with_quarantined(self, view: View) -> MemoryQuerySet:
        """… that `view` shows, and those in quarantine: for the owner's own pages and files."""
        visible = self.filter(owner_id=view.user_id).tagged(view.only_tags)
        if view.is_whole:
            return visible
        successors = MemoryQuerySet(self.model).filter(pk=OuterRef("replaced_by")).tagged(view.only_tags)
        return visible.annotate(visible_successor_id=Subquery(successors.values("pk")))

    def changeable_by(self, actor: Actor) -> MemoryQuerySet:
        """… that `actor` may change: what their view shows, and of the others those that they put into quarantine."""
        reached = self.with_quarantined(actor.view)
        return reached if actor.decides else reached.filter(Q(quarantined_from=None) | Q(quarantined_from=actor.client))

    def out_of_quarantine(self) -> MemoryQuerySet:
        """… that wait for nobody."""
        return self.filter(quarantined_from=None)

    def waiting_for_owner(self) -> MemoryQuerySet:
        """… in quarantine that nobody has decided about or taken back: the owner's inbox."""
        return self.filter(quarantined_from__isnull=False, deleted_at__isnull=True)

    def live(self) -> MemoryQuerySet:
        """… neither forgotten nor expired, nor in quarantine."""
        return self.kept().unexpired().out_of_quarantine()

    def kept(self) -> MemoryQuerySet:
        """… not forgotten; expired ones too."""
        return self.filter(deleted_at__isnull=True)

    def forgotten(self) -> MemoryQuerySet:
        """… that are tombstones."""
        return self.filter(deleted_at__isnull=False)

    def unexpired(self) -> MemoryQuerySet:
        """… whose time has not run out."""
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))

    def live_or_forgotten(self) -> MemoryQuerySet:
        """… except those in force whose time has run out."""
        return self.exclude(deleted_at__isnull=True, expires_at__lte=Now())

    def expired(self) -> MemoryQuerySet:
        """… whose time has run out."""
        return self.filter(expires_at__lte=Now())

    def tagged(self, tags: Sequence[str]) -> MemoryQuerySet:
        """… with any of these canonical tags; no tags, no restriction."""
        return self.filter(tags__overlap=list(tags)) if tags else self

    def created_between(self, since: datetime | None, until: datetime | None) -> MemoryQuerySet:
        """… made at `since` or later and before `until`; None, no restriction."""
        later = self.filter(created_at__gte=since) if since else self
        return later.filter(created_at__lt=until) if until else later

    def untagged(self) -> MemoryQuerySet:
        """… without any tag."""
        return self.filter(tags=[])

    def of_length(self, low: int | None, high: int | None) -> MemoryQuerySet:
        """… of at least `low` and at most `high` characters."""
        sized = self.annotate(chars=Length("text"))
        if low is not None:
            sized = sized.filter(chars__gte=low)
        return sized.filter(chars__lte=high) if high is not None else sized

    def not_confirmed_since(self, moment: datetime) -> MemoryQuerySet:
        """… last confirmed before `moment`."""
        return self.filter(last_confirmed_at__lt=moment)

    def containing(self, text: str) -> MemoryQuerySet:
        """… whose text has `text` in it, whatever the case. Served by the trigram index."""
        return self.filter(text__icontains=text)

    def newest_first(self) -> MemoryQuerySet:
        """… from the last made to the first."""
        return self.order_by("-created_at", "-id")


_Manager = models.Manager.from_queryset(MemoryQuerySet)


class MemoryManager(_Manager["Memory"]):
    """`Memory.objects`: asks what the queryset asks."""
