"""Names in a question: the speakers of lines of a conversation, "Ada: …", each of which is about its speaker."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from memories.recall.owner_words import OWNER_WORDS

MAX_NAMES = 8

MAX_UNCAPITALIZED = 16
"""Number of words of a question without capitals that are looked up as names."""

MIN_SUBJECT_MEMORIES = 2
MIN_SUBJECT_SHARE = 0.4
"""Least number and share of memories for a word without a capital to count as a name. At least this many memories must
begin with it, and they must be at least this share of those that contain it: few memories about coffee begin with
"coffee".
"""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CAPITALIZED_INSIDE = re.compile(r"(?<=[\w,;] )(?!I\b|I['’])([A-ZÀ-ÖØ-Þ][^\W\d_]{2,})")
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|ein|eine[nrm]?|mein\w*|ist|sind|und|wo|was|wer|wann|wie|welche\w*|hat)\b"
)
_PREFIX = 4
"""Number of letters by which a word is compared with the stems of memories."""

_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "sir", "lady", "lord", "uncle", "aunt"})

_ORDINARY = frozenset(
    {"change", "current", "final", "first", "last", "meeting", "new", "next", "note", "notes", "old", "plan", "please"}
    | {"reminder", "todo", "update"}
)
"""Words that many memories begin with, and that are not names."""

_MONTH = re.compile(
    r"\b(?:\d+\.?(?:st|nd|rd|th)?|of|in|by|since|until|before|after|from|this|next|last|early|mid|late|im|bis|seit|ab) "
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November|December|Mai|Juni|Juli)\b",
    re.IGNORECASE,
)
"""A month as a part of a date. April, May and June are names, too."""

MOST_SEARCHED_FOR_LINES = 20
"""Number of memories beginning with a name among which a line of a conversation is looked for."""

# "Ada's address: …" is a note about Ada, not what Ada said.
# A memory that begins with another form of the word is not about a name: "Prefers tea" for "what does Ada prefer".
# Of sentences about a person, "Ada moved to Lyon", few begin with the name, so it must not decide.
KNOWN_NAMES = """
    SELECT coalesce(jsonb_object_agg(spelled.name, terms), '{{}}')
    FROM unnest(%(names)s::text[]) AS spelled(name) CROSS JOIN LATERAL (
        SELECT jsonb_agg(known.term) AS terms
        FROM language, memories_terms(spelled.name, possible) AS known
        WHERE EXISTS (
            SELECT FROM ({searched}) AS begun(id) CROSS JOIN LATERAL (
                SELECT left(text, 62) AS beginning FROM {corpus.items} WHERE id = begun.id OFFSET 0
            ) AS line WHERE beginning ~ '^(?![^:]*[''’]s )[^:\n]{{1,60}}: '
        ) AND (spelled.name <> lower(spelled.name) OR (
            (SELECT count(*) FROM ({about}) AS begun) >= greatest(
                %(begun_by)s, %(begun_share)s * (SELECT count(*) FROM ({mentioning}) AS mention))
            AND (
                SELECT left(text, 60) ~* ('\\m' || spelled.name || '\\M') FROM {corpus.items}
                WHERE id = (SELECT {corpus.item_id} FROM ({about}) AS begun LIMIT 1))
        ))
    ) AS subject
    WHERE terms IS NOT NULL
"""
"""SQL for a JSON object of those of `names` that are speakers of lines, and the terms of each.

It needs a preceding WITH query named "language", and SQL for the postings of `about` ('@' || known.term), of
`mentioning` (known.term), and for the first of `about`, `searched`.
"""

MOST_OWNER_NAMES = 8
"""Number of statements of the owner's name that are read."""

OWNER_NAMES = """
    SELECT array_agg(beginning) FROM (
        SELECT left(text, 100) AS beginning FROM memories_memory
        WHERE owner_id = %(owner)s AND aspect = 'name' AND deleted_at IS NULL AND quarantined_from IS NULL
          AND (id IN (SELECT id FROM hidden)) IS NOT TRUE AND %(names)s::text[] <> '{}'
        ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT %(most_owner_names)s
    ) AS stated
"""
"""SQL for the texts that state the owner's name, or NULL. It needs a preceding WITH query named "hidden"."""

NAME_PARAMETERS = {
    "begun_by": MIN_SUBJECT_MEMORIES,
    "begun_share": MIN_SUBJECT_SHARE,
    "most_searched": MOST_SEARCHED_FOR_LINES,
    "most_owner_names": MOST_OWNER_NAMES,
}
"""Parameters of `KNOWN_NAMES` and `OWNER_NAMES` besides `names`."""


def possible_names(text: str) -> list[str]:
    """Return the words that may be names, each once: the capitalized ones, or all words if at most the first one is."""
    months = {found["month"] for found in _MONTH.finditer(text)}
    words = [
        word
        for word in _WORD.findall(text)
        if len(word) > 1 and word.lower() not in _TITLES | _ORDINARY | OWNER_WORDS and word not in months
    ]
    capitalized = [word for word in words if word[0].isupper()]
    if capitalized not in ([], words[:1]):
        return list(dict.fromkeys(capitalized))[:MAX_NAMES]
    return list(dict.fromkeys(word for word in words if word[0] != word[0].swapcase()))[:MAX_UNCAPITALIZED]


def is_german(text: str) -> bool:
    """Return whether a text has German words, and so a capital for every noun."""
    return _GERMAN.search(text) is not None


def has_unknown_name(text: str, terms: Iterable[str]) -> bool:
    """Return whether a capitalized word inside `text` is in none of the `terms` that memories have.

    In German, every noun has a capital, so names cannot be distinguished from other words.
    """
    if is_german(text):
        return False
    known = {term.lstrip("@")[:_PREFIX] for term in terms}
    return any(_folded(found[1])[:_PREFIX] not in known for found in _CAPITALIZED_INSIDE.finditer(text))


def _folded(word: str) -> str:
    """Return `word` in lower case and without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", word.lower()) if letter.isalpha())


def prefer_capitalized(known: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the known names that are capitalized, or all of them if none is."""
    capitalized = {name: list(terms) for name, terms in known.items() if name[0].isupper()}
    return capitalized or {name: list(terms) for name, terms in known.items()}
