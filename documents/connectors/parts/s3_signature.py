"""Signatures of requests to S3 (AWS Signature Version 4).

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"
# All requests are GET requests without content.
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class S3Key:
    """An access key. Its secret is not part of its repr."""

    access_key: str
    secret: str
    region: str

    def __repr__(self) -> str:
        return f"S3Key(region={self.region!r})"


def encoded_path(path: str) -> str:
    """Return `path` in the encoding of the signature: everything except unreserved characters and slashes."""
    return quote(path, safe="/~")


def encoded_query(query: Mapping[str, str]) -> str:
    """Return `query` in the encoding and order of the signature."""
    return "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in sorted(query.items()))


def signed_headers(key: S3Key, host: str, path: str, query: str, now: datetime) -> dict[str, str]:
    """Return the headers of a GET request to `host` (with its port, unless that is the default).

    `path` and `query` are encoded, and `now` is in UTC.
    """
    time, day = f"{now:%Y%m%dT%H%M%SZ}", f"{now:%Y%m%d}"
    signed = {"host": host, "x-amz-content-sha256": EMPTY_SHA256, "x-amz-date": time}
    lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
    canonical = "\n".join(["GET", path, query, lines, ";".join(signed), EMPTY_SHA256])
    scope = f"{day}/{key.region}/s3/aws4_request"
    to_sign = "\n".join([ALGORITHM, time, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signing_key = f"AWS4{key.secret}".encode()
    for part in (day, key.region, "s3", "aws4_request"):
        signing_key = hmac.digest(signing_key, part.encode(), "sha256")
    signature = hmac.digest(signing_key, to_sign.encode(), "sha256").hex()
    return {
        "x-amz-content-sha256": EMPTY_SHA256,
        "x-amz-date": time,
        "Authorization": (
            f"{ALGORITHM} Credential={key.access_key}/{scope}, SignedHeaders={';'.join(signed)}, Signature={signature}"
        ),
    }
