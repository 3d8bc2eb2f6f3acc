"""Shapes of secret values: codes of digits, passwords, phrases.

All patterns are matched at a position of a folded text (see `fold`), except those for passwords, which need the case.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.harmless import is_harmless
from memories.validation.secrets.languages.all_languages import any_of, digit_words, words

_UNIT = rf"(?:[.,:/]\d|[- ]?(?:{any_of('units')})(?![^\W_])| ?[%€$£°])"
_CODE_END = rf"(?![^\W_]|-[^\W_]|{_UNIT})"
_SPELLED = rf"(?:(?:{digit_words()})(?:[ ,-]+(?:{digit_words()})){{3,9}})"
_SPELLED_THREE = rf"(?:(?:{digit_words()})(?:[ ,-]+(?:{digit_words()})){{2}})"
_NUMBERS = (
    rf"(?:{any_of('numbers')}(?:[ ,-]{{1,3}}(?:{any_of('numbers')}|(?:{digit_words()}) (?:{digit_words()}))){{1,4}})"
)
_OPENING = r"[\s\"'(\[*_`<«»“”„‚]{0,4}"

_TOGETHER, _ONE_BY_ONE, _IN_GROUPS = r"\d{4,12}", r"\d(?:[-. ]\d){3,9}", r"\d{2,4}(?:[- ]\d{2,4}){1,3}"
_DATE = r"\d{4}-\d\d-\d\d"
CODE = rf"(?!{_DATE})[*#]?(?:{_TOGETHER}|{_ONE_BY_ONE}|{_IN_GROUPS}|{_SPELLED})[*#]?{_CODE_END}"
"""A code of 4 to 12 digits: together, one by one, in groups or spelled out. No amount, time, date or version."""

NOTE_END = r"[\"'”“»`)\]*#|]*\s*(?:$|[.,;!?\n(|]|-\s|(?:and|und|et|y|e|or|oder|ou|o)\s)"
"""After a value in a note. Most other words would make it a part of a sentence."""

DIGITS = lazy_pattern(_OPENING + CODE)
"""A code, possibly in quotation marks or brackets."""

WHOLE_CODE = lazy_pattern(r"[*#]?\d(?:[-. ]?\d){3,11}[*#]?")
"""A code of digits and nothing else."""
ONE_BY_ONE = lazy_pattern(
    rf"(?<![^\W_])(?<![-.,:/])(?:(?!(\d)(?:-\1)+(?![-\d]))\d(?:-\d){{3,7}}|{_SPELLED}){_CODE_END}(?![-.,:/]\d)"
)
"""Four to eight digits one by one, joined by hyphens or spelled out: hardly anything else is written like that."""

_DIALLED = r"\d{1,2}(?:(?:-\d{1,2}){2}|(?: \d{1,2}){2}|(?:, ?\d{1,2}){2})"
MIXED_CODE = lazy_pattern(
    rf"{_OPENING}(?:[a-f]\d{{3,6}}|\d{{2,5}}[a-f]\d{{0,4}}|{_DIALLED}|\d{{3}}|{_SPELLED_THREE}){_CODE_END}"
)
"""A code of an entrance such as 47B11, of a padlock such as 472 or 4-7-2, or of a dial such as 24-8-32."""

NUMBERS_IN_WORDS = lazy_pattern(_OPENING + _NUMBERS + _CODE_END)
"""A code as numbers of two digits: "forty-four twelve"."""

_THEN = "and|then|und|dann|et|puis|ensuite|y|luego|despues|e|poi|depois|en|daarna"
_TIMES = r"(?:\d ?(?:x|mal|times?|turns?|full turns?|volt[ae]|giri|fois|tours?|vueltas?|veces|voltas?|keer)[ ,]+)?"
_TURN = (
    rf"{_TIMES}(?:{any_of('turns')}(?:,? ?(?:to|auf|bis|zu|a|al|su|sur|jusqu'a|hasta|ate|naar|op)| ?:)? ?\d{{1,3}}"
    rf"|\d{{1,3}},? ?{any_of('turns')})"
)
TURNS = lazy_pattern(rf"(?<![^\W_]){_TURN}(?:[ ,;/-]+(?:{_THEN}[ ,]+)?{_TURN}){{2,5}}{_CODE_END}")
"""How the dial of a safe is turned: "left 12, right 40, left 7"."""

WRITTEN_DATE = lazy_pattern(rf"{_OPENING}\d[\d ./-]{{2,12}}(?<=\d)")
"""A date or year, of which somebody has made a code."""

THREE_DIGITS = lazy_pattern(rf"{_OPENING}\d{{3,4}}{_CODE_END}")

DOCUMENT_NUMBER = lazy_pattern(rf"{_OPENING}(?=(?:[a-z]*\d){{5}})(?=\d*[a-z])[a-z0-9]{{8,10}}{_CODE_END}")
"""Letters and digits, as on passports and identity cards."""

GROUPED_KEY = lazy_pattern(rf"{_OPENING}(?=[a-z0-9-]*\d)[a-z0-9]{{4,8}}(?:-[a-z0-9]{{4,8}}){{1,9}}(?![\w-])")
"""Groups of letters and digits, such as the recovery codes 7HQ2M-9XKLD-44TVR."""

YEAR = lazy_pattern(r"\D{0,6}(?:19|20)\d\d(?!\d)")

_QUOTED = lazy_pattern(
    r"\s*(?:\"([^\"\n]{3,80})\"|“([^”\n]{3,80})”|„([^“”\n]{3,80})[“”]|«\s?([^»\n]{3,80}?)\s?»|`([^`\n]{3,80})`)"
)
_SINGLE_QUOTED = lazy_pattern(r"\s*(?:'([^'\n]{3,80})'|‘([^’\n]{3,80})’|‚([^‘\n]{3,80})‘)(?!\w)")
_TOKEN = lazy_pattern(r"[\s\"'(\[*_`<«»“”„‚‘]{0,4}([^\s\"“”„«»]{4,80})")
_CLOSING = ".,;:!?)]}>'’`\"*_"
_LETTER_RUN = lazy_pattern(r"[^\W\d_]")
_DIGIT_RUN = lazy_pattern(r"\d")
_SPECIAL = lazy_pattern(r"[!#$%&*+=?@^~\\|_]")
_WORD = lazy_pattern(r"[^\W\d_]{3,30}")
_PHRASE = lazy_pattern(r"\s*(?:[:=-]\s*)?([^\W\d_]+(?:[ ,-]{1,2}[^\W\d_]+){2,30})(?=\s*(?:[.!;\n]|$))")
_INNER = lazy_pattern(r"(?<=[^\W_])[-._](?=[^\W_])")
_PARTS_OF_SECRETS = lazy_pattern(
    r"(?<![^\W_])(?:words|letters|characters|symbols|digits|worter|woerter|buchstaben|zeichen|ziffern|mots|lettres"
    r"|caracteres|chiffres|palabras|letras|cifras|parole|lettere|caratteri|cifre|palavras|algarismos|woorden|tekens"
    r"|cijfers|names)(?![^\W_])"
)
"""A phrase with such a word says how a secret is made: "four random words joined by dots"."""

_NEW_WORD = lazy_pattern(r"(?<=[^\W_])[._](?=[A-Z])|(?<=[a-z])[A-Z]")
_WORD_END = lazy_pattern(rf"[\"'”“»`)\]*_]*(?:\s*$|[.!](?:\s|$)|\s*[\n;]|,? \(?{any_of('spellings')}(?![^\W_]))")
_SAMPLE_WORDS = """
    test tests testing example dummy fake sample foo bar baz foobar string
    pass passwd password mypassword my-password your-password pa$$word p@ssw0rd p@ssword
    secret my-secret your-secret changeme change-me change_me
