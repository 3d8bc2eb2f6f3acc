"""The aspect of the owner that a question asks about, in five languages."""

from __future__ import annotations

from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.aspects.reading import Aspect

_KIN = (
    r"(?:husband|wife|partner|spouse|girlfriend|boyfriend|kids?|child(?:ren)?|sons?|daughters?|mother|father|mum|mom|dad"
    r"|parents|brothers?|sisters?|siblings?|grand\w{2,9})"
)
_KIN_ELSEWHERE = (
    r"(?:frau|mann|partner(?:in)?|kinder|kind|sohn|söhne|tochter|töchter|mutter|vater|eltern|bruder|brüder|schwestern?"
    r"|geschwister|mari|femme|enfants|fils|filles?|mère|père|parents|frères?|sœurs?|soeurs?|marido|mujer|hij[oa]s?|madre"
    r"|padres?|herman[oa]s?|marito|moglie|figli[oae]?|sorell[ae]|fratell[oi]|genitori)"
)
_MINE = r"(?:my|our|the user'?s|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|nos|mis?|nuestr[oa]s?|mi[oae]|miei)"
_ME = r"(?:i|we|the user|ich|wir)"

_PATTERNS = {
    Aspect.HEALTH: lazy_pattern(
        r"\b(?:allerg\w+|al[eé]rgi\w+|intol[eé]ran\w+|intolleran\w+|unverträglich\w+|medications?|medicines?"
        r"|illness(?:es)?|(?:health|medical) (?:conditions?|problems?|issues?|things?)|medikamente?|krankheit(?:en)?"
        r"|médicaments?|maladies?|medicamentos?|enfermedad(?:es)?|medicin\w|malatti\w)\b"
    ),
    Aspect.FAMILY: lazy_pattern(
        rf"\bwho(?:'s| is| are)? (?:all )?(?:in )?{_MINE} (?:family|relatives|{_KIN})\b"
        rf"|\b{_MINE} (?:close |own )?(?:family|relatives)\b(?=[^\w]*$| members| like)"
        rf"|\b(?:names?|ages?|birthdays?) of {_MINE} {_KIN}\b|\b{_MINE} {_KIN}(?:'s?)? (?:names?|called|ages?)\b"
        rf"|\bhow old (?:is|are) {_MINE} {_KIN}\b|\bwho(?:'s| is) {_MINE} {_KIN}\b"
        rf"|\b(?:do|does|have|has) {_ME} (?:have |got )?(?:any )?{_KIN}\b|\b(?:am|is) {_ME} married\b"
        rf"|\b(?:wer|qui|quién(?:es)?|chi) .{{0,15}}\b{_MINE} (?:famili\w+|famille|famigli\w+)\b"
        rf"|\b(?:wie heiß\w+|wie alt .{{2,5}}|comment s'appell\w+|quel âge .{{1,4}}|cómo se llaman?|come si chiaman?o?)"
        rf" {_MINE} (?:[a-z]+ )?{_KIN_ELSEWHERE}\b|\b(?:habe|haben) {_ME} {_KIN_ELSEWHERE}\b|\bbin ich verheiratet\b"
    ),
    Aspect.HOME: lazy_pattern(
        rf"\bwhere (?:do|does|am|are|is) {_ME} (?:live|living|based|from)\b"
        rf"|\b{_MINE} (?:home |postal |current )?address\b"
        rf"|\b(?:what|which) (?:city|town|country) (?:do|does|am|is) {_ME}\b"
        rf"|\bwo (?:wohn\w+|leb\w+) {_ME}\b|\b{_MINE} (?:adresse|anschrift|dirección|indirizzo)\b"
        r"|\boù est-ce que j'habite\b|\boù (?:j'habite|vis-je)\b|\bd[oó]nde viv[oe]\b|\bdove (?:abito|vivo)\b"
    ),
    Aspect.WORK: lazy_pattern(
        rf"\b{_MINE} (?:current )?(?:job|profession|occupation|employer|beruf|arbeitgeber|métier|trabajo|lavoro)\b"
        rf"|\bwhat (?:do|does) {_ME} do (?:for (?:a living|work)|professionally)\b|\bwhere (?:do|does) {_ME} work\b"
        rf"|\bwo arbeite\w* {_ME}\b|\bwas (?:bin ich|mache ich) (?:von beruf|beruflich)\b"
        r"|\boù est-ce que je travaille\b|\bd[oó]nde trabajo\b|\bdove lavoro\b"
    ),
    Aspect.NAME: lazy_pattern(
        rf"\bwho am i\b|\bwhat(?:'s| is) {_MINE} (?:full |last |first )?name\b|\bhow old (?:am|is) {_ME}\b"
        rf"|\bwhen(?:'s| is) {_MINE} birthday\b|\bwer bin ich\b|\bwie (?:heiße|alt bin) ich\b"
        r"|\bqui suis-je\b|\bquién soy\b|\bchi sono\b"
    ),
    Aspect.ANSWERS: lazy_pattern(
        rf"\bhow should (?:you|i|we) (?:address|call|answer|respond|reply|write|talk)\b"
        rf"|\b(?:what|which) (?:tone|style|language) should (?:you|i)\b"
        rf"|\bhow (?:do|does) {_ME} (?:want|like|prefer) (?:you|answers|replies|to be (?:called|addressed|answered))\b"
        r"|\bwie soll\w* (?:du|ich) (?:mich|mir|antworten)\b|\bcomment dois-tu (?:répondre|m'appeler)\b"
    ),
    Aspect.PREFERENCES: lazy_pattern(rf"\b{_MINE} preferences\b|\bwhat (?:do|does) {_ME} prefer\b"),
}


