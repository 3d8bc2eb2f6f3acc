"""Related words: other words that memories use for something in a question. English only."""

from __future__ import annotations

import re

# Each line is one relation or attribute.
_GROUPS = """
    husband wife partner spouse married fiance fiancee
    boyfriend girlfriend partner
    mother mum mom parents
    father dad parents
    children kids son daughter
    grandmother grandma granny
    grandfather grandpa
    brother sister sibling siblings
    boss superior manager supervisor reports head
    job occupation profession work works living employer employed career teaches
    colleague coworker teammate
    salary earn income pay paid wages
    address live lives home house flat apartment moved
    city town live lives moved
    phone mobile smartphone cellphone
    computer laptop machine
    car drive drives vehicle
    doctor physician gp practice clinic
    paediatrician pediatrician doctor children
    dentist teeth dental
    vet veterinarian vaccination jab booster
    medicine medication medicines tablet tablets pill pills dose takes prescribed drug
    allergic allergy allergies react intolerance
    ill illness disease condition diagnosed suffers
    birthday born birth turns turned age old
    holiday holidays vacation trip travel
    anniversary wedding married
    pet dog cat animal
    school class grade kindergarten nursery
    hobby hobbies class course club
    instrument lessons plays cello piano guitar violin
    sport race running training marathon
    food eat eats diet vegetarian vegan
    drink drinks coffee tea
    dislike hate stand avoid
    favourite favorite likes loves prefers
    language languages speaks speak
    money loan mortgage rate budget
    meeting appointment call daily standup
    database storage store stores stored
    deadline due until
    launch release beta live
    wifi internet router broadband fibre
    neighbour neighbours neighbor neighbors
    heating heat pump
    present gift
    key keys
    name called named
    party celebration celebrate
    glasses eyesight lenses
    train ticket seat rail
    commute office way
    deploy hosting cloud server
    login sign auth password
    licence license
    notification notifications alert alerts warning warnings
"""
MAX_RELATED_WORDS = 24
"""Number of related words that are looked up: a bound on the cost of long questions."""

_WORD = re.compile(r"[a-z]+")
_RELATED: dict[str, list[str]] = {}
for _line in _GROUPS.strip().splitlines():
    for _word in _line.split():
        _RELATED.setdefault(_word, []).extend(_line.split())


def related_words(text: str) -> list[str]:
    """Return at most `MAX_RELATED_WORDS` words that are related to those of `text` and not among them."""
    words = dict.fromkeys(_WORD.findall(text.lower()))
    found = dict.fromkeys(related for word in words for related in _RELATED.get(word, ()))
    return [word for word in found if word not in words][:MAX_RELATED_WORDS]
