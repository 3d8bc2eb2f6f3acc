"""Statements that name the owner: "Elin lives in Graz" is about the owner if "my name is Elin" is known."""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern
from memories.aspects.vocabulary import BERUFE, JOBS

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
        r"is|has|was|lives?|works?|takes|teaches|studies|moved|grew up|comes|owns|runs|suffers|can['’]t|cannot"
        r"|doesn['’]t"
        r"|must|may|eats|gets|follows|turns|turned|wants|prefers|likes|loves|enjoys|hates|dislikes|speaks|always|never|usually",
    ),
    (
        "nutzer",
        r"ist|hat|wohnt|lebt|arbeitet|kommt|nimmt|verträgt|isst|studiert|unterrichtet|leitet|wurde|darf|leidet|ernährt|möchte|bevorzugt|mag|hasst|liebt",
    ),
    ("l'utilisatrice", r"est|a|habite|vit|travaille|souffre|préfère|aime|déteste|parle"),
    # In Spanish and Italian, the expressions need no subject.
    ("", r"vive|reside|trabaja|es|está|tiene|padece|sufre|toma|estudia|nació|no come|abita|lavora|è|ha|soffre|prende"),
)
_BEGINNINGS = [
    (subject, lazy_pattern(rf"[\s\-*•–>\"'(]{{0,8}}{_NAME}{_FURTHER_NAMES}{_ASIDE} (?=(?:{verbs})\b)"))
    for subject, verbs in _VERBS
]
_POSSESSIVE = lazy_pattern(rf"[\s\-*•–>\"'(]{{0,8}}{_NO_NAME}(?P<name>[^\W\d_a-zß-ÿ][^\W\d_]{{1,20}})['’]s (?=[a-z])")
_OWNER_NAME = lazy_pattern(
    r"[\s\-*•–>\"'(]{0,8}(?i:(?:(?:my|the user's) (?:full |first |given |preferred )?|full |first )?name(?: is|:)"
    r"|(?:i am|i'm|(?:the )?user is) (?:called|named|known as)|(?:i go|(?:the )?user goes) by|(?:please )?call me"
    r"|(?:ich|(?:der |die )?nutzer(?:in)?) hei(?:ß|ss)(?:e|t)|mein (?:vor|ruf|spitz)?name ist|nenn(?:t|en sie)? mich"
    r"|je m'appelle|l'utilisat\w+ s'appelle|mon (?:pré)?nom est|appel(?:le|ez)-moi|prénom ?:"
    r"|(?:yo )?me llamo|(?:el usuario|la usuaria) se llama|mi nombre es|llámame|nombre:"
    rf"|mi chiamo|l'utente si chiama|il mio nome è|chiamami|nome:) [\"“„«]?{_NAME}(?P<further>{_FURTHER_NAMES})"
)

# "I'm Franz Kogler, carpenter", but not "I'm Team Lead" or "Ich bin Tischler". In German, every noun has a capital.
_NO_SURNAME = (
    rf"(?!(?i:(?:{JOBS}|{BERUFE}|senior|junior|lead(?:er)?|head|chief|vice|president|owner|master|team|product|project"
    r"|software|data|mitglied|kunde|kundin|inhaber(?:in)?|vater|mutter|single|fan|ceo|cto|cfo|new|north|south|san)\b))"
)
_GIVEN_NAME = _NAME.replace(_NO_NAME, _NO_NAME + _NO_SURNAME)
_SURNAMES = rf"(?: {_NO_SURNAME}[^\W\d_a-zß-ÿ][\w'’-]{{1,20}}){{1,2}}"
_NO_OTHER_ADJECTIVE = (
    r"(?!\w*(?:ish|ese|an|ic|i|ch|st|im)\b|(?:Swiss|Greek|Thai|Czech|Jew|Hindu|Sikh|Turk|Pole|Dane|Swede|Finn|Scot"
    r"|Virgo|Aries|Leo|Libra|Cancer|Scorpio|Taurus|Pisces|Deaf|Blind|Pregnant|Single|Married|Sorry|Sure)\b)"
)
_INTRODUCTION_END = r"(?=\s*(?:[,.;!(–—-]|$)|\s(?:and|und|et|y|e|from|aus|de|da)\b)"
_INTRODUCTIONS = (
    lazy_pattern(
        r"[\s\-*•–>\"'(]{0,8}(?i:i am|i'm|(?:the )?user is|ich bin|(?:der |die )?nutzer(?:in)? ist|je suis|(?:yo )?soy"
        rf"|(?:io )?sono) {_GIVEN_NAME}(?P<further>{_SURNAMES}){_INTRODUCTION_END}"
    ),
    lazy_pattern(
        rf"[\s\-*•–>\"'(]{{0,8}}(?i:the )?(?i:user), {_GIVEN_NAME}(?P<further>{_SURNAMES}),? (?:\(|\d|is\b|was\b"
        rf"|lives\b|works\b)"
    ),
    # A single word only in English: it would be a nationality or a job more often.
    lazy_pattern(
        rf"[\s\-*•–>\"'(]{{0,8}}(?i:i am|i'm) {_NO_OTHER_ADJECTIVE}{_GIVEN_NAME}(?P<further>){_INTRODUCTION_END}"
    ),
)


def as_statement_of_owner(sentence: str) -> tuple[str, str] | None:
    """Return the name of the person with whom a sentence begins, and the sentence about the owner instead, or None.

    Both are in lower case: "elin" and "the user lives in Graz" for "Elin lives in Graz", "the user's sister is Ida" for
    "Elin's sister is Ida".
    """
    if found := _POSSESSIVE.match(sentence):
        return found["name"].lower(), f"the user's {sentence[found.end() :]}".lower()
    for subject, pattern in _BEGINNINGS:
        if found := pattern.match(sentence):
            return found["name"].lower(), f"{subject} {sentence[found.end() :]}".lower().lstrip()
    return None


def introduces_owner(sentence: str) -> bool:
    """Return whether a sentence begins with the name of the owner without the word: "I'm Elin Berg, a nurse"."""
    plain = sentence.replace("’", "'")
    return any(pattern.match(plain) for pattern in _INTRODUCTIONS)


_OF_ANYBODY = lazy_pattern(r"[\s\-*•–>\"'(]{0,8}(?i:(?:full |first )?name\b|prénom ?:|nombre:|nome:)")


def owner_name_in(text: str) -> str | None:
    """Return the name, in lower case, that a statement gives the owner: "elin" for "I'm Elin Berg"."""
    names = owner_names_in(text)
    return names[0] if names else None


def owner_names_in(text: str, *, is_sure: bool = False) -> tuple[str, ...]:
    """Return the first name and further ones, in lower case, that a statement gives the owner; () if it gives none.

    With `is_sure`, the statement must say whose name it is: "Name: Mochi" may be about a dog.
    """
    text = text.replace("’", "'")
    found = next((match for pattern in (_OWNER_NAME, *_INTRODUCTIONS) if (match := pattern.match(text))), None)
    if found and is_sure and _OF_ANYBODY.match(text):
        return ()
    return (found["name"].lower(), *found["further"].lower().split()) if found else ()
