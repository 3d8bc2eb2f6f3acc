"""The writer of an archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO

from django.conf import settings

from common.zip_members import ZipWriter
from memories.transfer.archive.manifest import MANIFEST, Manifest, recorded_settings

_CHUNK_BYTES = 256 * 1024


class ArchiveWriter(ZipWriter):
    """A writer of an archive, member by member. `counts` and `hidden_values_left_out` are those of the manifest."""

    def __init__(self, stream: IO[bytes], created_at: datetime, *, with_hidden_values: bool = False) -> None:
        super().__init__(stream, created_at)
        self.with_hidden_values = with_hidden_values
        self.hidden_values_left_out = 0
        self.counts: dict[str, int] = {}
        self._created_at = created_at

    def add_lines(self, name: str, lines: Iterable[bytes]) -> None:
        """Write the member `name`.jsonl, and count its lines. Raises OSError."""
        self.counts[name] = 0
        self.add(f"{name}.jsonl", _joined(self._counted(name, lines)))

    def finish(self) -> Manifest:
        """Write the manifest and the table of contents, and return the manifest."""
        manifest = Manifest(
            ownsona_version=settings.VERSION,
            created_at=self._created_at,
            counts=self.counts,
            settings=recorded_settings(),
            hidden_values_left_out=self.hidden_values_left_out,
            members=dict(self.members),
        )
        self.add(MANIFEST, [manifest.model_dump_json(indent=2).encode() + b"\n"])
        self.close()
        return manifest

    def _counted(self, name: str, lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in lines:
            self.counts[name] += 1
            yield line


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines in larger chunks: each chunk is a write."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= _CHUNK_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)
