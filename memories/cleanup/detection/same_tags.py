"""Tags that mean the same: another spelling, the plural, or a synonym."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping

from common.texts import translatable
from memories.cleanup.detection.found import FindingKind, Found

MIN_SINGULAR_CHARS = 3
MIN_TYPO_CHARS = 5

MIN_TYPO_RATIO = 10
"""The least factor by which a misspelled tag is rarer: "trail" and "trial" are both words."""

_NO_PLURALS = frozenset(
    [
        "news",
        "goods",
        "customs",
        "means",
        "arms",
        "works",
        "glasses",
        "clothes",
        "times",
        "minutes",
        "savings",
        "spirits",
        "manners",
        "looks",
        "papers",
        "pains",
        "brains",
        "series",
        "species",
        "lens",
        "gas",
        "bus",
        "plus",
        "business",
        "always",
        "sales",
        "series",
        "games",
        "talks",
    ]
)
"""Words with an s that mean something else than without it."""
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics", "ous")


def find_same_tags(counts: Mapping[str, int], synonyms: Mapping[str, str]) -> Iterator[Found]:
    """Yield the tags that seem to mean the same as a more used one. `synonyms` are canonical tags by variant."""
    by_form: defaultdict[str, list[str]] = defaultdict(list)
    for tag in counts:
        by_form[_form(tag)].append(tag)
    found: dict[str, tuple[str, str]] = {}
    for group in by_form.values():
        kept = max(group, key=lambda tag: (counts[tag], -len(tag), tag))
        found |= {
            tag: (kept, translatable("“%(tag)s” and “%(kept)s” are the same word.", tag=tag, kept=kept))
            for tag in group
            if tag != kept
        }
    for tag in counts:
        canonical = synonyms.get(tag)
        if canonical is not None and canonical in counts:
            found[tag] = (
                canonical,
                translatable(
                    "You have made “%(tag)s” a synonym of “%(canonical)s”, but memories still have it.",
                    tag=tag,
                    canonical=canonical,
                ),
            )
        elif tag not in found and (meant := _meant_by_typo(tag, counts)):
            found[tag] = meant, translatable("“%(tag)s” looks like “%(meant)s”, misspelled.", tag=tag, meant=meant)
    for tag, (kept, reason) in sorted(found.items()):
        details = {"tags": [tag], "into": kept}
        yield Found(FindingKind.SAME_TAGS, [], reason, counts[tag], details)


def _form(tag: str) -> str:
    """Return the tag without accents, hyphens and the ending of an English plural."""
    decomposed = unicodedata.normalize("NFKD", tag)
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    *first, last = plain.split("-")
    return "".join([*first, _singular(last)])


def _singular(word: str) -> str:
    if not word.endswith("s") or word in _NO_PLURALS or word.endswith(_SINGULAR_ENDINGS):
        return word
    if word.endswith("ies") and len(word) > MIN_SINGULAR_CHARS + 3:
        return f"{word.removesuffix('ies')}y"
    for ending in ("ches", "shes", "xes", "sses", "zes"):
        if word.endswith(ending):
            return word.removesuffix("es")
    singular = word.removesuffix("s")
    return singular if len(singular) >= MIN_SINGULAR_CHARS else word


def _meant_by_typo(tag: str, counts: Mapping[str, int]) -> str | None:
    """Return a more used tag that differs by two exchanged letters, or by a letter that is doubled in one of them."""
    if len(tag) < MIN_TYPO_CHARS:
        return None
    near = {tag[:at] + tag[at + 1] + tag[at] + tag[at + 2 :] for at in range(1, len(tag) - 1)}
    near |= {tag[:at] + tag[at] + tag[at:] for at in range(1, len(tag))}
    near |= {tag[:at] + tag[at + 1 :] for at in range(1, len(tag)) if tag[at] == tag[at - 1]}
    least = max(MIN_TYPO_RATIO * counts[tag], 1)
    likely = [other for other in near if other != tag and counts.get(other, 0) >= least]
    return max(likely, key=lambda other: counts[other], default=None)
