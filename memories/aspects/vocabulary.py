"""Expressions with which a sentence about the owner begins, by aspect, in five languages.

The text is in lower case, with one kind of apostrophe. Each expression is compared with the beginning of a sentence,
and what may be anything in it has few characters: that bounds the cost.
"""

from __future__ import annotations

from collections.abc import Mapping

from memories.aspects.answer_style import STYLE

CLAUSE_START = r"[\s\-*•–>\"'(]{0,8}(?:(?:note|fyi|remember(?: that)?|notiz|merke|nota)[:,]? )?"
"""A bullet, a quotation mark or a lead-in such as "Note:" before a sentence."""

_FEW = (
    r"(?:an?|one|two|three|four|five|six|no|\d|ein\w{0,2}|zwei|drei|vier|fünf|kein\w{0,2}|une?|deux|trois|quatre|cinq"
)
_FEW += r"|dos|tres|cuatro|cinco|due|tre|quattro|cinque|una|uno|un')"

# English. Assistants call the owner "the user".
_I = r"(?:i(?: am|'m| was|'ve)?|we(?: are|'re|'ve)?|(?:the )?(?:user|owner)(?: is| was)?)"
_I_ALSO = rf"{_I} (?:(?:also|now|still|currently|both|presently|severely|highly|very|mildly|strongly|slightly) ){{0,2}}"
_I_AM = (
    r"(?:i am|i'm|we are|we're|(?:the )?(?:user|owner) is) "
    r"(?:(?:also|now|still|currently|both|severely|highly|very|mildly|strongly|slightly) ){0,2}"
)
_MY = r"(?:my|our|(?:the )?(?:user|owner)'?s?'?)"
_NO_KIN = r"(?!(?:business|training|running|sparring|trading|dance|tennis|former|ex) )"
_KIN = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|sons?|daughters?|child(?:ren)?|kids?|mother"
    r"|father"
    r"|mum|mom|dad|parents|brothers?|sisters?|siblings?|twins?|step\w{2,9}|grand\w{2,9}|baby|family)"
)
_DISEASES = (
    r"(?:allerg\w*|intoleran\w+|asthma\w*|diabet\w+|migraines?|c(?:o)?eliac\w*|epilep\w+|hypertension"
    r"|high blood pressure"
    r"|hay ?fever|pacemaker|adhd|arthritis|hashimoto'?s?|crohn'?s|psoriasis|eczema|lactose|(?:chronic|heart) \w+)"
)
_FOODS = r"(?:gluten|wheat|dairy|lactose|milk|nuts?|peanuts?|eggs?|meat|pork|alcohol|shellfish|fish|soy|sugar)"
_DIETS = r"(?:vegans?|vegetarians?|pescatarians?|pregnant|gluten|colou?r-?blind|deaf|blind|left-handed)"
JOBS = (
    r"(?:engineer|developer|teacher|nurse|doctor|lawyer|solicitor|student|designer|manager|consultant|architect"
    r"|accountant|scientist|researcher|professor|lecturer|chef|cook|carpenter|electrician|plumber|driver|pilot|writer"
    r"|author|editor|translator|photographer|musician|actor|baker|farmer|pharmacist|physician|surgeon|midwife"
    r"|paramedic"
    r"|officer|analyst|programmer|administrator|technician|mechanic|librarian|secretary|clerk|founder|freelancer|tutor"
    r"|\w{3,12}(?:ologist|ographer|therapist|ician)|social worker|carer|gardener|hairdresser|waiter|waitress|tailor"
    r"|butcher|optician|notary|judge|economist|journalist|dentist|vet|artist|director|pensioner)"
)

