"""Changes of tag synonyms, with their journal entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.texts import translatable
from memories.access import Actor
from memories.errors import InvalidInput, NotFound
from memories.models import JournalEntry, TagSynonym
from memories.writing import journal


def add_synonym(actor: Actor, variant: str, canonical: str) -> None:
    """Have the clean tag `canonical` stored instead of `variant` from now on.

    Synonyms of `variant` become synonyms of `canonical`. Raises InvalidInput if `canonical` is a variant itself, or if
    the two are the same.
    """
    if variant == canonical:
        raise InvalidInput(translatable("a tag cannot be a synonym of itself."), argument="into")
    with transaction.atomic():
        known = locked_synonyms(actor)
        if canonical in known:
            raise InvalidInput(
                translatable(
                    "%(canonical)s is a synonym of %(known)s. Use that tag.",
                    canonical=canonical,
                    known=known[canonical],
                ),
                argument="into",
            )
        put_synonyms(actor, known, {**_redirected(known, [variant], canonical), variant: canonical})


def remove_synonym(actor: Actor, variant: str) -> None:
    """Have the clean tag `variant` stored as it is from now on. Raises NotFound if it is not a synonym."""
    with transaction.atomic():
        known = locked_synonyms(actor)
        if variant not in known:
            raise NotFound(translatable("%(variant)s is not a synonym.", variant=variant))
        put_synonyms(actor, known, {variant: None})


def replace_tags(actor: Actor, tags: Iterable[str], canonical: str) -> list[str]:
    """Make `tags` synonyms of `canonical`, which stops being one itself. Return the variants that were changed.

    Call it in a transaction.
    """
    known = locked_synonyms(actor)
    wanted: dict[str, str | None] = dict.fromkeys(tags, canonical)
    wanted |= _redirected(known, wanted, canonical)
    if canonical in known:
        wanted[canonical] = None
    return put_synonyms(actor, known, wanted)


def locked_synonyms(actor: Actor) -> dict[str, str]:
    """Return the owner's synonyms, variant to canonical tag. Nobody else changes them until the transaction ends."""
    # Two changes at once could make a variant of a canonical tag.
    lock_until_commit(AdvisoryLock.TAG_SYNONYMS, actor.owner_id)
    return dict(TagSynonym.objects.filter(owner_id=actor.owner_id).values_list("variant", "canonical"))


def put_synonyms(
    actor: Actor,
    known: Mapping[str, str],
    wanted: Mapping[str, str | None],
    operation: JournalEntry.Operation = JournalEntry.Operation.UPDATE,
) -> list[str]:
    """Set the canonical tags of variants, None for none, and return the variants that were changed."""
    changed = {variant: canonical for variant, canonical in wanted.items() if known.get(variant) != canonical}
    mine = TagSynonym.objects.filter(owner_id=actor.owner_id)
    mine.filter(variant__in=[variant for variant, canonical in changed.items() if canonical is None]).delete()
    TagSynonym.objects.bulk_create(
        (
            TagSynonym(owner_id=actor.owner_id, variant=variant, canonical=canonical)
            for variant, canonical in changed.items()
            if canonical is not None
        ),
        update_conflicts=True,
        unique_fields=["owner", "variant"],
        update_fields=["canonical"],
    )
    journal.write(
        JournalEntry(
            owner_id=actor.owner_id,
            variant=variant,
            operation=operation,
            before=_state(known.get(variant)),
            after=_state(canonical),
            client=actor.client,
            change_set=actor.change_set,
            session_id=actor.session_id,
        )
        for variant, canonical in changed.items()
    )
    return list(changed)


def _state(canonical: str | None) -> dict[str, str | None]:
    return {"canonical": canonical}


def _redirected(known: Mapping[str, str], tags: Iterable[str], canonical: str) -> dict[str, str | None]:
    """Return the synonyms of `tags` with their new canonical tag: one look-up must be enough."""
    replaced = set(tags)
    return {variant: canonical for variant, old in known.items() if old in replaced and variant != canonical}
