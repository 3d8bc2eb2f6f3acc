"""Tests that apps never see secrets in documents."""

from __future__ import annotations

import pytest

from documents.extraction.extracted import Block, Extracted
from documents.secrets import clear_of_secrets, without_secrets

KEY = "sk-" + "a1B2" * 8
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
PEM = f"{BEGIN}\nMIIEow\n{END}"


def cleaned(*texts: str) -> tuple[list[str], list[str]]:
    blocks, kinds = without_secrets(Block("text", text) for text in texts)
    return [block.text for block in blocks], kinds


def test_a_sentence_with_a_secret_is_replaced_and_its_kind_is_named() -> None:
    text = f"The server is in Lyngby. Its token is {KEY}. It has two cores."
    assert cleaned(text) == (
        ["The server is in Lyngby. [removed: an API key] It has two cores."],
        ["an API key"],
    )


def test_a_text_without_secrets_is_unchanged() -> None:
    text = "Call +45 20 12 34 56 on 3 May 2026.\nThe boat cost 12,000."
    assert cleaned(text) == ([text], [])


@pytest.mark.parametrize(
    "blocks",
    [
        (f"before {PEM} after",),
        (
            "before -----BEGIN RSA PRIVATE KEY-----\nMIIEow",
            "MIIEow second",
            "third\n-----END RSA PRIVATE KEY----- after",
        ),
    ],
    ids=["one block", "several blocks"],
)
def test_a_private_key_is_replaced_up_to_its_end(blocks: tuple[str, ...]) -> None:
    texts, kinds = cleaned(*blocks)
    assert kinds == ["a private key"]
    assert "before [removed: a private key]" in texts[0]
    assert texts[-1].endswith(" after")
    assert "MIIEow" not in "".join(texts)


def test_a_private_key_without_an_end_hides_the_rest() -> None:
    assert cleaned("-----BEGIN PRIVATE KEY-----\nMIIEow", "more of it")[0] == ["[removed: a private key]"]


def test_two_private_keys_in_one_block_are_both_replaced() -> None:
    assert cleaned(f"{PEM} and {PEM}!")[0] == ["[removed: a private key] and [removed: a private key]!"]


def test_titles_authors_tags_and_properties_with_secrets_are_left_out() -> None:
    extracted = Extracted(
        "text/markdown",
        (Block("heading", f"Token {KEY}", 1),),
        title=f"Title {KEY}",
        author=f"Ada {KEY}",
        tags=("home", KEY),
        metadata={"subject": f"It is {KEY}", "to": "Bo"},
    )
    clear, kinds = clear_of_secrets(extracted)
    assert KEY not in str(clear)
    assert (clear.title, clear.author, clear.tags, dict(clear.metadata)) == (None, None, ("home",), {"to": "Bo"})
    assert kinds == ["an API key"]
