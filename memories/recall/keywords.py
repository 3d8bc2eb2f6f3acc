"""Terms of a question: how rare each is among the memories, and which are names.

A term is a word's stem in the language of its text, without accents. In Chinese, Japanese and Korean, each character
and each pair of adjacent characters is a term. PostgreSQL's dictionaries make terms, in functions and triggers of the
migrations.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from memories.aspects.names import owner_names_in
from memories.corpus import MEMORIES, Corpus
from memories.database import fetch_rows
from memories.embeddings.combined.question_language import question_language
from memories.lexicon.translating import LANGUAGES, translations
from memories.recall.filters import RecallFilters
from memories.recall.identifiers import has_unknown_identifier
from memories.recall.names import (
    KNOWN_NAMES,
    NAME_PARAMETERS,
    OWNER_NAMES,
    has_unknown_name,
    possible_names,
    prefer_capitalized,
)
from memories.recall.related_words import related_words

MAX_TERMS = 64
"""Number of terms of a question that are looked up: the longest, which are usually the rarest."""

MAX_POSTINGS = 3_000
"""Maximum number of postings that are read for a question, those of its rarest words first. Counts stop there, too."""

ASSUMED_MEMORY_COUNT = 30_000
"""Assumed number of memories if there are more than are counted. Only the relative rarity of words matters."""

MAX_COMMON_TERMS = 8
"""Number of terms with too many postings that are looked up only in candidates found by other means."""

EXPECTED_SHARE = 0.7
"""Share of a question's words that a memory must have for them to count in full: a single one may match by chance."""

RELATED_WEIGHT = 0.5
"""Weight of a word that is only related to one of the question's."""

TRANSLATED_WEIGHT = 0.8
"""Weight of a word that is a translation of one of the question's."""

MAX_TRANSLATED_WORDS = 8
"""Number of translations into each language that are looked up: a bound on the cost of long questions."""

MAX_RELATED_POSTINGS = 300
"""Number of memories above which a related or translated word is too common to be useful."""

MENTION_WEIGHT = 0.5
"""Weight of a memory that mentions a name; one that is about the name weighs 1."""

_QUESTION_WORD = re.compile(r"[^\W\d_]+")

# The memories within the filters that have a term. No more are counted than can be read.
_POSTINGS = """
    SELECT {corpus.item_id} FROM {corpus.postings}
    WHERE owner_id = %(owner)s AND term = {term} AND ({corpus.item_id} IN (SELECT id FROM hidden)) IS NOT TRUE
    LIMIT {most}
"""
_READ = """
WITH hidden AS MATERIALIZED (
    {hidden}
), language AS MATERIALIZED (
    SELECT likely[1:1] AS likeliest, ARRAY(SELECT DISTINCT unnest(likely || 'memories_english'::regconfig)) AS possible
    FROM memories_languages(%(text)s) AS likely
), likely AS MATERIALIZED (
    SELECT term, true AS is_likely FROM language, memories_terms(%(text)s, likeliest)
), asked AS MATERIALIZED (
    SELECT term, coalesce(is_likely, false) AS is_likely
    FROM language CROSS JOIN memories_terms(%(text)s, possible) LEFT JOIN likely USING (term)
    ORDER BY length(term) DESC, term LIMIT %(max_terms)s
)
SELECT (
    SELECT count(*) FROM (
        SELECT FROM {corpus.items}
        WHERE owner_id = %(owner)s AND (id IN (SELECT id FROM hidden)) IS NOT TRUE
        LIMIT %(most)s
    ) AS memory
), (
    SELECT coalesce(jsonb_object_agg(term, df), '{{}}')
    FROM asked CROSS JOIN LATERAL (SELECT count(*) AS df FROM ({postings}) AS posting) AS known
    WHERE df > 0 OR is_likely
), ({names}), (
    SELECT coalesce(jsonb_object_agg(term, df), '{{}}')
    FROM (SELECT DISTINCT term FROM memories_terms(%(related)s, ARRAY['memories_english'::regconfig])) AS related
    CROSS JOIN LATERAL (SELECT count(*) AS df FROM ({related_postings}) AS posting) AS known
    WHERE df > 0 AND df < %(most_related)s
), (
    SELECT coalesce(jsonb_object_agg(term, df), '{{}}')
    FROM (
        SELECT DISTINCT term FROM unnest(%(languages)s::regconfig[], %(translations)s::text[]) AS same(language, words)
        CROSS JOIN LATERAL memories_terms(words, ARRAY[language])
    ) AS translated
    CROSS JOIN LATERAL (SELECT count(*) AS df FROM ({translated_postings}) AS posting) AS known
    WHERE df > 0 AND df < %(most_related)s
), ({owner_names})
"""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms of a question that memories have, with their BM25 weights, and its names.

    - `rare`: terms whose postings can all be read.
    - `common`: terms that have too many postings for that.
    - `expected`: the BM25 score of a memory that has most of the words.
    - `names`: the speakers that it names, as the question spells them, and the terms of each.
    - `unknown_name`: the question contains a name or an identifier that no memory mentions.
    - `owner_names`: the names of the owner, in lower case, each a first name and further ones.
    """

    rare: Mapping[str, float] = field(default_factory=dict)
    common: Mapping[str, float] = field(default_factory=dict)
    expected: float = 0.0
    names: Mapping[str, list[str]] = field(default_factory=dict)
    unknown_name: bool = False
    owner_names: Sequence[Sequence[str]] = ()

    @property
    def name_weights(self) -> dict[str, float]:
        """The weight of each term of the names: a term with @ is about the name, one without only mentions it."""
        terms = [term for terms in self.names.values() for term in terms]
        return dict.fromkeys(terms, MENTION_WEIGHT) | dict.fromkeys((f"@{term}" for term in terms), 1.0)

    def without_names(self, text: str) -> str:
        """Return `text` without the names and their 's, or unchanged if nothing else would be left."""
        if not self.names:
            return text
        spelled = "|".join(map(re.escape, self.names))
        rest = " ".join(re.sub(rf"\b(?:{spelled})\b(?:['’]s\b)?", "", text).split())
        return rest if any(map(str.isalnum, rest)) else text


