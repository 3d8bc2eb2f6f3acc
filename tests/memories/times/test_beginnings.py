"""Tests of days on which something begins that lasts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.times.statements import stated_period
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 12, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Tomorrow the user starts a new medication, ramipril 5 mg, instead of candesartan.",
        "User will start a new job at the Royal Carillon School tomorrow.",
        "User begins chemotherapy on 3 December.",
        "Rosa starts insulin on 3 December",
        "The team starts sprint 15 on 3 December.",
        "The user quits smoking on 3 December",
        "The user stops taking candesartan on 3 December.",
        "Tomorrow the user becomes a member of the parish council.",
        "User is moving to Gaia on 3 December.",
        "On 3 December our team moves into the new office.",
        "Tomorrow we switch to Postgres.",
        "The new rule takes effect on 3 December.",
        "The user retires on 3 December.",
        "From tomorrow the user works only mornings",
        "From 3 December on, Tomé has piano lessons on Mondays",
        "Starting tomorrow, the user gets up at 6 every day.",
        "Die Nutzerin zieht am 3. Dezember nach Gaia um.",
        "Nutzerin zieht am 3. Dezember um",
        "Der Nutzer fängt morgen bei Siemens an.",
        "Morgen fängt sie einen neuen Job an.",
        "Sie beginnt morgen eine neue Ausbildung.",
        "Sie hört am 3. Dezember mit dem Rauchen auf.",
        "Sie wird morgen Mitglied im Gemeinderat.",
        "Sie tritt am 3. Dezember dem Chor bei.",
        "Ab morgen arbeitet sie nur vormittags.",
        "Ab 3. Dezember hat Tomé montags Klavierunterricht.",
        "Elle déménage à Gaia le 3 décembre.",
        "Demain elle commence un nouveau travail.",
        "À partir de demain elle travaille toujours le matin.",
        "Se muda a Gaia el 3 de diciembre.",
        "Mañana empieza un trabajo nuevo.",
        "Si trasferisce a Gaia il 3 dicembre.",
        "Domani inizia un nuovo lavoro.",
    ],
)
def test_what_changes_on_a_day_begins_on_it_and_has_no_end(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-03", None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("User moves to Gaia on 7 December", "12-07"),
        ("On Monday the user switches to the 4-day week", "12-07"),
        ("Am Montag wechselt sie in die 4-Tage-Woche.", "12-07"),
        ("From next week stand-ups are daily at 09:15.", "12-07"),
        ("User moves to Gaia in January 2027", "01-01"),
    ],
)
def test_nor_has_what_changes_on_a_weekday_or_in_a_week_or_month(text: str, day: str) -> None:
    assert stated_limits(text, SAID) == (day, None)


@pytest.mark.parametrize(
    "text",
    [
        "From March the hourly rate goes up to 74 euros plus VAT.",
        "From March on, the hourly rate is 74 euros",
        "The hourly rate is 74 euros from March.",
        "From next March the hourly rate is 74 euros.",
        "Starting in March the hourly rate is 74 euros.",
        "Starting March, we open at 9.",
        "As of March we open at 9.",
        "We open at 9 as from March.",
        "Effective March the rent is 900 euros.",
        "From the beginning of March the rent is 900 euros.",
        "Ab März kostet die Stunde 74 Euro.",
        "Die Ordination ist ab März in der Herrengasse.",
        "Ab Anfang März gilt der neue Tarif.",
        "Von März an gilt der neue Tarif.",
        "À partir de mars, l'heure coûte 74 euros.",
        "Dès mars, nous ouvrons à 9 h.",
        "Le loyer augmente à partir du mois de mars.",
        "A partir de marzo la tarifa es de 74 euros.",
        "Desde el mes de marzo abrimos a las 9.",
        "A partire da marzo la tariffa è di 74 euro.",
        "Dal mese di marzo apriamo alle 9.",
        "The rent goes up to 900 euros on 1 March.",
        "On 1 March our rent will rise by 40 euros.",
        "Der Stundensatz steigt am 1. März auf 74 Euro.",
        "Mit 1. März erhöht sich der Stundensatz auf 74 Euro.",
        "Le 1er mars, le loyer augmente de 40 euros.",
        "El 1 de marzo la tarifa sube a 74 euros.",
        "Il 1 marzo la tariffa sale a 74 euro.",
    ],
)
def test_what_is_so_from_a_month_on_begins_on_its_first_day(text: str) -> None:
    assert stated_limits(text, SAID) == ("03-01", None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ab Jänner kostet die Stunde 74 Euro.", "2027-01-01"),
        ("Ab Feber kostet die Stunde 74 Euro.", "2027-02-01"),
        ("Ab 1. Feber kostet die Stunde 74 Euro.", "2027-02-01"),
        ("From November the fee is 12 euros.", "2027-11-01"),
        ("From December the fee is 12 euros.", "2026-12-01"),
        ("From May 2028 the fee is 12 euros.", "2028-05-01"),
        ("From 2028 the fee is 12 euros.", "2028-01-01"),
        ("Ab 2028 gilt der neue Tarif.", "2028-01-01"),
        ("From January, home office is on Mondays.", "2027-01-01"),
    ],
)
def test_it_is_the_next_such_month(text: str, day: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert stated.valid_from is not None
    assert (f"{stated.valid_from:%Y-%m-%d}", stated.valid_until) == (day, None)


@pytest.mark.parametrize(
    "text",
    [
        "The invoice from January is still unpaid.",
        "I have to pay the invoice from January.",
        "The photos are from March.",
        "A present from May.",
        "The recipe is from June",
        "Table saw from 2015.",
        "A used saw costs from 2030 euros.",
        "Ab 2035 Euro ist die Lieferung gratis.",
        "The hut is open from May to October.",
        "Every year from May the pool is open.",
        "Ab Mai ist jedes Jahr Saison.",
        "We lived in Linz from March.",
        "After March we have more time.",
    ],
)
def test_a_month_from_which_nothing_begins_limits_nothing(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "The meeting on 3 December starts at 9:00.",
        "The course starts punctually at 9 on 3 December.",
        "Tom stops in Ghent on 3 December.",
        "Anna joins us for dinner on 3 December.",
        "The plumber changes the valve on 3 December.",
        "Das Konzert am 3. Dezember fängt um 20 Uhr an.",
        "Sie tritt am 3. Dezember bei der Feier auf.",
        "Le plombier passe à 10 h le 3 décembre.",
        "Morgen um 9 Zahnarzt",
    ],
)
def test_what_happens_once_still_ends(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-03", "12-03")


@pytest.mark.parametrize(
    "text",
    [
        "Every year from 7 December the market is open.",
        "Open every week from Monday to Thursday.",
        "Birthday Petra: 11 August",
        "User lives in Porto and moves to Gaia on 7 December.",
        "User moved to Gaia on 30 November.",
        "Morgen ist mir wichtiger als Abend.",
    ],
)
def test_what_recurs_lasts_or_has_happened_has_no_beginning(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)
