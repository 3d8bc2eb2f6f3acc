"""Speakers of conversations and topics of notes, among the matches of a recall."""

from __future__ import annotations

from memories.recall import corrections
from memories.relations.statements import Statement


def talkers(*texts: str) -> set[str]:
    return set(corrections.talkers([Statement.of(text) for text in texts]))


def test_a_line_without_a_word_of_talk_belongs_to_a_speaker_whose_others_have_some() -> None:
    assert talkers("Ada: Hey, how are you?", "Ada: Quiet, as always", "Ben: I no longer ski") == {"ada", "ben"}


def test_a_topic_is_no_speaker_although_one_of_its_notes_says_you() -> None:
    notes = "Roof: 4,200 €", "Roof: slate, from May", "Roof: you have to call Müller"
    assert talkers(*notes, "The tea is in the drawer") == set()
