"""Recall log and the owner's judgements."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.text import Truncator

from memories.models.memory import Memory


class PastRecall(models.Model):
    """One recall of a client: its question, its view and filters, and its matches.

    See memories/recall_log/past_recalls.py.

    - `query` and `tags` are empty if the question was not kept; otherwise `tags` are the canonical tags searched for.
    - `only_tags` are the tags that the view was limited to.
    - `limit` is the effective one, after defaults. The other filters are as in memories.recall.pipeline.Query.
    - `matches`, most relevant first, and `near_misses` are objects of `id`, `score` (a cosine 0–1, null if unknown) and
      `parts`, which add up to the rank and leave out zeros. Matches also have `relevance`, 0–1: 0 for those that only
      name the day that the question asks about.

    - `capture_mode`: explicit for the filter `Keeper.USER`, inferred for `Keeper.AGENT`; `agent`: see `Query`.

    No text of a memory is stored.
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
    as_of = models.DateTimeField(null=True)
    capture_mode = models.TextField(null=True)
    agent = models.TextField(null=True)
    only_keywords = models.BooleanField()
    matches = models.JSONField()
    near_misses = models.JSONField()

    class Meta:
        verbose_name = "recall"
        indexes = [models.Index(fields=["owner", "-at", "-id"], name="past_recall_newest")]

    def __str__(self) -> str:
        return Truncator(self.query).chars(80) or "a question that was not kept"


class Verdict(models.Model):
    """The owner's judgement of a memory as a match for a recall: useful, whether it was found or not, or wrong."""

    recall = models.ForeignKey(PastRecall, on_delete=models.CASCADE, db_index=False, related_name="verdicts")
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="+")
    is_useful = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["recall", "memory"], name="verdict_one_of_memory")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} is {'useful' if self.is_useful else 'wrong'}"


class RecalledMemory(models.Model):
    """The first and the last day on which a memory was a match. It outlives the recall log."""

    memory = models.OneToOneField("memories.Memory", on_delete=models.CASCADE, primary_key=True, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    first_on = models.DateField()
    last_on = models.DateField()

    class Meta:
        indexes = [models.Index(fields=["owner", "first_on"], name="recalled_memory_first")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} until {self.last_on}"