# German.
_ICH = r"(?:ich|wir|(?:der |die )?(?:nutzer|benutzer|user)(?:in)?)"
_MEIN = r"(?:mein|unser)\w{0,2}"
_NICHT_VERWANDT = r"(?!(?:beste|gute|alte|ex)\w* )"
_VERWANDT = (
    r"(?:frau|mann|ehefrau|ehemann|partner(?:in)?|freund(?:in)?|verlobte\w?|sohn|söhne|tochter|töchter|kind(?:er)?"
    r"|mutter"
    r"|vater|mama|papa|eltern|brüder|bruder|schwestern?|geschwister|zwillinge?|enkel\w{0,7}|oma|opa|großeltern"
    r"|großmutter"
    r"|großvater|baby|familie)"
)
_LEIDEN = (
    r"(?:\w{0,14}allergi\w*|\w{0,14}unverträglich\w*|\w{0,10}intoleran\w+|diabet\w+|asthma\w*|migräne|zöliakie"
    r"|epilep\w+"
    r"|heuschnupfen|bluthochdruck|vegan\w*|vegetari\w+|schwanger|rheuma|neurodermitis|herzschrittmacher|farbenblind)"
)
BERUFE = (
    r"\w{0,16}(?:lehrer|ärztin|arzt|ingenieur|entwickler|informatiker|programmierer|pfleger|krankenschwester|verkäufer"
    r"|anwalt|anwältin|architekt|student|koch|köchin|bäcker|schreiner|tischler|elektriker|berater|designer|journalist"
    r"|übersetzer|wissenschaftler|forscher|buchhalter|erzieher|hebamme|apotheker|landwirt|polizist|beamt|rentner"
    r"|therapeut"
    r"|fotograf|psycholog|biolog|chemiker|physiker|notar|gärtner|friseur|sekretär|dozent|mechaniker|techniker"
    r"|schlosser"
    r"|maler|musiker|autor|redakteur|leiter)\w{0,3}"
)

# French.
_JE = r"(?:je|j'|nous|on|l'utilisat(?:eur|rice)|il|elle) ?"
_MON = r"(?:mon|ma|mes|notre|nos)"
_PROCHE = (
    r"(?:femme|mari|conjointe?|compagne|compagnon|épou(?:x|se)|fiancée?|copine|copain|fils|filles?|enfants?|mère|père"
    r"|parents|frères?|soeurs?|sœurs?|jumeaux|jumelles|grands?-\w{2,7}|petits?-\w{2,7}|bébé|famille)"
)
_MALADIES = (
    r"(?:allergi\w+|intoléran\w+|asthm\w+|diab[eè]t\w+|migraines?|c(?:o|œ)?[eœ]?liaque|cœliaque|épilep\w+|hypertension"
    r"|rhume des foins|végane?|végétarien\w*|enceinte|daltonien\w*)"
)
_METIERS = (
    r"(?:infirmi|enseignant|prof|médecin|ingénieur|développeu|avocat|étudiant|architecte|comptable|cherch|journaliste"
    r"|cuisini|boulang|menuisi|électricien|pharmacien|graphiste|traduct|photographe|consultant|indépendant|retraité"
    r"|fonctionnaire|institut|kiné|sage-femme|agricult|vendeu|dentiste|vétérinaire|notaire|secrétaire|informatic"
    r"|coiffeu"
    r"|au chômage)\w*"
)

# Spanish. The subject is mostly left out.
_YO = r"(?:yo |nosotros |nosotras |(?:el |la )?usuari[oa] |también )?"
_MI = r"(?:mi|mis|nuestr[oa]s?)"
_PARIENTE = (
    r"(?:mujer|marido|espos[oa]|pareja|novi[oa]|prometid[oa]|hij[oa]s?|madre|padres?|mamá|papá|herman[oa]s?"
    r"|gemel[oa]s?"
    r"|melliz[oa]s?|niet[oa]s?|abuel[oa]s?|bebé|familia)"
)
_DOLENCIAS = (
    r"(?:al[eé]rgi\w+|intoleran\w+|asm\w+|asmátic\w+|diab[eé]t\w+|migrañas?|cel[ií]a\w+|epil[eé]p\w+|hipertens\w+"
    r"|vegan[oa]s?|vegetarian[oa]s?|embarazada|daltónic[oa])"
)
_OFICIOS = (
    r"(?:enfermer|profesor|maestr|médic|ingenier|desarrollador|abogad|estudiante|arquitect|contable|investigador"
    r"|periodista|cociner|panader|carpinter|electricista|farmacéutic|diseñador|traductor|fotógraf|consultor|autónom"
    r"|jubilad|funcionari|camarer|programador|informátic|psicólog|dentista|veterinari|notari|agricultor|peluquer)\w*"
)

