"""The conversations of the export of Claude.

Messages have a `sender`, human or assistant, and a text as blocks in `content` or as a whole in `text`:
https://github.com/basicmachines-co/basic-memory/blob/main/src/basic_memory/importers/claude_conversations_importer.py
https://github.com/Sinity/polylogue/blob/master/docs/providers/claude-ai.md
An edited message or a repeated answer has the `parent_message_uuid` of the one that it replaces:
https://github.com/Sinity/polylogue/blob/master/polylogue/sources/parsers/claude/common.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.conversations.messages import Message, conversation
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading
from memories.transfer.formats.fields import Item, is_item, moment, not_an_object, text
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("messages of the human and of Claude", "see --conversations"),
    ("uuid of the conversation", "session_id"),
    ("created_at of the message", "created_at"),
    ("branches that were replaced by another answer or edit", "left out"),
    ("thoughts, tool calls and attached files", "left out"),
)


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the list of conversations, or the document if it is one conversation."""
    if "chat_messages" in shape.lists:
        return (WHOLE,)
    return tuple(
        key for key in (WHOLE, "conversations") if is_item(sample := shape.sample(key)) and "chat_messages" in sample
    )


def convert(value: object, reading: Reading) -> Iterator[Entry]:
    """Yield what is kept of the messages of one conversation."""
    if not is_item(value):
        yield not_an_object()
        return
    messages = value.get("chat_messages")
    if not isinstance(messages, list):
        raise InvalidInput(translatable("it must be a list of messages."), argument="chat_messages")
    branch = _active_branch([each for each in messages if is_item(each)], text(value, "current_leaf_message_uuid"))
    kept = [found for each in branch if (found := _message(each))]
    if kept:
        yield from conversation(kept, text(value, "uuid"), "claude", reading)


def _active_branch(messages: list[Item], leaf: str | None) -> list[Item]:
    """Return the messages from the first to the last of the branch that was used last.

    Without a leaf that is the branch of the last message of the list. Older exports have no branches.
    """
    by_id = {key: message for message in messages if (key := text(message, "uuid"))}
    if not any(text(message, "parent_message_uuid") in by_id for message in messages):
        return messages
    message = by_id.get(leaf or "") or messages[-1]
    branch, seen = [message], {text(message, "uuid")}
    while (parent := text(message, "parent_message_uuid")) in by_id and parent not in seen:
        message = by_id[parent or ""]
        branch.append(message)
        seen.add(parent)
    return branch[::-1]


def _message(message: Item) -> Message | None:
    content, is_user = _content(message), message.get("sender") == "human"
    if not content:
        return None
    return Message(content, moment(message, "created_at"), is_user, "User" if is_user else "Claude")


def _content(message: Item) -> str:
    """Return the text of the blocks that are text. Other blocks are thoughts, tool calls and their results."""
    blocks = message.get("content")
    parts = [
        part
        for block in (blocks if isinstance(blocks, list) else [])
        if is_item(block) and block.get("type", "text") == "text" and (part := text(block, "text"))
    ]
    return "\n".join(parts).strip() or (text(message, "text") or "").strip() if not blocks or parts else ""


CLAUDE: Final = JsonFormat(Format.CLAUDE, translatable("Claude export"), FIELDS, lists, convert)
