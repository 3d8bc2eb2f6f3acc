"""The export of ChatGPT: conversations with branches, and the memories that were saved in them.

A conversation is a tree, `mapping`, of which `current_node` is the last message of the branch that the user saw last:
https://github.com/Sinity/polylogue/blob/master/polylogue/sources/parsers/chatgpt.py (_active_path_node_ids) and
https://github.com/basicmachines-co/basic-memory/blob/main/src/basic_memory/importers/chatgpt_importer.py. A memory is a
message of the assistant to its tool `bio`, which answers "Model set context updated." when it is stored:
https://github.com/stavarengo/convoviz/blob/main/docs/dev/chatgpt-spec.md. The export has no list of memories, and does
not tell which of them were deleted later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.conversations.messages import Message, conversation
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading
from memories.transfer.formats.fields import Item, is_item, left_out, moment, not_an_object, text
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("messages to the memory tool (bio)", "a memory each; some may have been deleted in ChatGPT since"),
    ("messages of the user and of ChatGPT", "see --conversations"),
    ("conversation id", "session_id"),
    ("create_time of the message", "created_at"),
    ("branches that were replaced by another answer or edit", "left out"),
    ("hidden messages, tools, thoughts, files", "left out"),
)
_PROVIDER: Final = "chatgpt"
_MEMORY_TOOL: Final = "bio"
_STORED: Final = "updated"
_PROSE: Final = ("text", "multimodal_text")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the list of conversations, or the document if it is one conversation."""
    if is_item(shape.values.get("mapping")):
        return (WHOLE,)
    return tuple(
        key
        for key in (WHOLE, "conversations")
        if is_item(sample := shape.sample(key)) and is_item(sample.get("mapping"))
    )


def convert(value: object, reading: Reading) -> Iterator[Entry]:
    """Yield the memories of one conversation, and what is kept of its messages."""
    if not is_item(value):
        yield not_an_object()
        return
    mapping = value.get("mapping")
    if not is_item(mapping):
        raise InvalidInput(translatable("it must be an object with the messages."), argument="mapping")
    if value.get("is_do_not_remember") is True:
        yield left_out(translatable("conversations that ChatGPT was told not to remember"))
        return
    session = text(value, "conversation_id", "id")
    messages = list(_visible(mapping, text(value, "current_node")))
    yield from _memories(messages, session)
    kept = [
        found
        for message in messages
        if (found := _message(message, moment(message, "create_time") or moment(value, "create_time")))
    ]
    yield from conversation(kept, session, _PROVIDER, reading)


def _visible(mapping: Item, last: str | None) -> Iterator[Item]:
    """Yield the messages of the active branch from first to last, without hidden ones."""
    node_id = last if last in mapping else _newest_leaf(mapping)
    branch: list[Item] = []
    seen: set[str] = set()
    while node_id is not None and node_id not in seen and is_item(node := mapping.get(node_id)):
        seen.add(node_id)
        if is_item(message := node.get("message")):
            branch.append(message)
        node_id = text(node, "parent")
    for message in reversed(branch):
        metadata = message.get("metadata")
        if not (is_item(metadata) and metadata.get("is_visually_hidden_from_conversation")):
            yield message


def _newest_leaf(mapping: Item) -> str | None:
    """Return the node without children that was created last. Some exports have no `current_node`."""
    leaves = [
        (_created(node), place, key)
        for place, (key, node) in enumerate(mapping.items())
        if is_item(node) and not node.get("children")
    ]
    return max(leaves)[2] if leaves else None


def _created(node: Item) -> float:
    message = node.get("message")
    created = message.get("create_time") if is_item(message) else None
    return created if isinstance(created, int | float) else 0.0


def _memories(messages: list[Item], session: str | None) -> Iterator[Entry]:
    for number, message in enumerate(messages, start=1):
        if message.get("recipient") == _MEMORY_TOOL and (content := _content(message)):
            if not _is_stored(messages[number : number + 1]):
                yield Entry(
                    translatable("memory in message %(number)s", number=number),
                    left_out=translatable("memories that ChatGPT did not store"),
                )
                continue
            record = {
                "text": content,
                "session_id": session,
                "source_provider": _PROVIDER,
                "capture_mode": "inferred",
                "created_at": moment(message, "create_time"),
            }
            yield Entry(translatable("memory in message %(number)s", number=number), record)


def _is_stored(following: list[Item]) -> bool:
    """Whether the tool stored the memory. Its answer is another one if the user was asked and has not confirmed."""
    author = following[0].get("author") if following else None
    is_answer = is_item(author) and author.get("name") == _MEMORY_TOOL
    return not is_answer or _STORED in _content(following[0]).casefold()


def _message(message: Item, said_at: str | None) -> Message | None:
    """Return a message of the user or to the user, None for any other."""
    author = message.get("author")
    role = text(author, "role") if is_item(author) else None
    content = _content(message)
    if role not in ("user", "assistant") or message.get("recipient", "all") not in ("all", None) or not content:
        return None
    is_user = role == "user"
    return Message(content, said_at, is_user, "User" if is_user else "ChatGPT")


def _content(message: Item) -> str:
    content = message.get("content")
    if not is_item(content) or content.get("content_type", "text") not in _PROSE:
        return ""
    parts = content.get("parts")
    return "\n".join(part for part in parts if isinstance(part, str)).strip() if isinstance(parts, list) else ""


CHATGPT: Final = JsonFormat(Format.CHATGPT, translatable("ChatGPT export"), FIELDS, lists, convert)
