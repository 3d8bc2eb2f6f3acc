"""Second clauses that only say when an event is, and details of a journey. All texts are folded."""

from __future__ import annotations

import re

BEFORE_DATE = r"(?: (?:on|at|in|the|am|an|dem|den|le|la|el|il|de|du|del|di|da|dal|vom)| (?:d|l|dell|dall)['’])*"
"""Words just before a date."""

_OF_EVENT = re.compile(
    r"\W*(?:[\w'’]+ ){0,4}(?:talk|lecture|presentation|concert|recital|exam|meeting|workshop|wedding|funeral"
    r"|party|interview|viewing|performance|premiere|vortrag|\w{0,12}konzert|\w{0,10}prufung|\w{0,10}treffen|hochzeit|fest"
    r"|conference|reunion|mariage|fete|charla|conferencia|concierto|boda|fiesta|conferenza|concerto|matrimonio|festa)\b"
)
_TAKES_PLACE = re.compile(
    r"(?: (?:and|und|et|y|e)|,) (?:is|will be|takes place|will take place|ist|findet|est|aura lieu|es|sera|sara"
    r"|si terra)"
    rf"{BEFORE_DATE}\s*$"
)
"""A second clause that only says when an event is: "my talk has the title X and is on 4 June"."""

_JOURNEY = re.compile(
    r"\b(?:travels?|travel+ing|trip|journey|fl(?:y|ies|ying)|flight|driv(?:es?|ing)|reist|reise|reisen|flieg(?:e|t|en)"
    r"|fahrt?|fahren|voyage|viaj(?:a|o|e|an)|vuela|viaggi[oa]?)\b"
)
_OF_JOURNEY = re.compile(
    r"\W*(?:(?:the|return|outbound|his|her|my|our) )?(?:flights?|trains?|bus|hotel|hostel|check-?in|departure"
    r"|arrival|flug|zug|abflug|abfahrt|ankunft|vol|depart|vuelo|tren|salida|volo|treno|partenza|albergo)\b"
)
"""Details of a journey, which end with it: "travels to Graz from 4 to 6 June; flight at 6:40, hotel Post"."""


def is_about_event(before: str) -> bool:
    """Return whether the part of a sentence before its date is about an event, and ends with "and is on"."""
    return _OF_EVENT.match(before) is not None and _TAKES_PLACE.search(before) is not None


def is_about_journey(text: str) -> bool:
    """Return whether the text has a word for a journey."""
    return _JOURNEY.search(text) is not None


def is_detail_of_journey(sentence: str) -> bool:
    """Return whether the sentence begins with a part of a journey, such as a flight or a hotel."""
    return _OF_JOURNEY.match(sentence) is not None
