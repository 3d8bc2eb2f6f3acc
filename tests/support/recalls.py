"""Recalls and judgements in the recall log."""

from __future__ import annotations

from memories.access import View
from memories.models import Memory, PastRecall
from memories.recall.pipeline import Query, recall
from memories.recall_log.judgements import Judgement, judge
from memories.recall_log.past_recalls import pending_recalls, record_recall


def ask(view: View, query: Query, *, client: str = "notebook", tool: str = "recall") -> PastRecall:
    """Recall as a client, and return the recall as logged."""
    record_recall(view, query, recall(view, query), client=client, tool=tool, milliseconds=12.5)
    pending_recalls.flush()
    return PastRecall.objects.latest("pk")


def say(past: PastRecall, memory: Memory, word: Judgement) -> None:
    """Record the owner's judgement of a memory in a recall."""
    judge(past.owner_id, past.pk, memory.pk, word)
