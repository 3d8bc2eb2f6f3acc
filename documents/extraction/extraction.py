"""Extraction inside the separate process: format, extractor, and one kind of error for everything that goes wrong."""

from __future__ import annotations

import csv
import errno
import struct
import zipfile
import zlib
from typing import Final

from common.texts import translatable
from documents.extraction.detection import detect
from documents.extraction.extracted import ExtractionError
from documents.extraction.formats.registry import extractor_of
from documents.extraction.output import Output, OutputFull
from documents.extraction.source import Source

# SyntaxError includes lxml's errors of XML. The others are raised by the parsers for values that no program writes.
_DAMAGED: Final = (
    NotImplementedError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    SyntaxError,
    ValueError,
    LookupError,
    csv.Error,
    OverflowError,
)


_BLANK: Final = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"
"""White space and the byte order marks of all encodings."""


def extract(source: Source, output: Output) -> None:
    """Detect the format and add blocks and properties to the output. Raises ExtractionError."""
    try:
        _refuse_large(source)
        output.media_type = detect(source)
        extractor_of(output.media_type)(source, output)
    except OutputFull:
        output.note(translatable("The file has more text than is stored, so only its beginning was read."))
    except (ExtractionError, MemoryError):
        raise
    except _DAMAGED as error:
        raise ExtractionError("damaged", translatable("The file is damaged or incomplete.")) from error
    except RecursionError as error:
        raise ExtractionError(
            "damaged", translatable("The parts of the file are nested too deeply to be read.")
        ) from error
    except OSError as error:
        # A file whose table of contents names a place before its beginning.
        if error.errno == errno.EINVAL:
            raise ExtractionError("damaged", translatable("The file is damaged or incomplete.")) from error
        raise ExtractionError("failed", translatable("The file could not be opened.")) from error
    if output.is_empty and not output.notes:
        if not source.head.strip(_BLANK):
            raise ExtractionError("empty", translatable("The file contains only blank space."))
        output.note(translatable("The file contains no text."))


def _refuse_large(source: Source) -> None:
    if source.path.stat().st_size > source.limits.file_mb << 20:
        raise ExtractionError(
            "too_large", translatable("The file is larger than %(file_mb)s MB.", file_mb=f"{source.limits.file_mb:,}")
        )
