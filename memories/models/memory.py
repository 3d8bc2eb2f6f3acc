"""Memory model and its querysets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, GistIndex, OpClass
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, FloatField, Func, OuterRef, Q, Subquery, TextField, Value
from django.db.models.functions import Cast, Greatest, Length, Now, Upper
from django.utils import timezone

from memories.access import Actor, View
from memories.models.days import DaysField

# A question ends with a question mark. One inside a URL ("?page=2") ends no question and is consumed by the match: if
# the match failed there, it would be tried again from every character before it. A capturing group would be as slow.
_QUESTION = r"(?:[^.!?…。！？؟\n]|\?+\w)*(?:\?+(?!\w)|[？؟]+)"

_STATEMENTS = Func("text", Value(_QUESTION), Value(""), Value("g"), function="regexp_replace", output_field=TextField())

STATEMENT_SHARE = Cast(Length(_STATEMENTS), FloatField()) / Greatest(Length("text"), 1)
"""The share of the characters of a memory's `text` that are outside of questions, 0–1."""


class MemoryQuerySet(models.QuerySet["Memory"]):
    """A query for memories. Methods continue “memories …”, such as `Memory.objects.visible_to(view).active()`.

    Security: every query for a caller must begin with a method that restricts it to a view or an actor, usually
    `visible_to`. All other methods only add conditions. Only background indexing spans owners.
    """

    def visible_to(self, view: View) -> MemoryQuerySet:
        """Select the memories that `view` shows, without quarantined ones.

        A tombstone's `successor_id` is set only if the view shows the successor, too.
        """
        return self.visible_including_quarantined(view).not_quarantined()

    def visible_including_quarantined(self, view: View) -> MemoryQuerySet:
        """Select the memories that `view` shows and quarantined ones, for the owner's own pages and files."""
        visible = self.filter(owner_id=view.owner_id).tagged(view.only_tags)
        if view.is_whole:
            return visible
        successors = MemoryQuerySet(self.model).filter(pk=OuterRef("replaced_by")).tagged(view.only_tags)
        return visible.annotate(visible_successor_id=Subquery(successors.values("pk")))

    def changeable_by(self, actor: Actor) -> MemoryQuerySet:
        """Select the memories in view that `actor` may change: in quarantine, clients only their own, owners all."""
        reached = self.visible_including_quarantined(actor.view)
        return (
            reached if actor.is_owner else reached.filter(Q(quarantined_from=None) | Q(quarantined_from=actor.client))
        )

    def not_quarantined(self) -> MemoryQuerySet:
        """Exclude quarantined memories."""
        return self.filter(quarantined_from=None)

    def awaiting_review(self) -> MemoryQuerySet:
        """Select quarantined memories that nobody has decided about or taken back: the owner's inbox."""
        return self.filter(quarantined_from__isnull=False, deleted_at__isnull=True)

    def active(self) -> MemoryQuerySet:
        """Select memories that are neither forgotten, nor expired, nor quarantined."""
        return self.not_deleted().not_expired().not_quarantined()

    def not_deleted(self) -> MemoryQuerySet:
        """Exclude forgotten memories. Expired ones stay."""
        return self.filter(deleted_at__isnull=True)

    def forgotten(self) -> MemoryQuerySet:
        """Select tombstones."""
        return self.filter(deleted_at__isnull=False)

    def not_expired(self) -> MemoryQuerySet:
        """Exclude expired memories."""
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))

    def active_or_forgotten(self) -> MemoryQuerySet:
        """Exclude expired memories that are not forgotten."""
        return self.exclude(deleted_at__isnull=True, expires_at__lte=Now())

    def expired(self) -> MemoryQuerySet:
        """Select expired memories."""
        return self.filter(expires_at__lte=Now())

    def tagged(self, tags: Sequence[str]) -> MemoryQuerySet:
        """Select memories with any of these canonical tags; without tags, all of them."""
        return self.filter(tags__overlap=list(tags)) if tags else self

    def created_between(self, since: datetime | None, until: datetime | None) -> MemoryQuerySet:
        """Select memories created at `since` or later and before `until`. None means no restriction."""
        later = self.filter(created_at__gte=since) if since else self
        return later.filter(created_at__lt=until) if until else later

    def not_past(self, moment: datetime) -> MemoryQuerySet:
        """Exclude memories that were past before `moment`: see `Memory.is_past`."""
        return self.exclude(valid_until__lt=moment, last_confirmed_at__lte=F("valid_until"))

    def untagged(self) -> MemoryQuerySet:
        """Select memories without tags."""
        return self.filter(tags=[])

    def of_length(self, low: int | None, high: int | None) -> MemoryQuerySet:
        """Select memories with a text of at least `low` and at most `high` characters. None means no restriction."""
        sized = self.annotate(chars=Length("text"))
        if low is not None:
            sized = sized.filter(chars__gte=low)
        return sized.filter(chars__lte=high) if high is not None else sized

    def not_confirmed_since(self, moment: datetime) -> MemoryQuerySet:
        """Select memories last confirmed before `moment`."""
        return self.filter(last_confirmed_at__lt=moment)

    def containing(self, text: str) -> MemoryQuerySet:
        """Select memories whose text contains `text`, ignoring case. Uses the trigram index."""
        return self.filter(text__icontains=text)

    def kept_by_agents(self, *, is_kept: bool) -> MemoryQuerySet:
        """Select memories that belong to an agent or were inferred by an assistant; without `is_kept`, the others."""
        kept = Q(agent__isnull=False) | Q(capture_mode="inferred")
        return self.filter(kept if is_kept else ~kept)

    def newest_first(self) -> MemoryQuerySet:
        """Order memories from the latest created to the first."""
        return self.order_by("-created_at", "-id")


