"""Keys that sign access tokens, stored in the database and shared by all processes.

Functions return keys as objects, never as PEM text, so that a key is decrypted and parsed only once.
"""

from __future__ import annotations

import base64
import functools
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from cryptography.fernet import InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from jwt.algorithms import RSAAlgorithm
from oauth2_provider.models import AccessToken

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.encryption import cipher
from oauthserver.models import SigningKey

ALGORITHM = "RS256"
KEY_BITS = 2048
# A token may be signed shortly after its key was retired.
RETIREMENT_GRACE = timedelta(minutes=1)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A parsed private key, and the key id under which its public key is published."""

    kid: str
    key: RSAPrivateKey


def signing_key() -> PrivateKey:
    """Return the current signing key with one database query. Create one if there is none."""
    return _usable_key() or _make_key()


def rotate() -> PrivateKey:
    """Create a key that signs from now on in every process. Older keys stay trusted until their tokens expire."""
    with _key_creation_lock():
        _retire_all()
        return _create_key()


def rotate_and_distrust() -> tuple[PrivateKey, int]:
    """Delete all keys and create a new one, as after a leak. Return the key and the number of access tokens ended.

    Refresh tokens are not signed and stay valid, so apps obtain new access tokens by themselves.
    """
    with _key_creation_lock():
        SigningKey.objects.all().delete()
        now = timezone.now()
        # Other processes cache the old keys for a while, but refuse the expired rows at the next request.
        ended = AccessToken.objects.filter(expires__gt=now).update(expires=now)
        return _create_key(), ended


def needed_keys() -> QuerySet[SigningKey]:
    """Return the current keys and the retired ones that may have signed tokens that have not expired."""
    return SigningKey.objects.exclude(retired_at__lt=_oldest_retirement())


def delete_retired_keys() -> None:
    """Delete the retired keys whose tokens have all expired."""
    SigningKey.objects.filter(retired_at__lt=_oldest_retirement()).delete()


def _oldest_retirement() -> datetime:
    return timezone.now() - timedelta(seconds=settings.ACCESS_TOKEN_LIFETIME_SECONDS) - RETIREMENT_GRACE


def _usable_key() -> PrivateKey | None:
    """Return the newest key that is not retired, or None if there is none or it cannot be decrypted."""
    row = SigningKey.objects.filter(retired_at=None).order_by("-id").first()
    if row is None:
        return None
    try:
        return PrivateKey(row.kid, _decrypt(row.encrypted_private_key, settings.SECRET_KEY))
    except InvalidToken:
        return None


def _make_key() -> PrivateKey:
    """Create a signing key. Concurrent calls, even in different processes, return one key."""
    with _key_creation_lock():
        if made_meanwhile := _usable_key():
            return made_meanwhile
        if _retire_all():
            logger.warning(
                "The signing key cannot be decrypted: SECRET_KEY has changed. A new key is used from now on; "
                "tokens signed with the old one stay valid until they expire."
            )
        return _create_key()


@contextmanager
def _key_creation_lock() -> Iterator[None]:
    """Run the block in a transaction during which no other process creates or retires a key."""
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.SIGNING_KEY_CREATION)
        yield


def _retire_all() -> int:
    """Retire all current keys and return their number."""
    return SigningKey.objects.filter(retired_at=None).update(retired_at=timezone.now())


def _create_key() -> PrivateKey:
    key = generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    kid, jwk = _published_form(key.public_key())
    SigningKey.objects.create(kid=kid, encrypted_private_key=_encrypt(key), public_jwk=jwk)
    return PrivateKey(kid, key)


def _published_form(key: RSAPublicKey) -> tuple[str, dict[str, Any]]:
    """Return the key's RFC 7638 thumbprint and its JWK."""
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
    """Decrypt and parse a private key. Raises InvalidToken when it was encrypted with another secret."""
    plain = _cipher(secret).decrypt(encrypted.encode())
    # Only somebody who knows the secret can have written it, so the numbers of the key need no test of 30 ms.
    key = serialization.load_der_private_key(plain, password=None, unsafe_skip_rsa_key_validation=True)
    return cast(RSAPrivateKey, key)


def _cipher(secret: str | bytes) -> MultiFernet:
    return cipher(b"ownsona signing keys", secret)
