"""Statements that name the owner: "Elin lives in Graz" is about the owner if "my name is Elin" is known."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern

_NO_NAME = (
    r"(?!(?:He|She|It|This|That|There|They|Who|The|My|Our|Er|Sie|Es|Das|Der|Die|Meine?|Unsere?|Il|Elle|On|Le|La|Mon|Ma"
    r"|Notre|Él|Ella|El|Mi|Nuestr[oa]|Lui|Lei|Mi[oa]|Nostr[oa]|Doctor|Professor)\b)"
)
_NAME = rf"{_NO_NAME}(?P<name>[^\W\d_a-zß-ÿ][\w'’-]{{1,20}})"
_FURTHER_NAMES = r"(?: [^\W\d_a-zß-ÿ][\w'’-]{1,20}){0,2}"
_ASIDE = r"(?: \([^)\n]{1,40}\)|, [^,.;:\n]{1,40},)?"
_VERBS = (
    (
        "the user",
        r"is|has|was|lives?|works?|takes|teaches|studies|moved|grew up|comes|owns|runs|suffers|can['’]t|doesn['’]t"
        r"|prefers|likes|loves|enjoys|hates|dislikes|speaks|always|never|usually",
    ),
    (
        "nutzer",
        r"ist|hat|wohnt|lebt|arbeitet|kommt|nimmt|verträgt|isst|studiert|unterrichtet|leitet|wurde|bevorzugt|mag|hasst|liebt",
    ),
    ("l'utilisatrice", r"est|a|habite|vit|travaille|souffre|préfère|aime|déteste|parle"),
    # In Spanish and Italian, the expressions need no subject.
    ("", r"vive|reside|trabaja|es|está|tiene|padece|sufre|toma|estudia|nació|no come|abita|lavora|è|ha|soffre|prende"),
)
_BEGINNINGS = [
    (subject, lazy_pattern(rf"[\s\-*•–>\"'(]{{0,8}}{_NAME}{_FURTHER_NAMES}{_ASIDE} (?=(?:{verbs})\b)"))
    for subject, verbs in _VERBS
]
_OWNER_NAME = lazy_pattern(
    r"[\s\-*•–>\"'(]{0,8}(?i:(?:(?:my|the user's) (?:full |first |given |preferred )?|full |first )?name(?: is|:)"
    r"|(?:i am|i'm|(?:the )?user is) (?:called|named|known as)|(?:i go|(?:the )?user goes) by|(?:please )?call me"
    r"|(?:ich|(?:der |die )?nutzer(?:in)?) hei(?:ß|ss)(?:e|t)|mein (?:vor|ruf|spitz)?name ist|nenn(?:t|en sie)? mich"
    r"|je m'appelle|l'utilisat\w+ s'appelle|mon (?:pré)?nom est|appel(?:le|ez)-moi|prénom ?:"
    r"|(?:yo )?me llamo|(?:el usuario|la usuaria) se llama|mi nombre es|llámame|nombre:"
    rf"|mi chiamo|l'utente si chiama|il mio nome è|chiamami|nome:) [\"“„«]?{_NAME}(?P<further>{_FURTHER_NAMES})"
)


def as_statement_of_owner(sentence: str) -> tuple[str, str] | None:
    """Return the name of the person with whom a sentence begins, and the sentence about the owner instead, or None.

    Both are in lower case: "elin" and "the user lives in Graz" for "Elin lives in Graz".
    """
    for subject, pattern in _BEGINNINGS:
        if found := pattern.match(sentence):
            return found["name"].lower(), f"{subject} {sentence[found.end() :]}".lower().lstrip()
    return None


_OF_ANYBODY = lazy_pattern(r"[\s\-*•–>\"'(]{0,8}(?i:(?:full |first )?name\b|prénom ?:|nombre:|nome:)")


def owner_name_in(text: str) -> str | None:
    """Return the name, in lower case, that a statement gives the owner: "elin" for "My name is Elin Berg"."""
    names = owner_names_in(text)
    return names[0] if names else None


def owner_names_in(text: str, *, is_sure: bool = False) -> tuple[str, ...]:
    """Return the first name and further ones, in lower case, that a statement gives the owner; () if it gives none.

    With `is_sure`, the statement must say whose name it is: "Name: Mochi" may be about a dog.
    """
    found = _OWNER_NAME.match(text.replace("’", "'"))
    if found and is_sure and _OF_ANYBODY.match(text):
        return ()
    return (found["name"].lower(), *found["further"].lower().split()) if found else ()
