"""Words that decide how two statements are related.

The words are English, except for function words and those of changes and negations, which are known in five languages.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.times.english import ENGLISH
from memories.times.patterns import LANGUAGES

_FUNCTION_WORDS = """
    a about actually after again all also always am an and another any are as at be because been before being both but
    by called can could did do does doing down each either ever every few for from get gets got had has have having he
    her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let like lot may me might mine
    more most much must my myself named neither no nobody none nor not nothing now of off on once one ones only or other
    our ours out over quite really same shall she should since so some still such than that that's the their theirs them
    then there there's these they they're this those to too under until up us user user's users usually very was we
    we're we've were what when where which while who whom whose why will with without would you your yours
    eur usd gbp chf
"""
# Words that mean something else in English, such as "hat" and "son", and those that are also names, such as "Mia", are
# left out.
_FUNCTION_WORDS_OF_OTHER_LANGUAGES = """
    aber alle am auch auf aus bei beim bis bist da damit das dass dein deine dem den der des die dies diese diesem
    diesen dieser dieses doch du durch ein eine einem einen einer eines er es euch euer für gegen habe haben hatte
    hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer ins ist ja jede jeden jeder jedes kann kein keine
    keinen mein meine meinem meinen meiner mich mir mit mittlerweile nach nicht noch nur ob oder ohne schon sehr
    sein seine seinem seinen seiner seit sich sie sind so über um und uns unser unsere unserem unseren unserer
    unter vom von vor wann warum was weil wenn wer werden wie wir wird wo zu zum zur zwischen au aux avec c'est ce
    ces cet cette chez dans de depuis elles en est et il ils j'ai je la le les leur leurs lui mes moi mon ne nos
    notre nous ou où par pas plus que qui sa ses sont sur très un une vos votre vous à été con cuando del desde
    donde el ellos esta está estas este esto hay las lo los mi mis muy más no nuestra nuestro o para pero por qué
    se ser sin sobre su sus también tengo tiene unas unos y ya yo alla anche che cui dalla degli dei della delle e
    gli ha hanno ho i in io loro ma mie miei mio nel nella noi nostra nostro perché più quando questa questo si
    sono suo sua tra uno
"""
AMBIGUOUS_FUNCTION_WORDS = frozenset({"hat", "son", "mia"})
"""Function words of other languages that are also English words. They count only in texts with other function words."""
FUNCTION_WORDS_OF_OTHER_LANGUAGES = frozenset(_FUNCTION_WORDS_OF_OTHER_LANGUAGES.split())
ENGLISH_FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
FUNCTION_WORDS = ENGLISH_FUNCTION_WORDS | FUNCTION_WORDS_OF_OTHER_LANGUAGES
"""Words that say nothing about the subject of a statement. "The user" and "I" are the same person."""

ANDS = frozenset({"and", "und", "sowie", "et", "y", "e", "ed"})
"""Words that join what is listed."""

_INTERCHANGEABLE = """
    a an the i i'm my me mine myself we we're our ours us user user's is are am be has have had called named name own
    really very lot also eur usd gbp chf by way
"""
INTERCHANGEABLE = frozenset(_INTERCHANGEABLE.split())
"""Words by which two statements that say the same often differ."""

NUMBER_NOUNS = frozenset({"number", "nr", "nummer", "numéro", "número", "numero"})
"""Words before a number that change nothing: "plot number 27", "plot 27"."""

TITLES = frozenset(
    {
        *("mr", "mrs", "ms", "miss", "dr", "prof", "frau", "herr", "herrn", "monsieur", "madame", "mme", "mlle"),
        *("señor", "señora", "sr", "sra", "signor", "signora", "signore", "sig", "dott", "dottor"),
    }
)
"""Titles before names, which are often left out or translated."""

_GERMAN_NOUNS = """
    adresse datum geburtstag handy handynummer mobil nummer tel telefon telefonnummer termin uhr uhrzeit
    cent euro prozent gramm kilo kilogramm mikrogramm milligramm liter meter kilometer
    minute minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren
    morgen vormittag mittag nachmittag abend nacht
