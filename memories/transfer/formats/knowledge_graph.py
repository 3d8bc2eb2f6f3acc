"""The file of the reference memory server of MCP: a knowledge graph as JSON Lines, or the result of `read_graph`.

Each line is an entity with observations, or a relation between two entities:
https://github.com/modelcontextprotocol/servers/blob/main/src/memory/index.ts (saveGraph)
The other names of the fields are those that other programs write:
https://github.com/basicmachines-co/basic-memory/blob/main/src/basic_memory/importers/memory_json_importer.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading, Record
from memories.transfer.formats.fields import Item, is_item, not_an_object, text, words
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("each observation of an entity", "a text that begins with the name of the entity"),
    ("entityType", "a tag"),
    ("each relation", "a text: from, relationType, to"),
)
_PROVIDER: Final = "knowledge-graph"


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the lists of a graph, or the lines of one."""
    if {"entities", "relations"} & shape.lists.keys() and _is_graph(shape):
        return tuple(key for key in ("entities", "relations") if key in shape.lists)
    return (WHOLE,) if is_item(sample := shape.sample(WHOLE)) and _is_part(sample) else ()


def _is_graph(shape: Shape) -> bool:
    samples = [sample for key in ("entities", "relations") if (sample := shape.sample(key)) is not None]
    return all(is_item(sample) and (_is_entity(sample) or _is_relation(sample)) for sample in samples)


def _is_part(item: Item) -> bool:
    return (item.get("type") == "entity" and _is_entity(item)) or (
        item.get("type") == "relation" and _is_relation(item)
    )


def _is_entity(item: Item) -> bool:
    return isinstance(item.get("observations"), list) and _name(item) is not None


def _is_relation(item: Item) -> bool:
    return "relationType" in item or "relation_type" in item


def _name(item: Item) -> str | None:
    return text(item, "name", "entityName", "id")


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield a memory for each observation of an entity, or one for a relation."""
    if not is_item(value):
        yield not_an_object()
    elif _is_entity(value):
        yield from _observations(value)
    elif _is_relation(value):
        yield Entry("", _relation(value))
    else:
        raise InvalidInput(translatable("it must be an entity with observations, or a relation."))


def _observations(entity: Item) -> Iterator[Entry]:
    name, kind = _name(entity) or "", text(entity, "entityType")
    observations = entity.get("observations")
    for number, observation in enumerate(observations if isinstance(observations, list) else [], start=1):
        place = f"observation {number}"
        if isinstance(observation, str):
            yield Entry(place, _record(about(name, observation), [kind] if kind else []))
        else:
            yield Entry(place, error=InvalidInput(translatable("it must be a text.")))


def about(name: str, statement: str) -> str:
    """Return a statement with the name of its subject in front, unless it begins with that name already."""
    subject = words(name) if "_" in name else name
    if statement.casefold().startswith((subject.casefold(), name.casefold())):
        return statement
    return f"{name.replace('_', ' ')}: {statement}"


def _relation(relation: Item) -> Record:
    source, target = text(relation, "from", "from_id"), text(relation, "to", "to_id")
    kind = text(relation, "relationType", "relation_type")
    if source is None or target is None or kind is None:
        raise InvalidInput(translatable("it must have from, to and relationType."))
    return _record(f"{source.replace('_', ' ')} {words(kind)} {target.replace('_', ' ')}", [])


def _record(content: str, tags: list[str]) -> Record:
    return {"text": content, "tags": tags, "source_provider": _PROVIDER}


KNOWLEDGE_GRAPH: Final = JsonFormat(Format.KNOWLEDGE_GRAPH, translatable("knowledge graph"), FIELDS, lists, convert)
