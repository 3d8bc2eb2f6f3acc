"""Memories that are about another subject than the question, although they share most of its words.

"Ada's shoe size is 38" does not answer "What is Ben's shoe size?", and neither do "Ben's ring size is 54" and "Ben has
new shoes". In German, where every noun has a capital, only a few phrases show that a word is a name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Set

from common.lazy_pattern import lazy_pattern
from memories.lexicon.translating import in_english
from memories.recall.missing_values import tests_for_values
from memories.recall.names import is_german
from memories.recall.related_words import related_words
from memories.relations.answer_kinds import PEOPLE, AnswerKind, asked_kinds
from memories.relations.statements import Statement, is_no_name
from memories.relations.vocabulary import FUNCTION_WORDS

BEGINNING_CHARS = 80
"""Number of characters in which a text says whom it is about."""

_PREFIX = 4
"""Number of letters by which words are compared: "Ben" is mentioned by "Ben's", and "dental" is near "dentist"."""

_LETTERS = lazy_pattern(r"[^\W\d_]+")
_NAME = r"([A-ZÀ-ÖØ-Þ][\w-]{1,30})"
_POSSESSOR = lazy_pattern(rf"\b{_NAME}(?:['’]s|(?<=[szx])['’]) (?!(?:{'|'.join(PEOPLE)})\b)(?=\w)")
"""Somebody who has something. "Ada's husband" is somebody else, whom the question may name."""

_DOER = lazy_pattern(
    rf"(?:[A-Z]\w*\.? ){{0,2}}{_NAME}(?: \([^)]*\)|, [^,]{{1,40}},)?(?: (?:also|now|still|never|always|usually|often))?"
    r" (?:is|was|has|had|will|can|could|would|should|does|did|isn['’]t|doesn['’]t|likes|loves|hates|dislikes|prefers"
    r"|wants|needs|knows|thinks|works|worked|lives|lived|moved|wears|plays|drinks|eats|takes|drives|rides|goes|went|comes"
    r"|came|gets|got|makes|made|buys|bought|owns|owes|earns|studies|teaches|starts|started|turns|turned|speaks|uses"
    r"|keeps|sleeps|weighs|pays|paid|says|said|told|met|visits|visited|plans|hopes)\b"
)
_GERMAN_DOER = lazy_pattern(
    rf"{_NAME} (?:hat|hatte|ist|war|wird|wohnt|arbeitet|heißt|trägt|mag|isst|trinkt|braucht|spielt|lernt|fährt"
    r"|verträgt)\b"
)
_GERMAN_POSSESSOR = lazy_pattern(rf"\b{_NAME}?(?:s|(?<=[szx])['’]) (?:[a-zäöüß]+ )?(?=[A-ZÄÖÜ])")
_GERMAN_ASKED = lazy_pattern(
    rf"\b(?:hat|hatte|wohnt|arbeitet|heißt|trägt|mag|isst|trinkt|braucht|spielt|lernt|fährt|verträgt) {_NAME}"
)
_ATTRIBUTE = lazy_pattern(
    r"\b(?P<kind>[a-z]{3,}) (?P<attribute>size|number|name|date|address|account|insurance|card|subscription|contract"
    r"|lessons?|classes|allergy|plate|colou?r|key|appointment)\b"
)
_OWN_ATTRIBUTE = lazy_pattern(
    r"\b(?:(?:my|the user['’]s|user['’]s) (?:[a-z]+ )?(?:size|birthday|age|height|weight|number|address|name|e-?mail"
    r"|allerg\w+|passport|signature|handwriting|blood type)"
    r"|how (?:old|tall|heavy) (?:am|is) (?:i|the user)|(?:what|which) [a-z ]*size do(?:es)? (?:i|the user)"
    r"|(?:am|is) (?:i|the user) (?:allergic|intolerant|vegetarian|vegan))\b"
)
"""A question about an attribute of the owner."""

_OWNER = lazy_pattern(r"\b(?:i|i['’]m|my|me|we|our|us|user|user['’]s)\b")
_PLACE = lazy_pattern(r"\b(?:in|at|from|near|to|on|into|around) (?:the )?([A-ZÀ-ÖØ-Þ][\w-]*)")
_USED_TO = lazy_pattern(r"\b(?:used to(?! it\b)|formerly|previously)\b")
_ASKS_FOR_THE_PAST = lazy_pattern(
    r"\b(?:used to|did|was|were|had|before|previous(?:ly)?|former(?:ly)?|earlier|once|ever|past|back then|old|last"
    r"|originally|history|in \d{4})\b"
)


def ids_about_others(
    question: str, texts: Iterable[tuple[int, str]], owner_names: Iterable[Sequence[str]] = ()
) -> Set[int]:
    """Return the ids of the texts that are about somebody or something else than the question, or only about how
    something used to be.

    `owner_names` are the names of the owner, in lower case. Without them, nobody can be told from the owner.
    """
    asked = _Asked(question, frozenset(itertools.chain.from_iterable(owner_names)))
    return frozenset(pk for pk, text in texts if asked.is_not_answered_by(text))


class _Asked:
    """The subject of a question: names, attributes, values and time."""

    def __init__(self, question: str, owner_names: frozenset[str]) -> None:
        statement = Statement.of(question)
        self._names = _asked_in_german(question) if is_german(question) else _asked_names(statement)
        self._owner_names = owner_names
        self._asks_for_own = bool(owner_names) and _OWN_ATTRIBUTE.search(statement.lowered) is not None
        # Whoever teaches Ada is another name: "Mr Ogden teaches my daughter".
        self._asks_who = AnswerKind.PERSON in asked_kinds(question)
        self._words = _prefixes(question)
        self._attributes = list(_attributes(statement.lowered))
        self._tells_values = tests_for_values(statement)
        self._asks_for_the_past = _ASKS_FOR_THE_PAST.search(statement.lowered) is not None

    def is_not_answered_by(self, text: str) -> bool:
        """Return whether a text is about another subject or an earlier time, or lacks the value asked for."""
        statement = Statement.of(text)
        return (
            self._is_about_somebody_else(statement)
            or self._is_not_about_the_owner(statement)
            or self._tells_another_attribute(statement)
            or not all(tells_value(statement) for tells_value in self._tells_values)
            or (not self._asks_for_the_past and _USED_TO.search(statement.lowered) is not None)
        )

    def _is_about_somebody_else(self, statement: Statement) -> bool:
        """Return whether the question names somebody whom the text does not mention, and it is about another name."""
        if not self._names:
            return False
        mentioned = _prefixes(statement.text)
        if any(_prefix(name) in mentioned for name in self._names):
            return False
        subjects = _possessors(statement) if self._asks_who else _subjects(statement)
        return any(_prefix(name) not in self._words for name in subjects)

    def _is_not_about_the_owner(self, statement: Statement) -> bool:
        """Return whether the question asks for an attribute of the owner, and the text is about another name."""
        if not self._asks_for_own or _OWNER.search(statement.lowered):
            return False
        names = [name.lower() for name in _subjects(statement)]
        return bool(names) and self._owner_names.isdisjoint(names)

    def _tells_another_attribute(self, statement: Statement) -> bool:
        """Return whether the text tells another attribute of the same kind: the ring size instead of the shoe size."""
        if not self._attributes:
            return False
        told = {attribute for _, attribute in _attributes(statement.lowered)}
        mentioned = _prefixes(statement.text)
        return any(
            attribute in told and mentioned.isdisjoint({_prefix(kind), *map(_prefix, related_words(kind))})
            for kind, attribute in self._attributes
        )


def _asked_names(question: Statement) -> frozenset[str]:
    """Return the names of those whom a question is about, without places ("in Canada") and abbreviations ("my ID")."""
    names = question.names.difference(_PLACE.findall(question.text)) | question.possessors
    return frozenset(name for name in names if not (name.isupper() or is_no_name(name.lower())))


def _asked_in_german(question: str) -> frozenset[str]:
    names = (*_GERMAN_ASKED.findall(question), *_GERMAN_POSSESSOR.findall(question))
    return frozenset(name for name in names if not in_english(name.lower()))


def _subjects(statement: Statement) -> Iterator[str]:
    """Yield the names of those whom a text is about: what it begins with is theirs, or they do it or say it."""
    beginning = statement.text[:BEGINNING_CHARS]
    names = [*_possessors(statement)]
    names += (found[1] for each in (_DOER, _GERMAN_DOER) if (found := each.match(beginning)))
    if statement.speaker and statement.is_conversation:
        names.append(statement.speaker)
    return (name for name in names if not is_no_name(name.lower()))


def _possessors(statement: Statement) -> Iterator[str]:
    """Yield the names of those who own what a text begins with."""
    beginning = statement.text[:BEGINNING_CHARS]
    names = _POSSESSOR.findall(beginning)
    if found := _GERMAN_POSSESSOR.match(beginning):
        names.append(found[1])
    return (name for name in names if not is_no_name(name.lower()))


def _attributes(lowered: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the attribute of each pair such as "shoe size" in a text in lower case."""
    for found in _ATTRIBUTE.finditer(lowered):
        if found["kind"] not in FUNCTION_WORDS:
            yield found["kind"], found["attribute"].removesuffix("s").replace("colour", "color")


def _prefixes(text: str) -> frozenset[str]:
    return frozenset(map(_prefix, _LETTERS.findall(text)))


def _prefix(word: str) -> str:
    return word.lower()[:_PREFIX]
