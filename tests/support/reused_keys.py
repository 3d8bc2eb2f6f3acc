"""RSA keys that the tests of a process share, because making one takes as long as a usual test."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

_keys: dict[int, RSAPrivateKey] = {}


def reuse_keys() -> Callable[..., RSAPrivateKey]:
    """Return a function in place of `generate_private_key`: one test gets different keys, and the next one the same."""
    numbers = itertools.count()

    def next_key(**details: int) -> RSAPrivateKey:
        number = next(numbers)
        if number not in _keys:
            _keys[number] = generate_private_key(**details)
        return _keys[number]

    return next_key
