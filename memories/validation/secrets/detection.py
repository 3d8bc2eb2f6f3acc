"""Recognition of secrets in a text: tokens, card and account numbers, national ids, and what sentences give away."""

from __future__ import annotations

import re

from memories.validation.cards.detection import holds_card_number
from memories.validation.secrets.configured import configured_secret
from memories.validation.secrets.ibans import find_iban
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.logins import password_of_login
from memories.validation.secrets.named import named_secret
from memories.validation.secrets.national_ids import find_national_id
from memories.validation.secrets.noted import noted_secret
from memories.validation.secrets.opened import opening_code
from memories.validation.secrets.passages import Passage
from memories.validation.secrets.placeholders import masked
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
    *("answer", "antwort", "frage", "reponse", "respuesta", "risposta", "resposta"),
    *("words", "palabra", "comb", "kombi", "zahl", "ziffer", "digit", "cifr", "chiffre", "numer", "number", "nummer"),
    *("senh", "segred", "wacht", "sleutel", "cijfer", "algarism"),
    *("cvv", "cvc", "csc", "cryptogr", "pruf", "sequen", "suite", "token", "patron", "wallet"),
)
_DIGITS = re.compile(r"\d")
_FEWEST_ID_DIGITS = 5


def kind_of_secret(text: str) -> str | None:
    """Return the kind of the first secret in `text`, with an article for use in a sentence, or None.

    What takes the place of hidden values is not searched.
    """
    text = masked(text)
    if kind := kind_of_number(text):
        return kind
    found = find_in_words(Passage.of(text))
    return found.kind if found else None


def kind_of_number(text: str) -> str | None:
    """Return the kind of the first key, token or card number, which is never stored in any form, or None."""
    return kind_of_token(text) or ("a payment card number" if holds_card_number(text) else None)


def find_in_words(passage: Passage) -> FoundSecret | None:
    """Return the first account or identity number, or secret that a sentence gives away, or None."""
    if len(_DIGITS.findall(passage.folded)) >= _FEWEST_ID_DIGITS:
        if place := find_iban(passage.folded):
            return FoundSecret(Kind.IBAN, *place)
        if place := find_national_id(passage):
            return FoundSecret(Kind.NATIONAL_ID, *place)
    if any(hint in passage.folded for hint in _NAME_HINTS) and (found := named_secret(passage)):
        return found
    searches = (configured_secret, password_of_login, typed_secret, noted_secret, opening_code)
    return next(filter(None, (search(passage) for search in searches)), None)
