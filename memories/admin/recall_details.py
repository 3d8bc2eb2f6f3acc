"""Details of a recall for its page: matches, near misses, and the signals of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext

from memories.access import View
from memories.admin.recall_reasons import Reasons, common_words, reasons_of
from memories.admin.states import State, state_of
from memories.models import Memory, PastRecall
from memories.recall_log.judgements import Judgement
from memories.recall_log.past_recalls import was_beyond_limit
from memories.vectors.indexing import has_vector


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory as a match: `memory` is its state today, None if it was hard-deleted; `score` is None if it was unknown.

    `reasons` are those of its rank; None if it was not found. `remarks` say what has changed since the recall, and why
    the memory was not returned.
    """

    memory_id: int
    memory: Memory | None
    score: float | None
    reasons: Reasons | None
    word: Judgement
    remarks: Sequence[str]


@dataclass(frozen=True, slots=True)
class RecalledMemories:
    """The matches and the near misses of a recall, most relevant first, and other memories judged for it."""

    matches: Sequence[RecalledMemory]
    near_misses: Sequence[RecalledMemory]
    missing: Sequence[RecalledMemory]


def load_recalled_memories(past: PastRecall) -> RecalledMemories:
    """Load the memories of a recall with the owner's judgements. Two queries."""
    words = {v.memory_id: Judgement.USEFUL if v.is_useful else Judgement.WRONG for v in past.verdicts.all()}
    listed = [found["id"] for found in (*past.matches, *past.near_misses)]
    own = Memory.objects.visible_to(View.whole(past.owner_id)).annotate(has_vector=has_vector())
    memories = own.in_bulk([*listed, *words])
    common = common_words(memory.text for memory in memories.values())
    best = max((sum(found["parts"].values()) for found in (*past.matches, *past.near_misses)), default=1.0) or 1.0

    def answer(found: Mapping[str, Any], *, missed: bool = False) -> RecalledMemory:
        memory = memories.get(found["id"])
        remarks = [*([_why_missed(past, found)] if missed else []), *_changes(past, memory)]
        word = words.get(found["id"], Judgement.NOTHING)
        text = memory.text if memory else ""
        has_session = bool(memory and memory.session_id)
        reasons = (
            reasons_of(found["parts"], past.query, text, best, has_session=has_session, common=common)
            if found["parts"]
            else None
        )
        return RecalledMemory(found["id"], memory, found["score"], reasons, word, remarks)

    elsewhere = sorted(words.keys() - set(listed))
    return RecalledMemories(
        [answer(found) for found in past.matches],
        [answer(found, missed=True) for found in past.near_misses],
        [answer({"id": memory_id, "score": None, "parts": {}}) for memory_id in elsewhere],
    )


def _why_missed(past: PastRecall, near_miss: Mapping[str, Any]) -> str:
    if was_beyond_limit(past, near_miss):
        if len(past.matches) < past.limit:
            return gettext("less relevant")
        return gettext("beyond the limit of %(limit)s") % {"limit": past.limit}
    return gettext("below the required score of %(score)s") % {"score": number_format(past.min_score)}


def _changes(past: PastRecall, memory: Memory | None) -> list[str]:
    """Return remarks on how the memory has changed since the recall."""
    if memory is None:
        return [gettext("permanently deleted")]
    state = state_of(memory)
    is_rewritten = memory.updated_at > past.at
    return [
        *([gettext(state)] if state not in {State.ACTIVE, State.PENDING_VECTOR} else []),
        *([gettext("changed since")] if is_rewritten and memory.deleted_at is None else []),
    ]