def load_question_terms(filters: RecallFilters, text: str) -> QuestionTerms:
    """Look up the words of a question among the items within `filters`. One query."""
    translated = in_other_languages(text)
    parameters: dict[str, object] = {
        "text": text,
        "languages": [f"memories_{language}" for language in translated],
        "translations": [" ".join(words) for words in translated.values()],
        "related": " ".join(related_words(text)),
        "names": possible_names(text),
        "max_terms": MAX_TERMS,
        "most": MAX_POSTINGS,
        "most_related": MAX_RELATED_POSTINGS,
    }
    sql = _statement(filters.corpus, filters.hidden)
    [(memories, frequencies, names, related, same, owner_names)] = fetch_rows(
        sql, {**filters.selection.all_parameters, **NAME_PARAMETERS, **parameters}
    )
    counts: dict[str, int] = json.loads(frequencies)
    added = {TRANSLATED_WEIGHT: json.loads(same), RELATED_WEIGHT: json.loads(related)}
    terms = weigh(counts, memories, prefer_capitalized(json.loads(names)), added)
    known = [term for term, df in counts.items() if df]
    return replace(
        terms,
        unknown_name=has_unknown_name(text, known) or has_unknown_identifier(text, known),
        owner_names=[names for text in owner_names or () if (names := owner_names_in(text, is_sure=True))],
    )


@cache
def _statement(corpus: Corpus, hidden: str) -> str:
    def postings(term: str, most: str = "%(most)s") -> str:
        return corpus.in_sql(_POSTINGS).format(term=term, most=most)

    return corpus.in_sql(_READ).format(
        hidden=hidden,
        postings=postings("asked.term"),
        related_postings=postings("related.term", most="%(most_related)s"),
        translated_postings=postings("translated.term", most="%(most_related)s"),
        names=corpus.in_sql(KNOWN_NAMES).format(
            about=postings("'@' || known.term"),
            searched=postings("'@' || known.term", most="%(most_searched)s"),
            mentioning=postings("known.term"),
        ),
        owner_names=OWNER_NAMES if corpus is MEMORIES else "NULL::text[]",
    )


def in_other_languages(question: str) -> dict[str, list[str]]:
    """Return by language the translations of a question's words, and its names: each language has other stems.

    In a German memory, "Lukas" has the term "lukas", and in an English one "luka".
    """
    translated, names = translations_of(question), [name for name in possible_names(question) if name[0].isupper()]
    found = {each: [*translated.get(each, ())[:MAX_TRANSLATED_WORDS], *names] for each in LANGUAGES}
    return {language: words for language, words in found.items() if words}


def translations_of(question: str) -> dict[str, list[str]]:
    """Return the translations of everyday words of a question into the languages that it is not asked in."""
    language = question_language(question)
    return translations(
        _QUESTION_WORD.findall(question.lower()), is_english=None if language == "unknown" else language == "english"
    )


def weigh(
    frequencies: Mapping[str, int],
    memories: int,
    names: Mapping[str, list[str]],
    further: Mapping[float, Mapping[str, int]] | None = None,
) -> QuestionTerms:
    """Return the terms with their weights, if `frequencies[term]` of `memories` memories have a term; 0 is allowed.

    `further` has by weight, largest first, the frequencies of terms that only related words or translations have. They
    weigh less than the question's own words, and are not expected.
    """
    total = ASSUMED_MEMORY_COUNT if memories >= MAX_POSTINGS else memories
    idf = {term: inverse_frequency(df, total) for term, df in frequencies.items()}
    expected = EXPECTED_SHARE * sum(idf.values())
    added: dict[str, int] = {}
    for weight, found in (further or {}).items():
        new = {term: df for term, df in found.items() if term not in idf}
        idf |= {term: weight * inverse_frequency(df, total) for term, df in new.items()}
        added |= new
    # The question's own words are read first.
    by_rarity = sorted((df, term) for term, df in frequencies.items() if df)
    by_rarity += sorted((df, term) for term, df in added.items())
    read = list(itertools.accumulate(df for df, _ in by_rarity))
    affordable = max(1, sum(postings <= MAX_POSTINGS for postings in read))
    terms = [term for _, term in by_rarity]
    return QuestionTerms(
        rare={term: idf[term] for term in terms[:affordable]},
        common={term: idf[term] for term in terms[affordable:][:MAX_COMMON_TERMS]},
        expected=expected,
        names=names,
    )


def inverse_frequency(df: int, memories: int) -> float:
    """Return the BM25 weight of a term that `df` of `memories` memories have, kept positive.

    Robertson and Zaragoza 2009.
    """
    return math.log1p((max(memories, df) - df + 0.5) / (df + 0.5))