"""
_SAMPLES = frozenset(_SAMPLE_WORDS.split())
_PREDICATES = words("predicates")
_ENDINGS = words("endings")
_FUNCTION_WORDS = words("function_words")


def quoted_at(text: str, position: int) -> str | None:
    """Return the text in quotation marks at `position`, or None."""
    found = _QUOTED.match(text, position) or _SINGLE_QUOTED.match(text, position)
    return None if found is None else next(filter(None, found.groups()), None)


def token_at(text: str, position: int) -> str | None:
    """Return the characters up to the next blank, without punctuation around them, or None."""
    found = _TOKEN.match(text, position)
    return None if found is None else found[1].rstrip(_CLOSING)


def end_of(value: str, text: str, position: int) -> int:
    """Return where a value that `text` has at `position` or soon after ends."""
    return text.index(value, position) + len(value)


def is_password(token: str) -> bool:
    """Return whether `token` is not a usual word: it mixes letters with digits or signs, or joins words."""
    if len(token) < 4 or is_harmless(token) or not _LETTER_RUN.search(token):
        return False
    if _DIGIT_RUN.search(token) or _SPECIAL.search(token):
        return True
    return len(token) >= 8 and (len(_INNER.findall(token)) > 1 or bool(_NEW_WORD.search(token)))


def is_sample(value: str) -> bool:
    """Return whether a value is a word that examples and tests use as a password."""
    return value.casefold() in _SAMPLES


def is_strong_password(token: str) -> bool:
    """Return whether `token` can hardly be anything but a password."""
    if len(token) < 6 or not is_password(token) or len(_LETTER_RUN.findall(token)) < 3:
        return False
    return bool(_SPECIAL.search(token)) or len(_INNER.findall(token)) + len(_DIGIT_RUN.findall(token)) > 1


def is_special_password(token: str) -> bool:
    """Return whether `token` can hardly be anything but a password, not even the name of a device."""
    return is_strong_password(token) and bool(_SPECIAL.search(token))


def plain_word_at(text: str, folded: str, position: int) -> str | None:
    """Return the word at `position` if it ends the sentence and does not describe a password ("weak"), or None."""
    token = token_at(text, position)
    if token is None or is_harmless(token):
        return None
    start = text.index(token, position)
    if not _WORD_END.match(folded, start + len(token)):
        return None
    word = folded[start : start + len(token)]
    is_word = all(_WORD.fullmatch(part) for part in word.split("-")) and word.count("-") < 2
    is_predicate = _PREDICATES.fullmatch(word) or _ENDINGS.fullmatch(token.lower())
    return token if is_word and not is_predicate else None


def describes(word: str, original: str) -> bool:
    """Return whether a folded word describes something, or only joins others: "weak", "for". `original` has accents."""
    return bool(_PREDICATES.fullmatch(word) or _ENDINGS.fullmatch(original.lower()) or _FUNCTION_WORDS.fullmatch(word))


def phrase_words_at(folded: str, position: int) -> int:
    """Return the number of words from `position` to the end of the sentence if they are random words, else 0."""
    found = _PHRASE.match(folded, position)
    if found is None:
        return 0
    parts = re.findall(r"[^\W\d_]+", found[1])
    if _PARTS_OF_SECRETS.search(found[1]):
        return 0
    usual = sum(_FUNCTION_WORDS.fullmatch(part) is not None for part in parts)
    # Lists of random words, as for wallets, have some function words of one language or another.
    is_random = usual <= len(parts) // 6 and not (len(parts) < 6 and _PREDICATES.fullmatch(parts[0]))
    return len(parts) if is_random else 0


def phrase_end(folded: str, position: int) -> int | None:
    """Return the end of the words from `position` to the end of the sentence, or None if there are none."""
    found = _PHRASE.match(folded, position)
    return None if found is None else found.end(1)
