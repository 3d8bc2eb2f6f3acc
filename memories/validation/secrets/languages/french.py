"""French words around secrets."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

FRENCH = Vocabulary(
    passwords=r"""
    mots? de passe|mdp|(?:code|cle|mot|cles) (?:du |de la |de |d'acc[eè]s |d'acc[eè]s au |de securite (?:du )?|
    reseau )?(?:wi-?fi|box|reseau|wpa2?|livebox|freebox)|identifiants|reponse a (?:la|ma) question (?:secr[eè]te|
    de securite)
    """,
    keys=r"""
    cle (?:de chiffrement|secr[eè]te|privee|de securite|d'acc[eè]s)|code d'acc[eè]s|sesame|mot secret|mot magique|
    passe
    """,
    network_keys=r"cle|clef|code",
    networks=r"wi-?fi|box|reseau|routeur|livebox|freebox|hotspot",
    passphrases=r"""
    phrases? (?:secr[eè]te|de passe|mot de passe)|mot de passe (?:maitre|principal)|phrase de chiffrement
    """,
    pins=r"""
    (?:code )?pin|pins|code (?:secret|confidentiel|personnel|pin|sim|de deverrouillage|a (?:4|quatre|6|six) chiffres)|
    code (?:de |du |de la |de ma |de sa |de mon |de son |de ta |de notre |bancaire|carte|de la carte |de ma carte |
    de votre )(?:vieux |vieille |nouvelle |nouveau )?(?:carte(?: bleue| bancaire| bleu| visa| sim| de credit)?|cb|
    telephone|portable|mobile|sim|iphone|tablette|smartphone|repondeur|messagerie|verrouillage|cb)
    """,
    recoveries=r"""
    (?:codes?|cles?|phrases?|mots) (?:de )?(?:recuperation|secours|restauration|recup|sauvegarde|backup|urgence|
    reinitialisation|seed)|code puk|puk|(?:seed|phrase) mnemonique|seed|phrase seed|mots? de recuperation|(?:12|douze|
    24|vingt-quatre) mots|graine
    """,
    lock_codes=r"""
    digicode|code (?:de |du |de la |de l'|d'|des |de notre |de mon |de ma |de son |de sa |pour (?:la |le |
    l'))(?:\w+ )?(?:alarme|porte|portail|portillon|immeuble|entree|acc[eè]s|garage|coffre|coffre-fort|cadenas|antivol|
    interphone|digicode|batiment|hall|local|cave|boite a cles?|valise|casier|consigne|residence|cour|barri[eè]re|
    parking|desarmement|serrure|maison|grille|ascenseur|cle)|combinaison (?:du |de la |de l'|de mon |de notre |de ma |
    d'un |de )(?:\w+ )?(?:coffre|coffre-fort|cadenas|antivol|valise|casier|serrure|bo[iî]te)
    """,
    card_codes=r"""
    cryptogramme(?: visuel)?|cvv|cvc|code de (?:verification|securite)|(?:les )?(?:3|trois) chiffres (?:au dos|
    derri[eè]re)
    """,
    codes=r"codes?|combinaison|chiffres|suite",
    locks=r"""
    velos|alarmes?|portes?|portail|portillon|garage|coffre(?:-fort)?|cadenas|antivol|serrure|boite a (?:cles?|clefs?)|
    casier|consigne|entree|immeuble|interphone|digicode|clavier|hall|cave|local(?: a? ?(?:velos?|poubelles?))?|valise|
    barri[eè]re|parking|cour|sir[eè]ne|residence|grille|ascenseur|cabanon|box|armoire (?:a pharmacie|aux medicaments|
    aclefs?|a cles?)|pharmacie|cage d'escalier|foyer|internat|conteneur|remorque|vestiaire|atelier|entrepot|
    grange|borne|rideau|hangar|remise|lavanderie
    """,
    noted_locks=r"alarme",
    key_boxes=r"(?:boite|coffret) a (?:cles?|clefs?)",
    dial_locks=r"cadenas|antivol|valise|casier",
    number_locks=r"serrure a code|clavier",
    noted_safes=r"coffre(?:-fort)?",
    hotel_safes=r"coffre(?:-fort)? (?:de l['’]hotel|de la chambre)",
    noted_dials=r"cadenas|antivol|valise",
    noted_gates=r"portail|portillon",
    noted_networks=r"(?:reseau )?wi-?fi",
    devices=r"""
    telephones?|portable|smartphone|iphone|ipad|mobile|tablette|carte(?: sim| bleue| bancaire| de credit| visa)?s?|cb|
    sim|distributeur|dab|guichet|repondeur|messagerie|ordinateur|montre|compte|controle parental
    """,
    accounts=r"""
    wi-?fi|box|livebox|freebox|routeur|nas|comptes?|admin|root|serveur|portail|ordinateur|ordi|pc|mac|fichier|pdf|zip|
    archive|tableur|disque(?: dur)?|cle usb|document|mail|messagerie|connecte|connexion|session|identifiant|login|
    utilisateur|coffre numerique|dossier|site
    """,
    services=r"banque(?: en ligne)?|impots|appli(?:cation)?",
    logins=r"connexion|identifiants?|acces",
    of=r"a|au|chez|d|dans|de|des|du|pour",
    unlocks=r"debloquer|deverrouiller|ouvrir|couper|desactiver",
    owned=r"le|la|mon|ma|notre",
    links=r"est|c'est|c'etait|sont|etait|ce sera|sera|reste|devient|c est|s'ecrit|donne|serait|ce sont|est devenue?",
    fillers=r"""
    mot|phrase|maintenant|toujours|encore|desormais|simplement|juste|bien|le|la|les|l'|numero|n°|code|suivante?|
    chiffres|tout|a nouveau|actuellement|en fait|normalement|depuis \w+|par contre|tout simplement|etoile|di[eè]se
    """,
    changes=r"""
    change|changee?|modifiee?|mise?|passee?|regle|reglee|reinitialise|remis|configure|mettre|changer|regler|programme|
    programmee|remplacee?|choisi|mets
    """,
    to=r"en|a|sur|par|pour|au|a la",
    like=r"(?:comme|pour|est|en tant que)(?: (?:le|la|mon|ma|notre|nouveau|nouvelle|son|sa|un))*",
    mine=r"""
    (?:est|c'est|etait|sont|c'etait)(?: (?:le|la|mon|ma|notre|son|sa|leur|les))(?: nouveau| nouvelle| ancien)*
    """,
    entries=r"""
    (?:tape[zrs]?|compose[zrs]?|saisi[srt]|saisissez|saisir|entre[zrs]?|rentre[zrs]?|fai[st]|faire|appui\w+ sur|
    utilise[zrs]?|met(?:s|tez)?|essaie|on tape|on fait|je tape|je fais|je compose|indique[rz]?)(?: (?:le|la|les|l'|
    toujours|simplement|donc|d'abord|alors|code))*|(?:il faut|on doit|faut) (?:que je )?(?:taper|composer|faire|
    saisir|entrer|compose|tape|fasse)(?: (?:le|la))?
    """,
    late_entries=r"""
    puis (?:di[eè]se|etoile|valide\w*|sur|entree|#|ok|appuie\w*)|suivi (?:de|du|d')|et (?:di[eè]se|valide\w*|
    la touche)|sur (?:le |la )?(?:clavier|digicode|boitier|interphone|molette)|pour (?:ouvrir|entrer|desactiver|
    couper|deverrouiller|desarmer)|a composer|a taper|ouvre|deverrouille|desactive
    """,
    opens=r"""
    retire[rz]?|(?:s'|l')?ouvr\w+|(?:se |le |la )?deverrouille\w*|desactive\w*|desarme\w*|active\w*|coupe\w*|
    arrete\w*|connecte\w*|debloque\w*|dechiffre\w*|chiffree?|protegee?|verrouillee?|regle\w*|entre|entrer|
    acc[eè]de\w*|logue|armer|reglee|neutralise
    """,
    by=r"avec|par|avec le|en tapant|en composant|grace au|grace a|sur",
    compounds=r"oublies?|postal|unique|perdus?|faibles?|forts?|par defaut",
    owners=r"""
    (?:gestionnaire|longueur|force|regles?|politique|partie|moitie|debut|fin|changement|exemple|nombre|generateur|
    indice|type|proprietaire|qualite|reinitialisation|oubli|carnet|coffre-fort) (?:de|du|des|d'un|de la|de mon|de ma|
    de mes) (?:\w+ )?
    """,
    other_codes=r"qr|faux",
    other_codes_after=r"""
    postal\w*|promo\w*|erreur|d'erreur|civil|penal|de la route|barres?|a barres|source|couleur|article|produit|defaut|
    de conduite|vestimentaire|morse|reduction|de reduction|de reservation|d'activation|de suivi|de commande|client|
    de confirmation|de verification|apr?e|naf|insee|pays|region|de vol|[a-z]-?\d{1,3}\b|de facture|de telephone|
    d'appel|de parrainage|avantage|cadeau|barre|review|qr|de dossier|de rue|couleurs|de chambre|de place|de parking|
    de page|de train|du train|de tva|de couleur|de la chambre
    """,
    breaks=r"""
    mais|parce|car|donc|et (?:mon|ma|notre|le|la|les|je|il|elle|on|nous)|doit|doivent|devrait|faut|a (?:ete|un|six|
    quatre|expire)|ai|n'est|ne|pas|jamais|plus|chambre|commande|facture|vol|version|poste|anniversaire|prix|coute|
    affiche|quand|si|depuis|jusqu'au?|apr[eè]s|avant|expire|contient|numero de (?:chambre|commande|telephone|dossier)|
    salle|erreur|compte (?:\d|quatre|six|cinq)
    """,
    predicates=r"""
    habituel|habituelle|normal|actuel|initial|provisoire|suivant|precedent|obligatoire|necessaire|identique|unique|
    personnel|complexe|simple|facile|difficile|faible|solide|robuste|valide|invalide|connu|inconnu|perdu|mis|requis|
    compromis|introuvable|inutile|important|suffisant|nul|super|ridicule|pareil|meme|temporaire|le meme|vide|dessous|
    dedans|devant|derriere|inchange|expire|oublie|long|court|fort|trop|bon|bonne|mauvais|nouveau|neuf|vieux|secret|
    perdu|faux|vrai|ici|la|bien|mal|mieux|pire|ok|trop|pas|plus|toujours|encore|jamais|tr[eè]s|assez|un|une|le|la|les|
    mon|ma|celui|clair|public|prive|different|identique|important|dans|sur|chez|en|au|aux|a|pour|par|lundi|mardi|
    demain|bientot|francais|anglais|oui|non|fini
    """,
    endings=r"\w+(?:ées?|és?|ables?|ibles?|eux|euse|if|ive|ement)",
    spellings=r"tout|en (?:minuscules?|majuscules?|un)|avec|sans|et|au cas|si|sans espaces?|attention",
    function_words=r"""
    le|la|les|un|une|des|du|de|est|sont|etait|a|au|aux|en|dans|sous|sur|pour|avec|et|ou|mais|pas|ne|mon|ma|mes|notre|
    son|sa|il|elle|on|que|qui|par|comme|je|nous|si|tr[eè]s|trop|plus|assez|toujours|jamais|encore|bien|quelque|ici|
    chez
    """,
    units=r"""
    chiffres?|caract[eè]res|lettres?|symboles?|mots|fois|minutes?|min|secondes?|heures?|h|jours?|semaines?|mois|ans?|
    annees?|euros?|centimes|francs?|pour cent|personnes|gens|lignes|pages|m[eè]tres|kilom[eè]tres|km|grammes|kilos?|
    pi[eè]ces|tentatives|essais|comptes|fichiers|clients|habitants|pas|calories|membres|visiteurs|joueurs|spectateurs|
    points|salaries|employes|tours|m2|entrees
    """,
    public=r"""
    dans (?:le|la|un|une|ce|cette|mon) (?:\w+ )?(?:film|roman|livre|jeu|sketch|serie|episode|bd|pi[eè]ce|exemple|
    manuel|tuto|tutoriel|histoire|documentation|reve|chapitre|escape game|polar)|par exemple|p\. ?ex|exemple|
    par defaut|(?:le|les) plus (?:utilises?|courants?|populaires?|repandus?|frequents?)|ne jamais|n'utilis\w+ (?:pas|
    jamais)|jamais utiliser|(?:beaucoup|certains|les gens|la plupart|personne)|selon|d'apr[eè]s l
    """,
    turns=r"(?:a |vers la )?(?:gauche|droite)",
    key_presses=r"""
    (?:puis|et|et puis|ensuite) (?:(?:la |l')?(?:touche|bouton) )?(?:(?:sur )?(?:le |la |l'))?(?:di[eè]se|etoile|
    asterisque|(?:touche|bouton)(?: (?:verte?|rouge|bleue?))?|cloche)
    """,
    numbers=r"""
    (?:vingt|trente|quarante|cinquante|soixante|quatre-vingts?)(?:(?:-| et |-et-)(?:un|deux|trois|quatre|cinq|six|
    sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize)(?:-(?:sept|huit|neuf))?)?|dix-(?:sept|huit|neuf)|
    dix|onze|douze|treize|quatorze|quinze|seize
    """,
    origins=r"""
    (?:annee|date|jour) de (?:(?:ma |sa |notre |la )?naissance|(?:mon |notre |leur )?mariage)|
    anniversaire(?: de mariage)?
    """,
    users=r"identifiant|utilisat(?:eur|rice)|nom d'utilisat(?:eur|rice)",
    passes=r"passe",
    digits="zero un|une deux trois quatre cinq six sept huit neuf",
    documents=r"passeport|carte d'identite|cni|numero de passeport",
    national_ids=r"""
    securite sociale|secu|(?:numero|n°) (?:de )?ss|insee|nir|carte vitale|numero fiscal|carte d'identite|cni|
    passeport|numero d'identite|spi|identifiant fiscal|avs|assure|assurance maladie|registre national|niss
    """,
)
