"""The owner's relatives by name. After "my daughter Maya is 9", "Maya has coeliac disease" is about the family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from common.lazy_pattern import lazy_pattern

READ_CHARS = 160
"""Number of characters of a statement in which names are looked for."""

CACHED_TEXTS = 2_048
"""Number of texts whose names a process keeps: every briefing reads the same."""

# A partner or a child of the owner. They come before parents, brothers and sisters.
_CLOSE = (
    r"wife|husband|partner(?:in)?|spouse|girlfriend|boyfriend|fianc[eé]e?|sons?|daughters?|child(?:ren)?|kids?|twins?|baby"
    r"|step(?:son|daughter|child)\w*"
    r"|frau|mann|ehefrau|ehemann|lebensgefährt\w+|verlobter?|sohn|söhne|tochter|töchter|kind(?:er)?|zwillinge?"
    r"|femme|mari|conjointe?|compagne|compagnon|épou(?:x|se)|fils|filles?|enfants?|bébé|jumeaux|jumelles"
    r"|mujer|marido|espos[oa]|pareja|hij[oa]s?|gemel[oa]s?|melliz[oa]s?|bebé"
    r"|moglie|marito|compagn[oa]|figli[oae]?|figlie|gemell[ie]|bimb[oaie]"
)
_DISTANT = (
    r"mother|father|mum|mom|dad|parents|brothers?|sisters?|siblings?|grand\w{2,9}"
    r"|mutter|vater|mama|papa|eltern|bruder|brüder|schwestern?|geschwister|oma|opa|groß\w{5,6}|enkel\w{0,7}"
    r"|mère|père|frères?|s(?:oe|œ)urs?|grands?-\w{2,7}|petits?-\w{2,7}"
    r"|madre|padres?|mamá|papá|herman[oa]s?|abuel[oa]s?|niet[oa]s?"
    r"|padre|mamma|genitori|fratell[oi]|sorell[ae]|nonn[oaie]|nipot[ei]"
)
_KIN = rf"(?:(?P<close>{_CLOSE})|{_DISTANT})"
_OWN = (
    r"(?:my|our|her|his|their|(?:the )?(?:user|owner)(?:'s)?|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos"
    r"|mis?|nuestr[oa]s?"
    r"|(?:il |la |i |le )?(?:mi[oae]|miei|nostr[oaie]))"
)
_NO_FRIEND = r"(?!(?:beste\w*|gute\w*|alte\w*|ex\w*|best|business|training|running|former) )"
_SAYS = (
    r"(?:'s)?(?: names?| first names?)?[,:]?(?: (?:is|are|called|named|ist|sind|namens|hei(?:ß|ss)(?:t|en)"
    r"|s'appelle(?:nt)?"
    r"|est|sont|se llaman?|es|son|si chiaman?o?|è|sono)){0,2} [\"“„«]?"
)
_NAME = r"[^\W\d_a-zß-ÿ][^\W\d_]{1,20}"
_AFTER = rf"(?: {_NAME}(?:-{_NAME})?)?(?: \([^)\n]{{1,40}}\)|,? \d\d?)?"
_NAMES = rf"{_NAME}{_AFTER}(?:(?:,? (?:and|und|et|y|e)|,) (?:{_NAME}){_AFTER}){{0,4}}"
_NOT_AFTER = "".join(
    rf"(?<!{word})" for word in ("best ", "beste ", "business ", "training ", "running ", "former ", "ex-")
)
_KIN_BEFORE = lazy_pattern(rf"(?<!\w){_NOT_AFTER}(?i:{_KIN})(?i:{_SAYS})(?P<names>{_NAMES})")
_KIN_AFTER = lazy_pattern(
    rf"(?P<names>{_NAME})(?:, | \(|(?i: is | ist | est | es | è ))(?i:{_OWN} (?:[\w-]+ )?{_KIN})\b"
)
_MARRIED = lazy_pattern(
    rf"(?i:(?P<close>married|engaged|verheiratet|verlobt|mariée?|fiancée?|casad[oa]|sposat[oa])"
    rf" (?:to|mit|à|avec|con)|mit) (?P<names>{_NAME})(?(close)|(?i: (?:verheiratet|verlobt)\b))"
)
_ANY_KIN = lazy_pattern(
    rf"\b(?:{_CLOSE}|{_DISTANT}|married|engaged|verheiratet|verlobt|mariée?|fiancée?|casad\w|sposat\w)\b"
)
_SPLIT = lazy_pattern(r",? (?:and|und|et|y|e) |, ")
_FIRST_NAME = lazy_pattern(_NAME)
_RELATIVE = lazy_pattern(rf"[\s\-*•–>\"'(]{{0,8}}(?:{_OWN} )?(?:{_NO_FRIEND}[\w-]{{2,12}} )?{_KIN}\b")

CALLED: Mapping[str, bool] = dict.fromkeys(("mum", "mom", "dad", "mama", "papa", "mamma", "oma", "opa"), False)
"""Words that name a relative without a possessive: "Mum takes donepezil". None of them is a partner or a child."""


def relatives_in(text: str) -> Mapping[str, bool]:
    """Return the names, in lower case, of the relatives in a statement about the owner or the family, each with whether
    it is a partner or a child.
    """
    return _relatives_in(text[:READ_CHARS])


@lru_cache(CACHED_TEXTS)
def _relatives_in(start: str) -> Mapping[str, bool]:
    names: dict[str, bool] = {}
    start = start.replace("’", "'")
    if not _ANY_KIN.search(start.lower()):
        return names
    for pattern in (_KIN_BEFORE, _KIN_AFTER, _MARRIED):
        for found in pattern.finditer(start):
            is_close = pattern is _MARRIED or found["close"] is not None
            for part in _SPLIT.split(found["names"]):
                if name := _FIRST_NAME.match(part):
                    names.setdefault(name[0].lower(), is_close)
    return names


def relative_first(text: str) -> bool | None:
    """Return whether a relative with whom a text begins is a partner or a child: True for "My son is allergic to eggs",
    False for "Mum takes donepezil", None for "I have asthma".
    """
    found = _RELATIVE.match(text[:READ_CHARS].lower().replace("’", "'"))
    return None if found is None else found["close"] is not None
