"""The vocabularies of all languages together: a text may mix them, as in "meine password manager PIN"."""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.languages.dutch import DUTCH
from memories.validation.secrets.languages.english import ENGLISH
from memories.validation.secrets.languages.french import FRENCH
from memories.validation.secrets.languages.german import GERMAN
from memories.validation.secrets.languages.italian import ITALIAN
from memories.validation.secrets.languages.portuguese import PORTUGUESE
from memories.validation.secrets.languages.spanish import SPANISH
from memories.validation.secrets.languages.vocabulary import Vocabulary

LANGUAGES: tuple[Vocabulary, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)


def any_of(field: str) -> str:
    """Return a regular expression for the words of a field of `Vocabulary` in all languages."""
    patterns = ("".join(map(str.strip, getattr(language, field).splitlines())) for language in LANGUAGES)
    return f"(?:{'|'.join(patterns)})"


def words(*fields: str) -> re.Pattern[str]:
    """Return a pattern for the words of fields of `Vocabulary` in all languages, as whole words."""
    return lazy_pattern(rf"(?<![^\W_])(?:{'|'.join(map(any_of, fields))})(?![^\W_])")


def digit_words() -> str:
    """Return a regular expression for the name of a digit in any language."""
    return "|".join(dict.fromkeys("|".join(language.digits for language in LANGUAGES).replace(" ", "|").split("|")))
