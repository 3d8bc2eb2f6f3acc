"""The names in a question: words that memories begin with, since they are about somebody of that name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MAX_NAMES = 8

MAX_UNCAPITALIZED = 16
"""How many words of a question without capitals are looked up as names."""

MIN_SUBJECT_MEMORIES = 2
MIN_SUBJECT_SHARE = 0.4
"""How many memories begin with a name that has no capital in the question, and what part of those that have the word:
"coffee" begins few of those about coffee."""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "sir", "lady", "lord", "uncle", "aunt"})

# A memory that begins with another form of the word is not about a name: "Prefers tea" and "what does Ada prefer".
KNOWN_NAMES = """
    SELECT coalesce(jsonb_object_agg(spelled.name, terms), '{{}}')
    FROM unnest(%(names)s::text[]) AS spelled(name) CROSS JOIN LATERAL (
        SELECT jsonb_agg(known.term) AS terms
        FROM language, memories_terms(spelled.name, possible) AS known
        WHERE EXISTS ({about}) AND (spelled.name <> lower(spelled.name) OR (
            (SELECT count(*) FROM ({about}) AS begun) >= greatest(
                %(begun_by)s, %(begun_share)s * (SELECT count(*) FROM ({mentioning}) AS mention))
            AND (
                SELECT left(text, 60) ~* ('\\m' || spelled.name || '\\M') FROM memories_memory
                WHERE id = (SELECT memory_id FROM ({about}) AS begun LIMIT 1))
        ))
    ) AS subject
    WHERE terms IS NOT NULL
"""
"""SQL for an object of those of `names` that memories begin with, and the terms of each; it needs "language" to be
selected before, and SQL for the postings of `about`, '@' || known.term, and `mentioning`, known.term."""

NAME_PARAMETERS = {"begun_by": MIN_SUBJECT_MEMORIES, "begun_share": MIN_SUBJECT_SHARE}
"""What `KNOWN_NAMES` takes besides `names`."""


def possible_names(text: str) -> list[str]:
    """The words that may be names, each once: those with a capital; all words where only the first one has any."""
    words = [word for word in _WORD.findall(text) if len(word) > 1 and word.lower() not in _TITLES]
    capitalized = [word for word in words if word[0].isupper()]
    if capitalized not in ([], words[:1]):
        return list(dict.fromkeys(capitalized))[:MAX_NAMES]
    return list(dict.fromkeys(word for word in words if word[0] != word[0].swapcase()))[:MAX_UNCAPITALIZED]


def prefer_capitalized(known: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Of the known names those with a capital; where none has one, all."""
    capitalized = {name: list(terms) for name, terms in known.items() if name[0].isupper()}
    return capitalized or {name: list(terms) for name, terms in known.items()}
