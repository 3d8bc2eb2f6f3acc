"""Text of scanned pages, read by tesseract if it is installed."""

from __future__ import annotations

import shutil
import subprocess
import time
from functools import cached_property
from typing import Any, Final

from common.texts import translatable
from documents.extraction.formats.pdf.lines import Line
from documents.extraction.limits import Limits
from documents.extraction.output import Output

DOTS_PER_INCH: Final = 200
MAX_PIXELS: Final = 12_000_000
MAX_LANGUAGES: Final = 5
TIME_SHARE: Final = 0.7
"""Share of the time limit after which no further page is started, so that the pages before it are not lost."""

_POINTS_PER_INCH: Final = 72
_NO_LANGUAGES: Final = frozenset({"osd", "equ", "snum"})


class ScanReader:
    """A reader of pages without text. It counts the pages that it could not read, for a note to the owner."""

    def __init__(self, limits: Limits) -> None:
        self._program = shutil.which("tesseract")
        self._ends_at = time.monotonic() + limits.seconds * TIME_SHARE
        self._page_seconds = limits.seconds * (1 - TIME_SHARE) / 2
        self._recognized = self._unread = self._late = 0

    def read(self, page: Any) -> list[Line]:
        """Return the paragraphs of a scanned page as lines without positions; none if the page has no image."""
        # An empty page is not a scan.
        if next(iter(page.get_objects(max_depth=2)), None) is None:
            return []
        if not self._program:
            self._unread += 1
        elif time.monotonic() > self._ends_at:
            self._late += 1
        elif text := self._recognize(page):
            self._recognized += 1
            # 0 as the size: all paragraphs are body text. A gap between them keeps them apart.
            paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
            return [Line(each, 0, 0, -10.0 * index, -10.0 * index, 0) for index, each in enumerate(paragraphs) if each]
        else:
            self._unread += 1
        return []

    def add_notes(self, output: Output) -> None:
        """Add notes about pages that were recognized, and about those that were not."""
        if self._recognized:
            output.note(
                translatable(
                    "%(pages)s read from an image by tesseract. Check the text for errors.",
                    pages=_pages(self._recognized),
                )
            )
        if self._late:
            output.is_truncated = True
            output.note(
                translatable("%(pages)s not read, because recognizing scans takes too long.", pages=_pages(self._late))
            )
        if self._unread and not self._program:
            output.note(
                translatable(
                    "%(pages)s without text (a scan?). Install tesseract and add the file again.",
                    pages=_pages(self._unread),
                )
            )

    @cached_property
    def _languages(self) -> str:
        """The installed languages, joined as tesseract expects."""
        listed = self._run(["--list-langs"], b"").splitlines()[1:]
        names = [name for name in listed if name not in _NO_LANGUAGES and "/" not in name]
        # English first: it is installed with the program, and the first language has the most weight.
        names.sort(key=lambda name: name != "eng")
        return "+".join(names[:MAX_LANGUAGES])

    def _recognize(self, page: Any) -> str:
        options = ["-l", self._languages] if self._languages else []
        return self._run(["stdin", "stdout", "--dpi", str(DOTS_PER_INCH), *options], _image(page))

    def _run(self, arguments: list[str], given: bytes) -> str:
        try:
            run = subprocess.run(  # noqa: S603 - no argument comes from the file
                [self._program or "", *arguments],
                input=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=self._page_seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return run.stdout.decode(errors="replace") if run.returncode == 0 else ""


def _pages(count: int) -> str:
    return translatable("1 page was") if count == 1 else translatable("%(count)s pages were", count=f"{count:,}")


def _image(page: Any) -> bytes:
    """Return a page as a grey image in the format PGM, which needs no library."""
    width, height = page.get_size()
    scale = DOTS_PER_INCH / _POINTS_PER_INCH
    # A page may declare a size of 200 inches.
    scale = min(scale, (MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        pixels = memoryview(bitmap.buffer)
        rows = (pixels[row * bitmap.stride : row * bitmap.stride + bitmap.width] for row in range(bitmap.height))
        return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + b"".join(rows)
    finally:
        bitmap.close()
