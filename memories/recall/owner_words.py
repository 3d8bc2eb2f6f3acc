"""The words for the owner in questions of assistants, such as "What does the user eat?", and the owner's own name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

OWNER_WORDS = frozenset(
    {"owner", "user", "users", "benutzer", "benutzerin", "nutzer", "nutzerin", "usuaria", "usuario", "utilisateur"}
    | {"utilisatrice", "utente", "utilizador", "utilizadora", "usuária", "usuário", "gebruiker", "brukeren"}
)
"""In many stores, most memories begin with one of these words. None of them is a name."""

# "The user table" and "the user interface" are about something else.
_USER = (
    r"\b(?:the|this) user\b(?! (?:accounts?|agents?|base|data|experience|groups?|guides?|ids?|inputs?|interfaces?|"
    r"lists?|manuals?|menus?|models?|names?|pages?|profiles?|roles?|services?|sessions?|settings|spaces?|stor(?:y|ies)|tables?|"
    r"tests?)\b)"
)
_POSSESSIVE = re.compile(r"\b(?:(?:the|this) )?user['’]s\b", re.IGNORECASE)
_AFTER_VERB = re.compile(rf"\b(is|are|was|were|does|did|has|have) {_USER}", re.IGNORECASE)
_AFTER_PREPOSITION = re.compile(rf"\b(about|at|by|for|from|of|on|to|with) {_USER}", re.IGNORECASE)
_ELSEWHERE = re.compile(_USER, re.IGNORECASE)
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_VERBS = {"is": "am", "are": "am", "were": "was", "does": "do", "has": "have"}


def in_first_person(question: str) -> str:
    """Return an English question as the owner would ask it: "Is the user vegan?" becomes "am I vegan?".

    The embedding of "the user" is near to that of every memory that begins with "User". Most verbs keep their form
    ("what I likes"), because it hardly changes the embedding.
    """
    asked = _POSSESSIVE.sub("my", question)
    asked = _AFTER_VERB.sub(lambda found: f"{_VERBS.get(found[1].lower(), found[1])} I", asked)
    asked = _AFTER_PREPOSITION.sub(r"\1 me", asked)
    return _ELSEWHERE.sub("I", asked)


def about_the_user(question: str, names: Iterable[Sequence[str]]) -> str:
    """Return an English question with "the user" in place of the owner's name: "Where does the user live?".

    `names`: the names of the owner, in lower case, each a first name and further ones. Somebody with another surname is
    not the owner, and what is written without a capital may be another word.
    """
    for first, *others in names:
        further = f"(?: (?:{'|'.join(map(re.escape, others))}))*" if others else ""
        spelled = rf"(?<![\w-])(?={_CAPITAL})(?i:{re.escape(first)}{further})(?![\w-])(?! {_CAPITAL}\w)"
        question = re.sub(spelled, "the user", question)
    return question
