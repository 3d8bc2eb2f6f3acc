"""Tests of days on which something begins that lasts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

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
