"""French time words."""

from __future__ import annotations

from memories.times.holidays import (
    AFTER_CHRISTMAS,
    ALL_SAINTS,
    ASCENSION,
    ASSUMPTION,
    CHRISTMAS,
    CHRISTMAS_EVE,
    EASTER,
    EASTER_MONDAY,
    EPIPHANY,
    GOOD_FRIDAY,
    NEW_YEARS_DAY,
    NEW_YEARS_EVE,
    PENTECOST,
)
from memories.times.vocabulary import Cues, Vocabulary, Which, numbered

_LAST_NEXT: dict[str, Which] = {
    "dernier": "last", "derniere": "last", "passe": "last", "passee": "last", "prochain": "next", "prochaine": "next",
}  # fmt: skip
CUES = Cues(
    until=r"jusqu['’](?:au|a la|a l['’]|a|en)|valable jusqu['’]au",
    deadline=r"(?:avant|d['’]ici|au plus tard|expire|echeance|date limite|a rendre(?: pour)?|se termine|a payer)"
    r"(?: est)?(?: ?:)?(?: le| la| l['’]| au| fin| en| a)?",
    start=r"(?:a partir|des|a compter)(?: de| du| le| d['’])?|(?:commence|debute|apres)(?: le| en)?",
    past=r"^(?:vu|fini|envoye|recu|termine|rencontre(?! (?:avec|d)))|"
    r"etait|etaient|avait|avaient|ai|as|avons|avez|ont|a (?:ete|eu|fini|envoye|signe|livre|"
    r"mange|dine|couru|photographie|regarde|repare|installe|paye|fait|pris|vu|mis|dit|recu|vendu|perdu|"
    r"achete|demenage|commence|termine|trouve|appele|donne|visite|rencontre|gagne|quitte)|"
    r"(?:suis|est|sommes|sont) (?:ne|alle|mort|parti|(?:re)?venu|arrive|rentre|retourne|passe)e?s?|"
    r"(?:payee|envoyee|recue|achetee|reglee)s?|recus?|"
    r"hier|avant-hier|dernier|derniere",
    coming=r"sera|seront|va|vont|doit|doivent|devra|devront|faut",
    recurring=r"chaque|tous les|toutes les|anniversaire|ne le|nee le|quotidien|hebdomadaire|mensuel|annuel|toujours|"
    r"d['’]habitude|souvent|aura \d+|fete ses|le (?:lun|mar|mercre|jeu|vendre)di(?! (?:\d|prochain))|"
    r"le samedi(?! (?:\d|prochain))|le dimanche(?! (?:\d|prochain))|les (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    r"dimanche)s|jour ferie",
    change=r"(?:augmente|monte|baisse|diminue|passe)(?:nt)? (?:a|de) \d+(?! ?h)|"
    r"(?:emmenage|demenage)(?:s|nt)?|commence(?:s|nt)? (?:une?|son|sa|ses|mon|ma|notre|comme|chez|la|a(?! \d))|"
    r"s['’]installent?|arrete(?:nt)? (?:de|d['’]|la|le(?! \d)|les)|devien(?:t|s|nent)|passe(?:nt)? "
    r"(?:a|au) (?:temps|mi-temps|plein)|rejoi(?:nt|gnent)|quitte(?:nt)? (?:son|sa|leur)|change(?:nt)? de|"
    r"prend sa retraite|entre(?:nt)? en (?:vigueur|fonction)|adhere(?:nt)?",
    lasting=r"habitent?|vit|vivent|travaille (?:chez|comme)|aime|adore|deteste|s['’]appelle|allergique|prefere|parle",
    verb=r"est|sont|suis|ont|coute|dure|peut|peuvent",
    occasion=r"dentiste|dermato\w*|remise des cles|livree?s?|s['’]envol\w+|"
    r"medecin|docteur|veterinaire|hopital|clinique|operation|irm|radio|prise de sang|vaccin|controle|"
    r"kine|ophtalmo|coiffeu(?:r|se)|plombier|electricien|technicien|ramoneur|livraison|demenage\w{0,4}|"
    r"etat des lieux|visite|entretien|examen|rendez-vous|rdv|notaire|avocate?|comptable|enterrement|obseques|"
    r"mariage|fete|concert|theatre|cinema|vol|arrivee?|arrivent|arrivons|atterrit|rentre|rentrent|rentrons|"
    r"revien(?:t|s|nent)|retour|(?<!de )passe|vien(?:t|nent)|signe|signons|bail|vois|voit|voyons|va chez|"
    r"reunion (?:avec|parents)|(?:mange|dejeune|dine)\w{0,3} (?:avec|chez)|(?:dejeuner|diner) (?:avec|chez)",
    routine=r"menage|poubelles?|fermee?|ouverte?|horaires|cours|entrainement|chorale|conge|teletravail|permanence|"
    r"seulement|ferme|moins cher|consulte",
)
FRENCH = Vocabulary(
    months=numbered("janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre", 1),
    weekdays=numbered("lundi mardi mercredi jeudi vendredi samedi dimanche", 0),
    cues=CUES,
    since="depuis(?: le| la| l['’])?",
    from_month=r"a (?:partir|compter) (?:de|du mois de|d['’]|du mois d['’]|du debut(?: du mois)? de|de debut)"
    r"|des(?: le mois de| debut)?",
    in_month="en|pour|au mois de",
    in_year="en",
    on_weekday=r"jusqu['’]a|ce|pour|avant|d['’]ici|des|a partir de|est|:",
    of_unit="(?:de la |de l['’]|du |de |d['’])?",
    end_of="(?:la )?fin(?: du mois)?",
    # On its own, "hier" may be the German word for "here".
    days={
        "aujourd'hui": 0, "aujourd’hui": 0, "avant-hier": 2, "d'hier": 1, "d’hier": 1, "hier soir": 1, "demain": -1,
        "apres-demain": -2, "ce soir": 0,
    },
    which={"cette": "this", "ce": "this", **_LAST_NEXT},
    which_after=_LAST_NEXT,
    holidays={
        "noel": CHRISTMAS, "veille de noel": CHRISTMAS_EVE, "saint-sylvestre": NEW_YEARS_EVE,
        "nouvel an": NEW_YEARS_DAY, "jour de l'an": NEW_YEARS_DAY, "jour de l’an": NEW_YEARS_DAY,
        "epiphanie": EPIPHANY, "paques": EASTER,
        "lundi de paques": EASTER_MONDAY, "vendredi saint": GOOD_FRIDAY, "ascension": ASCENSION, "pentecote": PENTECOST,
        "assomption": ASSUMPTION, "toussaint": ALL_SAINTS, "entre noel et nouvel an": AFTER_CHRISTMAS,
        "entre noel et le nouvel an": AFTER_CHRISTMAS, "entre noel et le jour de l'an": AFTER_CHRISTMAS,
    },
    seasons={"printemps": 3, "ete": 6, "automne": 9, "hiver": 12},
    at_holiday=r"a(?: la| l['’])?|pour(?: la| le| l['’])?|le|la|jusqu['’]a(?: la| l['’])?|des",
    in_season="en|au|cet|pour l['’]|pour le",
    units={
        "jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "week-end": "weekend", "mois": "month",
        "an": "year", "ans": "year", "annee": "year", "annees": "year",
    },
    numbers={
        "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
        "dix": 10, "onze": 11, "douze": 12,
    },
    ago="il y a",
    ahead="dans",
    coming="prochaine?s",
    gone="dernier(?:e)?s",
    several="jours|semaines|mois",
    week_later=("WEEKDAY en huit",),
    to_come="(?:de l['’]an(?:nee)? )?prochain",
    ordinal="er",
    ago_first=True,
)  # fmt: skip
