"""Expressions with which a sentence about how the owner wants to be answered begins, in five languages."""

from __future__ import annotations

_ME = r"(?:i(?:'d| would)?|(?:the )?(?:user|owner)(?: would)?)(?: (?:really|always|usually)){0,2}"
_PLEASE = r"(?:please,? |always |please always )?"
_ANSWERS = r"(?:answers|replies|responses|explanations)"
_BRIEF = r"(?:short|brief|concise|direct|simple|formal|informal|to the point)"
_LANGUAGE = r"(?:\w+ )?(?:\w{2,8}ish|\w{2,10}ian|\w{2,8}ese|german|french|dutch|czech|greek|korean|catalan)"
_FORM = rf"(?:{_LANGUAGE}|(?:\w+ )?(?:bullet points?|sentences|words|paragraphs|prose))"
_BITTE = r"(?:bitte,? )?"
_SPRACHE = (
    r"(?:auf \w{3,12}isch|auf deutsch|in \w{3,9} (?:sprache|sätzen|worten)|kurz|knapp|ausführlich|per (?:du|sie))"
)
_LANGUE = r"(?:français|anglais|allemand|espagnol|italien)"
_LENGUA = r"(?:español|inglés|alemán|francés|italiano|catalán)"
_LINGUA = r"(?:italiano|inglese|tedesco|francese|spagnolo)"

STYLE = (
    rf"{_PLEASE}(?:answer|reply|respond|write|speak|talk|explain)(?: to me| me)? (?:only )?in {_FORM}\b",
    rf"{_PLEASE}(?:answer|reply|respond)(?: to me| me)? (?:with|without|briefly|concisely|informally|formally)\b",
    rf"{_PLEASE}keep (?:it|(?:your |the |all )?{_ANSWERS}) (?:\w+ )?{_BRIEF}\b|{_PLEASE}be {_BRIEF}\b",
    rf"{_ME} (?:prefers?|likes?|wants?|loves?) (?:[\w,-]+ ){{0,4}}{_ANSWERS}\b",
    rf"{_ME} (?:dislikes?|hates?|doesn't like|don't like|prefers?|likes?|wants?)(?: to be| being)? (?:called"
    rf"|addressed)\b",
    rf"{_ME} (?:prefers?|wants?|likes?) (?:to be (?:answered|spoken to)|you to answer)\b",
    rf"(?:prefers|likes|wants) (?:[\w,-]+ ){{0,4}}{_ANSWERS}\b|{_ANSWERS}(?: style)?(?: should be| must be|:) \w",
    rf"(?:please )?(?:don't|do not|never) (?:call|address) me\b|{_PLEASE}(?:don't|do not|never) use emojis?\b",
    rf"{_BITTE}(?:antworten? sie|antworte|schreib\w*|sprich|sprechen sie)(?: mir"
    rf"| mit mir)?(?: bitte)? (?:immer |nur |stets )?{_SPRACHE}",
    rf"{_BITTE}(?:immer |nur |stets )?{_SPRACHE} .{{0,30}}?\b(?:antworten|schreiben|sprechen)\b",
    rf"{_BITTE}(?:duz(?:e|t|en)|siez(?:e|t|en)) (?:sie )?mich\b|{_BITTE}(?:fass\w*|halt\w*) (?:dich|sie sich"
    rf"|dich bitte) kurz\b",
    rf"{_BITTE}(?:kurze|knappe) antworten\b|(?:ich|(?:der |die )?nutzer(?:in)?) (?:möchte|will) (?:geduzt|gesiezt)\b",
    r"(?:ich|(?:der |die )?nutzer(?:in)?) (?:bevorzug\w+|mag|möchte|will"
    r"|wünscht?) (?:[\w,-]+ ){0,4}antworten\b|antworten: ",
    rf"(?:merci de |s'il te plaît,? |veuillez )?(?:répond\w*"
    rf"|écri[st]\w*)(?:-moi)? (?:toujours )?(?:en {_LANGUE}|brièvement)\b",
    r"(?:sois|soyez) (?:bref|brève|concise?)\b|(?:tutoie|tutoyez|vouvoie|vouvoyez)-moi\b",
    r"(?:je |l'utilisat\w+ )(?:préfère|veut|veux) (?:[\w,-]+ ){0,3}réponses\b|réponses ?: ",
    rf"(?:por favor,? )?(?:responde|respóndeme|contesta|contéstame|escribe|escríbeme) (?:siempre )?en {_LENGUA}\b",
    r"(?:sé|sea) (?:breve|concis[oa])\b|tutéame\b|(?:yo )?(?:prefiero|quiero) (?:[\w,-]+ ){0,3}respuestas\b"
    r"|respuestas: ",
    rf"(?:per favore,? )?(?:rispondi(?:mi)?|scrivi(?:mi)?) (?:sempre )?in {_LINGUA}\b",
    r"(?:sii|sia) (?:breve|concis[oa])\b|dammi del (?:tu|lei)\b"
    r"|(?:io )?(?:preferisco|voglio) (?:[\w,-]+ ){0,3}risposte\b|risposte: ",
)
"""The expressions, as in `vocabulary`: "please answer in British English", "keep it short"."""
