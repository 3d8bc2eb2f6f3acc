"""The words of a question, as the postings of memories know them: how rare each is, and which are names.

A term is a word's stem in the language of its text, without accents; of Chinese, Japanese and Korean each character and
each two that stand side by side. PostgreSQL's dictionaries make them, in functions and triggers of the migrations.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memories.database import fetch_rows
from memories.scope import Scope

MAX_TERMS = 64
"""How many words of a question are looked up; of a longer one its longest, which are the rarest on the whole."""

MOST_POSTINGS = 5_000
"""How many postings a question reads, its rarest words first. Nothing is counted further than that either: a word that
so many memories have tells them apart no more than their meaning does."""

MAX_NAMES = 8

MENTIONED = 0.5
"""What it counts that a memory mentions a name, beside 1 for being about it."""

_CAPITALIZED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "sir", "lady", "lord", "uncle", "aunt"})

_READ = """
WITH hidden AS MATERIALIZED (
    {hidden}
), language AS MATERIALIZED (
    SELECT ARRAY(
        SELECT DISTINCT unnest(memories_languages(%(text)s) || 'memories_english'::regconfig)) AS possible
), asked AS (
    SELECT terms.term FROM language, memories_terms(%(text)s, possible) AS terms
    ORDER BY length(terms.term) DESC, terms.term LIMIT %(max_terms)s
)
SELECT (
    SELECT count(*) FROM (
        SELECT FROM memories_memory
        WHERE owner_id = %(owner)s AND (id IN (SELECT id FROM hidden)) IS NOT TRUE
        LIMIT %(most)s
    ) AS memory
), (
    SELECT coalesce(jsonb_object_agg(term, df), '{{}}') FROM asked CROSS JOIN LATERAL (
        SELECT count(*) AS df FROM (
            SELECT FROM memories_posting
            WHERE owner_id = %(owner)s AND term = asked.term AND (memory_id IN (SELECT id FROM hidden)) IS NOT TRUE
            LIMIT %(most)s
        ) AS posting
    ) AS known
    WHERE df > 0
), (
    SELECT coalesce(jsonb_object_agg(spelled.name, terms), '{{}}')
    FROM unnest(%(names)s::text[]) AS spelled(name) CROSS JOIN LATERAL (
        SELECT jsonb_agg(known.term) AS terms
        FROM language, memories_terms(spelled.name, possible) AS known
        WHERE EXISTS (
            SELECT FROM memories_posting
            WHERE owner_id = %(owner)s AND term = '@' || known.term
              AND (memory_id IN (SELECT id FROM hidden)) IS NOT TRUE)
    ) AS subject
    WHERE terms IS NOT NULL
)
"""


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a question are worth: `idf` of each term that is scanned, the rarest first.

    `names`: the words with a capital that memories begin with, as the question spells them, and the terms of each.
    """

    idf: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def name_weights(self) -> dict[str, float]:
        """How much it says of a memory to have a term: to be about one of the names, or only to mention it."""
        terms = [term for terms in self.names.values() for term in terms]
        return dict.fromkeys(terms, MENTIONED) | dict.fromkeys((f"@{term}" for term in terms), 1.0)

    def without_names(self, text: str) -> str:
        """`text` with the names taken out, and their 's; as it is when nothing else would be left."""
        if not self.names:
            return text
        spelled = "|".join(map(re.escape, self.names))
        rest = " ".join(re.sub(rf"\b(?:{spelled})\b(?:['’]s\b)?", "", text).split())
        return rest if any(map(str.isalnum, rest)) else text


def read_words(scope: Scope, text: str) -> Words:
    """The words of a question as the memories in scope know them. One query."""
    parameters: dict[str, object] = {
        "text": text,
        "names": capitalized_words(text),
        "max_terms": MAX_TERMS,
        "most": MOST_POSTINGS,
    }
    [(memories, frequencies, names)] = fetch_rows(
        _READ.format(hidden=scope.hidden), {**scope.selection.all_parameters, **parameters}
    )
    return Words(inverse_frequencies(json.loads(frequencies), memories), json.loads(names))


def capitalized_words(text: str) -> list[str]:
    """The words that may be names, each once."""
    words = (match.group() for match in _CAPITALIZED.finditer(text))
    names = (word for word in words if word[0].isupper() and len(word) > 1 and word.lower() not in _TITLES)
    return list(dict.fromkeys(names))[:MAX_NAMES]


def inverse_frequencies(frequencies: Mapping[str, int], memories: int) -> dict[str, float]:
    """The BM25 weight of each term that `frequencies[term]` of so many memories have, as far as the scan may go.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), made positive as in Lucene.
    """
    return {
        term: math.log1p((max(memories, df) - df + 0.5) / (df + 0.5)) for term, df in _affordable(frequencies.items())
    }


def _affordable(frequencies: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """The rarest terms that are scanned; always one."""
    chosen: list[tuple[str, int]] = []
    left = MOST_POSTINGS
    for term, df in sorted(frequencies, key=lambda pair: (pair[1], pair[0])):
        left -= df
        if left < 0 and chosen:
            break
        chosen.append((term, df))
    return chosen
