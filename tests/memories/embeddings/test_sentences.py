from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.embeddings.sentences import sentence_starts, word_starts


def sentences(text: str) -> list[str]:
    borders = [0, *sentence_starts(text), len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


@pytest.mark.parametrize(
    "expected",
    [
        ["I like tea. ", "My sister likes coffee! ", "And you? ", "Well… ", "Both."],
        ['He said "Go!" ', "Then he left. ", "(Really.) ", "«Oui.» ", "Yes."],
        ["A heading\n", "- one item\n", "- another item\n\n", "A new paragraph"],
        ["今日は晴れ。", "元気？", "はい！", "「行く。」", "と言った。"],
        ["هل أنت بخير؟ ", "نعم. ", "شكرا"],
        ["یہ گھر ہے۔ ", "وہ بھی"],
        ["यह घर है। ", "वह भी। ", "ठीक है"],
        ["Это дом. ", "А это — нет!"],
    ],
)
def test_a_sentence_begins_after_what_ends_one_in_many_scripts(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Pi is 3.14 and v1.2 is out",
        "See https://example.org/a.b?c=d.e or write to ada.l@example.org",
        "Dr. Watson met Mr. Holmes, Mrs. Hudson and Prof. Moriarty",
        "J. R. R. Tolkien lived in the U.S. Army quarters, e.g. Room 5 (cf. Fig. 2)",
        "Am 3. Mai kam z.B. Frau Dr. Weber, usw. Alles gut",
        "It takes approx. five minutes",
        '"What?" he asked',
        "no punctuation at all",
        "",
        " . ",
    ],
)
def test_no_sentence_begins_there(text: str) -> None:
    assert sentence_starts(text) == []


@given(st.text(st.characters() | st.sampled_from(' .!?。」"\n'), max_size=300))
def test_borders_stand_within_the_text_in_order(text: str) -> None:
    for starts in (sentence_starts(text), word_starts(text)):
        assert starts == sorted(set(starts))
        assert all(0 < start < len(text) for start in starts)


def test_words_begin_after_blanks() -> None:
    assert word_starts("one  two\nthree ") == [5, 9]
