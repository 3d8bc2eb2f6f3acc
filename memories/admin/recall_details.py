"""Details of a recall for its page: matches, near misses, and the signals of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memories.access import View
from memories.admin.states import State, state_of
from memories.models import Memory, PastRecall
from memories.recall.signals import SIGNALS
from memories.recall_log.judgements import Judgement
from memories.recall_log.past_recalls import was_beyond_limit
from memories.vectors.indexing import has_vector

LABELS = {signal.name: signal.label for signal in SIGNALS}

_COLOURS = {"similarity": "c1", "words": "c3", "named": "c2", "beside": "c4", "session": "c4", "time": "c5"}
_OTHER_COLOUR = "c6"


def colour_of(signal: str) -> str:
    """Return the class of the colour of a signal."""
    return _COLOURS.get(signal, _OTHER_COLOUR)


@dataclass(frozen=True, slots=True)
class Part:
    """The share of one signal in a rank. `start` and `width` place it in a bar where the best rank is 100 wide."""

    name: str
    value: float
    start: float
    width: float

    @property
    def label(self) -> str:
        """The name of the signal on the page."""
        return LABELS.get(self.name, self.name)

    @property
    def colour(self) -> str:
        """The class of the colour of the signal."""
        return colour_of(self.name)


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory as a match: `memory` is its state today, None if it was hard-deleted; `score` is None if it was unknown.

    `remarks` say what has changed since the recall, and why the memory was not returned.
    """

    memory_id: int
    memory: Memory | None
    score: float | None
    parts: Sequence[Part]
    word: Judgement
    remarks: Sequence[str]

    @property
    def rank(self) -> float:
        """The sum of the parts."""
        return sum(part.value for part in self.parts)


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
    best = max((sum(found["parts"].values()) for found in (*past.matches, *past.near_misses)), default=1.0) or 1.0

    def answer(found: Mapping[str, Any], *, missed: bool = False) -> RecalledMemory:
        memory = memories.get(found["id"])
        remarks = [*([_why_missed(past, found)] if missed else []), *_changes(past, memory)]
        word = words.get(found["id"], Judgement.NOTHING)
        return RecalledMemory(found["id"], memory, found["score"], _parts(found["parts"], best), word, remarks)

    elsewhere = sorted(words.keys() - set(listed))
    return RecalledMemories(
        [answer(found) for found in past.matches],
        [answer(found, missed=True) for found in past.near_misses],
        [answer({"id": memory_id, "score": None, "parts": {}}) for memory_id in elsewhere],
    )


def _parts(parts: Mapping[str, float], best: float) -> list[Part]:
    """Return the parts that are not 0 in the order of `LABELS`, those below 0 without width.

    The database does not keep their order.
    """
    shown = []
    start = 0.0
    for name in sorted(parts, key=lambda name: [*LABELS, name].index(name)):
        if part := parts[name]:
            width = max(100 * part / best, 0.0)
            shown.append(Part(name, part, start, width))
            start += width
    return shown


def _why_missed(past: PastRecall, near_miss: Mapping[str, Any]) -> str:
    if was_beyond_limit(past, near_miss):
        return f"beyond the limit of {past.limit}"
    return f"below min_score {past.min_score:g}"


def _changes(past: PastRecall, memory: Memory | None) -> list[str]:
    """Return remarks on how the memory has changed since the recall."""
    if memory is None:
        return ["permanently deleted"]
    state = state_of(memory)
    is_rewritten = memory.updated_at > past.at
    return [
        *([state] if state not in {State.ACTIVE, State.PENDING_VECTOR} else []),
        *(["changed since"] if is_rewritten and memory.deleted_at is None else []),
    ]
