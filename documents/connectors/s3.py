"""Connector for a bucket of S3 or a compatible server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext_noop
from pydantic import Field, SecretStr, field_validator, model_validator

from common.networking.outbound import HttpResponse, request
from common.texts import translatable
from documents.connectors.base import (
    Connector,
    ConnectorContext,
    PathSettings,
    Skipped,
    SourceError,
    SourceItem,
    setting_error,
)
from documents.connectors.parts.budget import Budget, too_large
from documents.connectors.parts.gzip_limits import decompressed
from documents.connectors.parts.keys import display_name
from documents.connectors.parts.network_policy import network_errors, policy
from documents.connectors.parts.s3_responses import ObjectPage, S3Object, error_of, parse_page
from documents.connectors.parts.s3_signature import S3Key, encoded_path, encoded_query, signed_headers
from documents.connectors.parts.web_urls import normalized

# Names have up to 1024 bytes, which are percent-encoded.
PAGE_OBJECTS = 1000
PAGE_BYTES = 16_000_000
ERROR_BYTES = 64 * 1024
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and older and other servers' names
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
ARCHIVED = frozenset({"GLACIER", "DEEP_ARCHIVE"})
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
MAX_KEY_BYTES = 1024
ACCEPT = (("Accept-Encoding", "identity"), ("User-Agent", "OwnSona"))


class S3Settings(PathSettings):
    """Settings of a bucket."""

    address_settings = frozenset({"endpoint"})

    endpoint: str = Field(
        description=gettext_noop(
            "The address of the server, such as https://s3.eu-central-1.amazonaws.com, without the bucket."
        )
    )
    region: str = Field(
        default="us-east-1", description=gettext_noop("The region. Most servers other than AWS accept any.")
    )
    bucket: str = Field(description=gettext_noop("The name of the bucket."))
    prefix: str = Field(
        default="", description=gettext_noop("Read only objects with names that begin with this. Empty: all.")
    )
    access_key: str = Field(
        default="", description=gettext_noop("The id of the access key. Empty for a public bucket.")
    )
    secret_key: SecretStr | None = Field(default=None, description=gettext_noop("The secret of the access key."))
    allow_private: bool = Field(
        default=False,
        description=gettext_noop("Needed for servers in your home or company, such as a NAS, and for http."),
    )

    @field_validator("endpoint")
    @classmethod
    def _is_url(cls, endpoint: str) -> str:
        url = normalized(endpoint)
        if urlsplit(url).path != "/" or urlsplit(url).query:
            raise ValueError(translatable("must be an address without a path"))
        return url.rstrip("/")

    @field_validator("region")
    @classmethod
    def _is_region(cls, region: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", region):
            raise ValueError(translatable("must be the name of a region, such as eu-central-1"))
        return region

    @field_validator("bucket")
    @classmethod
    def _is_bucket(cls, bucket: str) -> str:
        if not BUCKET.fullmatch(bucket):
            raise ValueError(translatable("must be the name of a bucket: letters, digits, dots and hyphens"))
        return bucket

    @field_validator("access_key")
    @classmethod
    def _is_printable(cls, access_key: str) -> str:
        # It becomes a part of a header.
        if not (access_key.isascii() and access_key.isprintable()):
            raise ValueError(translatable("must contain printable ASCII characters only"))
        return access_key

    @model_validator(mode="after")
    def _fits_together(self) -> S3Settings:
        if bool(self.access_key) != bool(self.secret_key and self.secret_key.get_secret_value()):
            raise setting_error(
                "secret_key", translatable("must be given together with the access key, or neither for a public bucket")
            )
        if self.endpoint.startswith("http://") and not self.allow_private:
            raise setting_error(
                "endpoint", translatable("must be an https URL, unless servers in your own network are allowed")
            )
        return self


class S3Connector(Connector[S3Settings]):
    """A reader of the objects in a bucket, with path-style requests, which all servers support."""

    settings_model = S3Settings

    def __init__(self, settings: S3Settings, context: ConnectorContext) -> None:
        super().__init__(settings, context)
        self._filter = settings.path_filter()
        self._network = policy(context.network, allow_private=settings.allow_private)

    def check(self) -> None:
        """Raise SourceError unless the bucket can be listed."""
        self._page("", 1, Budget(self._limits))

    def listing(self, known: Mapping[str, str]) -> Iterator[SourceItem | Skipped]:
        """Yield the objects. `known` is not needed: a listing contains the ETags. Raises SourceError."""
        budget = Budget(self._limits)
        for found in self._objects(budget):
            # Consoles create empty objects as folders.
            if found.key.endswith("/") or not self._filter.matches(found.key):
                continue
            described = self._described(found)
            if isinstance(described, SourceItem):
                budget.add_item()
                budget.add_bytes(found.size_bytes)
            yield described

    def read(self, item: SourceItem) -> bytes:
        """Return the content. Raises SourceError."""
        path = f"/{self._settings.bucket}/{item.key}"
        response = self._get(path, {}, self._limits.item_bytes, Budget(self._limits))
        # Some programs store objects compressed and declare it.
        if response.headers.get("content-encoding", "").strip().lower() == "gzip":
            return decompressed(response.content, self._limits.item_bytes)
        return response.content

    def _objects(self, budget: Budget) -> Iterator[S3Object]:
        token, tokens = "", set[str]()
        while True:
            page = self._page(token, PAGE_OBJECTS, budget)
            yield from page.objects
            token = page.next_token
            if not token:
                return
            # A server that repeats a token would be asked forever, as would one whose pages are all empty.
            if token in tokens or not page.objects:
                raise SourceError("invalid", translatable("endpoint: The server's list of objects does not end."))
            tokens.add(token)

    def _page(self, token: str, max_keys: int, budget: Budget) -> ObjectPage:
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(max_keys), "prefix": self._settings.prefix}
        if token:
            query["continuation-token"] = token
        return parse_page(self._get(f"/{self._settings.bucket}", query, PAGE_BYTES, budget).content)

    def _get(self, path: str, query: Mapping[str, str], max_bytes: int, budget: Budget) -> HttpResponse:
        """Send a signed request. Raises SourceError."""
        encoded, parameters = encoded_path(path), encoded_query(query)
        headers = [*ACCEPT, *self._signature(encoded, parameters).items()]
        url = f"{self._settings.endpoint}{encoded}" + (f"?{parameters}" if parameters else "")
        with network_errors("endpoint: "):
            deadline = budget.request_deadline()
            response = request(url, self._network, deadline, max_bytes, headers=headers, max_error_bytes=ERROR_BYTES)
        if response.status != 200:
            raise error_of(response.status, response.content)
        return response

    def _signature(self, path: str, query: str) -> dict[str, str]:
        if self._settings.secret_key is None:
            return {}
        key = S3Key(self._settings.access_key, self._settings.secret_key.get_secret_value(), self._settings.region)
        return signed_headers(key, urlsplit(self._settings.endpoint).netloc, path, query, datetime.now(UTC))

    def _described(self, found: S3Object) -> SourceItem | Skipped:
        if "\0" in found.key or len(found.key.encode("utf-8", "replace")) > MAX_KEY_BYTES:
            return Skipped(display_name(found.key), translatable("Its name is not a valid name of an object."))
        if found.storage_class in ARCHIVED:
            return Skipped(
                found.key,
                translatable(
                    "It is archived (storage class %(storage_class)s). Restore it first.",
                    storage_class=found.storage_class,
                ),
            )
        if found.size_bytes > self._limits.item_bytes:
            return Skipped(found.key, too_large(self._limits.item_bytes))
        return SourceItem(
            key=found.key,
            name=display_name(found.key),
            fingerprint=found.etag or f"{found.size_bytes}-{found.modified_at}",
            modified_at=found.modified_at,
            size_bytes=found.size_bytes,
        )
