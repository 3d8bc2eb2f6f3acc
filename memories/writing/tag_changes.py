"""Renaming, merging and deleting tags: of all memories and documents of an owner at once, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, Q

from common.texts import translatable
from memories.access import Actor
from memories.database import fetch_rows, refuse_growth
from memories.errors import InvalidInput, NotFound
from memories.models import JournalEntry, Memory, MemoryQuerySet, TagSynonym
from memories.validation.text import clean_tags
from memories.writing import tagged_documents
from memories.writing.synonyms import replace_tags
from memories.writing.tagged_documents import TaggedDocuments

RETAG = """
WITH given AS MATERIALIZED (
    SELECT id, tags, ARRAY(
        SELECT tag FROM (
            SELECT CASE WHEN was = ANY (%(sources)s::text[]) THEN %(target)s::text ELSE was END AS tag, place
            FROM unnest(tags) WITH ORDINALITY AS old(was, place)
        ) AS renamed WHERE tag IS NOT NULL GROUP BY tag ORDER BY min(place)
    ) AS new_tags
    FROM {table} WHERE owner_id = %(owner)s AND id = ANY (%(ids)s)
), changed AS (
    UPDATE {table} AS tagged SET tags = given.new_tags, updated_at = statement_timestamp()
    FROM given WHERE tagged.id = given.id AND tagged.owner_id = %(owner)s
    RETURNING tagged.id, given.tags AS before, given.new_tags AS after
)
INSERT INTO memories_journalentry (owner_id, {column}, operation, before, after, client, change_set, session_id)
SELECT %(owner)s, id, %(operation)s, jsonb_build_object('tags', before), jsonb_build_object('tags', after), %(client)s,
       %(change_set)s, %(session)s
