"""English words around secrets."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

ENGLISH = Vocabulary(
    passwords=r"""
    pass ?words?|passwd|pwd?|pws|(?:wi-?fi|wlan|wireless|wpa2?|network|hotspot) (?:key|code|pass|secret)|
    log-?in (?:code|secret)|credentials?|pass(?= ?[:=])|security answer|answer to (?:the|my) (?:\w+ )?security question
    """,
    keys=r"log-?in (?:details|data)|(?:encryption|licen[cs]e|secret|api|private|access|security) (?:key|token)",
    network_keys=r"key|code|secret|key phrase",
    networks=r"wi-?fi|wlan|wireless|hotspot|router|network|netflix|nas",
    passphrases=r"pass-? ?phrases?|master pass ?words?|secret phrase|(?:ssh|gpg|pgp) phrase",
    pins=r"""
    pin|pins|pin[- ]?(?:code|number|no)s?|(?:screen ?lock|lock ?screen|unlock|phone|sim) (?:code|pin)|pass-?codes?|
    (?:card|atm|cash machine|debit card|credit card|bank card|voicemail|mailbox) (?:code|pin)
    """,
    recoveries=r"""
    (?:recovery|back-?up|rescue|restore|emergency|scratch|reset|2fa|two-factor) (?:codes?|keys?|phrases?|words?|
    seeds?|tokens?)|seed (?:phrases?|words?)|mnemonic(?: phrase)?|(?:12|twelve|24|twenty-four) (?:\w+ )?words|(?:totp|
    otp|2fa|authenticator|bitlocker)(?: setup)? (?:secret|key|seed|code)|wallet (?:phrase|seed|words)|puk[12]?|
    puk[- ]?(?:code|number)
    """,
    lock_codes=r"""
    (?:burglar |house |home |fire )?alarm(?:'s)?(?: system| panel)?(?:'s)? (?:code|pin|number|combination)|(?:front |
    back |side |garage |main |street |cellar )?(?:door|gate|entry|entrance|garage|building|access|safe|vault|lock|
    locker|padlock|bike lock|lock ?box|key ?box|key ?safe|key ?pad|intercom|gym|luggage|suitcase|barrier|disarm|
    disarming|security|lift|elevator|shed|keyless) (?:code|combination|combo|pin)|door ?code|gate ?code
    """,
    card_codes=r"""
    cvv2?|cvc2?|csc|card (?:security|verification) (?:code|number)|security (?:code|number)|(?:three|
    3) digits on the back
    """,
    codes=r"codes?|combinations?|combo|digits|(?:secret|magic) number|sequence",
    locks=r"""
    bike shed|(?:burglar |house |home )?alarms?(?: system| panel)?|doors?|front door|gates?|garage|safe|vault|locks?|
    padlocks?|lockers?|(?:key ?|lock ?)(?:box|safe)|strong ?box|entrance|entry|key ?pad|intercom|siren|shed|cellar|
    basement|letter ?box|post ?box|parcel (?:box|locker)|storage room|elevator|cabin|cottage|airbnb|courtyard|
    (?:holiday|rented) (?:flat|home|house|apartment)|laundry room|allotment|caravan|building|stairwell|luggage|
    suitcase|briefcase|barriers?|storage unit|bike room|lobby|security system|(?:\w+ )?cabinet|(?:medicine|drug|
    medication|key|tool) (?:cupboard|trolley|cart|fridge|room|store|chest|container|box)|(?:site|tool|
    shipping) (?:container|hut|office|box)|container|trailer|dorm(?:itory)?|(?:hall of |student )residence|
    store ?room|stock ?room|(?:staff|changing|linen|sluice|music|rehearsal) room|workshop|warehouse|barn|boathouse|
    stable|turnstile|bollards?|shutters?|roller door|sliding door|hatch|key ?hook|key ?cabinet|car ?park
    """,
    noted_locks=r"(?:burglar |house |home )?alarms?(?: system| panel)?",
    key_boxes=r"(?:key ?|lock ?)(?:box|safe)",
    dial_locks=r"""
    (?:bi(?:ke|cycle) |combination |cable |pad)locks?|suitcase(?: lock)?|luggage(?: lock)?|briefcase|locker
    """,
    number_locks=r"(?:door |gate )?(?:lock|key ?pad)|combination lock",
    noted_safes=r"(?:hotel |room |office |home |wall |gun |bedroom )?safe|strong ?box|gun cabinet",
    hotel_safes=r"(?:hotel|room) safe|safe in (?:the|our|my) (?:hotel )?room|safe at the hotel",
    noted_dials=r"suitcase(?: lock)?|briefcase|(?:bi(?:ke|cycle) |combination |cable |luggage |pad)lock",
    noted_gates=r"(?:front |back |side |garden |yard |main |driveway )?gate",
    noted_networks=r"(?:guest )?(?:wi-?fi|wlan|wireless|hotspot)",
    devices=r"""
    (?:i|smart|mobile |cell)?phones?|ipads?|tablets?|sim(?: card)?|mobile|laptop|watch|smartwatch|(?:debit|credit|
    bank|cash|visa|girocard|savings)?[- ]?cards?|mastercard|visa|amex|atm|cash ?(?:machine|point)s?|hole in the wall|
    voicemail|mailbox|bank account|banking app|parental controls?
    """,
    accounts=r"""
    wi-?fi|router|modem|nas|accounts?|admin|root|server|portal|laptop|computer|pc|mac|macbook|log(?:ged|s|
    ging)? in(?:to)?|log-?in|sign(?:ed|s)? in(?:to)?|file|pdf|zip|archive|spreadsheet|(?:hard )?(?:drive|disk)|
    usb stick|document|phone|vault|backup|e-?mail|gmail
    """,
    services=r"""
    (?:e-?|online |internet |web |tele|mobile )?banking|bank|i?cloud|apple id|(?:tax|school|patient|
    parents?) portal|amazon|netflix|facebook|instagram|paypal|ebay|spotify|website|moodle|intranet|app
    """,
    logins=r"log-?ins?|sign-?in|credentials",
    of=r"at|in|of|for|from",
    unlocks=r"(?:unlock|disarm)(?:ing)?|(?:switch|turn)(?:ing)? off",
    owned=r"the|my|our|his|her|their",
    links=r"""
    it's|that's|it is|is|was|are|were|equals|reads|remains|stays|became|becomes|will be|would be|should be|used to be|
    goes|spells|has been
    """,
    fillers=r"""
    word|phrase|until (?:yesterday|recently|last \w+)|once|now|still|just|simply|currently|always|really|probably|
    again|actually|the|number|no\.?|nr\.?|code|called|set to|set as|as follows|literally|the word|both|either|
    once more|indeed|hash|star|pound
    """,
    changes=r"""
    set|sets|changed?|changes|switched|reset|updated?|moved|renamed|resets|changing|setting|configured|dialled
    """,
    to=r"to be|to|as|at|on",
    like=r"""
    (?:as|for|is)(?: (?:the|my|our|his|her|their|your|its|
    a))?(?: new| current| old| main| actual| secret| admin| wi-?fi| guest)*
    """,
    mine=r"(?:is|was|are) (?:my|our|his|her|their|the|mum's|dad's|mom's|\w+'s)(?: new| current| old| main)*",
    entries=r"""
    type(?: in)?|types|typing|typed|enter|enters|entering|dial|dials|key in|keys in|punch in|punch|tap(?: in)?|press|
    input|inputs|put in|use|using|try|(?:they|it|which|that|these) (?:are|is)|i go|happens with
    """,
    late_entries=r"""
    on the (?:key ?pad|panel|dial|lock)|and (?:press|hit|then|turn|the (?:hash|pound))|followed by|then (?:press|hit|
    hash|pound|turn)|into the (?:key ?pad|panel)|to (?:open|unlock|disarm|get in|enter|switch|turn|let)|opens|unlocks|
    disarms|gets you (?:in|into)|lets you in|will (?:open|unlock|disarm|let)|works (?:on|for|at)
    """,
    opens=r"""
    open(?:s|ed|ing)?|unlock(?:s|ed|ing)?|disarm(?:s|ed|ing)?|let(?:s)? (?:you|me|us|people) in|release[sd]?|
    raise[sd]?|lift(?:s|ed)?|withdraw\w*|(?:de)?activate[sd]?|switch(?:es|ed)? (?:it )?off|turn(?:s|ed)? (?:it )?off|
    log(?:s|ged|ging)? (?:in|on)(?:to)?|sign(?:s|ed|ing)? in(?:to)?|get(?:s)? (?:in|into)|decrypt(?:s|ed)?|encrypted|
    protected|secured|locked|set to|is set at|armed|stops|set|sets
    """,
    by=r"with|using|by typing|by entering|by|set to|to|on",
    compounds=r"""
    jokes?|puzzles?|strateg(?:y|ies)|methods?|schemes?|formats?|locations?|places?|guidelines?|conventions?|criteria|
    storage|managers?|polic(?:y|ies)|rules?|hints?|resets?|generators?|lengths?|fields?|strength|protect(?:ed|ion)|
    change|changes|expiry|vaults?|pads?|entry|requirements?|prompts?|box(?:es)?|lists?|protected|reuse|security|
    habits?|hygiene|forms?|pages?|letters?|mail|style|safe|book|notebook|reviews?|reviewer|of conduct|names?|bases?|
    readers?|snippets?|editor|style|talk|freeze|monkey|smell|coverage|word|system|breaker|board|cushion|wheel|stripe|
    number plate
    """,
    owners=r"""
    (?:lengths?|strength|age|expiry|part|parts|half|beginning|hash|owner|name|example|kind|type|idea|history|
    number) of (?:the |my |our |a |his |her )?(?:\w+ )?
    """,
    other_codes=r"""
    zip|post|postal|area|dial(?:l?ing)?|country|error|fault|exit|status|return|response|http|qr|bar|promo|promotion|
    promotional|voucher|discount|coupon|gift|booking|reservation|order|dress|morse|source|building|product|article|
    item|part|colou?r|paint|tracking|sort|swift|airport|iata|tax|hex|city|state|trouble|machine|legacy|python|
    diagnostic|warning|course|module|class|model|batch|lot|game|cheat|penal|civil|highway|referral|invite|customer|
    reference|flight|train|bus|room|seat|ticket|project|cost|time|dating|shoe|hs|icd|nace|vin|ral|pantone
    """,
    other_codes_after=r"""
    of conduct|review|reviews|base|name|names|snippet|points?|page|lines?|changes?|style|smells?|for (?:\d+|
    new customers|the exercise|first)|gives|gave|was good for|expired|on the poster
    """,
    breaks=r"""
    but|because|so|although|while|whereas|and (?:my|our|the|his|her|i|we|he|she|they)|must|should have|should contain|
    has|have|had|needs?|not|never|no longer|isn't|wasn't|aren't|don't|doesn't|didn't|cannot|can't|room|order|invoice|
    flight|postcode|zip|version|phone number|extension|birthday|street|price|costs?|shows?|displays?|when|if|since|
    until|after|before|expires?|contains?
    """,
    predicates=r"""
    printed|engraved|laminated|usual|normal|regular|original|initial|default|standard|actual|local|current|weak|
    strong|long|short|secret|same|here|there|wrong|right|correct|easy|hard|simple|safe|unsafe|fine|ok|okay|new|old|
    bad|good|great|terrible|lost|gone|out|back|on|off|up|in|mine|yours|his|hers|ours|theirs|unknown|blank|empty|next|
    pending|due|enough|rubbish|crap|useless|stupid|silly|dumb|funny|unique|different|identical|similar|better|best|
    worse|worst|stale|outdated|too|both|set|known|written|taken|given|private|public|random|personal|optional|
    mandatory|necessary|essential|everything|nothing|something|anything|none|mixed|case-sensitive|sensitive|temporary|
    permanent|ready|broken|common|important|crucial|invalid|valid|sent|kept|hidden|shown|told|made|chosen|forgotten|
    stolen|leaked|hacked|obvious|ambiguous|longer|shorter|stronger|weaker|paramount|complicated|below|above|not|also|
    always|never|still|now|then|soon|later|today|tomorrow|tuesday|monday|wednesday|thursday|friday|saturday|sunday|
    well|overkill|annoying|hell|ridiculous|a|the|an|mandatory|it|that|this|yes|no|maybe|german|english|french|spanish|
    italian|case|history|king|key|required|tbd|todo|tba|xxx+|unchanged|redacted|removed|n/a|na|none|withheld|
    confidential|read|online|offline
    """,
    endings=r"\w+(?:ed|[a-z]{2}ing|able|ible|ful|less|ous|ive|tic|ally|ily)",
    spellings=r"""
    all|in (?:lower|upper|small|capital)\w*|lower ?case|upper ?case|capitals?|no capitals|no spaces|one word|with|
    without|and|by the way|just|if you|don\'t|but don\'t|written|spelt|spelled|please
    """,
    function_words=r"""
    the|a|an|is|are|was|to|of|in|on|at|for|with|and|or|but|not|my|our|his|her|their|it|that|this|by|from|as|i|we|you|
    they|he|she|so|too|very|more|than|if|when|be|been|much|only|always|never|still|somewhere|anyone|everyone|somebody|
    nobody|written|stored|kept|enough
    """,
    units=r"""
    digits?|characters?|chars?|letters?|symbols?|numbers?|words?|times?|minutes?|mins?|seconds?|secs?|hours?|days?|
    weeks?|months?|years?|o'?clock|a\.?m|p\.?m|hours|hrs|euros?|dollars?|pounds?|bucks|percent|people|users?|lines?|
    pages?|bits?|bytes?|mg|ml|mcg|mm|cm|mah|gb|mb|tb|kb|khz|kw|hz|k?m|kg|g|miles?|pieces?|units?|points?|attempts?|
    tries|copies|entries|files?|accounts?|passwords?|websites?|employees|customers|residents|square|sq|steps|calories|
    kcal|volts?|watts?|mhz|ghz|rpm|ft|feet|inch(?:es)?|litres?|liters?|members|visitors|guests|players|spectators|
    cards?|pins|codes
    """,
    public=r"""
    in (?:the|a|an|this|that|which|my favou?rite|an old) (?:\w+ )?(?:film|movie|novel|sketch|comic|cartoon|play|
    series|episode|game|story|joke|dream|book|thriller|escape room|tutorial|documentation|manual|example|article|quiz|
    chapter|show)|sketch|escape room|for example|for instance|e\.g|such as|placeholder|dummy|default|most (?:common|
    popular|used)|(?:never|don't|do not|nobody|no one) (?:use|choose|pick|take|should)|many people|some people|
    most people|everyone uses|people who|people still
    """,
    turns=r"(?:to the )?(?:left|right)|(?:anti-?|counter-?)?clockwise|[lr](?= ?\d)",
    key_presses=r"""
    (?:and |then |and then )(?:press |hit |push )?(?:the |a )?(?:(?:green|red|blue|big|round) )?(?:star|hash|pound|
    asterisk|button|enter|ok|bell)(?: (?:key|sign|symbol|button))?
    """,
    numbers=r"""
    (?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|
    nine))?|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen
    """,
    origins=r"""
    (?:birth|wedding) ?(?:years?|dates?|days?)|birthdays?|(?:year|date|day) of birth|(?:year|date|
    day) (?:\w+ ){1,4}(?:born|married)|(?:wedding )?anniversary
    """,
    users=r"users?|user ?(?:name|id)|log-?in(?: name)?|account(?: name)?",
    passes=r"pass|pword|psw",
    digits="zero|oh|o|nought one two three four five six seven eight nine",
    documents=r"passport|passport (?:number|no)|(?:id|identity) card(?: number)?",
    national_ids=r"""
    social security|social(?= ?(?:number|no\b|:|is))|ssn|nhs|(?:my|his|her) ni(?= is)|ss number|national insurance|
    ni number|nino|tax (?:id|identification|payer)|taxpayer|itin|national id|identity (?:card|number|document)|
    id (?:card|number)|passport|insurance number|personal (?:id|identification)|citizen|fiscal (?:code|number)|nif|
    nie|dni|ahv|avs
    """,
)
