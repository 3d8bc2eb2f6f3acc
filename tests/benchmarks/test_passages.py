"""Tests of the documents and questions with which the search in documents is measured."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.passages.baselines import FIXED_CHARS, Passage, Words, fixed_passages
from benchmarks.passages.corpus import DEVELOPMENT, HELD_OUT, Question, Source, origins, questions, sources
from benchmarks.passages.files import write_file
from benchmarks.passages.judging import place_of, spans_of
from benchmarks.passages.texts import TEXTS
from documents.chunking import outline_of
from documents.extraction.isolation import extract_isolated

FORMATS = {"txt", "docx", "pdf", "odt", "epub", "html", "md", "pptx", "xlsx", "csv", "json", "jsonl", "eml", "py", "c"}
QUESTIONS_OF_EACH = 5


def test_there_are_300_questions_about_60_documents_of_all_formats() -> None:
    assert len({source.name for source in sources()}) == len(sources()) == 60
    assert {source.format for source in sources()} == FORMATS
    asked = Counter(question.document for question in questions())
    assert asked == {source.name: QUESTIONS_OF_EACH for source in sources()}
    assert len({question.text for question in questions()}) == 300


def test_half_of_the_documents_are_held_out() -> None:
    halves = Counter(source.half for source in sources())
    assert set(halves) == {DEVELOPMENT, HELD_OUT}
    assert abs(halves[DEVELOPMENT] - halves[HELD_OUT]) <= 2


def test_the_origin_of_every_text_is_stated_and_no_text_is_unused() -> None:
    assert {source.origin for source in sources()} == set(origins())
    assert all(origin["work"] and origin["reason"] for origin in origins().values())
    stored = {path.name.partition(".")[0] for path in TEXTS.iterdir()}
    assert stored == {source.name for source in sources()} - {"constitution"}


@pytest.mark.parametrize("source", sources(), ids=[source.file_name for source in sources()])
def test_each_snippet_stands_in_the_text_that_is_extracted(source: Source, tmp_path: Path) -> None:
    extracted = extract_isolated(write_file(source, tmp_path), source.file_name)
    text = outline_of(extracted.blocks).text
    missing = [
        asked.snippet for asked in questions() if asked.document == source.name and not spans_of(asked.snippet, text)
    ]
    assert missing == []


def test_a_passage_is_right_if_it_contains_half_of_the_snippet() -> None:
    texts = {"boat": "The sails are red. The engine\n needs oil. The crew is small.", "house": "The engine needs oil."}
    asked = Question("what does it run on", "boat", "engine needs oil")

    def place(*found: tuple[str, int, int]) -> int | None:
        return place_of(asked, [Passage(name, start, end, "") for name, start, end in found], texts)

    assert place(("boat", 19, 42)) == 1
    assert place(("house", 0, 21), ("boat", 0, 19), ("boat", 0, 60)) == 3
    assert place(("boat", 0, 32)) == 1
    assert place(("boat", 0, 28)) is None
    assert place() is None


def test_fixed_passages_cover_a_text_and_bm25_ranks_rare_words_first() -> None:
    text = "the boat " * 100 + "a crane"
    passages = fixed_passages({"boat": text, "house": "the house"})
    assert "".join(passage.text for passage in passages if passage.document == "boat") == text
    assert all(len(passage.text) <= FIXED_CHARS for passage in passages)
    assert Words(passages).best("where is the crane", 1)[0].text.endswith("a crane")