# Italian. The subject is mostly left out.
_IO = r"(?:io |noi |l'utente |anche )?"
_MIO = r"(?:(?:il |la |i |le )?(?:mi[oae]|miei|nostr[oaie]))"
_PARENTE = (
    r"(?:moglie|marito|compagn[oa]|fidanzat[oa]|figli[oae]?|figlie|madre|padre|mamma|papà|genitori|fratell[oi]"
    r"|sorell[ae]"
    r"|gemell[ie]|nipot[ei]|nonn[oaie]|bimb[oaie]|famiglia)"
)
_DISTURBI = (
    r"(?:allergi\w+|intolleran\w+|asma\w*|diabet\w+|emicrani\w+|celia\w+|epile\w+|ipertens\w+|vegan[oa]|vegetarian[oa]"
    r"|incinta|daltonic[oa])"
)
_MESTIERI = (
    r"(?:infermier|insegnante|professor|maestr|medic|ingegner|sviluppat|avvocat|student|architett|contabile"
    r"|commercialist"
    r"|ricercat|giornalist|cuoc|panettier|falegname|elettricista|farmacist|grafic|traduttor|traduttric|fotograf"
    r"|consulent"
    r"|pensionat|impiegat|camerier|programmat|informatic|psicolog|dentista|veterinari|notai|agricoltor|parrucchier"
    r"|operai"
    r"|libero professionista)\w*"
)

