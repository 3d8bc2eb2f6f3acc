"""Whether a new statement is contained in a stored one, which says the same and more."""

from __future__ import annotations

from typing import Final

from common.lazy_pattern import lazy_pattern
from memories.relations.comparison import are_reversed
from memories.relations.statements import Statement, stem
from memories.relations.vocabulary import CONTRASTS, FUNCTION_WORDS, KIN_GROUP

MIN_CONTAINED_COSINE: Final = 0.5
"""Least cosine of two statements of which one contains the other."""

MIN_WORDS: Final = 3
"""Number of words and numbers of a statement that is contained in another one. With fewer, it may be about anything."""

_SENTENCE_END = lazy_pattern(r"[;!\n]\s*|(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bSt)\.(?:\s+|$)")
_WORD_START = 5

_OFTEN_LEFT_OUT = lazy_pattern(r"\b(works?|lives?|goes|go|takes?|drives?|uses?|attends?)\b")
"""Verbs without which a statement often says the same: "works as a tester", "a tester"."""

_OWNER = lazy_pattern(r"\b([^\W\d_]+)'s\b")
_NO_OWNERS = frozenset(
    {"user", "it", "he", "she", "that", "there", "here", "who", "what", "let", "how", "where", "when"}
)
_ONLY_WANTED = frozenset(map(stem, ("needs", "wants", "wanted", "should", "could", "would", "offered")))
_MEANING = {stem(word): stem(meaning) for word, (_, meaning) in CONTRASTS.items()}


def is_contained(part: str, whole: str, cosine: float) -> bool:
    """Return whether a stored statement says all that a new one says: "Ada can't have gluten, she's coeliac" after "Ada
    has coeliac disease, diagnosed in 2025, so strictly no gluten".

    All must be in one sentence: in "Ada's friend is Ben. His mother is Eva", nobody is Ada's mother.
    """
    new = Statement.of(part)
    if cosine < MIN_CONTAINED_COSINE or new.is_question or new.may_correct or "?" in whole:
        return False
    words = _meanings(new) - {stem(verb) for verb in _OFTEN_LEFT_OUT.findall(new.lowered)}
    if len(words) + len(new.numbers) < MIN_WORDS:
        return False
    sentences = _SENTENCE_END.split(Statement.of(whole).text)
    return any(_has_all(new, words, Statement.of(sentence)) for sentence in sentences)


def _has_all(new: Statement, words: frozenset[str], sentence: Statement) -> bool:
    """Return whether a sentence has all these words of a new statement, says them of the same person, and neither
    denies them nor tells of a change.
    """
    if not (new.numbers <= sentence.numbers and new.weekdays <= sentence.weekdays):
        return False
    if new.is_negated != sentence.is_negated or new.past != sentence.past:
        return False
    if sentence.may_correct and not sentence.only_says_since_when:
        return False
    if sentence.is_intention > new.is_intention or (sentence.words - new.words) & _ONLY_WANTED:
        return False
    if _owners(new) != _owners(sentence) or are_reversed(new, sentence):
        return False
    if new.contrasts.get(KIN_GROUP) != sentence.contrasts.get(KIN_GROUP):
        return False
    starts = {word[:_WORD_START] for word in _meanings(sentence)}
    return all(word[:_WORD_START] in starts for word in words)


def _owners(statement: Statement) -> frozenset[str]:
    """Return whose relatives and things a statement is about: "Ada's friend Ben" is not about Ada."""
    return frozenset(_OWNER.findall(statement.lowered)) - _NO_OWNERS


def _meanings(statement: Statement) -> frozenset[str]:
    """Return the stems of the words, and one for words that mean the same, such as "grandma" and "grandmother"."""
    words = (word for word in statement.words if word not in FUNCTION_WORDS and not word.endswith("n't"))
    return frozenset(_MEANING.get(word, word) for word in words)
