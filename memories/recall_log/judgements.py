"""The owner's judgements of memories as matches of a question that a client asked."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from django.conf import settings
from django.db import transaction

from common.texts import translatable
from memories.errors import InvalidInput, NotFound
from memories.models import Memory, PastRecall, Verdict
from memories.recall.pipeline import Mode, recall
from memories.recall_log.past_recalls import eligible_memories, query_of, view_of

MAX_FOUND = 10


class Judgement(StrEnum):
    """An opinion on a memory; NOTHING removes the earlier one."""

    USEFUL = "useful"
    WRONG = "wrong"
    NOTHING = "nothing"


def judge(owner_id: int, recall_id: int, memory_id: int, judgement: Judgement) -> None:
    """Store `judgement` about a memory, found or not, in place of an earlier one.

    Raises NotFound for a recall that is not the owner's, and for a memory that the client may not see or that the
    filters exclude. Raises InvalidInput if the question was not stored.
    """
    with transaction.atomic():
        # The locks keep recall and memory from being deleted before the judgement is written.
        past = PastRecall.objects.filter(owner_id=owner_id, pk=recall_id).select_for_update(no_key=True).first()
        if past is None:
            raise NotFound(translatable("There is no recall %(recall_id)s.", recall_id=recall_id))
        if judgement is Judgement.NOTHING:
            past.verdicts.filter(memory_id=memory_id).delete()
            return
        if not past.query:
            raise InvalidInput(translatable("The question was not stored, so the matches cannot be judged."))
        seen = eligible_memories(past).filter(pk=memory_id)
        if seen.select_for_update(no_key=True, of=("self",)).first() is None:
            raise NotFound(
                translatable(
                    "There is no memory %(memory_id)s that the app can see and that matches the filters.",
                    memory_id=memory_id,
                )
            )
        Verdict.objects.update_or_create(
            recall=past, memory_id=memory_id, defaults={"is_useful": judgement is Judgement.USEFUL}
        )


def search_eligible_memories(past: PastRecall, wanted: str) -> list[Memory]:
    """Return the active eligible memories that match the words `wanted`, or that have this id.

    At most `MAX_FOUND`, best first. Raises the errors of `memories.recall.pipeline.recall`.
    """
    number = wanted.strip().removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 19:
        return list(eligible_memories(past).active().filter(pk=int(number)))
    limit = min(MAX_FOUND, settings.MAX_RECALL_LIMIT)
    query = replace(query_of(past), text=wanted, mode=Mode.KEYWORD, min_score=0.0, limit=limit)
    return [match.memory for match in recall(view_of(past), query).matches]
