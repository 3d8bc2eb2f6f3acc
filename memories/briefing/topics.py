"""Topics of a briefing: few headings, each for several memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memories.briefing.candidates import Candidate

LEAST_MEMBERS = 2
"""Number of memories that a topic has at least. A heading above a single memory says nothing that it does not."""


def group_by_topic(memories: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """Return `memories`, best first, by topic. Those without one come last, under the empty text.

    The first topic is the tag that most memories share, the next one the tag that most of the others share, and so on;
    of equally frequent tags the first in alphabetical order. A tag that all memories have is not a topic. Topics are in
    the order of their best memories.
    """
    shared = set.intersection(*(set(memory.tags) for memory in memories)) if memories else set()
    topic_of: dict[int, str] = {}
    left = list(memories)
    while topic := _most_frequent(left, shared):
        topic_of |= {memory.id: topic for memory in left if topic in memory.tags}
        left = [memory for memory in left if memory.id not in topic_of]
    groups: dict[str, list[Candidate]] = {}
    for memory in memories:
        if memory.id in topic_of:
            groups.setdefault(topic_of[memory.id], []).append(memory)
    return groups | {"": left} if left else groups


def _most_frequent(memories: Sequence[Candidate], ignored: set[str]) -> str | None:
    """Return the tag that at least LEAST_MEMBERS of `memories`, and most of them, have."""
    counts = Counter(tag for memory in memories for tag in memory.tags if tag not in ignored)
    frequent = [tag for tag, count in counts.items() if count >= LEAST_MEMBERS]
    return min(frequent, key=lambda tag: (-counts[tag], tag), default=None)
