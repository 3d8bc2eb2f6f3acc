"""Statements, divided into the parts that decide how two of them are related."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

# That of functools takes a lock for each value until Python 3.12.
from django.utils.functional import cached_property

from common.lazy_pattern import lazy_pattern
from memories.lexicon.translating import in_english, is_only_foreign
from memories.relations.answer_kinds import AnswerKind, told_kinds
from memories.relations.numbers import with_digits
from memories.relations.settling import OPEN_AND_SETTLED
from memories.relations.vocabulary import (
    ADDITION,
    AGENT,
    AMBIGUOUS_FUNCTION_WORDS,
    ANDS,
    CHANGE,
    CHANGED,
    CODE,
    CONTRASTS,
    COUNTED_CONTRASTS,
    COUNTER,
    DATE_NAMES,
    DEATH,
    DOER,
    ENDED,
    ENGLISH_FUNCTION_WORDS,
    FUNCTION_WORDS,
    FUNCTION_WORDS_OF_OTHER_LANGUAGES,
    GOAL_BEFORE,
    HOME,
    INTENTION,
    INTERCHANGEABLE,
    MONTH_TOKENS,
    MONTHS,
    MOVER,
    NAME_FIRST,
    NAMED_BEING,
    NEGATION,
    NEW,
    NO_NAMES,
    NUMBER_NOUNS,
    NUMBER_WORDS,
    OBJECT_OF_CHANGE,
    PAST,
    PLACE_BEFORE,
    POSSESSOR,
    REASON,
    RESIDENT,
    SINCE,
    STATES,
    SUBJECT_END,
    TALK,
    TENTATIVE,
    TITLES,
    WEEKDAYS,
    WORK,
)
from memories.times.english import ENGLISH

READ_CHARS = 2_000
"""Number of characters of a text that are read: a bound on the cost."""

CHANGE_CHARS = 240
"""Number of characters in which a correction says that it is one. In long texts, the words for it occur by chance."""

_BEING_CHARS, _POSSESSOR_CHARS = 80, 50

TALK_CHARS = 400
"""Number of characters that are checked for whether somebody is addressed."""

CACHED_STATEMENTS = 2_048
"""Number of statements that a process keeps, of about 4 KB each: recall compares the same memories again and again."""

CACHED_STEMS = 8_192

COMMON_SHARE, MIN_COMMON = 0.25, 2
"""Share and number of statements about one question. A word that more of them have is no evidence of a subject."""

_WORD = lazy_pattern(r"\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th)(?![^\W\d_]))?|[^\W\d_]+(?:['-][^\W\d_]+)*")
_SENTENCE = lazy_pattern(r"[^.;!?\n]*(?:\.(?=\d)[^.;!?\n]*)*")
_CAPITALIZED = lazy_pattern(r"\b([A-ZÀ-ÖØ-Þ]\w[\w-]*)")
_SENTENCE_START = lazy_pattern(r"(?:^|[.!?:;]\s+|\n[-*\s]*)(?=\w)")
_ELISION = lazy_pattern(r"^(?:[cdjlmnst]|qu|un|dell|all|nell|sull)'")
_SPEAKER = lazy_pattern(r"^([^\W\d_][\w-]*):\s", re.MULTILINE)
_PREPOSITION = lazy_pattern(
    r"\b(?:in|at|by|on|from|near|for|to|with|of|am|im|an|auf|bei|zu|zum|zur|mit|von|vom|für|aus|nach|à|au|en|dans|chez|de"
    r"|du|con|por|para|del|a|da|di|nel|nella|al|alla|per) $"
)
_PREPOSITION_CHARS = 8
_DAY_BEFORE = lazy_pattern(r"\d(?:\.|º|er)? (?:de |di |of )?$")
_DAY_CHARS = 8
_CLOCK_TIME = lazy_pattern(
    r"(?<![\d.,:])(\d{1,2}:[0-5]\d)(?![\d:])|\b(?:at|by|from|until|till|um|gegen|ab|bis|à|vers|a las?|alle|dalle)"
    r" (\d{1,2})(?![\w:%]|[.,/-]\d| ?[€$£])"
)
_HALF_OF_DAY = lazy_pattern(
    r"\d ?a\.?m\b|\b0\d[:.]|\d ?(?:h|uhr)\b|\d ?h ?\d|morning|breakfast|morgens|früh|vormittag|matin|mañana|mattin"
)
_COUNTED = frozenset(map(str, COUNTED_CONTRASTS)) | {"weekday", "month"}
_KEY_BYTES = 8
_THOUSANDS = lazy_pattern(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SUFFIXES = ("ings", "ing", "ied", "ies", "ed", "es", "s", "er", "e")
_MIN_STEM = 3
# "May" and "sun" are more often other words.
_DATES = {
    word: (kind, f"{number}")
    for kind, names in (("weekday", ENGLISH.weekdays), ("month", ENGLISH.months))
    for word, number in names.items()
    if word not in ("may", "mar", "sun")
} | {word: ("month", f"{number}") for number, word in enumerate(MONTH_TOKENS, 1)}


@dataclass(frozen=True)
class Statement:
    """The beginning of a text, and its parts, each of which is computed once, when it is first needed."""

    text: str

    @classmethod
    def of(cls, text: str) -> Statement:
        """Return the statement of a text. Only its first `READ_CHARS` characters are read."""
        return _cached_statement(text[:READ_CHARS])

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, with one kind of apostrophe."""
        return self.text.lower().replace("’", "'")

    @cached_property
    def _all_words(self) -> list[str]:
        return _WORD.findall(with_digits(self.lowered))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words as stems and the numbers, without words that are interchangeable, such as "I" and "the user"."""
        tokens = (self._stems(word) for word in self._all_words if word not in _NO_TOKENS)
        return tuple(chain.from_iterable(tokens))

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the words that are not function words."""
        words = (word for word in self._all_words if not word[0].isdigit() and word not in FUNCTION_WORDS)
        return frozenset(chain.from_iterable(map(self._stems, words)))

    def _stems(self, word: str) -> Sequence[str]:
        """Return the stem of a word or its number, and for an everyday word in another language the English stems."""
        if number := _number(word):
            return (number,)
        if self._is_foreign and "'" in word:
            word = _ELISION.sub("", word)
        english = in_english(word) if self._is_foreign else ()
        return [stem(each) for each in english] or (stem(word),)

    @cached_property
    def number_of_ands(self) -> int:
        """The number of words that join things, such as "and"."""
        return sum(word in ANDS for word in self._all_words)

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """`words` without those in `contrasts`."""
        contrasting = {
            stem(word)
            for word in self._all_words
            if word in CONTRASTS or word in STATES or word.removesuffix("s") in _DATES or _weekday(word) is not None
        }
        return self.words - contrasting if contrasting else self.words

    @cached_property
    def subject_words(self) -> frozenset[str]:
        """`words` without weekdays and months: two statements about one day are rarely about one thing."""
        subjects = self.words - _DATE_STEMS
        if not subjects.isdisjoint(AMBIGUOUS_FUNCTION_WORDS) and self._is_foreign:
            return subjects - AMBIGUOUS_FUNCTION_WORDS
        return subjects

    @cached_property
    def _is_foreign(self) -> bool:
        if any(word in _FOREIGN for word in self._all_words):
            return True
        return any(map(is_only_foreign, self._all_words)) and ENGLISH_FUNCTION_WORDS.isdisjoint(self._all_words)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers and times of day, in digits."""
        return frozenset(number for word in self._all_words if (number := _number(word)))

    @cached_property
    def clock_times(self) -> frozenset[str]:
        """Those of `numbers` that are times of day."""
        return frozenset(
            number for time in _CLOCK_TIME.findall(with_digits(self.lowered)) if (number := _number("".join(time)))
        )

    @cached_property
    def is_half_day_open(self) -> bool:
        """Whether a time of day up to 12 may also be in the afternoon, because nothing says that it is not."""
        return _HALF_OF_DAY.search(self.lowered) is None

    @cached_property
    def contrasts(self) -> Mapping[str, frozenset[str]]:
        """For each kind of words that exclude each other, those in the text: weekdays, months, colours, kin."""
        return _contrasts(self._all_words)

    @cached_property
    def weekdays(self) -> frozenset[int]:
        """The weekdays that are named in a language other than English. Those in English are in `contrasts`."""
        return frozenset(day for word in self._all_words if (day := _weekday(word)) is not None)

    @cached_property
    def counted_contrasts(self) -> Set[tuple[str, frozenset[str]]]:
        """Those of `contrasts` that make two texts different facts if only one has them, such as a weekday."""
        return frozenset((kind, words) for kind, words in self.contrasts.items() if kind in _COUNTED)

    @cached_property
    def key(self) -> int:
        """A number of 64 bits with sign, which is equal for all statements that may say the same.

        It stands for the parts in which they must agree. The keys of memories are stored: a change of this module or of
        the vocabulary that changes keys needs a migration that computes them again. Two statements that differ in
        these parts rarely have the same key.
        """
        parts = (
            sorted(self.numbers),
            self.is_negated,
            self.is_question,
            self.is_intention,
            sorted(map(str, self.past)),
            sorted((kind, sorted(words)) for kind, words in self.counted_contrasts),
        )
        digest = hashlib.blake2b(repr(parts).encode(), digest_size=_KEY_BYTES).digest()
        return int.from_bytes(digest, "big", signed=True)

    @cached_property
    def names(self) -> frozenset[str]:
        """The capitalized words inside a sentence."""
        starts = {found.end() for found in _SENTENCE_START.finditer(self.text)}
        return frozenset(name for name, start in self._capitalized if start not in starts)

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """The capitalized words that are not the object of a preposition, in their order."""
        return tuple(
            dict.fromkeys(
                name
                for name, start in self._capitalized
                if not _PREPOSITION.search(self.lowered, max(0, start - _PREPOSITION_CHARS), start)
            )
        )

    @cached_property
    def _capitalized(self) -> list[tuple[str, int]]:
        words = ((found[1], found.start()) for found in _CAPITALIZED.finditer(self.text))
        return [
            (word, start)
            for word, start in words
            if not is_no_name(word.lower())
            and not _is_month_of_date(word.lower(), self.text, start)
            and not (self._is_foreign and in_english(word.lower()))
        ]

    @cached_property
    def told_kinds(self) -> AnswerKind:
        """The kinds of answers that the text can give."""
        return told_kinds(self._all_words, self.names)

    @cached_property
    def capitalized_words(self) -> frozenset[str]:
        """Those of `words` that are capitalized somewhere in the text."""
        return frozenset(stem(name.lower()) for name, _ in self._capitalized)

    @cached_property
    def possessors(self) -> frozenset[str]:
        """The names of the owners of what the text begins with: "Ada's phone"."""
        found = POSSESSOR.findall(self.text[:_POSSESSOR_CHARS])
        return frozenset(name for names in found for name in names if name)

    @cached_property
    def named_first(self) -> frozenset[str]:
        """The stems of the name with which the text begins, if it does, and of what it is: "Mochi, our dog, …"."""
        found = self._name_first
        if not found or found[1].lower() in FUNCTION_WORDS:
            return frozenset()
        if found[1].lower() == self.speaker and not self.is_conversation:
            return frozenset()
        return frozenset(chain.from_iterable(map(self._stems, _WORD.findall(f"{found[1]} {found[2] or ''}".lower()))))

    @cached_property
    def tells_what_somebody_does(self) -> bool:
        """Whether the text begins with the name of somebody who does something, as in "Ada no longer eats sugar".

        Such a change is not about everything that is said about Ada.
        """
        found = self._name_first
        return found is not None and OBJECT_OF_CHANGE.match(self.lowered, found.end()) is None

    @cached_property
    def doer(self) -> str | None:
        """The stem of the name of somebody with which the text begins, if it says what they do: "Ben cooks for Ada"."""
        found = DOER.match(self.text)
        return stem(found[1].lower()) if found and not is_no_name(found[1].lower()) else None

    @cached_property
    def _name_first(self) -> re.Match[str] | None:
        return NAME_FIRST.match(self.text[:_BEING_CHARS])

    @cached_property
    def speaker(self) -> str | None:
        """The word with a colon with which a line begins: the speaker of "Ada: Hello", or the topic of a note."""
        found = _SPEAKER.search(self.text)
        return found[1].lower() if found else None

    @cached_property
    def is_conversation(self) -> bool:
        """Whether somebody says something in a conversation, as in "Ada: Hello". "Roof: 4,200 €" is a note."""
        return self.speaker is not None and TALK.search(self.lowered, 0, TALK_CHARS) is not None

    @cached_property
    def changes(self) -> frozenset[str]:
        """Expressions that replace an earlier statement, such as "no longer", but not "perhaps no longer"."""
        start = ADDITION.sub(" ", self.lowered[:CHANGE_CHARS])
        if TENTATIVE.search(start):
            start = "\n".join(part for part in _SENTENCE.findall(start) if not TENTATIVE.search(part))
        return frozenset(CHANGE.findall(start))

    @property
    def only_says_since_when(self) -> bool:
        """Whether the only signs of a change say how long something has been so: "owes me 90 € since August"."""
        return bool(self.changes) and all(SINCE.match(sign) for sign in self.changes)

    @cached_property
    def change_words(self) -> frozenset[str]:
        """The stems of the words in `changes`, such as "moved". "New number" says itself what has changed."""
        return frozenset(stem(word) for sign in self.changes if not NEW.search(sign) for word in sign.split())

    @cached_property
    def mover(self) -> str | None:
        """The person who has moved, if the text begins with that: "Ada moved to Graz". "" for the owner."""
        return _person(MOVER, self.text)

    @cached_property
    def resident(self) -> str | None:
        """The person who lives somewhere, if the text begins with that: "Ada lives in Graz". "" for the owner."""
        return _person(RESIDENT, self.text)

    @cached_property
    def is_about_a_home(self) -> bool:
        """Whether it says where somebody lives, or that somebody has moved."""
        return self.mover is not None or self.resident is not None or HOME.search(self.lowered) is not None

    @cached_property
    def is_about_work(self) -> bool:
        """Whether it says for whom or as what somebody works."""
        return WORK.search(self.lowered) is not None

    @cached_property
    def places(self) -> frozenset[str]:
        """The stems of the names of places where something is: "in Kiel", and "moved to Kiel"."""
        before = [PLACE_BEFORE] if self.mover is None else [PLACE_BEFORE, GOAL_BEFORE]
        return frozenset(
            stem(name.lower())
            for name, start in self._capitalized
            if any(each.search(self.lowered, max(0, start - _PREPOSITION_CHARS), start) for each in before)
        )

    @cached_property
    def tells_of_a_death(self) -> bool:
        """Whether it says that somebody has died. This may end whatever is said about them."""
        return DEATH.search(self.lowered[:CHANGE_CHARS]) is not None

    @cached_property
    def changed_noun(self) -> str | None:
        """The noun that says what has changed: "rehearsals" in "rehearsals of the choir are now on Wednesdays". None if
        the text does not say so, or if it is a pronoun.
        """
        found = CHANGED.search(self.lowered[:CHANGE_CHARS])
        words = _WORD.findall(SUBJECT_END.split(found["subject"])[0]) if found else []
        return words[-1] if words and words[-1] not in FUNCTION_WORDS and words[-1] not in _LEFT_OUT else None

    @property
    def changed_thing(self) -> str | None:
        """The stem of `changed_noun`."""
        return self._stems(self.changed_noun)[-1] if self.changed_noun else None

    @cached_property
    def agent(self) -> frozenset[str]:
        """The stems of whom the text begins with, if it says that they have changed something."""
        found = AGENT.match(self.text[:_BEING_CHARS].replace("’", "'"))
        return (
            frozenset(chain.from_iterable(map(self._stems, _WORD.findall(found[1].lower())))) if found else frozenset()
        )

    @cached_property
    def ended(self) -> tuple[str, ...]:
        """The stems of what has ended, in their order, as in "no longer works on Fridays": "work", "friday"."""
        found = ENDED.search(self.lowered[:CHANGE_CHARS])
        words = _WORD.findall(found[1]) if found else []
        return tuple(stem(word) for word in words if word not in FUNCTION_WORDS)

    @cached_property
    def settled(self) -> frozenset[int]:
        """The kinds of things that are settled, such as debts, as places in `OPEN_AND_SETTLED`."""
        start = self.lowered[:CHANGE_CHARS]
        return frozenset(kind for kind, (_, settled) in enumerate(OPEN_AND_SETTLED) if settled.search(start))

    @cached_property
    def open(self) -> frozenset[int]:
        """The kinds of things that are open, such as debts and repairs, as places in `OPEN_AND_SETTLED`."""
        return frozenset(kind for kind, (open_, _) in enumerate(OPEN_AND_SETTLED) if open_.search(self.lowered))

    @cached_property
    def may_correct(self) -> bool:
        """Whether it says that something has changed, or which number of a series is the latest."""
        return bool(self.changes or self.settled or self.counters)

    @cached_property
    def counters(self) -> Mapping[str, int]:
        """The highest number for each beginning of a code, if the text says which number is the latest: "the latest
        invoice is R-2026-052".
        """
        if COUNTER.search(self.lowered) is None:
            return {}
        found: dict[str, int] = {}
        for kind, number in CODE.findall(self.lowered):
            found[kind] = max(int(number), found.get(kind, 0))
        return found

    @cached_property
    def reason_words(self) -> frozenset[str]:
        """Those of `words` that are only in a reason, as in "no cake because of her allergy", or in an event that tells
        a time, as in "after the concert".
        """
        if not REASON.search(self.lowered):
            return frozenset()
        others = _WORD.findall(with_digits(REASON.sub(" ", self.lowered)))
        return self.words.difference(map(stem, others))

    @cached_property
    def being(self) -> frozenset[str]:
        """The stems of the subject with which the text begins, if it has a kind and a name: "our dog Mochi"."""
        found = NAMED_BEING.match(self.text[:_BEING_CHARS])
        if not found or found[1].lower() in FUNCTION_WORDS:
            return frozenset()
        return frozenset((*self._stems(found[1].lower()), *self._stems(found[2].lower())))

    @cached_property
    def past(self) -> frozenset[str]:
        """Expressions such as "used to"."""
        return frozenset(PAST.findall(self.lowered))

    @cached_property
    def is_negated(self) -> bool:
        """Whether there is a negation. Some languages negate twice, as in "no como nada"."""
        return NEGATION.search(self.lowered) is not None

    @cached_property
    def is_intention(self) -> bool:
        """Whether something has not happened yet."""
        return INTENTION.search(self.lowered) is not None

    @cached_property
    def is_question(self) -> bool:
        """Whether the text ends with a question."""
        return self.text.rstrip().endswith("?")


@lru_cache(CACHED_STATEMENTS)
def _cached_statement(text: str) -> Statement:
    return Statement(text)


def statement_key(text: str) -> int:
    """Return the `Statement.key` of a text."""
    return Statement.of(text).key


@lru_cache(CACHED_STEMS)
def stem(word: str) -> str:
    """Return a word in lower case without its English ending, roughly."""
    word = word.removesuffix("'s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            return word.removesuffix(suffix)
    return word


_LEFT_OUT = INTERCHANGEABLE | TITLES
_NO_TOKENS = _LEFT_OUT | NUMBER_NOUNS
_FOREIGN = FUNCTION_WORDS_OF_OTHER_LANGUAGES - ENGLISH_FUNCTION_WORDS
_DATE_STEMS = frozenset(map(stem, DATE_NAMES))


def _person(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.match(text[:CHANGE_CHARS].replace("’", "'"))
    if found is None:
        return None
    person = found[1].lower()
    return "" if person in INTERCHANGEABLE else person


def _number(word: str) -> str | None:
    if not word[0].isdigit():
        return NUMBER_WORDS.get(word)
    number = re.sub(r"(?:st|nd|rd|th)$", "", word)
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.removesuffix(":00")


def _contrasts(lowered: list[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for word in lowered:
        if word in CONTRASTS:
            group, meaning = CONTRASTS[word]
            found.setdefault(str(group), set()).add(meaning)
        elif word in STATES:
            group, meaning = STATES[word]
            found.setdefault(f"state {group}", set()).add(meaning)
        elif (date := word if word in _DATES else word.removesuffix("s")) in _DATES:
            kind, number = _DATES[date]
            found.setdefault(kind, set()).add(number)
    return {kind: frozenset(words) for kind, words in found.items()}


def _weekday(word: str) -> int | None:
    return WEEKDAYS.get(word, WEEKDAYS.get(word.removesuffix("s")))


def _is_month_of_date(word: str, text: str, start: int) -> bool:
    """Return whether a word is the month of a date, as in "14. Mai". Alone, some months are also names."""
    return word in MONTHS and _DAY_BEFORE.search(text, max(0, start - _DAY_CHARS), start) is not None


def is_no_name(word: str) -> bool:
    """Return whether a word in lower case is a name only by its capital: "The", "Monday"."""
    return word in FUNCTION_WORDS or word in _DATES or word in NO_NAMES


def words_in_common(statements: Sequence[Statement]) -> frozenset[str]:
    """Return the words of so many of the statements that they do not show that two are about the same thing."""
    counts = Counter(word for statement in statements for word in statement.words)
    least = max(COMMON_SHARE * len(statements), MIN_COMMON)
    return frozenset(word for word, count in counts.items() if count > least)
