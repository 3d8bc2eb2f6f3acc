"""The keys that sign access tokens: made once, kept in the database, read by every process.

Keys are handed out as objects, never as PEM text: parsing an RSA key costs a hundred signatures.
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

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.encoding import force_bytes
from jwt.algorithms import RSAAlgorithm
from oauth2_provider.models import AccessToken

from common.advisory_locks import AdvisoryLock, lock_until_commit
from oauthserver.models import SigningKey

ALGORITHM = "RS256"
KEY_BITS = 2048
# A token may have been on its way to be signed when its key was retired.
RETIREMENT_GRACE = timedelta(minutes=1)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A private key, ready to sign with, and the name under which its public half is published."""

    kid: str
    key: RSAPrivateKey


def signing_key() -> PrivateKey:
    """The key that signs now. The first call of all makes it; one database query otherwise."""
    return _usable_key() or _make_key()


def rotate() -> PrivateKey:
    """A new key, which signs from now on in every process. Older ones are trusted until their tokens have expired."""
    with _key_creation_lock():
        _retire_all()
        return _create_key()


def rotate_and_distrust() -> tuple[PrivateKey, int]:
    """A new key, and the number of access tokens that ended: every older key is forgotten, as after a leak.

    Refresh tokens are not signed and live on, so that apps get new access tokens by themselves.
    """
    with _key_creation_lock():
        SigningKey.objects.all().delete()
        now = timezone.now()
        # Other processes remember the old keys for a while. Expired rows are refused at the next request.
        ended = AccessToken.objects.filter(expires__gt=now).update(expires=now)
        return _create_key(), ended


def needed_keys() -> QuerySet[SigningKey]:
    """The keys that sign, and those by which tokens can be alive that they signed."""
    return SigningKey.objects.exclude(retired_at__lt=_oldest_retirement())


def delete_retired_keys() -> None:
    """Delete the keys that no living token was signed with."""
    SigningKey.objects.filter(retired_at__lt=_oldest_retirement()).delete()


def _oldest_retirement() -> datetime:
    return timezone.now() - timedelta(seconds=settings.ACCESS_TOKEN_LIFETIME_SECONDS) - RETIREMENT_GRACE


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
    with _key_creation_lock():
        if made_meanwhile := _usable_key():
            return made_meanwhile
        if _retire_all():
            logger.warning(
                "The signing key cannot be decrypted: SECRET_KEY has changed. A new key signs from now on; "
                "tokens that the old one signed stay valid until they expire."
            )
        return _create_key()


@contextmanager
def _key_creation_lock() -> Iterator[None]:
    """A transaction in which no other process makes or retires a key."""
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.SIGNING_KEY_CREATION)
        yield


def _retire_all() -> int:
    """How many keys signed until now."""
    return SigningKey.objects.filter(retired_at=None).update(retired_at=timezone.now())


def _create_key() -> PrivateKey:
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
