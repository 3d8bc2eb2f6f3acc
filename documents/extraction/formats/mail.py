"""Messages of e-mail (EML). RFC 5322 and RFC 2045."""

from __future__ import annotations

import email
import email.policy
import io
from datetime import datetime
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from typing import Final

from common.texts import translatable
from documents.extraction.decoding import detect_encoding
from documents.extraction.formats.html import add_blocks, parse_html
from documents.extraction.output import Output
from documents.extraction.source import Source

MAX_PARSED_BYTES: Final = 64 << 20
_HEADERS: Final = ("From", "To", "Cc", "Reply-To")


def extract(source: Source, output: Output) -> None:
    """Add the text of a message: its plain text if there is one, otherwise its web page. Attachments are only named."""
    with source.path.open("rb") as opened:
        content = opened.read(MAX_PARSED_BYTES)
    message = email.message_from_bytes(content, policy=email.policy.default)
    output.set_title(_header(message, "Subject"))
    output.set_author(_header(message, "From"))
    output.set_created_at(_time(_header(message, "Date")))
    for header in _HEADERS:
        output.add_metadata(header.lower(), _header(message, header))
    names = [name for part in message.walk() if (name := _attachment_name(part))]
    output.add_metadata("attachments", ", ".join(names))
    if source.path.stat().st_size > MAX_PARSED_BYTES:
        output.is_truncated = True
        output.note(
            translatable(
                "Only the first %(max_parsed_bytes)s MB of the message were read.",
                max_parsed_bytes=MAX_PARSED_BYTES >> 20,
            )
        )
    _add_body(message, output)


def _add_body(message: EmailMessage, output: Output) -> None:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        output.note(translatable("The message has no text, only attachments."))
        return
    text = _decoded(body)
    if body.get_content_subtype() == "html":
        root = parse_html(text)
        if root is not None:
            add_blocks(root, output)
        return
    for paragraph in text.replace("\r\n", "\n").split("\n\n"):
        output.text(paragraph)


def _decoded(part: MIMEPart) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    declared = part.get_content_charset() or "utf-8"
    try:
        return content.decode(declared)
    except (LookupError, ValueError):
        return content.decode(detect_encoding(io.BytesIO(content)) or "utf-8", "replace")


def _header(message: EmailMessage, name: str) -> str | None:
    try:
        value = message.get(name)
        return str(value) if value is not None else None
    except Exception:  # noqa: BLE001 - the parser of headers raises IndexError, AttributeError and others if one is damaged
        return None


def _attachment_name(part: EmailMessage) -> str | None:
    try:
        return part.get_filename()
    except Exception:  # noqa: BLE001 - as above
        return None


def _time(text: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
