"""Validation of the messages from the process that read a file. It is not trusted: the file may have taken it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from common.texts import translatable
from documents.extraction.cleaning import clean_text, one_line
from documents.extraction.extracted import Block, BlockKind, Extracted, ExtractionError, Reason
from documents.extraction.limits import Limits
from documents.extraction.output import (
    MAX_BLOCK_CHARS,
    MAX_BLOCKS,
    MAX_PROPERTIES,
    MAX_PROPERTY_CHARS,
    MAX_TAG_CHARS,
)

MAX_LINE_BYTES: Final = 1 << 20
"""Size of the largest message: a hundred properties of a thousand characters, with four bytes each, are less."""

MAX_PAGE: Final = 1_000_000
MAX_SENTENCE_CHARS: Final = 500

# NFC may make a text longer than the process counted.
_Text = Annotated[str, Field(min_length=1, max_length=MAX_BLOCK_CHARS * 3), AfterValidator(clean_text)]
_Property = Annotated[str, Field(max_length=MAX_PROPERTY_CHARS * 3), AfterValidator(one_line)]
_Name = Annotated[str, Field(max_length=MAX_TAG_CHARS * 3), AfterValidator(one_line)]
_Sentence = Annotated[str, Field(max_length=MAX_SENTENCE_CHARS), AfterValidator(one_line)]
_Count = Annotated[int, Field(ge=0, le=MAX_PAGE)]
_Page = Annotated[int, Field(ge=1, le=MAX_PAGE)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _BlockMessage(_Message):
    message_kind: Literal["block"]
    kind: BlockKind
    text: _Text
    level: Annotated[int, Field(ge=0, le=6)]
    page: _Page | None


class _ProgressMessage(_Message):
    message_kind: Literal["progress"]
    done: _Count
    total: _Count | None


class _ErrorMessage(_Message):
    message_kind: Literal["error"]
    reason: Reason
    message: _Sentence


class _DocumentMessage(_Message):
    message_kind: Literal["document"]
    media_type: Annotated[str, Field(max_length=100, pattern=r"^[a-z]+/[a-z0-9.+-]+$")]
    title: _Property | None
    author: _Property | None
    created_at: AwareDatetime | None
    tags: Annotated[tuple[_Name, ...], Field(max_length=MAX_PROPERTIES)]
    pages: _Count | None
    metadata: Annotated[dict[_Name, _Property], Field(max_length=MAX_PROPERTIES)]
    notes: Annotated[tuple[_Sentence, ...], Field(max_length=MAX_PROPERTIES)]
    is_truncated: bool


_MESSAGE: TypeAdapter[Any] = TypeAdapter(
    Annotated[_BlockMessage | _ProgressMessage | _ErrorMessage | _DocumentMessage, Field(discriminator="message_kind")]
)

INVALID: Final = translatable("The program that reads the file returned an invalid result.")


class Receiver:
    """A reader of the messages, line by line, which counts what it has received."""

    def __init__(self, limits: Limits, on_progress: Callable[[int, int | None], None] | None) -> None:
        # NFC may change the length of a text. It never triples in practice.
        self._left_chars = limits.output_chars * 3
        self._on_progress = on_progress
        self._blocks: list[Block] = []
        self._rest = b""
        self.extracted: Extracted | None = None

    def feed(self, data: bytes) -> None:
        """Process bytes of the pipe. Raises ExtractionError: the one that was sent, or "failed" if they are invalid."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise ExtractionError("failed", INVALID)
        for line in lines:
            self._receive(line)

    def _receive(self, line: bytes) -> None:
        try:
            message = _MESSAGE.validate_json(line, strict=False)
        except ValidationError:
            raise ExtractionError("failed", INVALID) from None
        if self.extracted is not None:
            raise ExtractionError("failed", INVALID)
        if isinstance(message, _BlockMessage):
            self._add(message)
        elif isinstance(message, _ProgressMessage):
            if self._on_progress:
                self._on_progress(message.done, message.total)
        elif isinstance(message, _ErrorMessage):
            raise ExtractionError(message.reason, message.message)
        else:
            content = message.model_dump(exclude={"message_kind"})
            self.extracted = Extracted(blocks=tuple(self._blocks), **content)

    def _add(self, message: _BlockMessage) -> None:
        self._left_chars -= len(message.text)
        if self._left_chars < 0 or len(self._blocks) >= MAX_BLOCKS or not message.text.strip():
            raise ExtractionError("failed", INVALID)
        level = message.level if message.kind == "heading" else 0
        self._blocks.append(Block(message.kind, message.text, level, message.page))
