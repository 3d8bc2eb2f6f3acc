"""The keys that sign access tokens: made once, kept in the database, read by every process.

Keys are handed out as objects, never as PEM text: parsing an RSA key costs a hundred signatures.
"""

from __future__ import annotations

import base64
import functools
import json
import logging
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.encoding import force_bytes
from jwt.algorithms import RSAAlgorithm

from oauthserver.models import SigningKey

ALGORITHM = "RS256"
KEY_BITS = 2048
KEY_ID = re.compile(r"[A-Za-z0-9_-]{43}\Z")
# Any number that nothing else in this database locks by.
CREATION_LOCK = 0x6F776E736F6E61

logger = logging.getLogger(__name__)
_public_keys: dict[str, RSAPublicKey] = {}


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A private key, ready to sign with, and the name under which its public half is published."""

    kid: str
    key: RSAPrivateKey


def signing_key() -> PrivateKey:
    """The key that signs now. The first call of all makes it; one database query otherwise."""
    return _usable_key() or _make_key()


def public_key(kid: str) -> RSAPublicKey | None:
    """The public key named `kid`, retired or not; None when there is none. Asks the database once a process."""
    if kid not in _public_keys and KEY_ID.match(kid) and (row := SigningKey.objects.filter(kid=kid).first()):
        _public_keys[kid] = cast(RSAPublicKey, RSAAlgorithm.from_jwk(row.public_jwk))
    return _public_keys.get(kid)


def published_keys() -> list[dict[str, Any]]:
    """The public keys as JWKs (RFC 7517), newest first."""
    signing_key()
    oldest = timezone.now() - timedelta(seconds=settings.ACCESS_TOKEN_LIFETIME_SECONDS)
    return [key.public_jwk for key in SigningKey.objects.exclude(retired_at__lt=oldest).order_by("-id")]


def _usable_key() -> PrivateKey | None:
    """The newest key that is not retired, if there is one and it can be decrypted."""
    row = SigningKey.objects.filter(retired_at=None).order_by("-id").first()
    if row is None:
        return None
    try:
        return PrivateKey(row.kid, _decrypt(row.encrypted_private_key, settings.SECRET_KEY))
    except InvalidToken:
        return None


def _make_key() -> PrivateKey:
    """A new signing key. Processes that come here at once leave with the same one."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CREATION_LOCK])
        if made_meanwhile := _usable_key():
            return made_meanwhile
        if SigningKey.objects.filter(retired_at=None).update(retired_at=timezone.now()):
            logger.warning(
                "The signing key cannot be decrypted: SECRET_KEY has changed. A new key signs from now on; "
                "tokens that the old one signed stay valid until they expire."
            )
        key = generate_private_key(public_exponent=65537, key_size=KEY_BITS)
        kid, jwk = _published_form(key.public_key())
        SigningKey.objects.create(kid=kid, encrypted_private_key=_encrypt(key), public_jwk=jwk)
        return PrivateKey(kid, key)


def _published_form(key: RSAPublicKey) -> tuple[str, dict[str, Any]]:
    """The key's RFC 7638 thumbprint and its JWK."""
    numbers = RSAAlgorithm.to_jwk(key, as_dict=True)
    required = {name: numbers[name] for name in ("e", "kty", "n")}
    digest = hashes.Hash(hashes.SHA256())
    digest.update(json.dumps(required, separators=(",", ":"), sort_keys=True).encode())
    kid = base64.urlsafe_b64encode(digest.finalize()).rstrip(b"=").decode()
    return kid, {**required, "kid": kid, "use": "sig", "alg": ALGORITHM}


def _encrypt(key: RSAPrivateKey) -> str:
    plain = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return _cipher(settings.SECRET_KEY).encrypt(plain).decode()


@functools.lru_cache(maxsize=8)
def _decrypt(encrypted: str, secret: str | bytes) -> RSAPrivateKey:
    """Raises InvalidToken when `encrypted` was made under another secret."""
    plain = _cipher(secret).decrypt(encrypted.encode())
    return cast(RSAPrivateKey, serialization.load_der_private_key(plain, password=None))


def _cipher(secret: str | bytes) -> MultiFernet:
    """Encrypts under `secret`, and decrypts what the secrets before it encrypted, too."""
    secrets = [secret, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived_key(each))) for each in secrets])


def _derived_key(secret: str | bytes) -> bytes:
    return HKDF(hashes.SHA256(), length=32, salt=None, info=b"ownsona signing keys").derive(force_bytes(secret))
