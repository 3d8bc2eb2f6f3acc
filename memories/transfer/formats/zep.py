"""Facts and episodes of Zep and Graphiti.

Facts are the edges of the graph: https://github.com/getzep/graphiti/blob/main/graphiti_core/edges.py (EntityEdge), as
https://github.com/getzep/graphiti/blob/main/mcp_server/src/utils/formatting.py returns them. Episodes are the raw data:
https://github.com/getzep/graphiti/blob/main/graphiti_core/nodes.py (EpisodicNode, EpisodeType) and, with `role_type`,
https://help.getzep.com/sdk-reference/graph/episode/get-episode. An edge with `expired_at` was invalidated by a newer
one; `invalid_at` is when a fact stopped being true.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.transfer.conversations.messages import Message, conversation
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading, Record
from memories.transfer.formats.fields import Item, is_item, left_out, moment, not_an_object, text, unknown, words
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("fact", "text"),
    ("name", "a tag"),
    ("valid_at, invalid_at", "valid_from, valid_until"),
    ("expired_at", "a forgotten memory"),
    ("episodes that are text", "a memory each"),
    ("episodes that are messages", "see --conversations"),
    ("episodes that are JSON", "left out"),
)
_FACT: Final = {
    *("uuid", "group_id", "source_node_uuid", "target_node_uuid", "created_at", "name", "fact", "episodes", "rating"),
    *("expired_at", "valid_at", "invalid_at", "reference_time", "attributes", "fact_embedding", "score", "relevance"),
}
_FACT_MARKS: Final = {"valid_at", "invalid_at", "expired_at", "source_node_uuid", "rating"}
_EPISODE_MARKS: Final = {"source_description", "role_type", "entity_edges", "processed", "thread_id"}
_INVALIDATED: Final = translatable("Invalidated by a newer fact in the knowledge graph.")


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the lists of facts and episodes."""
    names = ("facts", "edges", "episodes", "items", WHOLE)
    return tuple(
        key for key in names if is_item(sample := shape.sample(key)) and (_is_fact(sample) or _is_episode(sample))
    )


def _is_fact(item: Item) -> bool:
    return text(item, "fact") is not None and bool(_FACT_MARKS & item.keys())


def _is_episode(item: Item) -> bool:
    return text(item, "content") is not None and "uuid" in item and bool(_EPISODE_MARKS & item.keys())


def convert(value: object, reading: Reading) -> Iterator[Entry]:
    """Yield the memory of a fact or of an episode."""
    if not is_item(value):
        yield not_an_object()
    elif text(value, "fact"):
        yield Entry("", _fact(value), ignored=unknown(value, _FACT))
    else:
        yield from _episode(value, reading)


def _fact(item: Item) -> Record:
    name = text(item, "name")
    expired_at = moment(item, "expired_at")
    return {
        "text": text(item, "fact"),
        "tags": [words(name)] if name else [],
        "source_provider": "zep",
        "created_at": moment(item, "created_at"),
        "valid_from": moment(item, "valid_at"),
        "valid_until": moment(item, "invalid_at"),
        "deleted_at": expired_at,
        "forget_reason": _INVALIDATED if expired_at else None,
    }


def _episode(item: Item, reading: Reading) -> Iterator[Entry]:
    said_at, content = moment(item, "valid_at", "created_at"), text(item, "content") or ""
    session = text(item, "thread_id", "session_id")
    if text(item, "source") == "json":
        yield left_out(translatable("an episode that is JSON"))
    elif text(item, "source") == "message" or text(item, "role_type"):
        yield from conversation([_message(item, content, said_at)], session, "zep", reading)
    else:
        record = {"text": content, "session_id": session, "source_provider": "zep", "created_at": said_at}
        yield Entry("", record)


def _message(item: Item, content: str, said_at: str | None) -> Message:
    """Return the message of an episode. Without `role_type` its content is `actor: content`."""
    role = text(item, "role_type")
    if role is None and ": " in content:
        role, _, content = content.partition(": ")
    speaker = text(item, "role") or role or "User"
    return Message(content, said_at, is_user=(role or "").casefold() == "user", speaker=speaker)


ZEP: Final = JsonFormat(Format.ZEP, translatable("Zep or Graphiti"), FIELDS, lists, convert)