"""
NO_NAMES = TITLES | frozenset(_GERMAN_NOUNS.split())
"""Words with a capital letter that name nobody and nothing: titles, and German units and words for a kind of value."""

SINGLE_VALUED = frozenset({"liv", "work", "favourit", "favorit", "prefer", "report", "marr"})
"""Stems of words for things that people have only one of at a time: one home, one employer, one favourite tea."""

UNITS = frozenset({"mg", "µg", "mcg", "ml", "cl", "kg", "cm", "mm", "km", "kwh", "euro", "pound", "dollar"})
"""Stems of words after which a number is an amount."""

NUMBER_WORDS = {
    word: str(value)
    for words, start in (
        ("zero", 0),
        ("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen", 2),
        ("seventeen eighteen nineteen twenty", 17),
        ("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 3),
    )
    for value, word in enumerate(words.split(), start)
} | {"both": "2", "twice": "2", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
     "eighty": "80", "eightieth": "80", "ninety": "90", "dozen": "12"}  # fmt: skip
"""Number words. "One" and "first" are left out: they rarely count anything."""

# The vocabularies of times are without accents.
_ACCENTED_NAMES = """
    jänner märz février août décembre miércoles sábado lunedì martedì mercoledì giovedì venerdì
"""
_ACCENTED_WEEKDAYS = {
    "miércoles": 2, "sábado": 5, "lunedì": 0, "martedì": 1, "mercoledì": 2, "giovedì": 3, "venerdì": 4
}  # fmt: skip
_PLAIN_NAMES = (each.months.keys() | each.weekdays.keys() for each in LANGUAGES)
MONTH_TOKENS = (
    *("january", "february", "march", "april", "maymonth", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
"""The words for months with which dates are compared. Alone, "may" is mostly another word."""

DATE_NAMES = frozenset(_ACCENTED_NAMES.split()).union(MONTH_TOKENS, *_PLAIN_NAMES)
"""The weekdays and months of five languages."""

_ACCENTED_MONTHS = {"jänner": 1, "märz": 3, "février": 2, "août": 8, "décembre": 12}
MONTHS = {name: number for each in LANGUAGES for name, number in {**each.months, **_ACCENTED_MONTHS}.items()}
"""The numbers of the months in five languages. Alone, "mars" and "mai" are also names."""

_KIN = """
    père mère frère soeur sœur mari femme oncle tante cousin cousine neveu nièce grand-père grand-mère fils fille
    padre madre hermano hermana marido mujer esposa tío tía primo prima sobrino sobrina abuelo abuela hijo hija
    fratello sorella marito moglie zio zia cugino cugina nonno nonna figlio figlia
