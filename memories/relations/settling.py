"""What is open and what has been settled: broken and repaired, owed and paid, lent and returned, lost and found.

If a later memory says that something has been settled, an earlier one that it is open is outdated.
"""

from __future__ import annotations

from common.lazy_pattern import lazy_pattern

OPEN_AND_SETTLED = (
    (
        lazy_pattern(
            r"\b(?:broken|defective|out of order|not working|doesn't work|leaks?|leaking|bad sectors"
            r"|ha(?:s|ve) failed|faulty|shows? (?:an )?error|replacement is (?:on order|ordered)|kaputt|defekt"
            r"|funktioniert nicht|außer betrieb|undicht|en panne|cassée?s?|hors service|averiad[oa]s?|rot[oa]s?"
            r"|no funciona|rott[oaie]|guast[oaie]|fuori servizio|non funziona)\b"
        ),
        lazy_pattern(
            r"\b(?:repaired|mended|(?:is|was|been|got) fixed|works? (?:again|fine)|working again|repariert"
            r"|(?:new|replacement) (?:[\w-]+ ){1,2}(?:is in|(?:has )?arrived|(?:is|was|has been) (?:installed|fitted))"
            r"|(?:funktioniert|geht|läuft) wieder|réparée?s?|(?:re)?fonctionne|remarche|arreglad[oa]s?|reparad[oa]s?"
            r"|vuelve a funcionar|riparat[oaie]|aggiustat[oaie]|funziona di nuovo)\b"
        ),
    ),
    (
        lazy_pattern(
            r"\b(?:owe[sd]?|owing|unpaid|outstanding|still (?:has|have) to pay|schuld(?:e|et|en)|unbezahlt"
            r"|nicht bezahlt|muss noch [^.;\n]{1,40} zahlen|doi(?:t|s|vent)|impayée?s?|debe[ns]?|debo|deuda"
            r"|impagad[oa]s?|deve|devono|devo|debito|non pagat[oaie]"
            r"|(?:lent|loaned|borrowed|geliehen|prêtée?s?|empruntée?s?|prestad[oa]|presté|prestat[oaie])"
            r"(?=[^.;\n]{0,40}[€$£\d])|\d[^.;\n]{0,40}geliehen)\b"
        ),
        lazy_pattern(
            r"\b(?:(?:ha[sd]|have|was|were|been|is|are|finally|already|now|s?he|they|i|we) paid"
            r"|paid (?:back|off|up|in full)|transferred|settled|(?:zurück|ab|be)?(?:ge)?zahlt|überwiesen|beglichen"
            r"|(?:re)?payée?s?|remboursée?s?|réglée?s?|pagad[oa]s?|pagó|pagué|devuelto"
            r"|pagat[oaie]|saldat[oaie]|restituit[oaie])\b"
        ),
    ),
    (
        lazy_pattern(
            r"\b(?:lent|lend|loaned|borrow(?:ed|s)?|on loan|(?:aus|ver)?geliehen|verborgt|prêtée?s?|empruntée?s?"
            r"|prestad[oa]s?|presté|prestat[oaie])\b"
        ),
        lazy_pattern(
            r"\b(?:returned|(?:gave|given|brought|got|sent) (?:\w+ ){0,4}back|zurück(?:gegeben|gebracht|bekommen)"
            r"|rendue?s?|récupérée?s?|devuelt[oa]s?|devolvió|restituit[oaie]|ridat[oaie])\b"
        ),
    ),
    (
        lazy_pattern(
            r"\b(?:lost|missing|can't find|cannot find|verloren|vermisst?|unauffindbar|perdue?s?|égarée?s?"
            r"|perdid[oa]s?|perdí|pers[oaie]|smarrit[oaie])\b"
        ),
        lazy_pattern(
            r"\b(?:found|turned up|showed up|(?:wieder)?gefunden|aufgetaucht|retrouvée?s?|encontrad[oa]s?|encontré"
            r"|(?:ri)?trovat[oaie])\b"
        ),
    ),
)
"""Pairs of patterns, in five languages, for lower case: something is open, and it has been settled."""