# A question about a meal needs the diets and allergies of those who eat, even if it does not mention them.
_MEALS = lazy_pattern(
    r"\b(?:dietary|diets?|vegetarian|vegan|can'?t (?:\w+ )?eat|cook(?:ing)?|dinner|lunch|meals?|recipes?|restaurants?"
    r"|bak(?:e|ing)|menu|picnic|barbecue|bbq|(?:birthday|packed) (?:cake|tea|party)|allerg\w+|intoleran\w+"
    r"|kochen|koche|abendessen|mittagessen|rezepte?|backen|gerichte?|speiseplan|grillen|unverträglich\w+"
    r"|cuisin\w+|dîner|déjeuner|repas|recettes?|pique-nique|intolérances?"
    r"|cocin\w+|cena|cenar|almuerzo|comidas?|recetas?|restaurantes?|hornear|al[eé]rgi\w+"
    r"|cucin\w+|pranzo|ricett\w|ristorant\w|intolleran\w+)\b"
)
_DIET = lazy_pattern(
    r"allerg|al[eé]rgi|intol[eé]ran|intolleran|unverträglich|unvertr|c(?:o|œ)?eliac|cœliaque|zöliakie|cel[ií]a|gluten|la[ck]tos"
    r"|vegan|végan|vegetari|végétari|kosher|koscher|halal|diabet|diabèt|\beats?\b|\bess(?:e|en)\b|\bisst\b|\bmange"
    r"|\bcom[eo]\b|\bmangi"
)


@dataclass(frozen=True, slots=True)
class AskedAspect:
    """The aspect of the owner, or of people close to them, that a question asks about.

    `is_about_meals`: of the health, only what somebody does not or must not eat.
    """

    aspect: Aspect
    is_about_meals: bool = False

    def is_told_by(self, text: str) -> bool:
        """Return whether a memory of the aspect tells what is asked."""
        return not self.is_about_meals or _DIET.search(text.lower()) is not None


def asked_aspect(question: str) -> AskedAspect | None:
    """Return the aspect of the owner, or of people close to them, that a question asks about; None for most questions.

    Questions about meals ask about health: who must not eat what.
    """
    lowered = question.lower().replace("’", "'")
    if _MEALS.search(lowered):
        return AskedAspect(Aspect.HEALTH, is_about_meals=True)
    found = next((aspect for aspect, pattern in _PATTERNS.items() if pattern.search(lowered)), None)
    return AskedAspect(found) if found else None
