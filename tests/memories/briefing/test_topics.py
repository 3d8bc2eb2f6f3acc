"""Topics of a briefing."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.briefing.candidates import CLOSEST, Candidate
from memories.briefing.topics import group_by_topic


def topics(*tagged: str) -> dict[str, list[int]]:
    """Return the topics of memories with these tags, separated by blanks. Their ids count from 1."""
    memories = [
        Candidate(
            number,
            "",
            tags.split(),
            0.5,
            datetime.now(UTC),
            None,
            None,
            None,
            "explicit",
            "app",
            None,
            is_pinned=False,
            recalls=0,
            announced_day=None,
            is_of_relative=False,
            closeness=CLOSEST,
        )
        for number, tags in enumerate(tagged, start=1)
    ]
    return {topic: [memory.id for memory in members] for topic, members in group_by_topic(memories).items()}


def test_the_most_shared_tag_is_the_topic_not_the_first_one() -> None:
    assert topics("mochi pets", "cat pets", "lyon") == {"pets": [1, 2], "": [3]}


def test_a_memory_belongs_to_one_topic_and_later_topics_are_counted_without_it() -> None:
    assert topics("a b", "a", "a b", "b", "c", "c") == {"a": [1, 2, 3], "c": [5, 6], "": [4]}


def test_ties_are_decided_by_the_alphabet() -> None:
    assert topics("zebra ant", "ant zebra", "") == {"ant": [1, 2], "": [3]}


def test_topics_are_in_the_order_of_their_best_memories_and_the_rest_is_last() -> None:
    assert list(topics("alone", "small", "big", "big", "big", "small")) == ["small", "big", ""]


def test_a_tag_that_all_have_separates_nothing() -> None:
    assert topics("work a", "work b", "work a", "work b") == {"a": [1, 3], "b": [2, 4]}
    assert topics("work", "work") == {"": [1, 2]}


def test_nothing_has_no_topics() -> None:
    assert topics() == {}