EXPRESSIONS: Mapping[str, tuple[str, ...]] = {
    "name": (
        rf"{_MY} (?:(?:full|first|last|middle|real|given|family|preferred) )?(?:sur|nick)?names? (?:is|are)\b",
        rf"{_I} (?:called|named (?!after)|known as|goes? by)\b|(?:please )?call me \w",
        rf"{_MY} (?:pronouns|birthday|date of birth|native language|mother tongue)(?: is| are|:)",
        rf"(?:i was|we were|{_I}) born (?:in|on)\b|{_I} (?:(?:is|turned) )?\d\d?(?: years old|,|\.|$)",
        r"(?:full |first |last )?name: |date of birth: |born: ",
        rf"{_ICH} (?:heiße|heisse|heißt|heißen)\b|{_MEIN} (?:\w+ )?(?:vor|nach|spitz|ruf)?name (?:ist|lautet)\b",
        rf"(?:nennt|nennen sie) mich\b|{_MEIN} geburtstag ist\b|geburtsdatum: |geboren am\b|{_MEIN} muttersprache\b",
        rf"{_ICH} (?:habe|hat) am .{{1,20}} geburtstag\b|{_ICH} (?:bin|wurde|ist) (?:am|im|in"
        rf"|\d\d).{{0,30}}\bgeboren\b|{_ICH} (?:bin|ist) \d\d?(?: jahre alt|$)",
        rf"(?:je m'appelle|l'utilisat\w+ s'appelle|appel(?:le|ez)-moi)\b|{_MON} (?:pré|sur)?nom (?:complet |est)",
        rf"{_MON} (?:anniversaire|date de naissance|langue maternelle) (?:est|c'est)\b|(?:pré)?nom ?: "
        rf"|j'ai \d\d? ans\b",
        r"je suis née? (?:en|le|à)\b",
        rf"(?:me llamo|llámame)\b|{_YO}se llama\b|{_MI} (?:nombre|apellido|cumpleaños|lengua materna)\b.{{0,10}} es\b",
        rf"nombre: |{_YO}(?:nací|nació) (?:en|el)\b|{_YO}(?:tengo|tiene) \d\d? años\b",
        rf"(?:mi chiamo|chiamami)\b|l'utente si chiama\b|{_MIO} (?:nome|cognome|compleanno|lingua madre)\b.{{0,10}} è",
        rf"nome: |{_IO}(?:sono|è) nat[oa] (?:a|il|nel)\b|{_IO}(?:ho|ha) \d\d? anni\b",
    ),
    "health": (
        rf"{_I_AM}(?:(?:an?|lactose|gluten)[- ])?(?:{_DISEASES}|{_DIETS})\b",
        rf"{_I_ALSO}(?:have|has|had|get|gets|suffers? from|diagnosed with) .{{0,30}}?\b{_DISEASES}",
        rf"{_I_ALSO}(?:takes?|on) .{{1,50}}(?:\d ?[mµu]g\b|\b(?:tablets?|pills?|insulin|medication))",
        rf"{_I_ALSO}(?:can'?t|cannot|must not|may not|don't|doesn't|do not) (?:eat|tolerate|(?:have|drink"
        rf"|digest) {_FOODS})\b",
        rf"{_I_ALSO}(?:eats?|follows?|(?:is |am |are )?on) (?:an? )?(?:\w+ly )?(?:{_DIETS}|{_FOODS}[- ]free|halal"
        rf"|kosher)\b",
        rf"{_MY} (?:blood (?:type|group)|allerg\w+|medication\w*)\b|blood (?:type|group)\b|allergic to\b|allerg\w+: ",
        rf"(?:{_MY} )?{_KIN}\b.{{0,30}} (?:is|are|has|have|gets?|suffers?) .{{0,25}}\b(?:{_DISEASES}|{_DIETS})\b",
        rf"(?:{_MY} )?{_KIN}\b.{{0,30}} (?:takes? .{{1,50}}\d ?[mµu]g\b|(?:can'?t|cannot|must not|doesn't) (?:eat"
        rf"|tolerate|have"
        rf" {_FOODS})\b|eats? (?:\w+ly )?(?:vegan|vegetarian|{_FOODS}[- ]free|halal|kosher)\b)",
        rf"{_ICH} (?:bin|ist|sind|habe|hat|haben|leide|leidet|leiden) .{{0,40}}?\b{_LEIDEN}\b",
        rf"{_ICH} (?:vertrage|verträgt|vertragen|esse|isst|essen|darf|dürfen) .{{0,25}}?\b(?:kein\w*|nicht|vegan"
        rf"|vegetarisch)\b",
        rf"{_ICH} (?:nehme|nimmt) .{{1,50}}(?:\d ?[mµ]g\b|\b(?:tabletten?|insulin))|allergisch gegen\b"
        rf"|\w{{0,12}}allergien?: ",
        rf"(?:{_MEIN} )?blutgruppe\b|{_ICH} ernähr(?:e|t|en) (?:mich|sich|uns) .{{0,20}}?(?:vegan|vegetarisch"
        rf"|\w+frei)\b",
        rf"(?:{_MEIN} )?{_VERWANDT}\b.{{0,30}} (?:ist|sind|hat|haben|leidet) .{{0,30}}?\b{_LEIDEN}\b",
        rf"(?:{_MEIN} )?{_VERWANDT}\b.{{0,30}} (?:(?:verträgt|isst|darf) .{{0,25}}?\b(?:kein\w*|nicht|vegan"
        rf"|vegetarisch)\b"
        rf"|nimmt .{{0,50}}\d ?[mµ]g\b)",
        rf"(?:je suis|nous sommes|l'utilisat\w+ est) .{{0,20}}?\b{_MALADIES}",
        rf"(?:j'ai|nous avons|je souffre d|l'utilisat\w+ (?:a|souffre)).{{0,30}}?\b{_MALADIES}"
        rf"|{_MON} groupe sanguin\b",
        r"je prends .{1,50}\d ?[mµ]g\b|je ne (?:supporte|mange|tolère|peux|digère)\b|groupe sanguin\b"
        r"|allergi\w+ ?(?:: |aux? |à )",
        rf"(?:{_MON} )?{_PROCHE}(?: [\w-]{{2,20}})? (?:est|a) .{{0,20}}?\b{_MALADIES}",
        rf"{_YO}(?:soy|somos|es|estoy|está) .{{0,20}}?\b{_DOLENCIAS}",
        rf"{_YO}(?:tengo|tenemos|tiene|padezco|padece|sufro|sufre) .{{0,30}}?\b{_DOLENCIAS}",
        rf"al[eé]rgi\w+(?: a\b|: )|(?:{_MI} )?grupo sanguíneo\b|{_YO}tom[oa] .{{1,50}}\d ?[mµ]g\b",
        rf"{_YO}no (?:como|puedo comer|tolero|puedo tomar)\b|(?:{_MI} )?{_PARIENTE}(?: [\w-]{{2,20}})? (?:es"
        rf"|tiene) .{{0,20}}?\b{_DOLENCIAS}",
        rf"{_IO}(?:sono|siamo|è) .{{0,20}}?\b{_DISTURBI}|{_IO}(?:ho|abbiamo|ha|soffro|soffre) .{{0,30}}?\b{_DISTURBI}",
        rf"allergi\w+(?: a\w{{0,3}}\b|: )|(?:{_MIO} )?gruppo sanguigno\b|{_IO}prend[oe] .{{1,50}}\d ?[mµ]g\b",
        rf"{_IO}non (?:mangio|posso mangiare|tollero|posso prendere)\b"
        rf"|(?:{_MIO} )?{_PARENTE}(?: [\w-]{{2,20}})? (?:è|ha) .{{0,20}}?\b{_DISTURBI}",
    ),
    "family": (
        rf"{_MY} (?:{_NO_KIN}[\w-]+ ){{0,2}}?{_KIN}(?: and (?:\w+ )?{_KIN})?(?:'s? names?)? "
        r"(?:is|are) (?:called|named|an? |\d|our |my |[\w-]+(?:,|\.| and | \(|$))",
        rf"{_MY} (?:{_NO_KIN}[\w-]+ )?{_KIN},? (?!(?:ha[sd]|have|got|bought|takes?|is|was|will)\b)[\w-]+(?:,| \("
        rf"| and [\w-]+,?)? ?"
        r"(?:is \d|is an? |was born|works|lives?|teach\w*|studies|goes to|are \w+|who\b|\d\d?(?:\)|,|$)|$)",
        rf"(?:{_MY} )?(?!family|baby){_KIN} (?:is|are) (?:called \w|named \w|[\w-]+(?: [\w-]+)?,)",
        rf"(?:{_MY} )?(?!family|baby){_KIN},? [\w-]+(?:,| \([^)\n]{{1,40}}\))? (?:is \d|is an? |was born|works\b"
        rf"|lives?\b"
        r"|turn(?:s|ed) \d|goes to\b|(?:has )?died\b|passed away\b)",
        rf"(?:{_MY} )?{_KIN} (?:turn(?:s|ed) \d|is \d|(?:has )?died\b|passed away\b)",
        rf"{_I} (?:have|has|got|'ve got) {_FEW} (?:[\w-]+ ){{0,2}}?{_KIN}\b",
        rf"{_I} (?:happily |recently |now )?(?:married|engaged|single|divorced|widowed|an? (?:single |proud )?"
        r"(?:mother|father|parent|mum|dad|widower?))\b",
        rf"(?:wife|husband|partner|spouse|children|kids|family|daughters?|sons?|parents)(?:'s name)?: "
        rf"|{_I} lives? with (?:my|our|"
        rf"her|his|their) {_KIN}",
        rf"[\w-]{{2,20}}(?:, | \(| is )(?:my|our|the user's) (?:[\w-]+ )?{_KIN}\b",
        rf"{_MEIN} (?:{_NICHT_VERWANDT}[\w-]+ )?{_VERWANDT}(?: und (?:{_MEIN} )?{_VERWANDT})? (?:heiß(?:t|en)\b"
        rf"|(?:ist|sind) (?:\d"
        rf"|\w+ jahre|[\w-]+(?: \(|, | und ))|wurde\b)",
        rf"{_MEIN} (?:{_NICHT_VERWANDT}[\w-]+ )?{_VERWANDT},? [\w-]+,? (?:ist|sind|wurde|arbeitet|wohnt|geht|\()",
        rf"{_ICH} (?:habe|hat|haben) {_FEW} (?:[\w-]+ )?{_VERWANDT}\b",
        rf"{_ICH} (?:bin|ist|sind) (?:[\w-]+ ){{0,5}}?(?:verheiratet|ledig|geschieden|verwitwet|verlobt"
        rf"|alleinerziehend)\b",
        rf"(?:frau|mann|partner(?:in)?|kinder|familie|tochter|sohn|eltern): |[\w-]{{2,20}}(?:, | \("
        rf"| ist ){_MEIN} (?:\w+ )?{_VERWANDT}\b",
        rf"{_MON} (?:[\w-]+ )?{_PROCHE} (?:s'appelle(?:nt)?\b|(?:a|ont) \d+ (?:ans|mois)|est née?\b)"
        rf"|{_MON} {_PROCHE},? [\w-]+,? "
        r"(?:a \d|est|travaille|habite|\()",
        rf"(?:j'ai|nous avons|on a|l'utilisat\w+ a) {_FEW} (?:[\w-]+ )?{_PROCHE}\b",
        r"(?:je suis|nous sommes|l'utilisat\w+ est) (?:mariée?s?|célibataire|divorcée?|veu(?:f|ve)|pacsée?s?"
        r"|fiancée?s?)\b",
        r"(?:femme|mari|enfants|famille|parents|conjointe?) ?: ",
        rf"{_MI} (?:[\w-]+ )?{_PARIENTE} (?:[\w-]+ )?(?:se llaman?\b|tienen? \d+ (?:años|meses)|nació\b)",
        rf"{_YO}(?:tengo|tenemos|tiene) {_FEW} {_PARIENTE}\b",
        rf"{_YO}(?:estoy|está|soy|es|estamos) (?:casad|divorciad|separad|prometid|viud|solter)[oa]s?\b",
        r"(?:mujer|marido|pareja|hijos|familia|padres): ",
        rf"{_MIO} (?:[\w-]+ )?{_PARENTE} (?:[\w-]+ )?(?:si chiaman?o?\b|(?:ha|hanno) \d+ (?:anni|mesi)|è nat[oa]\b)",
        rf"{_IO}(?:ho|abbiamo|ha) {_FEW} ?{_PARENTE}\b",
        rf"{_IO}(?:sono|siamo|è) (?:sposat|divorziat|single|vedov|separat|fidanzat|celibe|nubile)\w*",
        r"(?:moglie|marito|compagn[oa]|figli|famiglia|genitori): ",
    ),
    "home": (
        rf"{_I_ALSO}(?:lives?|living|resides?|based|am based) (?:in|at|on|near|alone|together|with)\b|lives in\b",
        rf"{_I_ALSO}(?:come |comes )?(?:originally )?from\b|{_I_ALSO}grew up in\b",
        rf"{_MY} (?:(?:home|postal|street|new|private|current) )?address(?: is|:)|(?:home |postal )?address: |home: ",
        rf"{_I_ALSO}(?:have |has |and \w+ family )?moved (?:in \w+ )?(?:in )?to (?!the\b|an?\b|another)",
        rf"{_MY} (?:home|house|flat|apartment) is (?:in|at|on|near)\b|{_I_ALSO}(?:owns?|rents?) an? (?:[\w-]+ ){{0,3}}"
        r"(?:house|flat|apartment)\b",
        rf"{_ICH} (?:wohne|wohnt|wohnen|lebe|lebt|leben|komme aus|kommt aus|kommen aus)\b|wohn(?:t|haft) in\b",
        rf"{_ICH} (?:bin|sind|ist) .{{0,30}}\bnach .{{1,30}} (?:um)?gezogen\b",
        rf"{_MEIN} (?:\w+ )?(?:wohn|post)?(?:adresse|anschrift)(?: ist| lautet|:)|(?:adresse|anschrift|wohnort"
        rf"|wohnsitz): ",
        rf"{_MEIN} (?:wohnung|haus|zuhause) (?:ist|liegt|befindet)\b",
        r"(?:j'habite|nous habitons|on habite|je vis|nous vivons|on vit|je réside|l'utilisat\w+ (?:habite|vit)"
        r"|je viens d)\b",
        rf"{_MON} adresse\b|adresse ?: |domicile ?: |je suis originaire\b|{_MON} (?:maison|appartement) (?:est"
        rf"|se trouve)\b",
        r"(?:j'ai|nous avons|on a) (?:récemment )?(?:em|dé)ménagé (?:à|en|au)\b",
        rf"{_YO}(?:vivo|vivimos|vive|resido|residimos|reside) (?:en|con|cerca|desde|junto)\b|{_YO}(?:me mudé"
        rf"|nos mudamos) a\b",
        rf"{_MI} (?:dirección|domicilio)\b|(?:dirección|domicilio): |{_MI} (?:casa|piso|apartamento) est[aá]\b",
        rf"{_YO}(?:soy|somos|es|vengo) (?:originari[oa] )?de [a-zà-ÿ]",
        rf"{_IO}(?:vivo|viviamo|vive|abito|abitiamo|abita|risiedo) (?:a|ad|in|con|vicino|da|nel|nella)\b",
        rf"{_MIO} indirizzo\b|(?:indirizzo|residenza|domicilio): |{_MIO} (?:casa|appartamento) (?:è|si trova)\b",
        rf"{_IO}(?:vengo da|sono (?:originari[oa] )?di)\b|{_IO}(?:mi sono|ci siamo) trasferit[oaie] a\b",
    ),
    "work": (
        rf"{_I_ALSO}(?:works?|working) (?:as|at|for|in an?|in the|part[- ]time|full[- ]time|freelance|remotely"
        rf"|from home"
        r"|\w+ days a week)\b|works (?:as|at|for)\b",
        rf"{_I_AM}(?:(?!(?:of|to|with|afraid|at|in|for|about|not|no) )[\w-]+ ){{0,4}}?{JOBS}\b",
        rf"{_MY} (?:(?:current|new|day) )?(?:job|employer|profession|occupation|job title|boss|line manager"
        rf"|company)(?: is|:)",
        r"(?:job|job title|profession|employer|occupation|works? at|company): ",
        rf"{_I_ALSO}(?:teach(?:es)?|stud(?:y|ies)|lectures?) (?:[\w-]+ ){{1,4}}(?:at|in)\b|{_I_ALSO}reports? to\b",
        rf"{_I_ALSO}(?:retired|self-employed|unemployed|freelanc\w+|on (?:parental|maternity|paternity) leave)\b",
        rf"{_I_ALSO}(?:runs?|owns?) an? (?:[\w-]+ ){{0,3}}(?:bakery|shop|company|business|practice|restaurant|farm"
        rf"|studio|agency)\b",
        rf"{_ICH} (?:arbeite|arbeitet|arbeiten) (?!an\b|gerade an\b|heute\b|morgen\b)|{_ICH} (?:bin"
        rf"|ist) (?:[\w-]+ ){{0,3}}?von beruf\b",
        rf"{_ICH} (?:bin|ist) (?:ein\w{{0,2}} )?(?:[\w-]+ ){{0,2}}?(?:{BERUFE}|selbst(?:st)?ändig|freiberufl\w+"
        rf"|arbeitslos|pensioniert"
        r"|in rente|in elternzeit)\b",
        rf"{_MEIN} (?:\w+ )?(?:beruf|arbeitgeber|job|chef(?:in)?|arbeit|firma) (?:ist|heißt)\b|(?:beruf|arbeitgeber"
        rf"|job|firma): ",
        rf"{_ICH} (?:studiere|studiert|unterrichte|unterrichtet|leite|leitet)\b",
        r"(?:je travaille|l'utilisat\w+ travaille) (?!sur\b|aujourd'hui\b|demain\b)|(?:j'enseigne|j'étudie"
        r"|je dirige)\b",
        rf"(?:je suis|l'utilisat\w+ est) (?:une? )?(?:[\w-]+ )?{_METIERS}",
        rf"{_MON} (?:métier|travail|employeur|patron|patronne|chef|cheffe|profession|entreprise) (?:est|s'appelle"
        rf"|c'est)\b",
        r"(?:profession|métier|employeur|travail) ?: ",
        rf"{_YO}(?:trabajo|trabajamos|trabaja) (?:en (?!el (?:informe|proyecto))|de|como|para|desde|por)\b",
        rf"{_YO}(?:soy|es) (?:una? )?{_OFICIOS}|{_YO}(?:doy clases|dirijo|estudi[oa] (?:[\w-]+ ){{1,3}}?en)\b",
        rf"{_MI} (?:trabajo|profesión|empresa|jef[ea]|empleo) (?:es|se llama)\b|(?:profesión|trabajo|empleo"
        rf"|empresa): ",
        rf"{_IO}lavor(?:o|iamo|a) (?:come|in|per|da|a|al|alla|nel|nella|presso|all')",
        rf"{_IO}(?:sono|è) (?:una? |un')?{_MESTIERI}|{_IO}(?:faccio (?:il|la|l')|insegno|dirigo"
        rf"|studio (?:[\w-]+ ){{0,3}}?(?:a|al|alla)\b)",
        rf"{_MIO} (?:lavoro|cap[oa]|datore di lavoro|professione|azienda|ditta) (?:è|si chiama)(?!\w)|(?:professione"
        rf"|lavoro|azienda): ",
    ),
    "answers": STYLE,
    "preferences": (
        rf"{_I_ALSO}(?:really |always |usually )?(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?)\b",
        rf"{_I_ALSO}(?:really )?(?:don't|doesn't|do not|does not|can't|cannot) (?:really )?(?:like|love|enjoy|want"
        r"|stand)\b",
        rf"{_I_ALSO}(?:always|never|usually|would rather|would prefer|speaks?)\b|i'd (?:rather|prefer)\b",
        r"(?:i|(?:the )?(?:user|owner)) (?:only |mostly )?uses? \w|(?:please )?(?:always|never) \w",
        rf"{_MY} (?:[\w-]+ )?(?:favou?rite|preferred|preferences?)\b|(?:preferences?|likes|dislikes|favou?rites?): ",
        r"(?:prefers|likes|loves|enjoys|hates|dislikes) \w",
        rf"{_ICH} (?:bevorzug\w+|mag|mögen|liebe|liebt|hasse|hasst|nutze|verwende|benutze|spreche|spricht)\b",
        rf"{_ICH} (?:möchte|will) (?:immer|nie|keine?)\b|(?:bitte )?(?:immer|nie|niemals) \w|{_MEIN} lieblings\w+"
        r"|(?:bevorzugt|mag|hasst|liebt) \w|(?:vorlieben|abneigungen): ",
        r"(?:je |l'utilisat\w+ )(?:ne )?(?:préfère|déteste|utilise|parle (?!de\b|d'))"
        r"|(?:je |je n'|j'|l'utilisat\w+ (?:n')?)(?:aime|adore|utilise)\b",
        rf"{_MON} [\w-]+ (?:préférée?s?|favori\w*)\b|(?:toujours|ne jamais|jamais) \w|(?:préférences?|goûts) ?: ",
        r"(?:yo )?(?:prefiero|odio|detesto|hablo|uso (?!de\b))|(?:el |la )?usuari[oa] (?:prefiere|odia|usa|habla)\b",
        rf"(?:a mí |al usuario |a la usuaria )?(?:no )?(?:me|le) (?:gusta|encanta|molesta)n?\b|(?:siempre|nunca) \w"
        rf"|{_MI} [\w-]+ (?:preferid|favorit)[oa]s?\b|(?:preferencias|gustos): ",
        r"(?:io )?(?:preferisco|odio|detesto|(?:uso|parlo) (?!d))|l'utente (?:preferisce|odia|usa|parla)\b",
        rf"(?:a me )?(?:non )?(?:mi|gli|le) piac\w+|(?:sempre|mai|non \w+ mai) \w|{_MIO} [\w-]+ preferit[oaie]\b"
        r"|(?:preferenze|gusti): ",
    ),
}
"""The expressions of each aspect."""
