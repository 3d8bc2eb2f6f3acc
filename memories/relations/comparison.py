"""Rules for two statements: whether they say the same, contradict each other, or one corrects the other.

The cosine of their embeddings finds statements about the same subject. It cannot distinguish "on Tuesday" from "on
Thursday", so the words decide. How the thresholds were found: docs/decisions/relations.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from typing import Final

from memories.relations.replaced import counts_on, names_what_it_replaces, replaces_a_number
from memories.relations.series import are_about_parts_of_a_series
from memories.relations.statements import READ_CHARS, Statement, stem
from memories.relations.vocabulary import CONTRASTS, HOME, KIN, KIN_GROUP, MOVE, SINGLE_VALUED, STATE_SIGNS, UNITS

MIN_SAME_COSINE: Final = 0.72
"""Least cosine of two statements that say the same in other words."""

MIN_REPHRASED_COSINE: Final = 0.88
"""Least cosine of two statements with the same words but for one or two, as in "two pear trees", "two apple trees"."""

MAX_EXCHANGED_WORDS: Final = 2

MIN_LONG_COSINE: Final = 0.9
"""Least cosine of two texts that say the same if one of them is too long to be read as a whole."""

MIN_CORRECTION_COSINE: Final = 0.44
MIN_CORRECTION_COSINE_OF_ONE_WORD: Final = 0.49
MIN_CORRECTION_COSINE_WITHOUT_WORDS: Final = 0.7
"""Least cosine of a statement and its correction, if they share two rare words, one, or none."""

MIN_CORRECTION_COSINE_OF_A_HOME: Final = 0.3
"""Least cosine of the former home of somebody who has moved, and of a statement about something that a change names."""

MIN_CORRECTION_COSINE_OF_A_NAMED_THING: Final = 0.35
"""Least cosine of a statement and its correction, if they share a name and another rare word, and the correction names
what has changed ("the Felder saw is sold") or another amount of the same unit; or if they share two other words and the
correction says that something open is settled."""

MIN_RELATED_COSINE: Final = min(
    MIN_CORRECTION_COSINE, MIN_CORRECTION_COSINE_OF_A_HOME, MIN_CORRECTION_COSINE_OF_A_NAMED_THING
)
"""Least cosine of two statements that these rules may relate."""

MIN_CONTRADICTION_COSINE: Final = 0.72
"""Least cosine of two statements that contradict each other without a sign of change, as by another weekday."""

MAX_ADDED_WORDS: Final = 3

_PAST_CHANGES = frozenset({"used to"})
"""Signs of change that describe the past: "we used to buy a tree" does not replace "instead of a tree we buy a
wreath"."""

_KIN_STEMS = frozenset(
    stem(word) for word in KIN.union(word for word, kind in CONTRASTS.items() if str(kind[0]) == KIN_GROUP)
)
_HALF_DAY_HOURS = 12
_PAIR = 2
_NAME_PREFIX = 4
_WORD_START = 5


def are_near_duplicates(first: str, second: str, cosine: float) -> bool:
    """Return whether two texts say the same, in the same or in other words. Long texts are not read as a whole."""
    if max(len(first), len(second)) > READ_CHARS and cosine < MIN_LONG_COSINE:
        return False
    return say_the_same(Statement.of(first), Statement.of(second), cosine)


def say_the_same(first: Statement, second: Statement, cosine: float) -> bool:
    """Return whether two statements say the same, in the same or in other words.

    Different numbers, names, dates or negations make different facts, and so does an intention instead of an event, or
    something more: "allergic to penicillin", "allergic to penicillin and latex".
    """
    if cosine < MIN_SAME_COSINE or _differ(first, second) or _lists_more(first, second):
        return False
    if not (first.tokens and second.tokens):
        # Vectors say nothing about emoji and other signs.
        return first.text == second.text
    return cosine >= MIN_REPHRASED_COSINE or not is_one_exchanged_for_another(first, second)


def only_adds(first: Statement, second: Statement) -> bool:
    """Return whether one statement has all words of the other one, in their order, and at most a few more. None of the
    added words is a number, a negation or a sign of change: "I live in Graz", "I live in Graz, Austria".
    """
    if first.key != second.key or first.changes != second.changes:
        return False
    shorter, longer = sorted((first.tokens, second.tokens), key=len)
    return len(longer) - len(shorter) <= MAX_ADDED_WORDS and _are_in_order(shorter, longer)


def elaborates(first: Statement, second: Statement) -> bool:
    """Return whether one statement says what the other one says, and more: "Finn is allergic to hazelnuts", "my son
    Finn is nine and has a severe hazelnut allergy". Neither says that something has changed.
    """
    shorter, longer = sorted((first, second), key=lambda each: len(each.words))
    return (
        0 < len(shorter.words) < len(longer.words)
        and not (first.changes or second.changes)
        and first.is_negated == second.is_negated
        and shorter.numbers <= longer.numbers
        and shorter.weekdays <= longer.weekdays
        and not _contrasts_conflict(first, second)
        and all(_touch({word}, longer.words) for word in shorter.words)
    )


