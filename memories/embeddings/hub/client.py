"""Client of the HTTP API of a model hub, as Hugging Face documents it (https://huggingface.co/docs/hub/api)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from common.texts import translatable
from memories.errors import EmbeddingError

DEFAULT_HUB = "https://huggingface.co"
TIMEOUT = httpx.Timeout(30.0, connect=10.0)
MAX_PAGES = 20
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

Content = TypeVar("Content")


class DownloadError(EmbeddingError):
    """A failed download of a model. The message says what happened and what to do."""


class TransientError(DownloadError):
    """A failed attempt that may succeed when it is repeated."""


class _Revision(BaseModel):
    sha: str


class _Lfs(BaseModel):
    oid: str
    size: int


class _Entry(BaseModel):
    type: str
    path: str
    oid: str = ""
    size: int = -1
    lfs: _Lfs | None = None


_ENTRIES: TypeAdapter[list[_Entry]] = TypeAdapter(list[_Entry])


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a commit of a repository: its size in bytes, and the hash that the hub's metadata gives.

    `sha256` is that of a large file, `blob_sha1` that of a small one: the SHA-1 of a git blob. The other is empty.
    """

    repository: str
    revision: str
    path: str
    size: int
    sha256: str = ""
    blob_sha1: str = ""


class Hub:
    """A hub or a mirror of one, by its address. `str(hub)` is the name of its host."""

    def __init__(self, address: str = DEFAULT_HUB) -> None:
        """Raise DownloadError unless the address is a valid http or https URL."""
        self._address = address.rstrip("/")
        try:
            parts = urlsplit(self._address)
            if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
                raise DownloadError(translatable("--mirror: must look like https://host or http://host:port/path."))
            self._host = parts.netloc.rpartition("@")[2]
            # Files are on other hosts than the hub, to which it redirects. Their hashes are compared in any case.
            self._client = httpx.Client(timeout=TIMEOUT, follow_redirects=True)
        except ValueError as error:
            raise DownloadError(translatable("--mirror: is not a valid address.")) from error
        # Sizes and ranges are those of the files, not of compressed responses.
        self._client.headers["Accept-Encoding"] = "identity"

    def __str__(self) -> str:
        return self._host

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def revision(self, repository: str) -> str:
        """Return the commit of the main branch. Raises DownloadError."""
        response = self._get(f"/api/models/{repository}/revision/main", repository)
        commit = self._parsed(TypeAdapter(_Revision), response).sha
        if not _COMMIT.fullmatch(commit):
            raise DownloadError(
                translatable("%(hub)s names no commit of %(repository)s.", hub=self, repository=repository)
            )
        return commit

    def files(self, repository: str, revision: str) -> dict[str, HubFile]:
        """Return the files of a commit that have a size and a hash, by path. Raises DownloadError."""
        entries: list[_Entry] = []
        url = f"/api/models/{repository}/tree/{revision}?recursive=true"
        for _ in range(MAX_PAGES):
            response = self._get(url, repository)
            page = self._parsed(_ENTRIES, response)
            entries.extend(page)
            url = response.links.get("next", {}).get("url", "")
            if not url:
                break
        found = (_hub_file(repository, revision, entry) for entry in entries if entry.type == "file")
        return {file.path: file for file in found if file is not None}

    @contextmanager
    def content(self, file: HubFile, start: int) -> Iterator[httpx.Response]:
        """Open the content of a file from byte `start` on. Raises DownloadError; any success may ignore `start`."""
        headers = {"Range": f"bytes={start}-"} if start else {}
        url = f"{self._address}/{file.repository}/resolve/{file.revision}/{quote(file.path)}"
        with self._errors(file.repository), self._client.stream("GET", url, headers=headers) as response:
            if response.status_code != httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                self._require_success(response, file.repository)
            yield response

    def _get(self, url: str, repository: str) -> httpx.Response:
        with self._errors(repository):
            response = self._client.get(url if url.startswith("http") else f"{self._address}{url}")
        self._require_success(response, repository)
        return response

    @contextmanager
    def _errors(self, repository: str) -> Iterator[None]:
        try:
            yield
        except httpx.TimeoutException as error:
            raise TransientError(translatable("%(hub)s did not respond in time.", hub=self)) from error
        except httpx.TransportError as error:
            raise TransientError(
                translatable("%(hub)s is not reachable, or the connection to it broke.", hub=self)
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise DownloadError(
                translatable(
                    "%(hub)s sent a response about %(repository)s that cannot be read.", hub=self, repository=repository
                )
            ) from error

    def _require_success(self, response: httpx.Response, repository: str) -> None:
        status = response.status_code
        if response.is_success:
            return
        if status in {401, 403}:
            message = translatable(
                "%(hub)s requires a login for %(repository)s (HTTP status %(status)s). Download its files in a "
                "browser, and install them with manage.py get_model --folder.",
                hub=self,
                repository=repository,
                status=status,
            )
            raise DownloadError(message, status)
        if status == httpx.codes.NOT_FOUND:
            message = translatable(
                "%(hub)s has no %(repository)s, or not all of its files.", hub=self, repository=repository
            )
            raise DownloadError(message, status)
        message = translatable("%(hub)s responded with HTTP status %(status)s.", hub=self, status=status)
        if status in {408, 429} or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise TransientError(message, status)
        raise DownloadError(message, status)

    def _parsed(self, shape: TypeAdapter[Content], response: httpx.Response) -> Content:
        try:
            return shape.validate_json(response.content)
        except ValidationError as error:
            raise DownloadError(
                translatable("%(hub)s did not respond in the format of the hub's API.", hub=self)
            ) from error


def _hub_file(repository: str, revision: str, entry: _Entry) -> HubFile | None:
    """Return a file with the hash of its content; None if there is none, since it could not be verified."""
    if entry.lfs is not None:
        sha256 = _SHA256.fullmatch(entry.lfs.oid)
        if sha256 and entry.lfs.size >= 0:
            return HubFile(repository, revision, entry.path, entry.lfs.size, sha256=sha256[1])
        return None
    if _COMMIT.fullmatch(entry.oid) and entry.size >= 0:
        return HubFile(repository, revision, entry.path, entry.size, blob_sha1=entry.oid)
    return None
