"""Sentences of which only a part is limited by a date: "I drive a Skoda, MOT due in June". All texts are folded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from common.lazy_pattern import lazy_pattern
from memories.times.cues import CompiledCues
from memories.times.details import is_about_event

MIN_WORDS = 3
"""Number of words from which a sentence or a clause without a date says something that lasts."""

_CLAUSE_END = re.compile(r", | (?:and|but|und|aber|et|mais|y|pero|ma) ")
_MAX_CLAUSES = 4
_SUBORDINATE = re.compile(
    r"\W*(?:if|when|as|because|since|while|although|wenn|weil|da|falls|obwohl|wahrend|als|si|quand|comme|cuando|porque|se"
    r"|quando|perche)\b"
)
_CLAUSE_OF_ITS_OWN = re.compile(
    r"(?:, | )(?:and |but |und |aber )?(?:it|they|he|she|er|sie|es)(?:'s)? \w"
    r"|,? (?:that|which|who) (?:must|needs?|has|have|is|are|should|will|expires?|ends?|runs?|goes)\b"
    r"|, (?:der|die|das|dem|den) [^,]{0,40}$"
)
"""The beginning of a clause about something that the clause before it has named."""

_DUE = re.compile(
    r"\b(?:due|deadline|expir\w+|fallig|frist|abgabe|ablauf|echeance|date limite|vence|caduca|plazo|fecha limite|scade"
    r"|scadenza)\b"
)
_MAIN_VERB = re.compile(
    r"\b(?:drives?|owns?|rents?|uses?|rides?|plays?|wears?|pays?|fahr(?:e|t|en)|nutz(?:e|t|en)|miet(?:e|et|en)|conduis"
    r"|conduit|loue|utilise|tengo|tenemos|uso|conduzco|alquil(?:o|a|amos)|guido|abbiamo|affitt(?:o|a|iamo))\b"
)
_OF_CONTRACT = lazy_pattern(
    r"(?:[,;(] ?| (?:and|with|und|mit|et|avec|y|con|e) | [-–—] )(?:[\w'’-]+ ){0,2}?"
    r"(?:warranty|guarantee|contract|lease|tenancy|membership|subscription|insurance|policy|cover|licen[cs]e|permit|visa"
    r"|term|plan|deal|tariff|price|rate|mortgage|pass|ticket|renewal|mot|(?:road |car )?tax|service|inspection"
    r"|certificate|\w*garantie|gewahrleistung|\w*vertrag|mitgliedschaft|abo|\w*versicherung|\w*pickerl|tuv|hu|verlangerung"
    r"|visum|contrat|bail|abonnement|adhesion|assurance|controle technique|renouvellement|garantia|contrato|suscripcion"
    r"|abono|seguro|itv|renovacion|garanzia|contratto|abbonamento|assicurazione|revisione|bollo|rinnovo)\b:?"
    r"(?: (?:is|are|now|locked|fixed|frozen|guaranteed|runs?|lasts?|ends?|expires?|expiring|due|until|till"
    r"|through|to|valid|up|renews?|on|in|by|at|the|early"
    r"|late|mid|end|of|ist|lauft|gilt|noch|endet|fallig|bis|zum|am|im|ab|anfang|ende|mitte|est|expire|se termine"
    r"|jusqu['’]?(?:au|en|a)?|court|valable|avant|fin|le|la|en|vence|termina|caduca|hasta|el|de|del|valid[oa]|e"
    r"|scade|in|scadenza|finisce|entro|fino|al?|il|a))*\W*$"
)
"""A clause that says until when a contract or the like lasts: ", warranty until", "and the lease runs until"."""

_PRONOUN = r"(?:,|;| and| but| und| aber| et| mais| y| pero| e| ma)(?: (?:she|he|they|it|er|sie|elle|il|ella|lui|lei))?"


_STAYS = re.compile(
    r"\b(?:lies|sits|stays|remains|liegt|liegen|steht|bleibt|bleiben|reste|restent|queda|rimane|resta)\b"
)
_NEXT_CLAUSE = re.compile(r"[,;] | (?:and|but|und|aber|et|mais|y|pero|e|ma) ")
_OTHER_SUBJECT = re.compile(
    r"(?:and |but |und |aber |et |mais |y |pero |e |ma )?(?:(?:the|my|his|her|our|their|der|die|das|mein\w?|ihr\w?"
    r"|sein\w?|le|la|les"
    r"|mon|ma|sa|son|celle|celui|el|los|las|su|mi|il|lo|i|gli|quell[aoi]) |l['’])"
)


def says_more(sentence: str, starts: Sequence[int], end: int, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether a sentence has a clause besides those of its dates, which says something that lasts.

    `starts` are the places of its dates, `end` is the end of the last one.
    """
    return (
        _has_clause_before(sentence[: starts[0]], all_cues)
        or any(_is_side(sentence[:start]) for start in starts)
        or _lasts_after(sentence[end:], all_cues)
    )


def _is_side(before: str) -> bool:
    """Return whether the text before a date ends with a clause about a contract or the like, after another clause."""
    found = _OF_CONTRACT.search(before)
    return found is not None and len(before[: found.start()].split()) >= MIN_WORDS


def _lasts_after(after: str, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether a clause after the dates says something that lasts: "wants it by June and hates delays"."""
    found = re.match(_PRONOUN, after)
    return found is not None and any(cues.lasting.match(after, found.end() + 1) for cues in all_cues)


def _has_clause_before(before: str, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether the part of a sentence before its first date has a clause besides the one of the date.

    As in "my dentist is Dr. Amiri, the next check-up is on 4 June" and "I own a bike that is due on 4 June", but not in
    "if it rains, the trip is on 4 June".
    """
    if _SUBORDINATE.match(before) or is_about_event(before):
        return False
    clause = _CLAUSE_OF_ITS_OWN.search(before)
    if clause and len(before[: clause.start()].split()) >= MIN_WORDS:
        return True
    return any(
        len(before[: found.start()].split()) >= MIN_WORDS
        and any(
            (cues.verb.search(before, 0, found.start()) or _MAIN_VERB.search(before, 0, found.start()))
            and (cues.verb.search(before, found.end()) or _DUE.search(before, found.end()))
            for cues in all_cues
        )
        for found in list(_CLAUSE_END.finditer(before))[-_MAX_CLAUSES:]
    )


def is_followed_by_other_clause(after: str, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether the text after an end is a clause about something else: ", the deposit is at the bank"."""
    found = _NEXT_CLAUSE.match(after)
    if found is None or _OTHER_SUBJECT.match(after, found.end()) is None:
        return False
    return _STAYS.search(after) is not None or any(cues.verb.search(after) for cues in all_cues)


def is_of_other_clause(between: str, all_cues: Sequence[CompiledCues]) -> bool:
    """Return whether the text between two ends begins another clause: "expires in May, the others last till 2030"."""
    found = _NEXT_CLAUSE.search(between)
    if found is None:
        return False
    has_verb = any(cues.verb.search(between, found.end()) for cues in all_cues)
    return has_verb or _OTHER_SUBJECT.match(between, found.end()) is not None