def are_about_different_things_of_somebody(first: Statement, second: Statement) -> bool:
    """Return whether one statement is about something that somebody has, of which the other one says nothing:
    "Biscuit's vet is Dr Lenihan", "The dog is called Biscuit".
    """
    return _is_about_a_thing_besides(first, second) or _is_about_a_thing_besides(second, first)


def are_about_different_people(first: Statement, second: Statement) -> bool:
    """Return whether one statement says what somebody does with or for somebody else, of whom the other one tells:
    "Ben eats gluten-free because of Ada", "Ada has coeliac disease".
    """
    return _is_about_a_companion(first, second) or _is_about_a_companion(second, first)


def _is_about_a_companion(first: Statement, second: Statement) -> bool:
    doer, other = first.doer, second.named_first
    if doer is None or not other or first.changes or doer in second.words:
        return False
    return other <= first.capitalized_words


def _is_about_a_thing_besides(first: Statement, second: Statement) -> bool:
    owner = next((name for name in first.possessors if first.text.startswith(name)), None)
    if owner is None or owner in second.possessors:
        return False
    return (first.words - {stem(owner.lower())}).isdisjoint(second.words)


def corrects(
    newer: Statement,
    older: Statement,
    cosine: float,
    *,
    asked: Set[str] = frozenset(),
    common: Set[str] = frozenset(),
) -> bool:
    """Return whether the newer statement says that it replaces the older one: "moved to", "no longer".

    `asked` are words of a question that both may answer. One that both contain counts twice, unless it is a name in
    both: many things are said about a person. `common` are words that many of the compared statements share. They are
    no evidence of a common subject, unless the question contains them. Lines of conversations never correct each other:
    there, signs of change are rarely about the line that the question needs. Notes under a topic ("Roof: …") may.
    """
    if counts_on(newer, older, cosine):
        return True
    has_moved = newer.mover is not None and newer.mover == older.resident
    is_named = newer.may_correct and cosine >= MIN_RELATED_COSINE and names_what_it_replaces(newer, older)
    least = MIN_CORRECTION_COSINE_OF_A_HOME if has_moved or is_named else MIN_CORRECTION_COSINE_OF_A_NAMED_THING
    if cosine < least or not _tells_of_a_change(newer, older) or _are_about_others(newer, older):
        return False
    if has_moved or is_named:
        # They may share nothing but the name: "Ada lives in Leipzig", "Ada moved to Graz".
        return True
    both = newer.subject_words & older.subject_words
    if not _settles_amount(newer, older):
        both -= _words_without_a_subject(newer, older)
    if not both and cosine < MIN_CORRECTION_COSINE_WITHOUT_WORDS:
        return False
    shared = _words_of_the_subject(newer, older, both)
    if shared is None:
        return False
    names = newer.capitalized_words & older.capitalized_words
    if newer.only_says_since_when and shared <= names:
        # "Ada owes me 90 € since August" is not about what else Ada has.
        shared = frozenset()
    rare = shared - common
    evidence = len(rare) + len((shared & asked) - names) + (bool(shared) and _settles(newer, older))
    if len(rare - names) >= _PAIR and _settles(newer, older):
        return True
    needed = (MIN_CORRECTION_COSINE_WITHOUT_WORDS, MIN_CORRECTION_COSINE_OF_ONE_WORD, MIN_CORRECTION_COSINE)
    if rare & names and not rare <= names and (newer.changed_thing or _is_other_amount(newer, older)):
        return True
    return cosine >= needed[min(evidence, 2)]


def _is_other_amount(newer: Statement, older: Statement) -> bool:
    """Return whether both have a number of the same unit, and the numbers differ: "2.5 mg", "5 mg"."""
    return not (newer.words & older.words).isdisjoint(UNITS) and _numbers_conflict(newer, older)


def _tells_of_a_change(newer: Statement, older: Statement) -> bool:
    """Return whether the newer statement has a sign of a change that the older one has not."""
    if newer.is_question or older.is_question or (newer.is_conversation and older.is_conversation):
        return False
    if _settles(newer, older):
        return True
    if older.changes and newer.changes <= _PAST_CHANGES:
        return False
    if newer.changes <= STATE_SIGNS and (older.changes & STATE_SIGNS or _repeats_the_numbers(newer, older)):
        return False
    return not newer.changes <= older.changes


