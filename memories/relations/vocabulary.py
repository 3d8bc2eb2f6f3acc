"""Words that decide how two statements are related.

The words are English, except for function words and those of changes and negations, which are known in five languages.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
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
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_FUNCTION_WORDS_OF_OTHER_LANGUAGES.split())
"""Words that say nothing about the subject of a statement. "The user" and "I" are the same person."""

_INTERCHANGEABLE = """
    a an the i i'm my me mine myself we we're our ours us user user's is are am be has have had called named name own
    really very lot also eur usd gbp chf by way
"""
INTERCHANGEABLE = frozenset(_INTERCHANGEABLE.split())
"""Words by which two statements that say the same often differ."""

SINGLE_VALUED = frozenset({"liv", "work", "favourit", "favorit", "prefer", "report", "marr"})
"""Stems of words for what somebody has only one of at a time: one home, one employer, one favourite tea."""

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
_PLAIN_NAMES = (each.months.keys() | each.weekdays.keys() for each in LANGUAGES)
DATE_NAMES = frozenset(_ACCENTED_NAMES.split()).union(*_PLAIN_NAMES)
"""The weekdays and months of five languages."""

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
CONTRASTS: dict[str, tuple[int, str]] = {
    word: (group, line.split()[0])
    for group, lines in enumerate(re.split(r"\n(?!\s*\|)", _CONTRASTS.strip()))
    for line in lines.split("|")
    for word in line.split()
}
"""The group of each word, and the first word of those that mean the same."""

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
    |new\ (?:slot|date|time|order|job|home|address|number|phone|car)|died|takes?\ over|took\ over|has\ become
    |now|no\ more|had\ enough\ of|(?:is|are)\ off|can\ wait\ until|final\ (?:call|decision|answer|version|date)
    |moved\ (?:\w+\ ){1,4}to|(?:is|are|was|were|been|gets?)\ moved|gone\ (?:over|back)\ to|go(?:es)?\ (?:up|down)\ to
    |ha(?:s|ve)\ (?:started|begun|become|taken\ up|moved|joined)
    |(?:was|were|been)\ re(?:built|newed|placed|named|booked)
    |gave\ (?:away|(?:the|my|our|his|her|their)\ (?:[\w'-]+\ ){1,4}to)|given\ away
    |paid\ (?:[\w'-]+\ ){0,3}(?:back|off)
    |since\ the\ (?:move|change|switch|merger|renovation|update|operation|surgery|accident|birth|divorce|wedding)
    |not\ (?!only\b|just\b)(?:[\w'-]+\ ){1,6}but
    |from\ (?:today|tomorrow|(?:this|next)\ (?:week|month|year)|january|february|march|april|may|june|july|august
    |september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
"""
_OTHER_CHANGES = r"""
    nicht\ mehr|kein\w*\ \w+\ mehr|stattdessen|statt|inzwischen|mittlerweile|umgezogen|zieh\w*\ um|neuerdings|ab\ sofort
    |von\ jetzt\ an|jetzt|nun|abgesagt|verschoben|verlegt|gewechselt|verkauft|aufgehört|aufgegeben|geändert|doch\ nicht
    |sondern|verschenkt|abgegeben|weggegeben
    |ab\ (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|morgen
    |(?:nächste[rmns]?|kommende[rmns]?)\ (?:woche|monat|jahr)|montag|dienstag|mittwoch|donnerstag|freitag
    |samstag|sonntag)
    |à\ partir\ d\w|a\ partir\ del?|a\ partire\ da\w*|zurückgezahlt|zurückbezahlt|abbezahlt
    |seit\ (?:dem\ (?:umzug|umbau|unfall|wechsel)|der\ (?:geburt|trennung|scheidung))
    |ne\ \w+\ plus|n'\w+\ plus|désormais|dorénavant|maintenant|déménagé|changé|remplacé|arrêté|annulé|reporté|vendu
    |au\ lieu\ de|à\ la\ place|ya\ no|ahora|mudad[oa]|se\ mudó|cambiad[oa]|cambió|dejado\ de|dejó\ de|cancelad[oa]
    |aplazad[oa]|vendid[oa]|en\ lugar\ de|en\ vez\ de|non\ \w+\ più|adesso|ormai|trasferit[oa]|cambiat[oa]|smesso
    |annullat[oa]|rimandat[oa]|rinviat[oa]|vendut[oa]|invece|al\ posto\ di
"""
CHANGE = lazy_pattern(rf"\b(?:{_ENGLISH_CHANGES}|{_OTHER_CHANGES})\b", re.VERBOSE)
"""Signs that a statement replaces an earlier one."""