"""
KIN = frozenset(_KIN.split())
"""Relatives in other languages. Those in English are in `CONTRASTS`, and the German ones have a capital letter."""

WEEKDAYS = {
    name: number
    for vocabulary in LANGUAGES
    if vocabulary is not ENGLISH
    for name, number in {**vocabulary.weekdays, **_ACCENTED_WEEKDAYS}.items()
}
"""The numbers of the weekdays of the other languages. Their months are not here: "mars" and "mai" are also names."""

# Words of one group exclude each other; words of one line mean the same.
_CONTRASTS = """
    left | right
    north northern | south southern | east eastern | west western
    morning | afternoon | evening | night nights
    red | green | blue | black | white | grey gray | yellow | brown | orange | purple | pink | silver
    big large | small
    hot | cold | warm
    open opens opened | close closes closed shut shuts
    boy boys boys' | girl girls girls'
    more | less fewer
    above | below
    before | after
    love loves loved like likes liked enjoy enjoys adore adores | hate hates hated dislike dislikes torture
    buy bought buys | sell sells sold | borrow borrows borrowed | lend lends lent | rent rents rented
    own owns owned | want wants wanted
    mother mum mom mother's mum's | father dad father's dad's | sister sister's | brother brother's | son son's
      | daughter daughter's | wife wife's | husband husband's | uncle | aunt | cousin | nephew | niece
      | grandmother grandma gran | grandfather grandpa | godson | goddaughter | godmother | godfather
      | father-in-law | mother-in-law
    second seconds | minute minutes | hour hours | day days daily | week weeks weekly | month months monthly
      | year years yearly
    cup cups | litre litres liter liters | kilo kilos kilogram kilograms kg | gram grams | metre metres | mile miles
    english | german | french | italian | spanish
    marathon | half-marathon
    first | last
    early earlier | late later
    start starts started begin begins began | end ends ended finish finishes finished
    arrive arrives arrived | leave leaves depart departs departed
    upstairs | downstairs
    inside indoors | outside outdoors
    old older oldest | new newer newest | young younger youngest
    high higher | low lower
    always | sometimes | rarely seldom
    full | empty
    front | back rear
    public | private
    teach teaches teaching taught | learn learns learning learned
    win wins won | lose loses lost
    breakfast | lunch | dinner supper
    coffee espresso | tea | wine | beer | milk | juice | water
    beef | pork | chicken poultry | fish | lamb
    apple apples | pear pears | cherry cherries | plum plums | banana bananas
    dog dogs | cat cats | horse horses | rabbit rabbits | bird birds parrot | hamster
    piano | guitar | violin | cello | drums | flute | trumpet
    tennis | football soccer | basketball | handball | volleyball | hockey | chess | golf
    kitchen | bathroom | bedroom | hallway | office study | cellar basement | attic | garage | garden | balcony | shed
      | living-room
    car | bus | train | tram | bike bicycle | plane flight | boat ship | motorbike motorcycle
    knee | shoulder | hip | ankle | wrist | elbow | neck | hand | foot | eye eyes | ear ears | tooth teeth
    euro euros | dollar dollars | pound pounds | franc francs
    butcher | baker bakery | grocer | pharmacy chemist
    school | university | kindergarten nursery
    emails email | letters letter | meetings meeting | calls call
"""
_STATES = """
    positive positiv positif positivo | negative negativ négatif negativo
    broken kaputt defekt cassé cassée averiado averiada rotto rotta guasto guasta
      | repaired mended repariert réparé réparée reparado reparada arreglado arreglada riparato riparata
