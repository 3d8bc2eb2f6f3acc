"""A real HTTP server that imitates the API of a model hub, with the failures that a test asks for."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE_BYTES = 2_000
"""Size from which the hub stores a file apart from git, with a SHA-256."""


@dataclass
class ModelHub:
    """A hub with one repository. `files` are its contents by path.

    `break_after` are numbers of bytes after which the next responses with content end early. `other_bytes` are contents
    that are sent in place of the true ones. `change_entries` may change the metadata.
    """

    files: dict[str, bytes]
    repository: str
    url: str = ""
    break_after: list[int] = field(default_factory=list)
    other_bytes: dict[str, bytes] = field(default_factory=dict)
    change_entries: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda entries: entries
    statuses: list[int] = field(default_factory=list)
    supports_ranges: bool = True
    requests: list[tuple[str, str]] = field(default_factory=list)

    def entries(self) -> list[dict[str, Any]]:
        """Return the metadata of all files, in the format of the API."""
        return self.change_entries([{"type": "directory", "path": "onnx", "oid": COMMIT, "size": 0}, *self._files()])

    def _files(self) -> Iterator[dict[str, Any]]:
        for path, content in self.files.items():
            blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            entry: dict[str, Any] = {"type": "file", "path": path, "oid": blob, "size": len(content)}
            if len(content) >= LARGE_BYTES:
                entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
                entry["oid"] = "f" * 40
            yield entry

    def content_requests(self) -> list[tuple[str, str]]:
        """Return path and Range header of each request for content."""
        return [(path.partition(f"/{COMMIT}/")[2], ranges) for path, ranges in self.requests if "/resolve/" in path]


def repository_files(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def model_hub(files: dict[str, bytes], repository: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    """Run a hub. Requests to it bypass any proxy in the environment."""
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    hub = ModelHub(files, repository)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _handler(hub: ModelHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def handle(self) -> None:
            with suppress(ConnectionError):
                super().handle()

        def do_GET(self) -> None:
            hub.requests.append((self.path, self.headers.get("Range", "")))
            api = f"/api/models/{hub.repository}"
            if hub.statuses:
                self.send(hub.statuses.pop(0), b"{}")
            elif self.path == f"{api}/revision/main":
                self.send(200, json.dumps({"id": hub.repository, "sha": COMMIT}).encode())
            elif self.path == f"{api}/tree/{COMMIT}?recursive=true":
                entries = hub.entries()
                # The API returns long lists in pages.
                link = {"Link": f'<{hub.url}{api}/tree/{COMMIT}?recursive=true&cursor=2>; rel="next"'}
                self.send(200, json.dumps(entries[:2]).encode(), link if entries[2:] else {})
            elif self.path == f"{api}/tree/{COMMIT}?recursive=true&cursor=2":
                self.send(200, json.dumps(hub.entries()[2:]).encode())
            elif self.path.startswith(f"/{hub.repository}/resolve/{COMMIT}/"):
                self.send_response(302)
                self.send_header("Location", f"{hub.url}/cdn{self.path}")
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif self.path.startswith("/cdn/"):
                self.send_content(self.path.partition(f"/{COMMIT}/")[2])
            else:
                self.send(404, b'{"error": "Repository not found"}')

        def send_content(self, path: str) -> None:
            content = hub.other_bytes.get(path, hub.files[path])
            wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            start = int(wanted[1]) if wanted and hub.supports_ranges else 0
            if start and start >= len(content):
                self.send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
                return
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            rest = content[start:]
            if hub.break_after:
                rest = rest[: hub.break_after.pop(0)]
                self.close_connection = True
            self.wfile.write(rest)

        def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            """Keep the output of the tests clean."""

    return Handler