def _repeats_the_numbers(newer: Statement, older: Statement) -> bool:
    """Return whether all numbers of the older statement are still right, as in "Ada starts on 7 May" and "now there are
    only two of us; Ada starts on 7 May".
    """
    return bool(older.numbers) and older.numbers <= newer.numbers and not _contrasts_conflict(newer, older)


def _are_about_others(newer: Statement, older: Statement) -> bool:
    """Return whether a change is about somebody or something else than the older statement."""
    if newer.possessors and older.possessors and newer.possessors.isdisjoint(older.possessors):
        return True
    if newer.is_about_work and older.is_about_a_home and not (newer.is_about_a_home or older.is_about_work):
        return True
    if newer.changed_noun is None or newer.changed_thing is None or _touch({newer.changed_thing}, older.words):
        return False
    if replaces_a_number(newer, older):
        return False
    # "Rehearsals of the choir are now on Wednesdays" says nothing about its concert. In German, "Termin" is in
    # "Kundentermin".
    return len(newer.changed_noun) < _WORD_START or newer.changed_noun not in older.lowered


def _words_of_the_subject(newer: Statement, older: Statement, shared: Set[str]) -> Set[str] | None:
    """Return the shared words which show that a change may be about an older statement; None if it is about another.
    The name of somebody of whom both tell something is not enough. Nor is a reason: "no cake because of the allergy" is
    about the cake.
    """
    beings = frozenset() if _settles_amount(newer, older) else _beings(newer, older)
    if beings and beings >= shared and not (HOME.search(older.lowered) and MOVE.search(newer.lowered)):
        shared = frozenset()
    if newer.reason_words and _touch(newer.reason_words, older.words):
        names = newer.capitalized_words & older.capitalized_words
        shared -= newer.reason_words
        return shared if shared - names - _KIN_STEMS else None
    return shared


def _beings(newer: Statement, older: Statement) -> Set[str]:
    """Return the name and the kind of a person or pet that both statements are about; nothing after a death.

    A change ends only one of the many things that are said about them, but a death may end all.
    """
    if newer.tells_of_a_death:
        return frozenset()
    beings = (newer.being & (older.being | older.named_first)) | (newer.named_first & older.being)
    is_named = not newer.named_first.isdisjoint(older.capitalized_words)
    if is_named and (newer.changes <= STATE_SIGNS or newer.tells_what_somebody_does):
        beings |= newer.named_first
    return beings


def _words_without_a_subject(newer: Statement, older: Statement) -> Set[str]:
    """Return words that do not show what a change is about, even if both statements contain them.

    - The signs of the change: "the meeting was moved" is not about "Ada moved to Leipzig".
    - A verb that has ended only together with something else: "no longer works on Fridays" is not about "works from
      home".
    - The owner of what it is about: "Ada's meeting" is not about "Ada's birthday".
    - Who has changed it: "Dr Roth doubled the dose" is not about "Dr Roth's surgery is in Kiel".
    - A place, unless both say where somebody lives: "moved to Kiel", "now works in Kiel".
    """
    have_both_moved = newer.mover is not None and newer.mover == older.mover
    without = set(newer.agent) if have_both_moved else {*newer.agent, *newer.change_words}
    verb, *objects = newer.ended or ("",)
    if objects and older.words.isdisjoint(objects):
        without.add(verb)
    owners = {name for each in (newer, older) for name in each.possessors if each.text.startswith(name)}
    owners |= newer.possessors & older.possessors
    if not (newer.is_about_a_home and older.is_about_a_home):
        without |= newer.capitalized_words & older.capitalized_words & (newer.places | older.places)
    return without | {stem(name.lower()) for name in owners}


def _settles(newer: Statement, older: Statement) -> bool:
    """Return whether something that was open has been settled: "owes me 90 €", "has paid the 90 €"."""
    return not newer.is_negated and bool(newer.settled & older.open - newer.open)


def _settles_amount(newer: Statement, older: Statement) -> bool:
    """Return whether the same number is in both, as in "Ada owes me 90 €" and "Ada has paid the 90 €"."""
    return _settles(newer, older) and not newer.numbers.isdisjoint(older.numbers)


def _touch(some: Set[str], others: Set[str]) -> bool:
    """Return whether two words begin alike, as "allergic" and "allergy" do."""
    starts = {word[:_WORD_START] for word in others}
    return any(word[:_WORD_START] in starts for word in some)


def contradict(first: Statement, second: Statement, cosine: float) -> bool:
    """Return whether two statements about the same subject cannot both be current.

    They differ in a number, a date, a negation, words that exclude each other, or something that people have only one
    of, such as the home, and in little else.
    """
    if cosine < MIN_CONTRADICTION_COSINE or first.is_question != second.is_question:
        return False
    if first.contrasts.get(KIN_GROUP) != second.contrasts.get(KIN_GROUP) or are_about_parts_of_a_series(first, second):
        return False
    if _values_conflict(first, second):
        return _share_most_words(first, second)
    is_conflict = (
        _numbers_conflict(first, second)
        or _contrasts_conflict(first, second)
        or _weekdays_conflict(first, second)
        or first.is_negated != second.is_negated
    )
    # If each has words that the other has not, the numbers are about different things.
    own = _own_words(first, second), _own_words(second, first)
    return is_conflict and not all(own) and _share_most_words(first, second)


