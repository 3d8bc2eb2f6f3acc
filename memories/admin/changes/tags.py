"""Change sets that renamed or merged tags, as the journal shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext, ngettext

from memories.admin.changes.kinds import Operation, counted, joined
from memories.models import JournalEntry

_TAGGED = (("memory", Operation.UPDATE), ("document", Operation.UPDATE))
_SYNONYM = ("synonym", Operation.UPDATE)


@dataclass(frozen=True, slots=True)
class Renaming:
    """The tags that were replaced, and the one that replaces them."""

    tags: Sequence[str]
    target: str

    def phrase(self, counts: Mapping[tuple[str, str], int]) -> str:
        """Return what was done, in the past tense. `counts` are those of `sentence_of`."""
        sentence = ngettext(
            "renamed the tag %(tags)s to “%(target)s” in %(what)s",
            "merged the tags %(tags)s into “%(target)s” in %(what)s",
            len(self.tags),
        )
        tags = joined(gettext("“%(tag)s”") % {"tag": tag} for tag in self.tags)
        what = joined(counted(subject, counts[subject, done]) for subject, done in _TAGGED if (subject, done) in counts)
        return sentence % {"tags": tags, "target": self.target, "what": what}


def may_be_renaming(counts: Mapping[tuple[str, str], int]) -> bool:
    """Return whether a change set changed tag synonyms, memories or documents, and nothing else."""
    return _SYNONYM in counts and {_SYNONYM} < counts.keys() <= {_SYNONYM, *_TAGGED}


def renamings(owner_id: int, change_sets: Collection[UUID]) -> Mapping[UUID, Renaming]:
    """Return what was renamed by those of the change sets that did. One query, or none without change sets."""
    if not change_sets:
        return {}
    changes: defaultdict[UUID, dict[str, tuple[str | None, str | None]]] = defaultdict(dict)
    entries = JournalEntry.objects.filter(owner_id=owner_id, change_set__in=change_sets, variant__isnull=False)
    for entry in entries.order_by("pk"):
        changes[entry.change_set][entry.variant or ""] = entry.before.get("canonical"), entry.after.get("canonical")
    found = {key: _renaming(of_set) for key, of_set in changes.items()}
    return {key: renaming for key, renaming in found.items() if renaming}


def _renaming(changes: Mapping[str, tuple[str | None, str | None]]) -> Renaming | None:
    """Return the renaming whose synonyms, before and after, are `changes`; None if they are of something else.

    The old tags become synonyms of the new one, and so do their own synonyms. The new one stops being a synonym.
    """
    targets = {after for _, after in changes.values() if after}
    tags = [variant for variant, (before, after) in changes.items() if after and not before]
    if len(targets) != 1 or not tags:
        return None
    (target,) = targets
    are_redirected = all(
        before in tags or (variant == target and not after)
        for variant, (before, after) in changes.items()
        if variant not in tags
    )
    return Renaming(tags, target) if are_redirected else None
