"""Tests of the encryption of stored secrets: keys by purpose and by secret."""

from __future__ import annotations

import pytest
from cryptography.fernet import InvalidToken
from pytest_django import Settings

from common.encryption import cipher


def test_what_was_encrypted_for_one_purpose_cannot_be_read_for_another() -> None:
    encrypted = cipher(b"one", "secret").encrypt(b"text")
    assert b"text" not in encrypted
    assert cipher(b"one", "secret").decrypt(encrypted) == b"text"
    with pytest.raises(InvalidToken):
        cipher(b"two", "secret").decrypt(encrypted)


def test_a_former_secret_still_decrypts_while_it_is_a_fallback(settings: Settings) -> None:
    encrypted = cipher(b"one", "old").encrypt(b"text")
    with pytest.raises(InvalidToken):
        cipher(b"one", "new").decrypt(encrypted)
    settings.SECRET_KEY_FALLBACKS = ["old"]
    assert cipher(b"one", "new").decrypt(encrypted) == b"text"