"""


def _groups(lines: str) -> dict[str, tuple[int, str]]:
    return {
        word: (group, line.split()[0])
        for group, lines_of_group in enumerate(re.split(r"\n(?!\s*\|)", lines.strip()))
        for line in lines_of_group.split("|")
        for word in line.split()
    }


CONTRASTS = _groups(_CONTRASTS)
"""The group of each word, and the first word of those that mean the same."""

KIN_GROUP = str(CONTRASTS["mother"][0])
"""The group of relatives, as in `Statement.contrasts`."""

STATES = _groups(_STATES)
"""More of them, in five languages. They are not part of the keys of stored memories."""

COUNTED_CONTRASTS = frozenset(
    CONTRASTS[word][0] for word in ("left", "north", "mother", "boy", "open", "buy", "own", "english", "marathon")
)
"""Groups of which a word in only one statement makes a difference, too: "my wedding", "my brother's wedding"."""

NEGATION = lazy_pattern(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n't"
    r"|nicht|kein\w*|nie|niemals|nichts|ohne|pas|jamais|rien|sans|nunca|nada|sin|non|niente|senza)\b",
)

INTENTION = lazy_pattern(
    r"\b(?:wants? (?:to|a|an)|would like|'d like to|hop(?:es?|ing) to|plan(?:s|ning)? to|going to|will|'ll"
    r"|intends?|thinking (?:about|of)|considers?|considering|toying|waiting list|due|promised|booked|about to"
    r"|looking for|trying to|might|may be|next (?:week|month|year|spring|summer|autumn|winter))\b",
)
"""Signs that something has not happened yet."""

PAST = lazy_pattern(
    r"\b(?:used to|formerly|back (?:from|then)|ex-\w+|half[- ](?:brother|sister|marathon)|\w+-in-law)\b"
)
"""Expressions that change what a statement is about."""

_ENGLISH_CHANGES = r"""
    no\ longer|any\ ?more|any\ longer|used\ to|instead|rather\ than|switch(?:ed)?\ (?:to|from)
    |chang(?:ed|e\ of\ plan|e\ to)|replaced|swapped|exchanged|traded|gave\ up|giv(?:en|es)\ up|dropp?ed
    |cancel(?:led|ed)|called\ off|fell\ through|postponed|pushed\ back|put\ off|delayed|brought\ forward|rebooked
    |resched\w+|refinanced|extended|shortened|from\ now\ on|these\ days|nowadays|currently|at\ present|right\ now
    |recently|lately|as\ of|since\ (?:then|last|january|february|march|april|may|june|july|august
    |september|october|november|december)|turned\ out|false\ alarm|by\ mistake|mistaken|in\ fact
    |correction|corrected|outdated|updated|renamed|upgraded|downgraded|migrat(?:ed|ing)|split\ up|divorced|broke\ up
    |after\ all|decided\ against|changed\ (?:my|his|her|our|their)\ mind|stepped\ down|resigned|retired|quit|is\ off
    |has\ (?:left|gone)|left\ (?:the|his|her|my|our|their)|went\ back|back\ to|shifted
    |moved?\ (?:to|from|out|in|into|back|today)|moving\ to|sold|stop(?:ped)?|expired|closed\ down|recovered|healed
    |outgr(?:ew|own)|raised|lowered|reduced|increased|doubled|halved|rose|went\ (?:up|down)|cut\ (?:down|to)|down\ to
    |up\ to|acting|(?:my|our|his|her|their)\ new
    |new\ (?:(?:mobile|cell|phone|telephone|work|home|office|e-?mail|postal|account)\ )?
    (?:slot|date|time|order|job|home|address|number|phone|mobile|car)|died|takes?\ over|took\ over|has\ become
    |(?<!\bfor\ )now(?!\ and\ (?:then|again)\b)|no\ more|had\ enough\ of
    |(?:is|are)\ off|can\ wait\ until|final\ (?:call|decision|answer|version|date)
    |moved\ (?:\w+\ ){1,4}to|moved(?=\ (?:the|my|our|his|her|their)\ \w)
    |(?:is|are|was|were|been|gets?)\ moved|gone\ (?:over|back)\ to|go(?:es)?\ (?:up|down)\ to
    |ha(?:s|ve)\ (?:started|begun|become|taken\ up|moved|joined)
    |(?:was|were|been)\ re(?:built|newed|placed|named|booked)
    |gave\ (?:away|(?:the|my|our|his|her|their)\ (?:[\w'-]+\ ){1,4}to)|given\ away
    |paid\ (?:[\w'-]+\ ){0,3}(?:back|off)
    |decided(?=:|\ (?:on|for|in\ favou?r)\b)|discontinued|ditched|scrapped|in\ favou?r\ of
    |(?:gone|went|going)\ (?:for|with)(?=[^.;!?\n]{1,60}\bin\ the\ end\b)
    |in\ the\ end,?\ (?:i|we|he|she|they)(?:'ve|'s|\ have|\ has)?\ (?:gone|went|chose|chosen|decided|opted|settled)
    |(?:can't|cannot|won't)(?=\ (?:be\ able\ to\ )?(?:start|begin|come|open|arrive|deliver|finish|move\ in)
    \ (?:until|before)\ )
    |(?:taken|weaned)\ off|took\ (?:me|him|her|them|us)\ off
    |(?:is|are)\ over(?!\ (?:\d|(?:there|the|a)\b))
    |\Aactually|i(?:\ was|'d\ got\ it|\ got\ (?:it|that))\ wrong|that\ was\ wrong|my\ mistake
    |since\ the\ (?:move|change|switch|merger|renovation|update|operation|surgery|accident|birth|divorce|wedding)
    |not\ (?!only\b|just\b)(?:[\w'-]+\ ){1,6}but
    |from\ (?:today|tomorrow|(?:this|next)\ (?:week|month|year)|january|february|march|april|may|june|july|august
    |september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
"""
_OTHER_CHANGES = r"""
    nicht\ mehr|kein\w*\ \w+\ mehr|stattdessen|statt|inzwischen|mittlerweile|umgezogen|zieh\w*\ um|neuerdings|ab\ sofort
    |von\ jetzt\ an|jetzt|nun|nur\ noch|abgesagt|verschoben|verlegt|gewechselt|verkauft|aufgehört|aufgegeben|geändert
    |doch\ nicht|sondern|abgesetzt|gestrichen|ausgefallen|entfällt|fällt\ aus|ist\ (?:vorbei|zu\ ende|beendet)
    |gekündigt|entschieden|korrektur|richtigstellung|geirrt|vertan
    |neue[rns]?\ (?:\w*nummer|adresse|\w*termin|uhrzeit|handy|stelle|wohnung)
    |verschenkt|abgegeben|weggegeben|entsorgt|weggeworfen
    |reduziert|erhöht|gesenkt|angehoben|herabgesetzt|heraufgesetzt|halbiert|verdoppelt
    |ab\ (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|morgen
    |(?:nächste[rmns]?|kommende[rmns]?)\ (?:woche|monat|jahr)|montag|dienstag|mittwoch|donnerstag|freitag
    |samstag|sonntag)
    |(?:(?<=,\ )|(?<=\())(?:not|nicht|(?:non\ )?pas|no|non)\ (?:(?:on|at|in|from|for|the|am|um|erst|der|den|dem|à|le|de
    |a|el|las|di|il|alle)\ )?
    [€$£]?\d+(?!\d|\ ?%)
    |à\ partir\ d\w|a\ partir\ del?|a\ partire\ da\w*|zurückgezahlt|zurückbezahlt|abbezahlt
    |seit\ (?:dem\ (?:umzug|umbau|unfall|wechsel)|der\ (?:geburt|trennung|scheidung))
    |ne\ \w+\ plus|n'\w+\ plus|désormais|dorénavant|maintenant
    |(?:déménag|chang|remplac|arrêt|annul|report|supprim)ée?s?|(?:augment|baiss|diminu|doubl)ée?s?|réduite?s?
    |(?:vend|suspend|interromp)ue?s?|est\ (?:fini|terminé)e?
    |\Aen\ fait|résiliée?s?|on\ a\ (?:choisi|décidé)|rectification|trompée?
    |nouve(?:au|l|lle)\ (?:numéro|adresse|portable|date|horaire|poste|appartement)
    |au\ lieu\ de|à\ la\ place|ya\ no|ahora|mudad[oa]s?|se\ mudó|cambiad[oa]s?|cambió|dejado\ de|dejó\ de
    |(?:cancelad|aplazad|vendid|suspendid|sustituid|retirad|suprimid|rescindid|reducid|aumentad|subid|bajad
    |duplicad)[oa]s?
    |ha\ (?:terminado|acabado)|(?:nos\ )?decidi(?:mos|do)|se\ acabó
    |\Aen\ realidad|corrección|equivo(?:qué|cado|cada)|nuev[oa]\ (?:número|móvil|teléfono|dirección|fecha|horario)
    |en\ lugar\ de|en\ vez\ de|non\ \w+\ più|adesso|ormai|smesso
    |(?:trasferit|cambiat|annullat|rimandat|rinviat|vendut|sospes|sostituit|interrott|disdett|ridott|aumentat|abbassat
    |raddoppiat)[oaie]
    |è\ (?:finit|terminat)[oa]
    |\Ain\ realtà|correzione|sbagliat[oa]|abbiamo\ (?:scelto|deciso)
    |nuov[oa]\ (?:numero|cellulare|telefono|indirizzo|data|orario)
    |invece|al\ posto\ di
"""
CHANGE = lazy_pattern(rf"\b(?:{_ENGLISH_CHANGES}|{_OTHER_CHANGES})\b", re.VERBOSE)
"""Signs that a statement replaces an earlier one."""

STATE_SIGNS = frozenset(
    {
        *("now", "these days", "nowadays", "currently", "at present", "right now", "recently", "lately", "as of"),
        *("jetzt", "nun", "nur noch", "inzwischen", "mittlerweile", "neuerdings"),
        *("maintenant", "désormais", "dorénavant", "ahora", "adesso", "ormai"),
    }
)
"""Those of them that only describe a state: "the dog now sleeps inside" is not about what the dog eats."""

SINCE = lazy_pattern(r"since\b")
"""The beginning of a sign that only says how long something has been so: "owes me 90 € since August"."""

ENDED = lazy_pattern(
    r"\b(?:no longer|(?:stopped|quit|(?:gave|given) up)(?= \w+ing\b)) ((?:(?! and now\b)[^.,;:!?\n])+)"
)
"""A verb and its objects that have ended, up to the end of the clause: "no longer works on Fridays"."""

NEW = lazy_pattern(r"\b(?:new|neue|nouve|nuev|nuov)")
"""The beginning of a sign of change that names what has changed: "new number"."""

TENTATIVE = lazy_pattern(
    r"\b(?:maybe|perhaps|probably|possibly|might|whether|think(?:s|ing)? (?:about|of)|consider(?:s|ing)?|toying"
    r"|not sure|wonder(?:s|ing)?"
    r"|vielleicht|eventuell|evtl|möglicherweise|wahrscheinlich|vermutlich|überleg\w*"
    r"|peut-être|probablement|envisage\w*|songe\w*|hésite\w*"
    r"|quizás?|tal vez|a lo mejor|probablemente|se plantea\w*"
    r"|forse|magari|probabilmente|pens(?:a|o|iamo|ano) di|valuta(?:ndo|no)?)\b"
)
"""Signs that something may happen: it replaces nothing yet."""

_NOW = r"(?:now|jetzt|nun|inzwischen|mittlerweile|maintenant|désormais|ahora|adesso|ormai)"
_ALSO = r"(?:also|auch|aussi|también|anche)"
ADDITION = lazy_pattern(rf"\b(?:{_NOW} {_ALSO}|{_ALSO} {_NOW})\b")
"""Something that is new beside what was said before: "the dog now also has a red collar"."""

TALK = lazy_pattern(
    r"[?!]|\b(?:i|i'm|i've|i'll|i'd|me|you|your|yours|you're|you've|let's|hey|hi|hello|wow|thanks|thank|yes|yeah|yep|nope"
    r"|ok|okay|oh|haha|congrats|sorry|absolutely|definitely|totally|that's|ich|du|dir|dich|mich|mir|dein\w*|ja|nein"
    r"|danke|je(?! \d)|j'\w+|tu|toi|moi|ton|tes|vous|votre|oui|merci|yo|tú|te|ti|sí|gracias|io|tuo|tua|grazie|ciao|hola"
    r"|salut|hallo)\b"
)
"""Words and signs of people who talk to each other. Notes under a topic have few of them."""

REASON = lazy_pattern(
    r"\b(?:because|due to|owing to|thanks to|on account of|wegen|aufgrund|weil|dank"
    r"|à cause d\w*|parce qu\w*|en raison d\w*|grâce à|debido a|porque|por (?:su|mi|culpa)"
    r"|a causa d\w*|per (?:via|colpa) d\w*|perché)\b[^.,;:!?\n]*"
    r"|(?<=\w )(?:after|before|nach|vor) "
    r"(?:the|a|an|my|our|his|her|their|(?:mein|unser|sein|ihr)e?[nmr]?|d(?:em|er|en)) "
    r"[^.,;:!?\n]{1,40}(?=[.,;:!?\n]|$)"
)
"""A reason, or an event that tells the time of another one, up to the end of its clause."""

NAMED_BEING = lazy_pattern(
    r"^(?:(?:(?:the )?user's|my|our|his|her|their|mein\w?|unser\w?|sein\w?|ihr\w?|mon|ma|notre|nos|son|sa|leur|mi"
    r"|nuestr[oa]|su|(?:il |la )?(?:mi[oa]|nostr[oa]|su[oa]|loro)|the|der|die|das|le|la|el|il) )?([^\W\d_]{1,20}) "
    r"((?-i:[A-ZÀ-ÖØ-Þ])[\w-]{1,30})\b",
    re.IGNORECASE,
)
"""A subject with a kind and a name, as in "our dog Mochi"."""

NAME_FIRST = lazy_pattern(
    rf"^(?:(?:{'|'.join(sorted(map(str.capitalize, TITLES)))})\.? )?"
    r"([A-ZÀ-ÖØ-Þ][\w-]{1,30})\b(?! (?:rang|called|phoned|wrote|texted|emailed|says?|said|told|confirm(?:s|ed))\b)"
    r"(?:, ([^\n,.;:]{1,40}),)?"
)
"""A name with which a text begins, and what it is: "Mochi, our dog, …", "Dr Roth". Not "Ada rang: …", which tells what
somebody has heard."""

DOER = lazy_pattern(
    r"^([A-ZÀ-ÖØ-Þ][\w-]{1,30}) (?!(?:is|has|was|does|goes|lives|works|leads|runs|owns)\b)[a-z]+s (?!of\b)"
)
"""The name of somebody, and a verb that says what they do, as in "Ben cooks for Ada"."""

AGENT = lazy_pattern(
    r"^(?:(?:the|my|our|his|her|their) )?([^\n.,;:!?]{1,40}?) (?:(?:has|have) )?(?:(?:just|now|finally) )?"
    r"(?:doubled|halved|raised|lowered|reduced|increased|changed|replaced|extended|shortened|stopped|dropped|cancelled"
    r"|canceled|postponed|moved) (?:the|my|our|(?-i:[A-ZÀ-ÖØ-Þ])[\w-]{1,30}['’]s) ",
    re.IGNORECASE,
)
"""Somebody who has changed something: "Dr Roth" in "Dr Roth doubled Ada's dose", "the vet" in "the vet changed my cat's
food"."""

OBJECT_OF_CHANGE = lazy_pattern(
    r"(?: [\w'-]+){0,2} (?:(?:is|are) no longer (?:used|needed|available|active|open|valid|there)"
    r"|(?:is|are|was|were|ist|sind|est|sont|es|son|è|sono)(?! (?:no longer|nicht|kein\w*)\b)"
    r"|(?:has|have|had|will) be(?:en)?|gets?|got|wurde\w*|wird|a été|ha sido|fue|è stat\w)\b"
)
"""The words after the subject if something is done to it: "Netlify is no longer used". They do not match "Ada no longer
eats sugar" or "Ada is no longer vegetarian"."""

_NAME = r"([A-ZÀ-ÖØ-Þ][\w-]{1,30})"
POSSESSOR = lazy_pattern(rf"\b{_NAME}['’]s (?=[a-z]|[A-Z]{{2}})|\b(?:of|von|de|di|d['’]) ?{_NAME}(?: {_NAME})?")
"""Somebody who has something, as in "Ada's phone" or "la voiture de Luc"."""

COUNTER = lazy_pattern(
    r"\b(?:latest|newest|most recent|current(?:ly)?|last|counter|now at"
    r"|aktuelle\w*|neueste\w*|letzte\w*|zähler|dernière?|actuel\w*|últim[oa]|actual|ultim[oa]|attuale)\b"
)
CODE = lazy_pattern(r"\b([a-z]{1,6}-(?:\d{2,4}-)?)(\d{2,6})\b")
"""Which number of a series is the latest, and a number with a beginning that the series has: "R-2026-052"."""

HOME, MOVE = (
    lazy_pattern(r"\b(?:liv(?:es?|ing)|wohn(?:t|e|en)|leb(?:t|e|en)|habit\w+|viv\w+|abit\w+)\b"),
    lazy_pattern(r"\b(?:moved|umgezogen|zieht um|(?:dé|em)?ménag\w+|mudad\w|mudó|trasferit\w)\b"),
)
"""Living somewhere, and moving."""

WORK = lazy_pattern(
    r"\b(?:work(?:s|ed|ing)? (?:at|for|as)|job|employ(?:s|ed|er|ment)|hired|promoted"
    r"|arbeite\w* (?:bei|für|als)|stelle|arbeitgeber\w*|travaill\w+ (?:chez|pour|comme)|trabaj\w+ (?:en|para|como|de)"
    r"|lavor\w+ (?:per|come|presso))\b"
)
"""Working for somebody."""

DEATH = lazy_pattern(
    r"\b(?:died|passed away|(?:ge|ver)storben|eingeschläfert|(?:est|sont) morte?s?|décédée?s?|murió|ha muerto"
    r"|falleci\w+|(?:è|sono) mort[oaie])\b"
)
"""The death of a person or an animal."""

PLACE_BEFORE, GOAL_BEFORE = (
    lazy_pattern(r"\b(?:in|near|à|en) $"),
    lazy_pattern(r"\b(?:to|from|nach|aus|von|a|de|da) $"),
)
"""Prepositions before the name of a place: where something is, and where somebody moves to or from."""

CHANGED = lazy_pattern(
    r"(?:^|[.;:,!?\n] ?)(?P<subject>[^.;:,!?\n]{1,80}?) (?:"
    r"(?:is|are|was|were|has|have)(?: been)? (?:now|no longer|moved|postponed|cancelled|rescheduled|sold)"
    r"|(?:ist|sind|wurden?) (?:jetzt|nun|nicht mehr|verschoben|verlegt|abgesagt|verkauft)"
    r"|(?:est|sont|a été|ont été) (?:maintenant|désormais|reportée?s?|déplacée?s?|annulée?s?|vendue?s?)"
    r"|(?:es|está|son|están|ha sido|fue) (?:ahora|ya no|aplazad[oa]s?|cancelad[oa]s?|vendid[oa]s?)"
    r"|(?:è|sono)(?: stat[oaie])? (?:ora|adesso|rinviat[oaie]|spostat[oaie]|annullat[oaie]|vendut[oaie]))\b",
    re.IGNORECASE,
)
"""The subject of a change: "rehearsals of the choir" in "rehearsals of the choir are now on Wednesdays"."""

SUBJECT_END = lazy_pattern(
    r" (?:about|at|between|by|during|for|from|in|of|on|to|with|am|bei|für|im|mit|von|vom|zum|zur|à|au|avec|chez|d[eui']"
    r"|des|pour|con|del|della|para|por)\b",
    re.IGNORECASE,
)
"""The end of the first noun of a subject with its adjectives."""

_PERSON = r"^(?:the )?(i|we|user|(?-i:[A-ZÀ-ÖØ-Þ])[\w-]{1,30})\b"
_LIVES = r"liv(?:es?|ing) (?:in|at|near|on)\b"
MOVER, RESIDENT = (
    lazy_pattern(
        rf"{_PERSON}(?: now {_LIVES}|(?:'ve| have| has)?(?: (?:just|recently|finally))? moved"
        r"(?: (?:back )?(?:(?:to|from) (?-i:[A-ZÀ-ÖØ-Þ])|(?:in|out|home|house)\b"
        rf"|into (?:an?|the|our|my|his|her|their)\b)|[:;,.]?(?: (?:and|so|i|we|now)){{1,3}} {_LIVES}))",
        re.IGNORECASE,
    ),
    lazy_pattern(rf"{_PERSON}(?: [a-z]+){{0,2}}? {_LIVES}", re.IGNORECASE),
)
"""A person who has moved, and one who lives somewhere, at the beginning of a text."""
