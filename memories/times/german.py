"""German time words."""

from __future__ import annotations

from memories.times.holidays import (
    AFTER_CHRISTMAS,
    ALL_SAINTS,
    ASCENSION,
    BOXING_DAY,
    CHRISTMAS,
    CHRISTMAS_DAY,
    CHRISTMAS_EVE,
    CORPUS_CHRISTI,
    EASTER,
    EASTER_MONDAY,
    EASTER_SUNDAY,
    EPIPHANY,
    GOOD_FRIDAY,
    MAUNDY_THURSDAY,
    NEW_YEARS_DAY,
    NEW_YEARS_EVE,
    PENTECOST,
    WHIT_MONDAY,
)
from memories.times.vocabulary import Cues, Vocabulary, Which, numbered

_ENDINGS = ("e", "en", "er", "es", "em")
_WHICH: dict[Which, tuple[str, ...]] = {
    "last": ("letzt", "vorig", "vergangen"),
    "next": ("nachst", "kommend"),
    "after next": ("ubernachst",),
    "this": ("dies",),
}
CUES = Cues(
    until=r"bis(?: zum| einschliesslich)?|gultig bis",
    deadline=r"(?:bis spatestens|spatestens(?: bis| am)?|fallig(?: am| bis)?|vor(?: dem)?|lauft|frist|ablauf|"
    r"deadline|abgabe|endet)(?: ist)?:?(?: am| bis| zum| im)*",
    start=r"ab(?: dem)?|mit(?: dem)?|beginnt|beginn|startet|nach(?: dem)?",
    past=r"(?:hab|habe|hast|hat|haben)\b[^.;!?\n]{0,80}\b(?:\w{3,}iert|"
    r"(?:(?:ver|be|er|ent|zer)\w{3,}(?:t|en)|\w{0,6}ge(?!schlossen|legen|gen)\w{3,}en)(?=\W*(?:$|[,;]| und )))|"
    r"war|waren|hatte|hatten|wurde|wurden|ging|kam|gab|traf|zog|kaufte|gestern|vorgestern|damals|"
    r"ge(?!plant|bucht|sperrt|schloss|mietet)[a-z]{3,}t|(?:bezahlt|uberwiesen|erhalten|unterschrieben)(?=\W*$)|"
    r"(?:an|ab|zuruck|weg|los|heim)?(?:gegangen|gekommen|gefahren|gereist|geflogen)|kamen|gingen|fuhr|fuhren|"
    r"gewesen|umgezogen|gezogen|getroffen|gesehen|geworden|bekommen|begonnen|gefunden|angefangen|verkauft|"
    r"besucht|gestorben|erzahlt|"
    r"(?:letzt|vorig|vergangen)(?:e|en|er|es|em)",
    coming=r"wird|werden|muss|mussen|soll|sollen|sollte|darf|kann|konnen",
    recurring=r"jede[nrsm]?|jeweils|immer|geburtstag|geboren|jahrestag|hochzeitstag|namenstag|taglich|wochentlich|"
    r"monatlich|jahrlich|alle (?:zwei|drei|vier|\d{1,2} (?:tage|wochen|monate|jahre))|"
    r"(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|morgens|"
    r"vormittags|nachmittags|abends|wochenends|werktags|meistens|wird \d+|werde \d+|feiertag",
    change=r"(?:steig|sink)(?:t|en)\b(?=[^;!?\n]{0,80}\b(?:auf|um) \d)|fall(?:t|en)\b(?=[^;!?\n]{0,80}\bauf \d)|"
    r"(?:erhoh|verringer)(?:t|en) sich\b(?=[^;!?\n]{0,80}\b(?:auf|um) \d)|"
    r"(?:auf|um) \d[^.;!?\n]{0,30}(?:erhoht|angehoben|gesenkt)|"
    r"zieh(?:e|t|en)\b(?=[^;!?\n]{0,80}\b(?:um|nach|in|zu|zum|zur|ein|aus|weg|zusammen)\b)|"
    r"(?:fang(?:e|t|en)\b(?=[^;!?\n]{0,80}\ban\b)|(?:beginn|start)(?:e|e?t|en)\b(?=[^;!?\n]{0,80}\b(?:ein\w*|mit|als|ihr\w*|"
    r"sein\w*|mein\w*|bei)\b))(?![^;!?\n]{0,80}\bum \d)|hor(?:e|t|en)\b(?=[^;!?\n]{0,80}\bauf\b)|"
    r"wechs(?:le|elt|eln)\b(?=[^;!?\n]{0,80}\b(?:zum?|zur|in|ins|nach|auf|vom?)\b)|"
    r"wird\b(?=[^;!?\n]{0,80}\b(?:mitglied|leiter|leiterin|chef|chefin|partner|partnerin|vegetarier\w*)\b)|"
    r"(?:tritt|trete|treten)\b(?=[^;!?\n]{0,80}\b(?:bei|ein|an|aus|zuruck|in kraft)\b)(?![^;!?\n]{0,80}\bauf\W*$)|"
    r"(?:steig|stell)(?:e|t|en)\b(?=[^;!?\n]{0,80}\bum\b(?! \d))|ubern(?:ehme|immt|ehmen)|"
    r"geh(?:e|t|en)\b(?=[^;!?\n]{0,80}\bin (?:rente|pension|elternzeit|mutterschutz|karenz)\b)|"
    r"(?:umzieh|anfang|aufhor|umsteig|umstell|einzieh|auszieh|beitret|antret)en",
    lasting=r"wohn(?:t|en|e)|leb(?:t|en|e)|arbeitet (?:bei|als)|mag|liebt|hasst|heisst|allergisch|bevorzugt|spricht",
    verb=r"ist|sind|bin|hat|haben|habe|braucht|brauchen|macht|machen|kostet|dauert|kann|konnen",
    occasion=r"ultraschall|\w{0,14}gesprach|\w{0,20}termin|\w{0,14}arzt|\w{0,14}arztin|krankenhaus|klinik|op|operation|mrt|rontgen|blutabnahme|"
    r"blutbild|\w{0,8}impfung|untersuchung|physio\w*|friseur\w{0,2}|optiker\w{0,2}|klempner|installateur|"
    r"elektriker|handwerker|dachdecker|rauchfangkehrer|schornsteinfeger|techniker|monteur|"
    r"\w{0,4}liefer(?:t|n|ung)|\w{0,4}umzug|\w{0,12}ubergabe|besichtigung|\w{0,10}prufung|abgabe|"
    r"notar\w{0,2}|anwalt|anwaltin|steuerberater\w{0,2}|beerdigung|hochzeit|party|konzert|theater|kino|oper|"
    r"\w{0,4}flug|flieg(?:e|t|en)|landet|kommt|kommen|ankunft|abreise|zuruck|wieder da|elternabend|"
    r"fahren wir|hol(?:e|t|en)|besuch(?:e|t|en)?|(?:essen|treffen) (?:mit|bei)|auffuhrung",
    routine=r"putz\w{0,8}|mull\w{0,8}|altpapier|geschlossen|geoffnet|\w{0,12}kurs|unterricht|\w{0,12}training|"
    r"\w{0,8}dienst|\w{0,8}schicht|sprechstunde|\w{0,12}probe|frei|zu hause|nur|(?:hat|haben|macht) \w+ zu|billig\w*",
)
GERMAN = Vocabulary(
    months=numbered(
        "januar|janner februar|feber marz april mai juni juli august september oktober november dezember", 1
    ),
    weekdays=numbered("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", 0),
    cues=CUES,
    since="seit(?: dem)?",
    from_month=r"ab(?: dem)?(?: (?:anfang|beginn)(?: des)?)?|beginnend(?: mit| im)?|von(?= [a-z]+ an\b)",
    in_month="im|vom|fur(?: den)?",
    in_year="im jahr|in",
    on_weekday="am|bis(?: zum)?|ab|vor|spatestens",
    of_unit="(?:des |der |vom |am |im )?",
    end_of="ende",
    days={
        "heute": 0, "gestern": 1, "vorgestern": 2, "morgen": -1, "ubermorgen": -2,
    },
    which={stem + ending: which for which, stems in _WHICH.items() for stem in stems for ending in _ENDINGS},
    which_after={},
    holidays={
        "weihnachten": CHRISTMAS, "heiligabend": CHRISTMAS_EVE, "heilig abend": CHRISTMAS_EVE,
        "heiligen abend": CHRISTMAS_EVE, "christtag": CHRISTMAS_DAY, "stefanitag": BOXING_DAY,
        "stephanitag": BOXING_DAY, "stephanstag": BOXING_DAY, "silvester": NEW_YEARS_EVE, "neujahr": NEW_YEARS_DAY,
        "neujahrstag": NEW_YEARS_DAY,
        "dreikonig": EPIPHANY, "dreikonigstag": EPIPHANY, "ostern": EASTER, "ostersonntag": EASTER_SUNDAY,
        "ostermontag": EASTER_MONDAY, "karfreitag": GOOD_FRIDAY, "grundonnerstag": MAUNDY_THURSDAY,
        "christi himmelfahrt": ASCENSION, "pfingsten": PENTECOST, "pfingstmontag": WHIT_MONDAY,
        "fronleichnam": CORPUS_CHRISTI, "allerheiligen": ALL_SAINTS, "zwischen den jahren": AFTER_CHRISTMAS,
        "zwischen den feiertagen": AFTER_CHRISTMAS, "zwischen weihnachten und neujahr": AFTER_CHRISTMAS,
        "zwischen weihnachten und silvester": AFTER_CHRISTMAS,
    },
    seasons={"fruhling": 3, "fruhjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    at_holiday="an|zu|am|uber|bis(?: zu| zum)?|ab|fur|um|wahrend",
    in_season="im|fur den|uber den",
    units={
        "tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "wochenende": "weekend",
        "wochenendes": "weekend", "monat": "month", "monats": "month", "monate": "month", "monaten": "month",
        "jahr": "year", "jahres": "year", "jahre": "year", "jahren": "year",
    },
    numbers={
        "ein": 1, "eine": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwolf": 12,
    },
    ago="vor",
    ahead="in",
    coming="(?:nachste|kommende|folgende)n?",
    gone="(?:letzte|vergangene|vorige)n?",
    several="tagen?|wochen|monaten?",
    to_come="(?:des )?(?:nachste|kommende)",
    ordinal=r"\.",
    week_later=("WEEKDAY in einer woche", "WEEKDAY in acht tagen", "in einer woche am WEEKDAY"),
    numeric="am|bis(?: zum)?|ab(?: dem)?|zum|den|vom|seit(?: dem)?|fallig|spatestens",
    ago_first=True,
)  # fmt: skip
