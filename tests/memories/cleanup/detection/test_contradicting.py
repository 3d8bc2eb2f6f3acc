"""Tests of which pairs of memories the clean-up, and the page of a memory, call a contradiction."""

from __future__ import annotations

from memories.cleanup.detection.similar import are_contradicting
from memories.relations.statements import Statement

of = Statement.of


def test_a_topic_that_many_memories_share_is_evidence_but_a_name_is_not() -> None:
    newer, older = of("User now works at the harbour office."), of("User works as a joiner at a boatyard.")
    assert are_contradicting(newer, older, 0.55, frozenset({"work"}))
    newer, older = of("Rosa: no tents this time, Rosa has switched to huts."), of("Rosa: the ferry is booked.")
    assert not are_contradicting(newer, older, 0.55, frozenset({"rosa"}))


def test_two_years_of_a_birth_contradict_each_other_but_two_years_of_a_trip_do_not() -> None:
    assert are_contradicting(of("The terrier was born in May 2020."), of("The terrier was born in May 2021."), 0.85)
    for older in ("The trip to Oslo was in May 2020.", "NATO met in Oslo in 2020.", "On ne va pas à Oslo en 2020."):
        assert not are_contradicting(of(older.replace("2020", "2021")), of(older), 0.85), older
