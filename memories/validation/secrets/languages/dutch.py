"""Dutch words around secrets. Words that English or German has, too, are with those."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

DUTCH = Vocabulary(
    passwords=r"""
    \w{0,24}(?:wachtwoord|paswoord)(?:en)?|inloggegevens|(?:wi-?fi|wlan|netwerk|router)[- ]?(?:sleutel|code)
    """,
    keys=r"toegangssleutel|beveiligingssleutel|codewoord|geheim woord",
    network_keys=r"sleutel|code",
    networks=r"wi-?fi|wlan|netwerk|router|hotspot",
    passphrases=r"wachtzin|wachtwoordzin|hoofdwachtwoord|geheime zin",
    pins=r"""
    pin-?(?:codes?|nummer)|(?:sim|toegangs|ontgrendel(?:ings)?|scherm|telefoon|bankpas|pas)-?(?:code|pin)|geheime code
    """,
    recoveries=r"""
    (?:herstel|nood|reserve)-?(?:codes?|sleutels?|zin|woorden)|puk-?code|(?:12|twaalf|24|vierentwintig) woorden
    """,
    lock_codes=r"""
    (?:alarm|deur|voordeur|achterdeur|poort|kluis|slot|cijferslot|fietsslot|hangslot|sleutelkluis|sleutelkast|toegangs|
    hek|berging|kelder|lift|koffer|gebouw)[- ]?(?:code|combinatie|pin)|cijfercode|cijfercombinatie|(?:code|combinatie)
     (?:van|voor) (?:de |het |mijn |onze |ons )?(?:\w+ )?(?:alarm|deur|voordeur|achterdeur|poort|garage|kluis|slot|
    cijferslot|fietsslot|hangslot|sleutelkluis|sleutelkast|hek|berging|kelder|schuur|lift|koffer|gebouw)
    """,
    card_codes=r"beveiligingscode|veiligheidscode",
    codes=r"codes?|combinatie|cijfers|cijferreeks",
    locks=r"""
    deur(?:en)?|(?:voor|achter|garage|kelder)deur|poort|kluis|(?:fiets|hang|cijfer|deur)slot|sleutelkluis|sleutelkast|
    ingang|hek|berging|schuur|koffer|toetsenpaneel|slagboom|brievenbus|gebouw
    """,
    noted_locks=r"alarm",
    key_boxes=r"sleutelkluis|sleutelkast",
    dial_locks=r"(?:fiets|hang|cijfer)slot|koffer",
    number_locks=r"(?:cijfer|code)slot|toetsenpaneel",
    noted_safes=r"kluis",
    hotel_safes=r"hotelkluis|kluis (?:in het hotel|op de kamer)",
    noted_dials=r"(?:fiets|hang|cijfer)slot|koffer",
    noted_gates=r"poort|hek",
    noted_networks=r"wi-?fi",
    devices=r"telefoon|mobiel|tablet|bankpas|pas|simkaart|creditcard|geldautomaat|pinautomaat|rekening|horloge",
    accounts=r"""
    netwerk|router|rekening|account|server|portaal|computer|bestand|archief|schijf|document|e-?mail|gebruiker|inloggen|
    log in|aanmelden
    """,
    services=r"bank|internetbankieren|digid|website",
    logins=r"inloggen|aanmelding|inloggegevens",
    of=r"van|voor|op|bij",
    unlocks=r"ontgrendelen|openen|uitschakelen|uitzetten",
    owned=r"de|het|mijn|onze|ons",
    links=r"is|was|zijn|luidt|blijft|wordt|werd|heet",
    fillers=r"woord|zin|nu|nog|steeds|altijd|gewoon|alleen|weer|sinds \w+|de|het|nummer|nr\.?|momenteel|volgende",
    changes=r"gewijzigd|veranderd|ingesteld|gezet|aangepast|wijzigde|veranderde|zette|staat",
    to=r"naar|in|op|als",
    like=r"(?:als|is|voor)(?: (?:de|het|mijn|onze|ons|nieuwe|zijn|haar|een))*",
    mine=r"(?:is|was)(?: (?:mijn|onze|ons|zijn|haar|de|het|\w+s))(?: nieuwe| oude)*",
    entries=r"""
    (?:toets|typ|type|tik|druk|voer|kies|gebruik|draai)(?:t|en)?(?: (?:je|men|in|de|het|dan|eerst|altijd|gewoon))*|
    (?:moet|moeten) (?:je|we|men) (?:de |het )?
    """,
    late_entries=r"""
    in om|in op|
    intoetsen|intypen|invoeren|indrukken|en (?:hekje|sterretje|dan|druk)|gevolgd door|op het (?:paneel|toetsenpaneel)|
    om (?:te openen|binnen te komen|uit te schakelen|te ontgrendelen)|opent|ontgrendelt
    """,
    opens=r"""
    open(?:t|en|d)?|gaat open|ontgrendel(?:t|en|d)?|schakel(?:t|en)?|uitschakelen|uitzetten|uit te zetten|inloggen|
    meld|beveiligd|vergrendeld|versleuteld|pin(?:t|nen)|opnemen
    """,
    by=r"met|door|via",
    compounds=r"beheerder|manager|beleid|regels?|hint|generator|lengte|vergeten|automaat|kwijt",
    owners=r"""
    (?:lengte|sterkte|deel|helft|begin|einde|eigenaar|voorbeeld|soort|wijziging|geldigheid) van (?:de |het |mijn |ons |
    onze |een )?(?:\w+ )?
    """,
    other_codes=r"""
    qr|post|fout|kortings|promotie|boekings|bevestigings|kleur|bron|streep|bestel|artikel|klant|land|vlucht
    """,
    other_codes_after=r"kraken|review|regels",
    breaks=r"""
    maar|omdat|want|en (?:mijn|onze|de|het|ik|hij|zij|we)|moet|moeten|mag|kan|heeft|had|niet|geen|nooit|kamer|
    bestelling|factuur|vlucht|postcode|versie|verjaardag|prijs|kost|toont|als|wanneer|sinds|tot|voordat|nadat|verloopt|
    bevat|fout
    """,
    predicates=r"""
    weg|hier|daar|fout|goed|juist|veilig|onveilig|lang|kort|gelijk|nieuw|oud|slecht|zwak|sterk|moeilijk|makkelijk|
    eenvoudig|leeg|bekend|onbekend|geheim|prive|hetzelfde|dezelfde|anders|verplicht|onzin|standaard|optioneel|nodig|
    alles|niets|iets|beter|slechter|veiliger|langer|korter|complex|van|voor|een|de|het|te|zo|heel|niet|geen|mijn|jouw|
    vandaag|morgen|gisteren|maandag|belangrijk|genoeg|tijdelijk|uniek|kwijt
    """,
    endings=r"(?:ge|be|ver|ont|her)\w+(?:d|t|en)|\w+(?:lijk|ig|isch|baar|loos|zaam)",
    spellings=r"alles|kleine letters|hoofdletters|zonder|met|aan elkaar",
    function_words=r"""
    de|het|een|is|zijn|was|te|in|op|aan|voor|met|en|of|maar|niet|mijn|onze|haar|er|dat|van|uit|als|ik|we|hij|zij|ze|
    zo|heel|meer|nog|alleen|altijd|nooit|goed|ergens
    """,
    units=r"""
    cijfers|tekens|letters|symbolen|woorden|keer|minuten|seconden|uur|dagen?|weken|maanden|jaar|jaren|procent|mensen|
    personen|regels|bladzijden|meter|kilometer|gram|kilo|stuks|pogingen|klanten|inwoners|stappen|leden|bezoekers|punten
    """,
    public=r"""
    (?:in|uit) (?:de|het|een|die|dat) (?:\w+ )?(?:film|roman|boek|spel|serie|aflevering|strip|voorbeeld|handleiding|
    tutorial|verhaal|documentatie|droom|hoofdstuk|escape room|artikel)|bijvoorbeeld|bijv|voorbeeld|fabrieks\w*|
    meest (?:gebruikte|voorkomende|populaire)|gebruik nooit|nooit gebruiken|veel mensen|niemand
    """,
    turns=r"(?:naar )?(?:links|rechts)(?:om)?",
    key_presses=r"""
    (?:en|dan|en dan|daarna) (?:op )?(?:de |het )?(?:(?:groene|rode|blauwe) )?(?:sterretje|ster|hekje|knop|toets|
    bel)
    """,
    numbers=r"""
    (?:een|twee|drie|vier|vijf|zes|zeven|acht|negen)en(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|
    negentig)|twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig|tien|elf|twaalf|dertien|veertien|
    vijftien|zestien|zeventien|achttien|negentien
    """,
    origins=r"(?:geboorte|trouw|huwelijks)(?:jaar|datum|dag)|verjaardag",
    users=r"gebruiker(?:snaam)?|inlognaam",
    passes=r"ww|pw",
    digits="nul een twee drie vier vijf zes zeven acht negen",
    documents=r"paspoort(?:nummer)?|identiteitskaart|rijbewijs(?:nummer)?",
    national_ids=r"bsn|burgerservicenummer|rijksregisternummer|paspoort|identiteitskaart",
)
