"""Italian words around secrets."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

ITALIAN = Vocabulary(
    passwords=r"""
    passwords?|parol[ae] (?:d'ordine|d'accesso|di accesso|chiave|segreta)|(?:chiave|codice|parola) (?:del |della |
    di accesso (?:al )?|di rete (?:del )?|per il )?(?:nostro |mio )?(?:wi-?fi|wlan|router|rete|modem|internet)|
    credenziali|risposta alla domanda (?:di sicurezza|segreta)
    """,
    keys=r"chiav[ei]|parola magica|chiave (?:segreta|privata|di cifratura|di sicurezza|d'accesso)",
    network_keys=r"chiave|codice",
    networks=r"wi-?fi|wlan|rete|router|modem|hotspot",
    passphrases=r"""
    frase (?:segreta|d'accesso|di accesso|password|chiave)|password (?:principale|maestra|master)|master password
    """,
    pins=r"""
    (?:codice |numero )?pin|pins|codice (?:segreto|personale|pin)|numero segreto|codice (?:del |della |della mia |
    del mio |di |della sua |del suo )(?:bancomat|carta|telefono|cellulare|sim|tablet|iphone|blocco|sblocco|telefonino|
    postepay)(?: di credito| bancomat)?|codice di (?:s)?blocco
    """,
    recoveries=r"""
    (?:codic[ei]|chiav[ei]|fras[ei]|parole) (?:di )?(?:recupero|ripristino|backup|riserva|emergenza|salvataggio|
    scorta|seed|sicurezza di riserva)|(?:codice )?puk|seed phrase|frase seed|frase mnemonica|(?:12|dodici|24|
    ventiquattro) parole|seed
    """,
    lock_codes=r"""
    (?:codice|combinazione|numero segreto|chiave|password|pin) (?:di |del |della |dell'|dello |per (?:il |la |l')|
    d')(?:\w+ )?(?:allarme|antifurto|porta|portone|cancello|garage|ingresso|accesso|cassaforte|lucchetto|serratura|
    armadietto|palazzo|condominio|cassetta(?: delle chiavi)?|valigia|sbarra|cantina|box|cassetta di sicurezza|
    portoncino|disinserimento|catena|casa|citofono|ascensore)
    """,
    card_codes=r"cvv2?|cvc|codice di (?:sicurezza|verifica)|(?:3|tre) (?:cifre|numeri) (?:sul retro|dietro)",
    codes=r"codic[ei]|combinazione|cifre|sequenza",
    locks=r"""
    bici|biciclette|allarm[ei]|antifurto|port[ae]|portone|portoncino|cancell[oi]|garage|cassaforte|lucchett[oi]|
    serratura|armadietto|ingresso|palazzo|condominio|cassetta(?: delle chiavi| di sicurezza)?|valigia|sbarra|citofono|
    tastierino|cantina|sirena|catena|tastiera|ascensore|box|cassettina(?: delle chiavi)?|scatol\w+ delle chiavi|
    armadi(?:o|etto) (?:dei)?(?:farmaci|medicinali|medicine)|container|rimorchio|spogliatoio|magazzino|officina|
    laboratorio|fienile|serranda|saracinesca|studentato|convitto|ripostiglio|deposito|parcheggio
    """,
    noted_locks=r"allarme",
    key_boxes=r"(?:cassetta|cassettina) delle chiavi",
    dial_locks=r"lucchetto|antifurto|valigia|armadietto",
    number_locks=r"serratura|tastierino",
    noted_safes=r"cassaforte",
    hotel_safes=r"cassaforte (?:dell['’]hotel|dell['’]albergo|della camera|in camera)",
    noted_dials=r"lucchetto|valigia",
    noted_gates=r"cancell(?:o|etto)",
    noted_networks=r"(?:rete )?wi-?fi",
    devices=r"""
    telefon[oi]|telefonino|cellulare|iphone|ipad|tablet|cart[ae]|sim|bancomat|sportello|visa|postamat|postepay|conto|
    segreteria|portatile|orologio|controllo genitori
    """,
    accounts=r"""
    wi-?fi|router|modem|nas|account|conto|admin|root|server|portale|computer|pc|mac|file|pdf|zip|archivio|foglio|
    disco|chiavetta|documento|posta|e-?mail|utente|accedo|entro|collego|login|registro elettronico|registro|profilo|
    piattaforma|area riservata
    """,
    services=r"home banking|banca|spid|sito",
    logins=r"accesso|credenziali|accedi",
    of=r"a|al|alla|da|dal|della|dell|del|di|in|per",
    unlocks=r"sbloccare|aprire|spegnere|staccare|disattivare",
    owned=r"il|la|il mio|la mia|il nostro|la nostra",
    links=r"è|e'|era|sono|erano|sara|resta|rimane|diventa|diventata|fa|sarebbe|corrisponde a|si chiama",
    fillers=r"""
    parola|frase|ora|adesso|sempre|ancora|semplicemente|solo|il|la|le|i|lo|l'|numero|n\.|codice|seguent[ei]|di nuovo|
    attualmente|da \w+|proprio|in realta|questa|questo|cancelletto|asterisco
    """,
    changes=r"""
    cambiat[oa]|cambio|impostat[oa]|mess[oa]|imposto|modificat[oa]|reimpostat[oa]|aggiornat[oa]|regolat[oa]|cambiare|
    impostare|passat[oa]
    """,
    to=r"in|a|su|con|sul|come",
    like=r"(?:come|da|è|per)(?: (?:il|la|mia|mio|nostra|nostro|nuova|nuovo|una|un|sua|suo))*",
    mine=r"(?:è|e'|era|sono)(?: (?:il|la|le|i|un))?(?: mi[oa]| nostr[oa]| su[oa]| loro)?(?: nuova| nuovo| vecchia)*",
    entries=r"""
    (?:digit[aioe]\w*|componi|comporre|compongo|inserisc\w+|inserire|inserisci|prem[io]|premere|premi|batti|battere|
    metto|metti|us[ao]|usare|schiaccia|si digita|scriv\w+|fai)(?: (?:il|la|le|sempre|semplicemente|prima|codice))*|
    (?:bisogna|devi|si deve|occorre|basta) (?:digitare|comporre|inserire|premere|fare|mettere)(?: (?:il|la))?
    """,
    late_entries=r"""
    e (?:cancelletto|asterisco|premi|poi|invio|il cancelletto|ok)|seguito da|sul (?:tastierino|pannello|citofono)|
    sulla tastiera|per (?:aprire|entrare|disattivare|disinserire|spegnere|sbloccare)|apre|sblocca|disattiva|
    poi cancelletto
    """,
    opens=r"""
    prelev\w+|(?:si )?apr\w+|(?:si )?sblocc\w+|(?:si )?disattiv\w+|(?:si )?disinserisc\w+|(?:si )?attiv\w+|
    (?:si )?spegn\w+|(?:si )?stacc\w+|(?:si )?alza\w*|accedo|entro|collego|mi collego|entra\w*|decifr\w+|cifrat[oa]|
    protett[oa]|bloccat[oa]|impostat[oa]|logg\w+|acced\w+
    """,
    by=r"con|tramite|col|digitando|usando|su|mediante",
    compounds=r"postale|dimenticat[ae]|pers[ae]|predefinit[ae]|deboli|di violino|di volta|inglese|di lettura",
    owners=r"""
    (?:gestore|strategia|lunghezza|forza|regol[ae]|politica|parte|meta|inizio|fine|cambio|esempio|numero|generatore|
    suggerimento|tipo|proprietario|sicurezza|quaderno|scadenza|robustezza) (?:di|del|della|delle|dei|della mia|
    del mio) (?:\w+ )?
    """,
    other_codes=r"qr|stesso",
    other_codes_after=r"""
    postale|sconto|errore|di errore|fiscale|a barre|qr|di prenotazione|prenotazione|sorgente|civile|penale|prodotto|
    di tracciamento|della strada|promozionale|morse|di attivazione|di conferma|cliente|articolo|colore|etico|
    di avviamento|di condotta|swift|bic|iata|volo|[a-z]-?\d{1,3}\b|ordine|di telefono|di camera|del treno|usa e getta|
    dal blackout|regalo|ateco|deontologico|di serie
    """,
    breaks=r"""
    ma|perche|quindi|pero|e (?:la mia|il mio|la|il|io|lui|lei|noi|mi)|deve|devono|dovrebbe|ha|hanno|non|mai|camera|
    ordine|fattura|volo|versione|interno|compleanno|prezzo|costa|mostra|segna|quando|se|dal|fino|dopo|prima|scade|
    contiene|stanza|errore|cap
    """,
    predicates=r"""
    stampat[oaei]|incis[oaei]|abituale|normale|attuale|iniziale|precedente|seguente|provvisoria|solita|solito|
    importante|sufficiente|differente|identic[oa]|robust[oa]|personale|uguale|inutile|fragile|numeric[oa]|
    automatic[oa]|corrett[oa]|perfett[oa]|stess[oa]|banale|semplice|necessari[oa]|pers[oa]|cort[oa]|debole|lung[oa]|
    cort[oa]|forte|sicur[oa]|buon[oa]|nuov[oa]|vecchi[oa]|segret[oa]|divers[oa]|giust[oa]|sbagliat[oa]|unic[oa]|
    facile|difficile|meglio|peggio|mi[oa]|su[oa]|nostr[oa]|qui|li|cosi|tutto|niente|un|una|il|la|lo|di|del|della|per|
    molto|piu|troppo|no|si|gia|sempre|compless[oa]|pubblica|privata|lunedi|domani|ieri|pazienza|dietro|sotto|sopra|
    sul|sulla|nel|nella|in|da|appesa|temporanea|opzionale
    """,
    endings=r"\w+(?:at[oaei]|it[oaei]|ut[oaei]|abil[ei]|ibil[ei]|os[oaei]|iv[oaei]|mente|ori[oaei])",
    spellings=r"tutt[oa]|in (?:minuscol\w+|maiuscol\w+|una)|con|senza|e|se|nel caso",
    function_words=r"""
    il|lo|la|le|gli|i|un|una|di|del|della|è|sono|era|a|al|in|nel|per|con|e|o|ma|non|mio|mia|suo|nostra|che|da|come|io|
    se|molto|piu|sempre|mai|ancora|bene|troppo|qualcuno|scritta|salvata
    """,
    units=r"""
    cifr[ae]|caratteri|letter[ae]|simboli|parole|volte|minut[oi]|second[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|
    ann[oi]|euro|centesimi|franchi|dollari|per cento|persone|righe|pagine|metri|chilometri|km|grammi|chili|pezzi|
    tentativi|account|file|clienti|abitanti|passi|calorie|membri|soci|visitatori|giocatori|spettatori|punti|
    dipendenti|giri|mq
    """,
    public=r"""
    (?:nel|nella|nello|in un|in una|in quel|in quella) (?:\w+ )?(?:film|romanzo|libro|gioco|sketch|serie|episodio|
    fumetto|commedia|esempio|manuale|tutorial|racconto|documentazione|sogno|capitolo|escape room|articolo)|
    per esempio|ad esempio|p\. ?es|esempio|di fabbrica|predefinit[oa]|piu (?:usat[oaei]|comun[ei]|popolar[ei]|
    diffus[oaei]|frequent[ei])|non usare|mai usare|molta gente|la gente|nessuno|molti|secondo
    """,
    turns=r"(?:a |verso )?(?:sinistra|destra)",
    key_presses=r"""
    (?:e|poi|e poi) (?:premi |premere )?(?:il |la |l')?(?:(?:tasto|pulsante|bottone)(?: \w+)?|cancelletto|asterisco|
    stella|campana)
    """,
    numbers=r"""
    (?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)(?:[aio])?(?:uno|due|tre|quattro|cinque|sei|sette|
    otto|nove)?|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove
    """,
    origins=r"""
    (?:anno|data|giorno) (?:di nascita|del (?:mio |nostro |loro )?matrimonio|di matrimonio|delle nozze)|compleanno|
    anniversario
    """,
    users=r"utente|nome utente|id utente",
    passes=r"psw|pw",
    digits="zero uno|un due tre quattro cinque sei sette otto nove",
    documents=r"passaporto|carta d'identita|numero di passaporto",
    national_ids=r"""
    codice fiscale|cod\. ?fisc|cf|c\.f|tessera sanitaria|carta d'identita|passaporto|documento|patente|numero avs|
    tessera
    """,
)
