"""Encryption of stored secrets with keys that are derived from SECRET_KEY."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes


def cipher(purpose: bytes, secret: str | bytes) -> MultiFernet:
    """Return a cipher that encrypts with `secret`, and also decrypts with the fallback secrets.

    Each purpose has keys of its own. What is stored with a purpose can only be read with the same bytes.
    """
    secrets = [secret, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived_key(purpose, each))) for each in secrets])


def _derived_key(purpose: bytes, secret: str | bytes) -> bytes:
    return HKDF(hashes.SHA256(), length=32, salt=None, info=purpose).derive(force_bytes(secret))
