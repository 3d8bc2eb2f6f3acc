"""Tests of the kinds of answers that questions ask for and texts can tell."""

from __future__ import annotations

import pytest

from memories.relations.answer_kinds import AnswerKind, asked_kinds
from memories.relations.statements import Statement

TIME, NUMBER, PERSON, PLACE = AnswerKind.TIME, AnswerKind.NUMBER, AnswerKind.PERSON, AnswerKind.PLACE
NOTHING = AnswerKind(0)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When does the ferry leave?", TIME),
        ("until when can I cancel", TIME),
        ("The ferry again. What time do we have to be there?", TIME),
        ("Which week is Ada away?", TIME),
        ("How long did the repair take?", TIME | NUMBER),
        ("How many chairs do we have?", NUMBER),
        ("What is the price of the sofa?", NUMBER),
        ("Who has the spare key?", PERSON),
        ("So tell me, with whom did I share a room?", PERSON),
        ("Where is my passport?", PLACE),
        ("Which city does my aunt live in?", PLACE),
        ("Um wie viel Uhr fährt der Zug?", TIME | NUMBER),
        ("Seit wann wohnt Ada in Graz?", TIME),
        ("Wer hat den Schlüssel?", PERSON),
        ("Wohin fahren wir?", PLACE),
        ("Quand part le train ?", TIME),
        ("Où est mon passeport ?", PLACE),
        ("¿Cuándo sale el tren?", TIME),
        ("¿Dónde está mi pasaporte?", PLACE),
        ("Quanti anni ha Ada?", NUMBER),
        ("Dov'è il passaporto?", PLACE),
        ("Alors : « Quand part le train ? »", TIME),
        ("Hallo, – wann ist der Termin?", TIME),
        ("To do:\n * When is the dentist?", TIME),
        ("Hello. 😀 When is the dentist?", TIME),
        ("Hola. ¿ Cuándo es la cita?", TIME),
        ("What did Ada say when she came home?", NOTHING),
        ("Do I know anybody who speaks Polish?", NOTHING),
        ("What is my dog called?", NOTHING),
        ("Mochi", NOTHING),
        ("", NOTHING),
    ],
)
def test_a_question_asks_for_the_kind_of_its_first_words(question: str, kinds: AnswerKind) -> None:
    assert asked_kinds(question) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The ferry leaves Monday", TIME),
        ("Ferry: 17:40", TIME | NUMBER),
        ("Founded 1987", TIME | NUMBER),
        ("Two chairs", NUMBER),
        ("The sofa was 640 euros", NUMBER),
        ("Ask my sister", PERSON),
        ("The key is now Ada's", TIME | PERSON),
        ("It is in the drawer", PLACE),
        ("Der Zug fährt am Donnerstag nach Linz", TIME | PERSON | PLACE),
        ("Le train part demain", TIME),
        ("La barca parte lunedì", TIME),
        ("Le bateau part fin août", TIME),
        ("Mi pasaporte está cerca del reloj", PLACE),
        ("Green tea", NOTHING),
        ("", NOTHING),
    ],
)
def test_a_text_tells_the_kinds_that_its_words_name(text: str, kinds: AnswerKind) -> None:
    assert Statement.of(text).told_kinds == kinds


@pytest.mark.parametrize("repeated", [", ", "?! ", ".\n", "so ", " ", "a, - ", ". - * "])
def test_a_question_of_separators_is_read_at_once(repeated: str) -> None:
    # A pattern that backtracks would take hours.
    assert asked_kinds("," + repeated * (40_000 // len(repeated))) == NOTHING
