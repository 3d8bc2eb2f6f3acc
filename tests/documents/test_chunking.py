"""Tests of the division of documents into chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunking import CHUNK_CHARS, LONGEST_CHUNK_CHARS, outline_of
from documents.extraction.extracted import Block

SENTENCE = "The boat needs new oil after every hundred hours. "


def heading(text: str, level: int = 1) -> Block:
    return Block("heading", text, level)


def paragraph(text: str, page: int | None = None) -> Block:
    return Block("text", text, page=page)


def texts(*blocks: Block) -> list[str]:
    outline = outline_of(blocks)
    return [outline.text[chunk.start : chunk.end] for chunk in outline.chunks]


def test_a_chunk_knows_the_headings_above_it_and_its_page() -> None:
    outline = outline_of(
        [
            heading("Boat"),
            paragraph("It is in Lyngby.", page=1),
            heading("Engine", 2),
            heading("Oil", 3),
            paragraph("Every hundred hours.", page=2),
            heading("Crew", 2),
            paragraph("Ada and Bo.", page=3),
        ]
    )
    assert [(chunk.heading, chunk.page) for chunk in outline.chunks] == [
        ("Boat", 1),
        ("Boat › Engine › Oil", 2),
        ("Boat › Crew", 3),
    ]


def test_paragraphs_below_one_heading_share_a_chunk_while_they_fit() -> None:
    short, long = "a" * 300, "b" * 300
    assert texts(paragraph(short), paragraph(long), paragraph("c" * 300)) == [f"{short}\n\n{long}", "c" * 300]


def test_no_chunk_crosses_a_heading() -> None:
    assert texts(heading("One"), paragraph("first"), heading("Two"), paragraph("second")) == ["first", "second"]


def test_a_paragraph_stays_whole_up_to_the_greatest_length() -> None:
    longest = "x" * LONGEST_CHUNK_CHARS
    assert texts(paragraph(longest)) == [longest]


def test_a_long_paragraph_is_divided_between_sentences() -> None:
    long = (SENTENCE * 60).strip()
    parts = texts(paragraph(long, page=7))
    assert len(parts) > 3
    assert all(part.startswith("The boat") and len(part) <= CHUNK_CHARS for part in parts)
    assert {chunk.page for chunk in outline_of([paragraph(long, page=7)]).chunks} == {7}


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([heading("Mochi is a dog"), heading("Rex is a cat")], ["Mochi is a dog", "Rex is a cat"]),
        ([heading("Part"), heading("Chapter", 2), paragraph("text")], ["text"]),
        ([paragraph("text"), heading("Last")], ["text", "Last"]),
        ([], []),
    ],
)
def test_a_heading_is_a_chunk_only_if_nothing_is_below_it(blocks: list[Block], expected: list[str]) -> None:
    assert texts(*blocks) == expected


@given(
    st.lists(
        st.builds(
            Block,
            kind=st.sampled_from(["heading", "text", "code"]),
            text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3_000),
            level=st.integers(1, 6),
        ),
        max_size=8,
    )
)
def test_chunks_cover_every_paragraph_in_order(blocks: list[Block]) -> None:
    outline = outline_of(blocks)
    starts = [chunk.start for chunk in outline.chunks]
    assert starts == sorted(starts)
    assert all(0 < chunk.end - chunk.start <= LONGEST_CHUNK_CHARS for chunk in outline.chunks)
    covered = bytearray(len(outline.text))
    for chunk in outline.chunks:
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    start = 0
    for block in blocks:
        if block.kind != "heading":
            assert all(covered[start : start + len(block.text)])
        start += len(block.text) + 2
