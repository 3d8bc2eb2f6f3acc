"""Network policy of sources, and failures of the network as errors for the owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from common.networking.addresses import can_be_server
from common.networking.outbound import AddressNotAllowed, FetchError, NetworkPolicy, ResponseTooLarge
from common.texts import translatable
from documents.connectors.base import SourceError

ALLOW_PRIVATE = translatable(
    "If you trust this server in your own network, switch on “Allow servers in your own network”."
)


def policy(public: NetworkPolicy, *, allow_private: bool) -> NetworkPolicy:
    """Return the policy for a source: `public`, or with `allow_private` all addresses that servers can have."""
    return replace(public, is_allowed=can_be_server) if allow_private else public


@contextmanager
def network_errors(prefix: str = "") -> Iterator[None]:
    """Turn a FetchError into a SourceError with `prefix` before its message."""
    try:
        yield
    except AddressNotAllowed as error:
        raise SourceError("forbidden", f"{prefix}{error} {ALLOW_PRIVATE}") from None
    except ResponseTooLarge as error:
        raise SourceError("too_large", f"{prefix}{error}") from None
    except FetchError as error:
        raise SourceError(
            "unreachable",
            translatable("%(problem)s Check the address; the next sync tries again.", problem=f"{prefix}{error}"),
        ) from None
