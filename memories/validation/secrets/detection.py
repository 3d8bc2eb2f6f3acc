"""Recognition of secrets in a text: tokens, card and account numbers, national ids, and what sentences give away."""

from __future__ import annotations

import re

from memories.validation.cards.detection import holds_card_number
from memories.validation.secrets.ibans import holds_iban
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.named import named_secret
from memories.validation.secrets.national_ids import holds_national_id
from memories.validation.secrets.passages import Passage
from memories.validation.secrets.tokens import kind_of_token
from memories.validation.secrets.typed import typed_secret

_NAME_HINTS = (
    *(
        "pass",
        "pw",
        "pin",
        "puk",
        "code",
        "codi",
        "kod",
        "kenn",
        "losung",
        "geheim",
        "zugang",
        "schlussel",
        "schluessel",
    ),
    *(
        "parol",
        "merksatz",
        "merkwort",
        "daten",
        "phrase",
        "frase",
        "satz",
        "mot",
        "mdp",
        "cle",
        "sesame",
        "ident",
        "clave",
    ),
    *(
        "contras",
        "llave",
        "chiav",
        "creden",
        "key",
        "login",
        "log-in",
        "secre",
        "segre",
        "seed",
        "semilla",
        "graine",
        "mnemo",
    ),
    *("words", "palabra", "combi", "kombi", "zahl", "ziffer", "digit", "cifr", "chiffre", "numer", "number", "nummer"),
    *("cvv", "cvc", "csc", "cryptogr", "pruf", "sequen", "suite", "token", "patron", "wallet"),
)
_DIGITS = re.compile(r"\d")
_FEWEST_ID_DIGITS = 5


def kind_of_secret(text: str) -> str | None:
    """Return the kind of the first secret in `text`, with an article for use in a sentence, or None."""
    if kind := kind_of_token(text):
        return kind
    if holds_card_number(text):
        return "a payment card number"
    passage = Passage.of(text)
    if len(_DIGITS.findall(passage.folded)) >= _FEWEST_ID_DIGITS:
        if holds_iban(passage.folded):
            return Kind.IBAN
        if holds_national_id(passage):
            return Kind.NATIONAL_ID
    return _kind_in_words(passage)


def _kind_in_words(passage: Passage) -> Kind | None:
    kind = None
    if any(hint in passage.folded for hint in _NAME_HINTS):
        kind = named_secret(passage)
    return kind or typed_secret(passage)
