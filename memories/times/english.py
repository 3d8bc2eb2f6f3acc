"""English time words."""

from __future__ import annotations

from memories.times.holidays import (
    AFTER_CHRISTMAS,
    ALL_SAINTS,
    ASCENSION,
    BOXING_DAY,
    CHRISTMAS,
    CHRISTMAS_DAY,
    CHRISTMAS_EVE,
    EASTER,
    EASTER_MONDAY,
    EASTER_SUNDAY,
    EPIPHANY,
    GOOD_FRIDAY,
    NEW_YEARS_DAY,
    NEW_YEARS_EVE,
    PENTECOST,
    WHIT_MONDAY,
)
from memories.times.vocabulary import Cues, Vocabulary, numbered

# Words in -ed that do not put their sentence in the past: "is planned for", "booked", "closed until".
_NOT_PAST = (
    "plann|schedul|book|reserv|expect|suppos|shift|postpon|mov|extend|clos|need|promis|rent|invit|confirm|requir|limit|"
    "block|delay|pencill?|reduc|increas|allow|reschedul|spe|inde|interest|marri|excit|tir|fix|paus|suspend|bann|"
    "locat|unit|arrang|agre|licens|offer|sponsor|register|sign|enroll|complicat|crowd|advanc|titl|entitl"
)
# "From January we open at 9", "the rate is 74 euros from January", "from June on", but not "the invoice from January"
# or "a present from June".
_DATED_BY_MONTH = (
    "is are be one ones those that invoice invoices bill bills receipt receipts statement statements letter letters "
    "mail mails photo photos picture pictures minutes notes report reports figures numbers data version order orders "
    "payslip recipe"
)
_NOT_OF_MONTH = "".join(rf"(?<!\b{word} )" for word in _DATED_BY_MONTH.split())
FROM_MONTH = (
    r"(?<!\w )from|(?:starting|beginning|effective)(?: in| from| as of)?|(?:starts?|begins?) in|as (?:of|from)"
    r"|from(?= [a-z\d]+ on(?:wards?)?\b)"
    rf"|{_NOT_OF_MONTH}from(?= (?!april|may|june)[a-z\d]+\s*(?:$|[.,;!)\n]))"
)
CUES = Cues(
    until=r"until|till|through|valid to|up to(?: and including)?",
    deadline=r"(?:due|by|before|deadline|expir(?:es?|y|ing)|runs? out|no later than|ends?|ending|closes?)"
    r"(?: date)?(?: is| are)?:?(?: on| by| at| in)?",
    start=r"from|start(?:s|ing)?(?: on| from)?|as of|effective|begin(?:s|ning)?(?: on)?|after|opens?(?: on| from)?",
    past=r"was|were|had|did|didn't|went|came|met|got|bought|sold|took|gave|saw|said|told|"
    r"(?<!\bmy )(?<!\bthe )(?<!\bhis )(?<!\bher )(?<!\byour )left"
    r"(?! (?:knee|foot|leg|arm|hand|eye|ear|hip|shoulder|ankle|wrist|side))|found|died|began|made|"
    r"(?<!\bbe )(?<!\bgets )(?<!\bget )done(?= on\b)|ago|yesterday|last (?:week|month|year|night|time)|earlier|"
    r"threw|broke|chose|drove|drank|ate|drew|fell|flew|forgot|grew|knew|ran|rang|rode|sang|sank|shook|spoke|stole|swam|"
    r"tore|woke|wore|wrote|became|(?<!be )(?<!is )(?<!are )(?<!gets )(?<!get )(?:paid|lost|kept|held|sent|spent|built|"
    r"brought|caught|taught)|"
    r"(?:^|(?<=^i )|(?<=^we )|(?<=^user )|(?<=^the user )|(?<=^finally )|(?<=^just ))"
    r"(?:shot (?!on|in|at|is|was|list|glass)[a-z]+|signed|fixed|enrolled|closed|married|tried|registered)|"
    r"^(?!(?:the|a|my|his|her|our|flu|next|last|first|covid|mug|head|booster|tetanus) )[a-z]+ shot "
    r"(?!on|in|at|is|was)[a-z]+|"
    rf"(?<!\bgets )(?<!\bget )(?<!\bbe )(?<!\bbeing )(?!(?:{_NOT_PAST})ed\b)[a-z]{{3,}}ed",
    coming=r"(?:is|are) being|will|'ll|must|should|(?:has|have|needs?|is|are|ought) to|going to",
    recurring=r"every|each|birthdays?(?! (?:party|dinner|lunch|present|gift|cake|card))|born|anniversary|turn(?:s|ing)|"
    r"(?:will|to) (?:turn|be) \d+(?!(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|"
    r"mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|daily|weekly|"
    r"monthly|yearly|annually|always|usually|often|mornings|afternoons|evenings|nights|weekends|weekdays|"
    r"name day|public holiday|once a|twice a|(?:first|second|third|last) (?:[a-z]+day) of",
    change=r"(?:go(?:es|ing)? (?:up|down)|(?:ris|increas|decreas)(?:es?|ing)|(?:drop|fall)s?) (?:to|by|from) "
    r"[€$£]? ?\d+|"
    r"(?:prices?|rates?|rent|fees?|costs?|wages?|salary|pay|premiums?|contributions?|subscription)\b[^.;!?\n]{0,40}"
    r"\b(?:(?:go(?:es)?|going) (?:up|down)|ris(?:es?|ing)|increas(?:es?|ing)|fall(?:s|ing)?)|"
    r"(?:start|begin)(?:s|n?ing)? (?!(?:at|by|during|early|for|from|in|late|next|off|on|punctually|sharp|soon|"
    r"this|today|tomorrow|tonight|again|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)[a-z]+|"
    r"mov(?:es?|ing) (?:to|into|in|out|back|house|away)(?! (?:the )?\d)|"
    r"(?:quit(?:s|ting)?|stop(?:s|ping)?|giv(?:es?|ing) up) (?!(?:by|at|in|for|over|off|on)\b)[a-z]+|"
    r"switch(?:es|ing)?(?: back| over)? (?:to|from)|(?:migrat|upgrad)(?:es?|ing) (?:to|from)|"
    r"chang(?:es?|ing) (?:to|from|jobs?|schools?)|becom(?:es?|ing)|"
    r"join(?:s|ing)?(?! (?:us|me|them|him|her|in|for|the (?:call|meeting))\b)|retir(?:es?|ing)|adopt(?:s|ing)?|"
    r"tak(?:es?|ing) (?:over|effect|up)|(?:com|go)(?:es?|ing)? into (?:effect|force)|gets? a new|"
    r"go(?:es|ing)? (?:on (?:parental|maternity|paternity|sick) leave|part-time|freelance)|"
    r"leav(?:es?|ing) (?:the|his|her|their|my|our) (?:job|company|firm|team|board|club|choir|band|school|party)",
    lasting=r"lives?|works (?:at|as|for)|likes?|loves?|hates?|allergic|is called|is named|speaks|believes|prefers?",
    verb=r"is|are|am|has|have|needs?|costs?|lasts?|takes?|does|doesn't|can|cannot",
    occasion=r"appointment|eye test|ultrasound|dermatologist|moving|gets? home|"
    r"dentist|doctor|gp|vet|hospital|clinic|surgery|operation|mri|x-ray|blood test|scan|check-?up|"
    r"jab|vaccination|booster|physio\w*|optician|orthodontist|hairdresser|haircut|plumber|electrician|"
    r"builders?|roofer|painter|chimney sweep|technician|deliver(?:y|ed|ing)|viewing|handover|inspection|"
    r"interview|exam|driving test|deadline|due|notary|lawyer|solicitor|tax advis[eo]r|accountant|funeral|"
    r"wedding|party|recital|concert|theatre|cinema|opera|flight|arriv(?:es?|ing|al)|lands?|landing|"
    r"fl(?:y|ies|ying)|(?:get|gets|is|are|be|i'm|we're|come|comes|kids|home) back|back (?:home|in)|"
    r"return(?:s|ing)?|coming|visit(?:s|ing)?|hosting|seeing|pick(?:s|ing)? up|collecting|leaving|"
    r"hand(?:s|ing)? in|(?:lunch|dinner|brunch|drinks|coffee|call) with|parents['’] evening|garage",
    routine=r"cleaner|bins?|rubbish|trash|garbage|recycling|collection|closed|open|hours|class(?:es)?|lessons?|course|"
    r"training|practice|rehearsals?|shifts?|club|only|off|patients|opens|cheap\w*|deals",
)
ENGLISH = Vocabulary(
    months=numbered(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
        "november|nov december|dec",
        1,
    ),
    weekdays=numbered("monday|mon tuesday|tue|tues wednesday|wed thursday|thu|thurs friday|fri saturday sunday", 0),
    cues=CUES,
    since="since(?: the)?",
    from_month=rf"(?:{FROM_MONTH})(?: early| the (?:beginning|start) of)?",
    in_month="in|during|of|for",
    # "A budget of 2000 dollars" names no year.
    in_year=r"in|during|of(?= \d{4}\b(?! ?[\w$€£]))",
    on_weekday=r"on|by|until|till|through|from|before|for|due(?: on| by)?|after|ends|expires|starts|starting",
    of="of",
    of_unit="(?:of )?(?:the )?",
    end_of="(?:the )?end of",
    days={
        "today": 0, "tonight": 0, "yesterday": 1, "last night": 1, "day before yesterday": 2, "tomorrow": -1,
        "day after tomorrow": -2,
    },
    which={
        "this": "this", "last": "last", "past": "last", "next": "next", "coming": "next", "this coming": "next",
        "the following": "next",
    },
    which_after={"after next": "after next"},
    holidays={
        "christmas": CHRISTMAS, "xmas": CHRISTMAS, "christmas eve": CHRISTMAS_EVE, "christmas day": CHRISTMAS_DAY,
        "boxing day": BOXING_DAY, "new year's eve": NEW_YEARS_EVE, "new year’s eve": NEW_YEARS_EVE,
        "new year's day": NEW_YEARS_DAY, "new year’s day": NEW_YEARS_DAY, "epiphany": EPIPHANY, "easter": EASTER,
        "easter sunday": EASTER_SUNDAY, "easter monday": EASTER_MONDAY, "good friday": GOOD_FRIDAY,
        "ascension day": ASCENSION, "whitsun": PENTECOST, "pentecost": PENTECOST, "whit monday": WHIT_MONDAY,
        "all saints' day": ALL_SAINTS, "all saints’ day": ALL_SAINTS,
        "between christmas and new year": AFTER_CHRISTMAS, "between christmas and new year's": AFTER_CHRISTMAS,
        "between christmas and the new year": AFTER_CHRISTMAS,
    },
    seasons={"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    at_holiday="at|on|over|by|until|till|from|for|during|around",
    of_holiday=" (?:part(?:y|ies)|presents?|gifts?|cards?|trees?|markets?|dinner|lunch|cook(?:ies|ing)|bak(?:e|ing)"
    "|shopping|bonus|holidays?|break|eggs?|bunny|concert|carols?|songs?|lights?|decorations?|money|list)",
    in_season="in|in the|during the|for|for the|over the|this coming|the coming",
    units={
        "day": "day", "days": "day", "week": "week", "weeks": "week", "weekend": "weekend", "month": "month",
        "months": "month", "year": "year", "years": "year",
    },
    numbers={
        "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
        "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    },
    ago="ago",
    ahead="in",
    coming="next|coming|following|upcoming",
    gone="last|past|previous",
    several="days|weeks|months",
    to_come="(?:of )?next",
    ordinal="st|nd|rd|th",
    week_later=("WEEKDAY week", "a week (?:on|from) WEEKDAY"),
    month_first=True,
)  # fmt: skip
