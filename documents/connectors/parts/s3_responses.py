"""Responses of S3: pages of ListObjectsV2, and errors.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote_plus
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from common.texts import translatable
from documents.connectors.base import Reason, SourceError

REGION = re.compile(r"[a-z0-9-]{1,40}")
CREDENTIALS = translatable(
    "access_key, secret_key: The server refuses them. Check both, and that they may list and read the bucket."
)
ERRORS: dict[str, tuple[Reason, str]] = {
    "NoSuchBucket": (
        "not_found",
        translatable("bucket: The server has no such bucket. Check the name and the endpoint."),
    ),
    "NoSuchKey": ("not_found", translatable("The object was deleted. The next run notices that.")),
    "InvalidObjectState": ("forbidden", translatable("The object is archived. Restore it first.")),
    "InvalidAccessKeyId": ("forbidden", CREDENTIALS),
    "SignatureDoesNotMatch": ("forbidden", CREDENTIALS),
    "AccessDenied": ("forbidden", CREDENTIALS),
    "RequestTimeTooSkewed": (
        "failed",
        translatable("The clocks of this machine and of the server differ. Set the clock (NTP)."),
    ),
}


@dataclass(frozen=True, slots=True)
class S3Object:
    """An object of a bucket. `etag` is without quotes, and may be empty."""

    key: str
    etag: str
    size_bytes: int
    storage_class: str
    modified_at: datetime | None


@dataclass(frozen=True, slots=True)
class ObjectPage:
    """A page of objects, and the token for the next one. Empty if this is the last."""

    objects: list[S3Object]
    next_token: str


def parse_page(content: bytes) -> ObjectPage:
    """Parse a response to ListObjectsV2 with the encoding type `url`. Raises SourceError if it is no such response."""
    try:
        root = fromstring(content, forbid_dtd=True)
        if _local_name(root) != "ListBucketResult":
            raise ValueError(root.tag)
        # Some servers ignore the encoding type, and say so by not repeating it.
        is_encoded = _value(root, "EncodingType") == "url"
        objects = [_object(element, is_encoded) for element in root if _local_name(element) == "Contents"]
        is_last = _value(root, "IsTruncated") != "true"
        return ObjectPage(objects, "" if is_last else _value(root, "NextContinuationToken"))
    except (ParseError, DefusedXmlException, ValueError):
        raise SourceError(
            "invalid", translatable("endpoint: The server does not respond like S3. Check the address.")
        ) from None


def error_of(status: int, content: bytes) -> SourceError:
    """Return the error for a response with another status than 200."""
    code, region = _code_and_region(content)
    if code in ERRORS:
        return SourceError(*ERRORS[code])
    if code in {"AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"} or (
        status in {301, 307, 308}
    ):
        hint = (
            translatable("The bucket is in %(region)s.", region=region)
            if REGION.fullmatch(region)
            else translatable("Check it, and the endpoint.")
        )
        return SourceError(
            "invalid", translatable("region: The server expects another region or endpoint. %(hint)s", hint=hint)
        )
    if status in {401, 403}:
        return SourceError("forbidden", CREDENTIALS)
    if status == 404:
        return SourceError(*ERRORS["NoSuchBucket"])
    if status >= 500 or status in {408, 429}:
        return SourceError(
            "unreachable",
            translatable("The server responded with HTTP status %(status)s. The next sync tries again.", status=status),
        )
    return SourceError(
        "failed",
        translatable(
            "The server responded with HTTP status %(status)s. Check the endpoint and the bucket.", status=status
        ),
    )


def _code_and_region(content: bytes) -> tuple[str, str]:
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return "", ""
    return _value(root, "Code"), _value(root, "Region")


def _object(element: Element, is_encoded: bool) -> S3Object:
    key = _value(element, "Key")
    return S3Object(
        key=unquote_plus(key, errors="strict") if is_encoded else key,
        etag=_value(element, "ETag").strip('"'),
        size_bytes=int(_value(element, "Size") or 0),
        storage_class=_value(element, "StorageClass"),
        modified_at=_time(_value(element, "LastModified")),
    )


def _value(parent: Element, name: str) -> str:
    return next((element.text or "" for element in parent if _local_name(element) == name), "")


def _local_name(element: Element) -> str:
    # Servers differ in the namespace.
    return element.tag.rpartition("}")[2]


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
