"""Italian time words."""

from __future__ import annotations

from memories.times.holidays import (
    AFTER_CHRISTMAS,
    ALL_SAINTS,
    ASSUMPTION,
    BOXING_DAY,
    CHRISTMAS,
    CHRISTMAS_EVE,
    EASTER,
    EASTER_MONDAY,
    EPIPHANY,
    GOOD_FRIDAY,
    NEW_YEARS_DAY,
    NEW_YEARS_EVE,
)
from memories.times.vocabulary import Cues, Vocabulary, Which, numbered

_LAST_NEXT: dict[str, Which] = {
    "scorso": "last", "scorsa": "last", "prossimo": "next", "prossima": "next", "che viene": "next",
}  # fmt: skip
CUES = Cues(
    until=r"fino (?:a(?:l|lla|ll['’])?|in)|sino (?:a(?:l|lla|ll['’])?)|valid[oa] fino al?",
    deadline=r"(?:entro|prima|scade|scadenza|al piu tardi|finisce|termina|da consegnare)(?: e)?(?: ?:)?"
    r"(?: il| l['’]| la| del?| dell['’]| a| in)*",
    start=r"a partire (?:da|dal|dall['’])|da|dal|dall['’]|(?:comincia|inizia|dopo)(?: il)?",
    past=r"^(?:visto|incontrato|finito|spedito|consegnato|fotografato|andati?)|"
    r"era|erano|ero|fu|furono|(?:ho|hai|ha|abbiamo|avete|hanno) [a-z]+(?:ato|uto|ito|sso|tto|so|rso|sto|rto)|"
    r"stat[oaie]|nat[oaie]|andat[oaie]|mort[oaie]|arrivat[oaie]|trasferit[oaie]|"
    r"(?:e|sono|siamo) (?:tornat|venut|partit|rientrat|passat)[oaie]|aveva|avevano|"
    r"(?:pagat|comprat|spedit|versat|ricevut|incassat|ritirat)[oaie]|ieri|scors[oa]|fa",
    coming=r"sara|saranno|verra|verranno|deve|devono|va|vanno|bisogna",
    recurring=r"ogni|tutti i|tutte le|compleanno|nat[oa] il|anniversario|quotidian[oa]|settimanale|mensile|annuale|"
    r"sempre|di solito|spesso|compie|compira|(?:il|di) (?:lunedi|martedi|mercoledi|giovedi|venerdi|sabato)"
    r"(?! (?:\d|prossim))|(?:la|di) domenica(?! (?:\d|prossim))|onomastico|giorno festivo",
    change=r"(?:sale|salgono|aumentano?|scend(?:e|ono)|cala(?:no)?|passano?) (?:a|di|del) \d+|"
    r"(?:si|mi|ci) trasferi(?:sce|scono|sco|amo)|(?:inizi|cominci)(?:a|o|ano) (?:una?|un['’]\w+|a|con|come|la|"
    r"il (?!\d))|smett(?:e|o|ono)|divent(?:a|o|ano)|passa(?:no)? (?:a|al) (?:tempo|part)|"
    r"cambi(?:a|o|ano) (?:lavoro|casa)|(?:va|vado|vanno) in pensione|entra(?:no)? in vigore|"
    r"si (?:iscriv|unisc)(?:e|ono)",
    lasting=r"abita|abitano|vive|vivono|lavora (?:a|in|come|per|da)|ama|odia|si chiama|allergic[oa]|preferisce|parla",
    verb=r"sono|ha|hanno|costa|dura|puo|possono",
    occasion=r"dentista|dermatolog[oa]|voliamo|"
    r"medico|dottor(?:e|essa)|veterinari[oa]|ospedale|clinica|operazione|risonanza|radiografia|"
    r"esam[ei]|analisi|vaccin[oi]|visita|controllo|fisio\w*|oculista|parrucchier[ea]|idraulico|elettricista|"
    r"tecnico|consegna|trasloco|colloquio|appuntamento|notaio|avvocat[oa]|commercialista|funerale|matrimonio|"
    r"festa|concerto|teatro|cinema|volo|arriva|arrivano|arriviamo|atterra|torn(?:a|o|ano|iamo)|"
    r"rientr(?:a|o|ano|iamo)|vien[ei]|vengono|passa|(?:cena|pranzo|riunione) con|firm(?:o|a|iamo)|"
    r"ritir(?:o|a|iamo)|vado|andiamo|part(?:o|iamo)",
    routine=r"pulizie|spazzatura|rifiuti|chius[oa]|apert[oa]|orario|corso|lezione|allenamento|prove|coro|liber[oa]|"
    r"smart working|chiude|meno",
)
ITALIAN = Vocabulary(
    months=numbered(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", 1
    ),
    weekdays=numbered("lunedi martedi mercoledi giovedi venerdi sabato domenica", 0),
    cues=CUES,
    since="(?:dal|dalla|dall['’]|da)",
    since_is_past=False,
    from_month=r"a (?:partire|decorrere) da|(?:a (?:partire|decorrere) )?(?:dal mese di|dall['’]inizio di|da inizio)",
    in_month="a|in|nel|del|per",
    in_year=r"nel|del(?= \d{4}\b(?! ?[\w$€£]))",
    on_weekday="(?:fino |sino )a|entro|per|questo|questa|da|prima di|e|:",
    of_unit="(?:del |della |dell['’]|di )?",
    end_of="(?:la )?fine",
    days={
        "oggi": 0, "stasera": 0, "ieri": 1, "l'altro ieri": 2, "l’altro ieri": 2, "domani": -1, "dopodomani": -2,
    },
    which={
        "quest'": "this", "quest’": "this", "questa": "this", "questo": "this", **_LAST_NEXT,
    },
    which_after=_LAST_NEXT,
    holidays={
        "natale": CHRISTMAS, "vigilia di natale": CHRISTMAS_EVE, "santo stefano": BOXING_DAY,
        "san silvestro": NEW_YEARS_EVE, "ultimo dell'anno": NEW_YEARS_EVE, "capodanno": NEW_YEARS_DAY,
        "epifania": EPIPHANY, "befana": EPIPHANY, "pasqua": EASTER, "pasquetta": EASTER_MONDAY,
        "lunedi dell'angelo": EASTER_MONDAY, "venerdi santo": GOOD_FRIDAY, "ferragosto": ASSUMPTION,
        "ognissanti": ALL_SAINTS, "tra natale e capodanno": AFTER_CHRISTMAS, "fra natale e capodanno": AFTER_CHRISTMAS,
    },
    seasons={"primavera": 3, "estate": 6, "autunno": 9, "inverno": 12},
    at_holiday="a|per|entro|fino a|durante|all['’]|il giorno di",
    in_season="in|per l['’]|quest['’]|d['’]",
    units={
        "giorno": "day", "giorni": "day", "settimana": "week", "settimane": "week", "fine settimana": "weekend",
        "mese": "month", "mesi": "month", "anno": "year", "anni": "year",
    },
    numbers={
        "un": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9,
        "dieci": 10, "undici": 11, "dodici": 12,
    },
    ago="fa",
    ahead="tra|fra",
    coming="prossim[ie]",
    gone="ultim[ie]|scors[ie]",
    several="giorni|settimane|mesi",
    week_later=("WEEKDAY a otto", "WEEKDAY tra una settimana"),
    to_come="(?:dell['’]anno |del )?prossimo",
)  # fmt: skip