_Manager = models.Manager.from_queryset(MemoryQuerySet)


class MemoryManager(_Manager["Memory"]):
    """The manager `Memory.objects`, with the methods of the queryset."""


class Memory(models.Model):
    """One remembered fact. A tombstone (`deleted_at` set) records what was forgotten and why.

    A quarantined memory (`quarantined_from` names the client that inferred it) awaits the owner's review, and no client
    sees it. A tombstone in quarantine was taken back before the owner decided.

    - `valid_from`, `valid_until`: the first and the last second for which it holds, as its writer or its text says.
    - `statement_key`: a number that is equal for all texts that may say the same (`Statement.key`). While any is None,
      the owner's near-duplicates are searched for by their vectors only.
    - `aspect`: the one of the owner that the text tells (`aspect_of`): a reason to be in the briefing. With a name
      ("home:elin"), it is one of the owner if that is their name. None for most memories.
    - `named_days`: the days that the text names. What the text says depends on the time at which it was said:
      docs/dates.md.
    - `agent`: the name of the agent that it belongs to, as which a client acted when it stored the memory; None for a
      memory of the user.
    - `stored_by`: the client that stored it, as in the journal; empty if the journal does not say.
    - `split_from`: the tombstone that this memory is a part of, of several.
    - `briefing_place`: set by the owner alone; None for a memory whose weight decides.
    """

    class CaptureMode(models.TextChoices):
        EXPLICIT = "explicit"
        INFERRED = "inferred"

    class BriefingPlace(models.TextChoices):
        PINNED = "pinned"
        HIDDEN = "hidden"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="memories"
    )
    text = models.TextField()
    text_hash = models.BinaryField(max_length=32, editable=False)
    statement_key = models.BigIntegerField(null=True, editable=False)
    aspect = models.TextField(null=True, editable=False)
    stated = models.GeneratedField(expression=STATEMENT_SHARE, output_field=models.FloatField(), db_persist=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    importance = models.FloatField(default=0.5, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)])
    source_provider = models.TextField(null=True, blank=True)
    capture_mode = models.TextField(choices=CaptureMode, default=CaptureMode.EXPLICIT)
    session_id = models.TextField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    last_confirmed_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    named_days = DaysField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    forget_reason = models.TextField(null=True, blank=True)
    quarantined_from = models.TextField(null=True, blank=True, editable=False)
    agent = models.TextField(null=True, blank=True, editable=False)
    stored_by = models.TextField(default="", db_default="", editable=False)
    briefing_place = models.TextField(choices=BriefingPlace, null=True, blank=True, editable=False)
    replaced_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="replaces")
    split_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, editable=False, db_index=False, related_name="parts"
    )

    objects = MemoryManager()

    class Meta:
        verbose_name_plural = "memories"
        default_manager_name = "objects"
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "text_hash"],
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True),
                name="memory_unique_active_text",
            ),
            models.UniqueConstraint(
                fields=["owner", "text_hash", "quarantined_from"],
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=False),
                name="memory_unique_waiting_text",
            ),
            models.CheckConstraint(condition=Q(importance__gte=0.0, importance__lte=1.0), name="memory_importance"),
            models.CheckConstraint(condition=Q(capture_mode__in=["explicit", "inferred"]), name="memory_capture_mode"),
            models.CheckConstraint(
                condition=Q(briefing_place=None) | Q(briefing_place__in=["pinned", "hidden"]),
                name="memory_briefing_place",
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-created_at", "-id"], name="memory_newest"),
            models.Index(fields=["owner", "id"], name="memory_owner_id"),
            models.Index(fields=["owner", "statement_key"], name="memory_statement_key"),
            models.Index(
                fields=["owner", "stored_by", "-importance", "-last_confirmed_at", "-id"],
                name="memory_important_of_app",
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True),
            ),
            models.Index(
                fields=["owner", "stored_by", "-last_confirmed_at", "-id"],
                name="memory_confirmed_of_app",
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True),
            ),
            models.Index(
                fields=["owner", "stored_by", "expires_at", "id"],
                name="memory_upcoming_of_app",
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True, expires_at__isnull=False),
            ),
            models.Index(
                fields=["owner", "stored_by", "aspect", "-importance", "-last_confirmed_at", "-id"],
                name="memory_aspect_of_app",
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True, aspect__isnull=False),
            ),
            models.Index(
                fields=["owner"],
                name="memory_name_of_owner",
                condition=Q(deleted_at__isnull=True, quarantined_from__isnull=True, aspect="name"),
            ),
            models.Index(
                fields=["owner", "briefing_place"],
                name="memory_pinned_or_hidden",
                condition=Q(briefing_place__isnull=False),
            ),
            models.Index(
                fields=["owner"],
                name="memory_may_be_out_of_force",
                condition=Q(deleted_at__isnull=False) | Q(expires_at__isnull=False) | Q(quarantined_from__isnull=False),
            ),
            models.Index(
                fields=["expires_at"],
                name="memory_expiring",
                condition=Q(expires_at__isnull=False, deleted_at__isnull=True),
            ),
            models.Index(fields=["replaced_by"], name="memory_replaced_by", condition=Q(replaced_by__isnull=False)),
            models.Index(fields=["split_from"], name="memory_split_from", condition=Q(split_from__isnull=False)),
            models.Index(
                fields=["owner", "session_id", "id"], name="memory_session", condition=Q(session_id__isnull=False)
            ),
            models.Index(fields=["owner", "agent", "id"], name="memory_agent", condition=Q(agent__isnull=False)),
            models.Index(
                fields=["owner", "valid_until"], name="memory_valid_until", condition=Q(valid_until__isnull=False)
            ),
            GistIndex(fields=["named_days"], name="memory_named_days", condition=Q(named_days__isnull=False)),
            GinIndex(fields=["tags"], name="memory_tags"),
            GinIndex(OpClass(Upper("text"), "gin_trgm_ops"), name="memory_text_trigrams"),
        ]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 80 else f"{self.text[:79]}…"

    @property
    def embedded_texts(self) -> list[str]:
        """The texts that are embedded: see `Corpus`."""
        return [self.text]

    @property
    def is_past(self) -> bool:
        """Whether the time for which its text holds has ended, and nobody has confirmed it since."""
        end = self.valid_until
        return end is not None and end < timezone.now() and self.last_confirmed_at <= end

    @property
    def successor_id(self) -> int | None:
        """The id of the memory that replaced this tombstone, if the view that it was read through shows that one."""
        successor_id: int | None = getattr(self, "visible_successor_id", self.replaced_by_id)
        return successor_id