FROM changed ORDER BY id
RETURNING 1
"""
"""SQL that replaces tags in `table`, whose ids are in the `column` of the journal."""

_RETAG_MEMORIES = RETAG.format(table="memories_memory", column="memory_id")

LIMITED_APP = "This app is limited to some tags, so it cannot rename, merge or delete tags."


@dataclass(frozen=True, slots=True)
class TagOutcome:
    """The outcome of a change of tags.

    `memories` counts those that are not forgotten, `forgotten` the tombstones, `documents` both. `target` is the tag
    that replaces the others, None if they are deleted. `synonyms` are the tags that are stored as `target` from now on.
    """

    memories: int
    forgotten: int
    target: str | None
    synonyms: Sequence[str] = ()
    documents: TaggedDocuments = field(default_factory=TaggedDocuments)


def rename_tag(actor: Actor, tag: str, name: str, *, keeps_synonyms: bool = True, dry_run: bool = False) -> TagOutcome:
    """Give a tag another name. Raises InvalidInput if that one is in use, and the errors of `merge_tags`."""
    target = _one_tag("into", name)
    is_used = _memories_with(actor, [target]).exists() or tagged_documents.count_tagged(actor, [target]).all
    if tag != target and is_used:
        raise InvalidInput(
            translatable("%(target)s is already in use. Merge the two tags instead.", target=target), argument="into"
        )
    return merge_tags(actor, [tag], target, keeps_synonyms=keeps_synonyms, dry_run=dry_run)


def merge_tags(
    actor: Actor, tags: Sequence[str], into: str, *, keeps_synonyms: bool = True, dry_run: bool = False
) -> TagOutcome:
    """Replace `tags` by the tag `into` in all memories and documents, forgotten ones included.

    With `keeps_synonyms` they become its synonyms: what an app still writes is stored as `into`. Raises InvalidInput
    for tags that cannot be stored and for an app that is limited to tags, NotFound for tags that nothing has, and
    StorageFull.
    """
    target = _one_tag("into", into)
    sources = [tag for tag in _given(actor, tags) if tag != target]
    if not sources:
        raise InvalidInput(translatable("must have a tag that differs from into."), argument="tags")
    return _change(actor, sources, target, keeps_synonyms, dry_run)


def delete_tags(actor: Actor, tags: Sequence[str], *, dry_run: bool = False) -> TagOutcome:
    """Take `tags` off all memories and documents, forgotten ones included. Raises the errors of `merge_tags`."""
    return _change(actor, _given(actor, tags), None, keeps_synonyms=False, dry_run=dry_run)


def one_clean_tag(argument: str, given: str) -> str:
    """Return the tag cleaned. Raises InvalidInput that names the argument, or SecretRejected."""
    return _one_tag(argument, given)


def refuse_limited(actor: Actor) -> None:
    """Raise InvalidInput for an app that is limited to some tags: the tags of other memories are not its own."""
    if not actor.view.is_whole:
        raise InvalidInput(LIMITED_APP, argument="action")


def _given(actor: Actor, tags: Sequence[str]) -> list[str]:
    refuse_limited(actor)
    return list(dict.fromkeys(_one_tag("tags", tag) for tag in tags))


def _one_tag(argument: str, given: str) -> str:
    try:
        cleaned = clean_tags([given])
    except InvalidInput as error:
        raise InvalidInput(error.problem, argument=argument) from None
    if not cleaned:
        raise InvalidInput(translatable("a tag must have at least two letters or digits."), argument=argument)
    return cleaned[0]


def _change(
    actor: Actor, sources: Sequence[str], target: str | None, keeps_synonyms: bool, dry_run: bool
) -> TagOutcome:
    if not sources:
        raise InvalidInput(translatable("must not be empty."), argument="tags")
    found = _memories_with(actor, sources)
    if dry_run:
        counts = found.aggregate(all=Count("pk"), forgotten=Count("pk", filter=Q(deleted_at__isnull=False)))
        documents = tagged_documents.count_tagged(actor, sources)
        _refuse_unknown(actor, sources, counts["all"] + documents.all)
        synonyms = sources if keeps_synonyms else ()
        return TagOutcome(counts["all"] - counts["forgotten"], counts["forgotten"], target, synonyms, documents)
    refuse_growth()
    with transaction.atomic():
        synonyms = replace_tags(actor, sources, target) if target is not None and keeps_synonyms else []
        # Locked in id order, as everywhere.
        locked = list(found.order_by("pk").select_for_update(no_key=True).values_list("pk", "deleted_at"))
        fetch_rows(_RETAG_MEMORIES, retag_parameters(actor, [pk for pk, _ in locked], sources, target))
        documents = tagged_documents.retag(actor, sources, target)
        _refuse_unknown(actor, sources, len(locked) + documents.all)
    forgotten = sum(deleted_at is not None for _, deleted_at in locked)
    shown = [tag for tag in synonyms if tag != target]
    return TagOutcome(len(locked) - forgotten, forgotten, target, shown, documents)


def _memories_with(actor: Actor, tags: Sequence[str]) -> MemoryQuerySet:
    return Memory.objects.changeable_by(actor).tagged(tags)


def _refuse_unknown(actor: Actor, sources: Sequence[str], count: int) -> None:
    if count or TagSynonym.objects.filter(owner_id=actor.owner_id, canonical__in=sources).exists():
        return
    named = ", ".join(sources)
    raise NotFound(
        f"No memory or document has the tag {named}."
        if len(sources) == 1
        else f"No memory or document has one of the tags {named}."
    )


def retag_parameters(
    actor: Actor, ids: Sequence[object], sources: Sequence[str], target: str | None
) -> Mapping[str, object]:
    """Return the parameters of RETAG for locked rows."""
    return {
        "owner": actor.owner_id,
        "ids": list(ids),
        "sources": list(sources),
        "target": target,
        "operation": JournalEntry.Operation.UPDATE.value,
        "client": actor.client,
        "change_set": actor.change_set,
        "session": actor.session_id,
    }