def _own_words(first: Statement, second: Statement) -> Set[str]:
    """Return the words that only the first has, but of words that exclude each other only kinds that only it has.

    "Espresso" excludes other drinks. In "the espresso machine costs 157 euros", it distinguishes machines.
    """
    return (first.plain_words - second.plain_words) | (first.contrasts.keys() - second.contrasts.keys())


def _differ(first: Statement, second: Statement) -> bool:
    """Return whether the statements are different facts, however near their meaning."""
    # Mostly numbers or names differ, and nothing else is computed.
    return (
        first.numbers != second.numbers
        or bool(_names_missing(first, second) or _names_missing(second, first))
        or have_other_details(first, second)
    )


def have_other_details(first: Statement, second: Statement) -> bool:
    """Return whether the statements differ in a number, a date, a negation, or in words that exclude each other."""
    # The numbers are a part of the key, which takes longer.
    return (
        first.numbers != second.numbers
        or _contrasts_conflict(first, second)
        or _weekdays_conflict(first, second)
        or first.key != second.key
        or _settles(first, second)
        or _settles(second, first)
        or are_reversed(first, second)
    )


def _lists_more(first: Statement, second: Statement) -> bool:
    """Return whether one statement has all words of the other one, in their order, and names something else with it."""
    shorter, longer = sorted((first, second), key=lambda each: len(each.tokens))
    return (
        longer.number_of_ands > shorter.number_of_ands
        and not longer.words <= shorter.words
        and _are_in_order(shorter.tokens, longer.tokens)
    )


def _are_in_order(some: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether some words are among others, in their order."""
    left = iter(words)
    return all(word in left for word in some)


def _numbers_conflict(first: Statement, second: Statement) -> bool:
    mine, others = first.numbers - second.numbers, second.numbers - first.numbers
    return bool(mine and others) and not _may_be_one_time(first, second, mine | others)


def _may_be_one_time(first: Statement, second: Statement, different: Set[str]) -> bool:
    """Return whether the numbers that differ may be one time of day: "dinner at 7:45", "dinner at 19:45"."""
    if len(different) != _PAIR or not different <= first.clock_times | second.clock_times:
        return False
    (hour, early), (later_hour, late) = sorted((int(time.partition(":")[0]), time) for time in different)
    is_half_day_later = later_hour == hour + _HALF_DAY_HOURS and early.partition(":")[2] == late.partition(":")[2]
    return is_half_day_later and (first if early in first.numbers else second).is_half_day_open


def _contrasts_conflict(first: Statement, second: Statement) -> bool:
    return any(
        first.contrasts[kind] - second.contrasts[kind] or second.contrasts[kind] - first.contrasts[kind]
        for kind in first.contrasts.keys() & second.contrasts.keys()
    )


def _weekdays_conflict(first: Statement, second: Statement) -> bool:
    return bool(first.weekdays - second.weekdays and second.weekdays - first.weekdays)


def _values_conflict(first: Statement, second: Statement) -> bool:
    """Return whether somebody has two different values of something that people have only one of: "lives in Graz", "in
    Linz"."""
    if not first.words & second.words & SINGLE_VALUED or first.subjects[:1] != second.subjects[:1]:
        return False
    return bool(first.words - second.words and second.words - first.words)


def _names_missing(first: Statement, second: Statement) -> list[str]:
    """Return the names of the first statement that are not in the second. "Postgres" is in "PostgreSQL"."""
    return [name for name in first.names if name[:_NAME_PREFIX].lower() not in second.lowered]


def are_reversed(first: Statement, second: Statement) -> bool:
    """Return whether both name the same people in another order: "Ana is taller than Hanna"."""
    common = set(first.subjects) & set(second.subjects)
    return [name for name in first.subjects if name in common] != [name for name in second.subjects if name in common]


def is_one_exchanged_for_another(first: Statement, second: Statement) -> bool:
    """Return whether the statements are equal except for one or two words that differ."""
    mine, others = Counter(first.tokens), Counter(second.tokens)
    exchanged = (mine - others).total(), (others - mine).total()
    return min(exchanged) > 0 and max(exchanged) <= MAX_EXCHANGED_WORDS


def _share_most_words(first: Statement, second: Statement) -> bool:
    shared = len(first.words & second.words)
    return 2 * shared >= min(len(first.words), len(second.words))
