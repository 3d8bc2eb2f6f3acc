"""The tables of the domain. Every row belongs to an owner; ids are never used twice."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now, Upper
from django.utils.text import Truncator
from pgvector.django import HalfVectorField

from memories.querysets import MemoryManager
from memories.stated import STATED_SHARE


class Memory(models.Model):
    """One remembered fact. A tombstone (`deleted_at` set) stays as the record of what was forgotten and why.

    In quarantine (`quarantined_from` names the client that inferred it) it waits for the owner, and no client is shown
    it. A tombstone in quarantine was taken back before the owner decided.
    """

    class CaptureMode(models.TextChoices):
        EXPLICIT = "explicit"
        INFERRED = "inferred"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="memories"
    )
    text = models.TextField()
    text_hash = models.BinaryField(max_length=32, editable=False)
    stated = models.GeneratedField(expression=STATED_SHARE, output_field=models.FloatField(), db_persist=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    importance = models.FloatField(default=0.5, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)])
    source_provider = models.TextField(null=True, blank=True)
    capture_mode = models.TextField(choices=CaptureMode, default=CaptureMode.EXPLICIT)
    session_id = models.TextField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    last_confirmed_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    forget_reason = models.TextField(null=True, blank=True)
    quarantined_from = models.TextField(null=True, blank=True, editable=False)
    replaced_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="replaces")

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
        ]
        indexes = [
            models.Index(fields=["owner", "-created_at", "-id"], name="memory_newest"),
            models.Index(fields=["owner", "id"], name="memory_owner_id"),
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
            models.Index(
                fields=["owner", "session_id", "id"], name="memory_session", condition=Q(session_id__isnull=False)
            ),
            GinIndex(fields=["tags"], name="memory_tags"),
            GinIndex(OpClass(Upper("text"), "gin_trgm_ops"), name="memory_text_trigrams"),
        ]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 80 else f"{self.text[:79]}…"

    @property
    def successor_id(self) -> int | None:
        """What replaced this tombstone, as far as the view that it was read through shows it."""
        successor_id: int | None = getattr(self, "visible_successor_id", self.replaced_by_id)
        return successor_id


class EmbeddingSpace(models.Model):
    """One provider, model and dimension: vectors compare only within a space. One of them is in use.

    `source` says where its model is: a folder, or the address of an endpoint; empty for the provider's own, null where
    it is unknown.
    """

    provider = models.TextField()
    model = models.TextField()
    dimensions = models.PositiveIntegerField()
    source = models.TextField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    in_use_since = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "model", "dimensions"], name="embedding_space_unique"),
            models.UniqueConstraint(
                models.ExpressionWrapper(Q(in_use_since__isnull=False), models.BooleanField()),
                condition=Q(in_use_since__isnull=False),
                name="embedding_space_one_in_use",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.model} ({self.dimensions})"


class MemoryVector(models.Model):
    """One window of a memory's text in one embedding space. Kept narrow: it is what a search by meaning scans.

    It stands from `start_char` to `end_char` in the text, in characters; null for the only window of a text, and for
    those from before this was noted.
    """

    pk = models.CompositePrimaryKey("space_id", "memory_id", "window")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="vectors")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, db_index=False, related_name="+")
    window = models.SmallIntegerField()
    embedding = HalfVectorField()
    start_char = models.IntegerField(null=True)
    end_char = models.IntegerField(null=True)

    class Meta:
        # The index for searches by meaning is one of an owner and a space: see memories/vectors/hnsw.py.
        indexes = [models.Index(fields=["owner", "space", "memory", "window"], name="vector_owner_space_memory")]

    def __str__(self) -> str:
        return f"window {self.window} of memory {self.memory_id}"


class Posting(models.Model):
    """A word in a memory: `tf` times, in a text of `length` words. Triggers keep it, and no foreign key checks it.

    A term is a stem; one that begins with @ is a name that the text begins with, and so whom it is about.
    """

    pk = models.CompositePrimaryKey("owner_id", "term", "memory_id")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    term = models.TextField(db_collation="C")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    tf = models.SmallIntegerField()
    length = models.SmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["memory"], name="posting_memory")]

    def __str__(self) -> str:
        return f"{self.term} in memory {self.memory_id}"


class TagSynonym(models.Model):
    """A variant of a tag and the canonical tag that stands for it. The owner edits these."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="tag_synonyms"
    )
    variant = models.TextField()
    canonical = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "variant"], name="tag_synonym_unique_variant")]

    def __str__(self) -> str:
        return f"{self.variant} → {self.canonical}"


class JournalEntry(models.Model):
    """One change to one memory: what it was before, what it became, who did it, in which call.

    `before` and `after` hold the changed fields only. `memory_id` is no foreign key: the line that
    records a hard delete outlives the memory, without any of its content.
    """

    class Operation(models.TextChoices):
        REMEMBER = "remember"
        REVIVE = "revive"
        UPDATE = "update"
        CONFIRM = "confirm"
        FORGET = "forget"
        RESTORE = "restore"
        ACCEPT = "accept"
        REJECT = "reject"
        HARD_DELETE = "hard_delete"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    memory_id = models.BigIntegerField()
    operation = models.TextField(choices=Operation)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    client = models.TextField()
    call_id = models.UUIDField()

    class Meta:
        verbose_name_plural = "journal entries"
        indexes = [
            models.Index(fields=["owner", "memory_id", "-id"], name="journal_memory"),
            models.Index(fields=["owner", "-id"], name="journal_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_operation_display()} memory {self.memory_id}"


class PastRecall(models.Model):
    """One recall of a client: what it asked, through which view, and what came of it.

    See memories/recall_log/past_recalls.py.

    `query` is empty where it was not kept, and so are `tags`, else the canonical ones that were looked for. `only_tags`
    are those that the view was limited to, `limit` is the one in force, the other filters are as in
    memories.recall.pipeline.Query. `matches`, most relevant first, and `near_misses` are
    objects of `id`, `score` (a cosine 0–1, null where it is unknown) and `parts`, which add up to the rank and leave
    out what is 0. No text of a memory stands in it.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    at = models.DateTimeField()
    client = models.TextField()
    tool = models.TextField()
    milliseconds = models.FloatField()
    query = models.TextField()
    mode = models.TextField()
    limit = models.IntegerField()
    min_score = models.FloatField()
    tags = ArrayField(models.TextField())
    only_tags = ArrayField(models.TextField())
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    capture_mode = models.TextField(null=True)
    only_keywords = models.BooleanField()
    matches = models.JSONField()
    near_misses = models.JSONField()

    class Meta:
        verbose_name = "recall"
        indexes = [models.Index(fields=["owner", "-at", "-id"], name="past_recall_newest")]

    def __str__(self) -> str:
        return Truncator(self.query).chars(80) or "a question that was not kept"


class Verdict(models.Model):
    """What the owner says of a memory as an answer to a question: useful, whether it was found or not, or wrong."""

    recall = models.ForeignKey(PastRecall, on_delete=models.CASCADE, db_index=False, related_name="verdicts")
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="+")
    is_useful = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["recall", "memory"], name="verdict_one_of_memory")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} is {'useful' if self.is_useful else 'wrong'}"
