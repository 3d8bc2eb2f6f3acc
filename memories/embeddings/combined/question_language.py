"""The language of a question, as far as it decides which part of a joined vector to trust."""

from __future__ import annotations

import re
from typing import Literal

QuestionLanguage = Literal["english", "other", "unknown"]

_ENGLISH = """
    a about again am and any anyone anything are at be been being before by can could did do does doing done ever
    every for from give going got had has have having he her hers him his how i if in into is it its just know last
    long many may me might mine much must my need never next no not of off often on or our ours out own please remind
    say says she should since some tell than that the their them then there these they thing this those to under until
    up upon us was we were what what's when when's where where's which who who's whom whose why will with would you
    your yours
"""
_FOREIGN = """
    aan alles als am auf aus bei bin bist das dass dein deine dem den denn der des die dir doch du ein eine einem einen
    einer er es für gab gibt habe haben hast hat hatte heisst heißt hier ich ihm ihn ihr ihre im in ist ja kann kein
    keine können man mein meine meinem meinen meiner meines mich mir mit muss nach nicht noch nur oder ohne schon sein
    seine seit sich sie sind soll über um und uns unser unsere unserem unseren unserer von vor wann war waren warum was
    weiß welche welchem welchen welcher welches wem wen wenn wer werden wie wieso wir wird wo womit woran worauf woraus
    wurde zu zum zur

    ai as au aux avec avons ce ces cette chez comment combien dans de depuis des du elle en est et eu fait il ils j'ai
    je l'ai la le les leur lui ma mes moi mon ne nos notre nous on ont où par pas plus pour pourquoi qu'est quand que
    quel quelle quelles quels qui quoi s'appelle sa sans ses son sont sur ta tes ton toi tu un une vos votre vous

    al año como cómo con cuál cuáles cuando cuándo cuánto cuántos cuántas del desde dónde donde el ella ellos entre
    era es esta está este hace hay la las le lo los llama mi mis nuestra nuestro para pero por porque qué quién quiénes
    se ser sin sobre soy su sus también tengo tiene tuve un una uno voy y ya yo

    ad agli alla che chi ci come cosa da dal dei del della delle di dov'è dove e gli ha hai ho i il io la le lo loro mi
    mia mie miei mio nei nel nella noi nostra nostro per perché più qual quale quali quando quanti quanto se si sono su
    sua suo tra un una uno

    à ao aos às até com como da das de do dos e ela ele em é eu foi há isso já la lhe mas me meu meus minha minhas na
    nas não nem no nos nossa nosso num numa o onde os ou para pela pelo por porque qual quais quando quanto quantos que
    quem se sem sou sua tem tenho um uma vai

    aan als bij dat de deze die dit door een er geen had heb hebben heeft heet het hij hoe hoeveel ik in is kan
    maar me met mij mijn naar niet nog of om onze ons op over te tot uit van veel voor waar waarom wanneer wat we welk
    welke werd wie wij zijn zij zo

    ale bardzo być co czy czego czym dla do dlaczego gdzie go i ich ile ja jak jaka jaki jakie jakiego jakim jest
    jestem już kiedy kim kogo komu kto która które który ma mam mi mnie mój moja moje mojego mojej moi na nad nas nasz
    nasza nie nim o od po pod są się skąd ta tak tam te ten to tu w we z za ze

    acaba adı ama benim bir bu çok da daha de değil en gibi hangi için ile kaç kim mi mı nasıl ne neden nedir nerede
    olan onun o ve var ya zaman
"""
_ENGLISH_WORDS, _FOREIGN_WORDS = frozenset(_ENGLISH.split()), frozenset(_FOREIGN.split())
"""Function words of English; of German, French, Spanish, Italian, Portuguese, Dutch, Polish and Turkish."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


def question_language(question: str) -> QuestionLanguage:
    """Return the language to which more of the question's function words belong.

    A question without function words, such as a name, may be in any language.
    """
    words = [word.lower().replace("’", "'") for word in _WORD.findall(question)]
    letters = [character for character in question if character.isalpha()]
    if 2 * sum(map(bool, map(_LATIN.match, letters))) < len(letters):
        return "other"
    english = sum(word in _ENGLISH_WORDS for word in words)
    foreign = sum(word in _FOREIGN_WORDS for word in words)
    if english == foreign:
        return "unknown"
    return "english" if english > foreign else "other"
