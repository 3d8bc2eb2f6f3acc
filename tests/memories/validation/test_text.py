"""Tests of the pure functions for normalization, tags and secrets."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.errors import InvalidInput, SecretRejected
from memories.validation.text import (
    check_visible,
    clean_tag,
    clean_tags,
    clean_text,
    has_words,
    normalized_hash,
    refuse_secrets,
)


@pytest.mark.parametrize(
    ("given_text", "cleaned"),
    [
        ("  a \t b  ", "a b"),
        ("a\r\nb", "a\nb"),
        ("a \n\n\n\n b", "a\n\nb"),
        ("\u00a0a\u2003b\u00a0", "a b"),
        ("Ünï 🐕", "Ünï 🐕"),
        (" \n ", ""),
    ],
)
def test_text_is_cleaned_lightly(given_text: str, cleaned: str) -> None:
    assert clean_text(given_text) == cleaned


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_cleaning_never_makes_another_memory_of_a_text(text: str) -> None:
    assert normalized_hash(clean_text(text)) == normalized_hash(text)


@pytest.mark.parametrize(
    ("first", "second"), [("Tea  time", "tea time"), ("STRASSE", "straße"), ("e\u0301", "\u00e9"), ("a\nb", "a b")]
)
def test_duplicates_have_one_hash(first: str, second: str) -> None:
    assert normalized_hash(first) == normalized_hash(second)


def test_other_words_have_another_hash() -> None:
    assert normalized_hash("I like tea") != normalized_hash("I like teas")


@pytest.mark.parametrize(
    ("tag", "cleaned"),
    [
        ("Family", "family"),
        ("home improvement", "home-improvement"),
        ("snake_case", "snake-case"),
        ("--a--b--", "a-b"),
        ("C++", ""),
        ("x", ""),
        ("!?", ""),
        ("Größe", "größe"),
        ("家族", "家族"),
        ("हिन्दी", "हिन्दी"),
        ("2024", "2024"),
        ("news/politics", "newspolitics"),
    ],
)
def test_tags_are_letters_digits_and_hyphens(tag: str, cleaned: str) -> None:
    assert clean_tag(tag) == cleaned


def test_tags_are_merged_in_their_first_order() -> None:
    assert clean_tags(["Work", "home", "WORK", "?"]) == ["work", "home"]


@pytest.mark.parametrize("tag", ["a\x00b", "\ud800"])
def test_a_tag_that_cannot_be_stored_is_refused(tag: str) -> None:
    with pytest.raises(InvalidInput, match="tags"):
        clean_tags([tag])


# Assembled here, so that secret scanners do not report this file.
SECRETS = {
    "openai": "sk-" + "a1B2" * 5,
    "openai project": "sk-proj-" + "a1_-" * 5,
    "anthropic": "sk-ant-" + "a1B2" * 5,
    "github": "ghp_" + "a" * 36,
    "github app": "ghs_" + "Z9" * 18,
    "github fine-grained": "github_pat_" + "11ABC",
    "aws": "AKIA" + "ABCDEFGHIJ234567",
    "aws temporary": "ASIA" + "ABCDEFGHIJ234567",
    "slack": "xoxb-" + "1234567890",
    "google": "AIza" + "a" * 35,
    "gitlab": "glpat-" + "a1B2" * 5,
    "stripe": "sk_live_" + "a1B2" * 6,
    "npm": "npm_" + "a1B2" * 9,
    "pypi": "pypi-AgE" + "a1B2" * 20,
    "hugging face": "hf_" + "aB" * 17,
    "sendgrid": "SG." + "a1" * 11 + "." + "a" * 43,
    "digitalocean": "dop_v1_" + "a1" * 32,
    "vault": "hvs." + "a1B2" * 6,
    "shopify": "shpat_" + "a1B2" * 8,
    "docker": "dckr_pat_" + "a1B" * 9,
    "sentry": "sntrys_" + "a1B2" * 11,
    "linear": "lin_api_" + "a1B2" * 10,
    "google oauth": "GOCSPX-" + "a1B2" * 7,
    "telegram": "110201543" + ":AA" + "a1B" * 11,
    "slack webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/" + "a1B2" * 6,
    "age": "AGE-SECRET-KEY-1" + "QQ23" * 14,
    "jwt": "eyJ" + "hbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "ownsona": "ownsona_" + "a1_-" * 10,
    "pem": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "pem pkcs8": "-----BEGIN " + "PRIVATE KEY-----",
    "card": "4111" + "111111111111",
    "card spaced": "4111 " + "1111 1111 1111",
    "card hyphenated": "4111-" + "1111-1111-1111",
    "amex": "3782 " + "822463 10005",
    "card digit by digit": "4 1 1 1 " + "1 1 1 1 1 1 1 1 1 1 1 1",
    "card in groups of five": "41111 " + "11111 11111 1",
    "card with other hyphens": "4111\u20111111\u20111111\u20111111",
    "card over two lines": "4111 1111\n1111 1111",
    "card after a year": "2024 4111 " + "1111 1111 1111",
}
HARMLESS = {
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sha1 of digits": "1234567890123456789012345678901234567890",
    "uuid": "550e8400-e29b-41d4-a716-446655440000",
    "order": "order 1234567890123",
    "phone": "+49 170 1234567",
    "word": "task-force-for-the-new-office-building",
    "short key": "sk-short",
    "setting": "ownsona_allowed_origins=https://example.org",
    "date": "2023-05-08 13:56",
    "isbn": "978-3-16-148410-1",
    "stripe publishable": "pk_live_" + "a1B2" * 6,
    "npm setting": "npm_config_registry=https://registry.npmjs.org",
    "python package": "pypi-AgEless",
    "shape file": "shpat_roads.shp",
    "class": "SG.Group.of_nodes",
    "ratio": "1:AA",
    "public key": "-----BEGIN PUBLIC KEY-----",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_refused_and_never_repeated(kind: str) -> None:
    secret = SECRETS[kind]
    for text in (secret, f"my key is {secret}.", f'{{"key":"{secret}"}}', f"a\n{secret}\nb"):
        with pytest.raises(SecretRejected) as caught:
            refuse_secrets("text", text)
        assert secret not in str(caught.value)
        assert str(caught.value).startswith("text: ")


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_only_looks_odd_passes(kind: str) -> None:
    refuse_secrets("text", f"note: {HARMLESS[kind]} (kept)")
    assert clean_text(HARMLESS[kind])


@given(st.uuids(version=4))
def test_no_uuid_is_taken_for_a_card(identifier: uuid.UUID) -> None:
    refuse_secrets("text", f"id {identifier}")
    refuse_secrets("text", identifier.hex)
    assert identifier.version == 4


@pytest.mark.parametrize(
    "text", ["\u200b\u200b", "\u2060 \ufeff", "\u3164", "\u0301", "\x01\x02", "\u2800", "\u00ad", "\u202e"]
)
def test_a_text_that_nobody_sees_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="text: has only invisible characters"):
        check_visible("text", text)
    assert not has_words(text)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="text: must not be empty"):
        check_visible("text", text)


@pytest.mark.parametrize("text", ["a", "7", "👍", "क्", "\u200b名", "❤\ufe0f", "C++", "٣"])
def test_a_letter_a_digit_or_an_emoji_is_enough(text: str) -> None:
    check_visible("text", text)
    assert has_words(text)


@pytest.mark.parametrize("text", ["?", "...", "(((", "+", "¿?", "—"])
def test_punctuation_is_visible_but_no_words(text: str) -> None:
    check_visible("text", text)
    assert not has_words(text)
