"""Messages of a conversation, and the entries that the owner chose to keep of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from common.texts import translatable
from memories.transfer.conversations.statements import statements_about_me
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Reading, Record
from memories.transfer.options import Conversations

QUOTE_TAG = "conversation"
"""Tag of quoted messages, so that they can be found and forgotten together."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its text, its time in ISO 8601 if it is known, and who wrote it.

    `is_user` is true for the owner of the conversation. `speaker` names the writer in a quote.
    """

    text: str
    said_at: str | None
    is_user: bool
    speaker: str = "User"


def conversation(messages: Sequence[Message], session: str | None, provider: str, reading: Reading) -> Iterator[Entry]:
    """Yield the entries of a conversation, or count it if conversations are skipped.

    `session` is the id of the conversation in its source. `provider` becomes the source_provider of the memories.
    """
    if reading.options.conversations is Conversations.SKIP:
        reading.notes.conversations += 1
        reading.notes.messages += len(messages)
        return
    origin: Record = {"session_id": session, "source_provider": provider}
    keep = _quote if reading.options.conversations is Conversations.MESSAGES else _statements
    for number, message in enumerate(messages, start=1):
        place = translatable("message %(number)s", number=number)
        yield from keep(message, place, origin | {"created_at": message.said_at})


def _statements(message: Message, place: str, origin: Record) -> Iterator[Entry]:
    found = statements_about_me(message.text) if message.is_user else []
    for statement in found:
        yield Entry(place, origin | {"text": statement})
    if not found:
        yield Entry(place, left_out=translatable("messages without a statement about you"))


def _quote(message: Message, place: str, origin: Record) -> Iterator[Entry]:
    quote = f"{message.speaker}: {message.text}"
    if len(quote) > settings.MAX_TEXT_CHARS:
        yield Entry(
            place,
            left_out=translatable(
                "messages of more than %(max_text_chars)s characters", max_text_chars=settings.MAX_TEXT_CHARS
            ),
        )
    else:
        yield Entry(place, origin | {"text": quote, "tags": [QUOTE_TAG]})
