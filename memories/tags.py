"""Tag synonyms of an owner, and their application to tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memories.access import View
from memories.models import TagSynonym
from memories.validation.text import MAX_TAG_CHARS, clean_tag, clean_tags

DEFAULT_SYNONYMS: dict[str, str] = {
    variant: canonical
    for canonical, variants in {
        "software": "tech technology programming coding code dev development engineering",
        "personal": "bio biography personal-info",
        "family": "relatives kin fam families",
        "work": "job career employment",
        "preferences": "preference pref prefs likes dislikes",
        "health": "medical medicine medications",
        "philosophy": "religion beliefs values",
        "publishing": "book books writing author authorship",
    }.items()
    for variant in variants.split()
}
"""Synonyms that a new owner gets: variant to canonical tag."""


@dataclass(frozen=True, slots=True)
class TagChange:
    """A tag as it was given, and the canonical tag stored instead, or None if it was dropped."""

    given: str
    stored: str | None


def add_default_synonyms(owner_id: int) -> None:
    """Give a new owner the default synonyms. Existing ones do not change."""
    TagSynonym.objects.bulk_create(
        [
            TagSynonym(owner_id=owner_id, variant=variant, canonical=canonical)
            for variant, canonical in DEFAULT_SYNONYMS.items()
        ],
        ignore_conflicts=True,
    )


def synonyms_of(view: View, tags: Iterable[str]) -> dict[str, str]:
    """Return the canonical tags of those `tags` that are variants. One query; none if there are no tags.

    A tag that the view is limited to is never replaced, even if the owner has made it a variant since.
    """
    wanted = sorted(set(tags).difference(view.only_tags))
    if not wanted:
        return {}
    found = TagSynonym.objects.filter(owner_id=view.owner_id, variant__in=wanted)
    return dict(found.values_list("variant", "canonical"))


def canonical_tags(view: View, tags: Sequence[str]) -> list[str]:
    """Return the canonical tags of `tags`, cleaned and without duplicates. Raises InvalidInput or SecretRejected."""
    cleaned = clean_tags(tags)
    return apply_synonyms(cleaned, synonyms_of(view, cleaned))


def apply_synonyms(tags: Iterable[str], synonyms: Mapping[str, str]) -> list[str]:
    """Return `tags` with variants replaced and without duplicates, in their original order."""
    return list(dict.fromkeys(synonyms.get(tag, tag) for tag in tags))


def tag_changes(given: Iterable[str], synonyms: Mapping[str, str]) -> list[TagChange]:
    """Return the tags that a synonym replaces or that are dropped, each once. Long ones are cut to MAX_TAG_CHARS.

    Differences in case, white space and punctuation do not count. `synonyms` are those of the cleaned tags.
    """
    changes = []
    for tag in dict.fromkeys(given):
        cleaned = clean_tag(tag)
        stored = synonyms.get(cleaned, cleaned)
        if tag.strip() and (not stored or stored != cleaned):
            changes.append(TagChange(tag.strip()[:MAX_TAG_CHARS], stored or None))
    return changes
