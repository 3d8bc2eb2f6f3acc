"""German words around secrets."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

GERMAN = Vocabulary(
    passwords=r"""
    \w{0,24}(?:passwort|passworter|passwoerter|passworts|passwortes|passworte|kennwort|kennworter|losungswort|
    zugangswort|passw)|(?:wlan|wi-?fi|w-lan|netzwerk|router|gast|gaste)[- ]?(?:schlussel|schluessel|key|code|zugang|
    netzwerkschlussel)|netzwerkschlussel|netzwerkschluessel|zugangsdaten|anmeldedaten|logindaten|login-daten|pw|
    antwort auf (?:die|meine) sicherheitsfrage|sicherheitsantwort
    """,
    keys=r"zugangsschlussel|parole|geheimwort|codewort|zugang|sicherheitsschlussel",
    network_keys=r"schlussel|schluessel|key|code",
    networks=r"wlan|w-lan|wi-?fi|router|hotspot|gastnetz|netzwerk|fritz!?box",
    passphrases=r"""
    passphrase|passsatz|merksatz|hauptpasswort|haupt-passwort|master-?passwort|masterpasswort|master-?kennwort|
    geheimsatz
    """,
    pins=r"""
    (?:[\w-]{0,24}-)?pin|pins|pin-?(?:code|nummer|zahl)|\w{0,12}geheimzahl|geheimnummer|geheimcode|geheimziffer|
    (?:handy|sim|sperr|entsperr|bildschirm|telefon|display|tablet|karten|ec-|bankomat|kreditkarten|bank)[- ]?(?:code|
    pin)|natel-?code
    """,
    recoveries=r"""
    (?:wiederherstellungs|sicherungs|backup-?|notfall|recovery-?|ersatz|rettungs|reserve|einmal|zweitfaktor)-?(?:code|
    codes|schlussel|schluessel|phrase|satz|worter|woerter|wort|kennung|key|keys)|(?:[\w-]{0,16}-)?puk|puks|
    puk-?(?:code|nummer)|seed-?(?:phrase|worter|satz)?|supercode|(?:12|zwolf|zwoelf|24|
    vierundzwanzig) (?:\w+ )?(?:worter|woerter)|bitlocker-?(?:schlussel|key)
    """,
    lock_codes=r"""
    (?:\w{0,12}alarm(?:anlagen?)?|(?:haus|wohnungs|keller|garagen|ein(?:gangs|fahrts))?tur|haustuer|tuer|tor|
    garagen(?:tor)?|hoftor|tresor|safe|schloss|zahlenschloss|fahrradschloss|vorhangeschloss|eingangs|haus|zugangs|
    zutritts|offnungs|turoffner|schlusselkasten|schlusselsafe|schlusselbox|keller|spind|schliessfach|scharf|
    medikamentenschrank|medizinschrank|stiegenhaus|schranken?|entscharfungs|koffer|aufzug|fahrstuhl|
    entriegelungs)[- ]?(?:code|codes|kombination|pin|zahl|zahlencode|zahlenkombination|geheimzahl|nummer(?=n?(?:code|
    kombination)))|zahlenkombination|ziffernkombination|zahlencode
    """,
    card_codes=r"""
    kartenprufnummer|prufnummer|prufziffer|cvv|cvc|sicherheitscode|sicherheitsnummer|prufzahl|kartenprufziffer
    """,
    codes=r"codes?|kombination|kombi|ziffern(?:folge)?|zahlen(?:folge)?|geheimnummer",
    locks=r"""
    treppenhaus|\w{0,12}alarm(?:anlagen?)?|\w{0,12}tur(?:en)?|\w{0,12}tuer(?:en)?|(?:(?:hof|garagen|einfahrts|garten|
    roll|schiebe|schul|haus|falt|werks|scheunen)?tor(?:e|en|es)?)|garage|tresor|safe|\w{0,12}schloss|\w{0,12}schloß|
    \w{0,12}schlosses|schlusselkasten|schluesselkasten|schlusselsafe|schlusselbox|\w{0,12}spind|schliessfach|
    schließfach|\w{0,12}eingang|\w{0,8}keller|schuppen|gartenhaus|\w{0,8}koffer|aufzug|fahrstuhl|tastenfeld|
    \w{0,12}schranken?|hauseingang|turoffner|gegensprechanlage|geldkassette|waffenschrank|tastatur|sirene|
    fahrradkeller|fahrradraum|briefkasten|paketbox|paketkasten|paketstation|abstellraum|schlusseltresor|
    schluesseltresor|ferien(?:wohnung|haus)|waschkuche|schrebergarten|wohnwagen|wohnmobil|gartenlaube|tiefgarage|
    dachboden|innenhof|(?:schlussel|schluessel|medikamenten|medizin|arznei|gift|btm|geld|werkzeug|waffen|waesche|
    wasche|sicherungs|material)-?(?:kasten|kastchen|kaestchen|kasterl|kastl|schrank|schrankchen|box|safe|tresor|kiste|
    container|wagen|raum|lager|kammer)|(?:bau|mannschafts|werkzeug)-?(?:wagen|container)|container|anhanger|
    stiegenhaus|stiege|(?:studenten|studierenden|schwestern|wohn)-?heim|poller|drehkreuz|rollladen|gatter|gitter|
    umkleide|garderobe|stadel|scheune|stall|lager(?:raum|halle)?|probe(?:n)?raum|werkstatt|vereinsheim|huttn?|hutte|
    bootshaus|parkplatz|parkhaus|carport|kellerabteil|abteil
    """,
    noted_locks=r"(?:haus|einbruch)?alarm(?:anlage)?",
    key_boxes=r"(?:schlussel|schluessel)(?:kasten|kastchen|kaestchen|kasterl|safe|box|tresor)",
    dial_locks=r"""
    (?:fahrrad|rad|garderoben|spind|zahlen|vorhange|vorhaenge|kabel|koffer)-?schlo(?:ss|ß)|\w{0,8}koffer|\w{0,12}spind
    """,
    number_locks=r"(?:zahlen|nummern|code)-?schlo(?:ss|ß)|tastenfeld|keypad",
    noted_safes=r"(?:wand|haus|buro|mobel|zimmer|hotel)?-?(?:tresor|safe)|waffenschrank|geldkassette",
    hotel_safes=r"(?:hotel|zimmer)-?(?:tresor|safe)|(?:tresor|safe) im hotel(?:zimmer)?",
    noted_dials=r"""
    (?:reise|roll|hand|akten)?koffer|(?:fahrrad|rad|zahlen|vorhange|vorhaenge|kabel|koffer)-?schlo(?:ss|ß)
    """,
    noted_gates=r"(?:hof|garten|einfahrts|garagen)?-?tor",
    noted_networks=r"(?:gast|gaste|gaeste)?-?w-?lan",
    devices=r"""
    \w{0,8}handys?|\w{0,8}telefons?|\w{0,8}phones?|\w{0,8}tablets?|ipads?|\w{0,8}-?sim(?:-?karten?)?|
    \w{0,24}-?karten?|geldautomat(?:en)?|bankautomat(?:en)?|automaten|online-?ausweis|personalausweis|\w{0,8}konto|
    girokarte|natel|bankomat(?:karte)?|mailbox|laptops?|smartwatch|bildschirmsperre|sperrbildschirm|kindersicherung
    """,
    accounts=r"""
    wlan|w-lan|wi-?fi|\w{0,8}router|fritz!?box|nas|\w{0,24}konto|\w{0,24}account|admin|root|\w{0,24}server|
    \w{0,24}portal|rechner|laptop|computer|pc|mac|datei|pdf|zip|archiv|tabelle|(?:fest)?platte|usb-?stick|dokument|
    mail|e-?mail|melde|anmelden|einloggen|logge|angemeldet|eingeloggt|login|benutzer|benutzername|nutzername
    """,
    services=r"\w{0,8}-?banking|bank|finanz-?online|elba|e-?learning|eltern-?portal|app",
    logins=r"anmeldung|zugang(?:sdaten)?|anmeldedaten",
    of=r"am|an|bei|beim|fur|fuer|im|in|vom|von|zum|zur",
    unlocks=r"entsperren|ausschalten|abschalten|entscharfen|deaktivieren|aufmachen|aufsperren|offnen",
    owned=r"der|die|das|mein|meine|unser|unsere",
    links=r"ist|lautet|lauten|sind|war|waren|heißt|heisst|heißen|bleibt|wurde|wird|ware|hieß|hiess|geht so",
    fillers=r"""
    wort|satz|bis (?:gestern|vor kurzem|neulich)|fruher|jetzt|nun|immer|noch|einfach|nur|wieder|seit \w+|die|der|das|
    den|nummer|zahl|nr\.?|wie folgt|folgende[sr]?|aktuell|momentan|derzeit|ab sofort|ubrigens|weiterhin|also|code|
    kombination|ziffern|ganz|ziffernfolge|zahlenfolge|neuerdings|inzwischen|mittlerweile|auf|stern|raute|rautetaste
    """,
    changes=r"""
    geandert|gesetzt|geaendert|gewechselt|umgestellt|eingestellt|andere|anderte|stelle|stellte|gestellt|setzte|setze|
    zuruckgesetzt|festgelegt|gelegt|steht|stehen|stellen|setzen|andern|eingerichtet
    """,
    to=r"auf|zu|in",
    like=r"(?:als|ist|fur)(?: (?:das|die|der|den|mein|meine|unser|unsere|neues|sein|ihr|neue|ein|eine))*",
    mine=r"""
    (?:ist|war|lautet|waren|sind)(?: (?:mein|meine|unser|unsere|sein|seine|ihr|ihre|das|die|der|deren|dessen|papas|
    mamas|omas|opas|\w+s))(?: neues| neue| aktuelles| altes| alte)*
    """,
    entries=r"""
    (?:tippe?|tippt|drucke?|druckt|wahle?|wahlt|gibt?|gib|gebe|geben|eingeben|tippen|benutze|benutzt|nutze|verwende|
    verwendet|nimm|nehme|nimmt|probier)(?: (?:man|ich|ihr|du|wir|einfach|dort|da|dann|den|die|das|immer|bitte|mal|
    hier|erst|zuerst|wir))*|muss (?:man|ich|ihr|du) (?:den |die |das )?|mit dem code|mit der zahl|und zwar|namlich
    """,
    late_entries=r"""
    ein|eingeben|eintippen|eintippt|eintippe|eingibt|eingebe|einstellen|eingestellt|drucken|wahlen|tippen|eingetippt|
    eingegeben|gedruckt|auf|offnen|geoffnet|aus|ausschalten|entscharfen|entscharft|deaktivieren|entsperren|entsperrt|
    frei|aufgemacht|aufgesperrt|aufgehen|reinkommen|eindrehen|drehen|rein|aufmachen|(?:am|auf dem|ins|
    im) (?:tastenfeld|keypad|nummernfeld|display)|aufschliessen|aufschließen|abschalten|abstellen|eingetragen
    """,
    opens=r"""
    hebe|hebt|abheben|abgehoben|offne[tn]?|geoffnet|geht|gehen|aufgeht|aufmachen|macht|mache|entsperr(?:e|t|en|st)|
    entscharf(?:e|t|en)|schalte\w*|ausschalten|deaktivier(?:e|t|en)|aktivier(?:e|t|en)|melde|anmelden|meldet|
    angemeldet|logge?|loggt|einloggen|eingeloggt|entschlussel(?:n|t)|verschlusselt|gesichert|geschutzt|entriegel(?:t|
    n)|gesperrt|kommt|komme|aufsperren|aufgesperrt|aufgemacht|aufgehen|aufzumachen|aufbekommen|aufkriegen|reinkommen|
    sperrt|stellt|scharf|unscharf|steht|gehts
    """,
    by=r"mit|mittels|per|uber|auf|durch",
    compounds=r"""
    strategie|methode|ort|aufbewahrung|-strategie|-methode|manager|-manager|regeln?|richtlinien?|vorgaben|pad|-pad|
    eingabe|lange|safe|tresor|liste|anforderungen|schutz|generator|wechsel|hinweis|frage|heft|verwaltung|brief|feld
    """,
    owners=r"""
    (?:lange|anzahl|starke|teil|teile|halfte|anfang|ende|besitzer|name|beispiel|idee|art|alter|gultigkeit|anderung|
    sicherheit|wahl|zahl) (?:des|der|meines|meiner|unseres|unserer|eines|einer|von|vom) (?:\w+ )?
    """,
    other_codes=r"""
    qr|postleit|fehler|gutschein|rabatt|aktions|frei?schalt|buchungs|bestatigungs|tracking|farb|quell|promo|strich|
    bar|dress|morse|buchung|bestell|artikel|kunden|rechnungs|auftrags|hotline|linie|buslinie|zug|flug|sendungs|
    vertrags|versicherungs|mitglieds|kurs|losnummer|ral|serien|modell
    """,
    other_codes_after=r"review|zeilen|schnipsel|der firma|seite|e-?\d|wird angezeigt|angezeigt",
    breaks=r"""
    aber|weil|denn|sondern|und (?:mein|meine|unser|unsere|die|der|das|ich|er|sie|wir|habe|hat)|muss|mussen|musste|
    soll|sollte|sollten|darf|kann|konnte|hat|hatte|nicht|kein|keine|nie|niemals|zimmer|bestellung|rechnung|flug|raum|
    plz|version|durchwahl|geburtstag|preis|kostet|zeigt|wenn|falls|seit|bis|bevor|nachdem|vergessen|braucht|enthalt|
    fehler|lauft
    """,
    predicates=r"""
    ausgedruckt|gedruckt|graviert|hinterlegt|weg|da|hier|falsch|richtig|sicher|unsicher|lang|kurz|gleich|neu|alt|gut|
    schlecht|schwach|stark|schwer|leicht|einfach|weiter|noch|immer|nie|leer|toll|blod|doof|klar|unklar|bekannt|
    unbekannt|geheim|privat|dasselbe|dieselbe|anders|pflicht|quatsch|mist|unsinn|vergangenheit|standard|geschichte|
    thema|muss|super|ok|okay|optional|erforderlich|notwendig|zwingend|sache|englisch|deutsch|eins|alles|nichts|etwas|
    besser|schlechter|sicherer|langer|kurzer|out|futsch|hinfallig|komplex|kompliziert|pflichtfeld|chefsache|s\.o\.|
    siehe|dein|mein|ein|eine|der|die|das|zu|so|sehr|nicht|kein
    """,
    endings=r"(?:ge|be|ver|ent|er|zer|ab|an|auf|aus|ein|zu|um)\w+(?:t|en)|\w+(?:lich|ig|isch|bar|los|sam|haft)",
    spellings=r"alles|klein\w*|gross\w*|groß\w*|ohne|mit|und|falls|in einem|zusammen\w*|geschrieben|nicht|also",
    function_words=r"""
    der|die|das|den|dem|des|ein|eine|einen|einem|einer|ist|sind|war|zu|in|im|am|an|auf|fur|mit|und|oder|aber|nicht|
    mein|meine|unser|sein|ihr|es|dass|von|vom|aus|als|ich|wir|er|sie|so|sehr|mehr|wenn|noch|nur|immer|nie|gut|
    irgendwo|genug|hinterlegt|notiert
    """,
    units=r"""
    stellen|stellig\w*|zeichen|ziffern|zahlen|buchstaben|worter|mal|minuten|min|sekunden|stunden|std|uhr|tagen?|
    wochen|monaten?|jahren?|euro|cent|franken|prozent|leuten?|personen|zeilen|seiten|meter|kilometer|gramm|kilo|stuck|
    versuchen?|eintragen?|konten|mitarbeiter\w*|kunden|einwohner\w*|quadratmeter|schritten?|kalorien|umdrehungen|
    mitglieder\w*|besucher\w*|zuschauer\w*|gasten?|er|folgen|dateien|codes
    """,
    public=r"""
    (?:im|in einem|in dem|in diesem|in einer|in der|aus dem|im alten) (?:\w+ )?(?:film|roman|krimi|spiel|sketch|serie|
    folge|buch|comic|beispiel|handbuch|anleitung|traum|artikel|dokumentation|doku|stuck|escape room|kapitel|tutorial|
    zeitung)|zum beispiel|z\. ?b|etwa so|platzhalter|standardmassig|voreingestellt|beliebteste\w*|haufigste\w*|(?:nie|
    niemals|nicht|keinesfalls) (?:verwenden|nehmen|benutzen|nutzen)|viele (?:leute|menschen|nehmen|nutzen|verwenden)|
    nimm nie|verwende nie|niemand|keine gute idee|laut (?:der|einer|dem)
    """,
    turns=r"(?:nach )?(?:links|rechts)(?: ?(?:he)?rum)?|(?:nach )?(?:links|rechts) drehen",
    key_presses=r"""
    (?:und|dann|und dann|danach|anschliessend) (?:dann )?(?:(?:noch )?(?:auf )?(?:die|den|das) )?(?:(?:grune[ns]?|
    rote[ns]?|blaue[ns]?|gruene[ns]?) )?(?:stern\w*|raute\w*|\w{0,12}taste|knopf|enter|ok|\w{0,12}symbol|glocke)
    """,
    numbers=r"""
    (?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und(?:zwan|drei|vier|funf|sech|sieb|acht|neun)(?:zig|ssig|
    ßig)|(?:zwan|drei|vier|funf|sech|sieb|acht|neun)(?:zig|ssig|ßig)|zehn|elf|zwolf|zwoelf|(?:drei|vier|funf|sech|sieb|
    acht|neun)zehn
    """,
    origins=r"(?:geburts|hochzeits|verlobungs|todes|bau)(?:jahr|tag|datum)e?s?|jahrgang|hochzeit",
    users=r"benutzer(?:name|kennung|in)?|nutzer(?:name|kennung)?|anmeldename|kennung|teilnehmer|login-?name|verfuger",
    passes=r"passw\.|kennw\.|pwort",
    digits="null eins|ein zwei|zwo drei vier funf|fuenf sechs sieben acht neun",
    documents=r"""
    (?:reise)?pass(?:nummer|nr)?|personalausweis(?:nummer|nr)?|ausweis(?:nummer|nr)|(?:kranken)?versicherten(?:nummer|
    nr)|krankenversicherungsnummer
    """,
    national_ids=r"""
    \w{0,6}steuer\w*|steuerliche|idnr|id-nr|sozialversicherung\w*|rentenversicherung\w*|versicherungsnummer|
    sv[- ]?n(?:umme)?r|svnr|svn|vsnr|rvnr|(?:soz|sozial|renten)\.?-?vers\w*|st-?id(?:nr)?|ahv\w*|ahv-nummer|
    personalausweis\w*|ausweis\w*|reisepass\w*|reisepaß|pass|passnummer|krankenversicherung\w*|krankenkasse\w*|
    identifikationsnummer|tin|e-card|burgernummer|personennummer
    """,
)
