"""Tests of dates that tell when something was said or found: they end nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.times.statements import stated_period
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 11, 27, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Decision (MAFRA-N, 5 Nov): we use A = 435 Hz",
        "Decision (MAFRA-N, 27 Nov): we use A = 435 Hz",
        "Decision (27 Nov): bell 31 gets a steel yoke.",
        "Decision (30 Nov): bell 30 gets an iron yoke.",
        "**Decision (2026-11-27)**: we use tabs.",
        "Decision of 27 November 2026: bell 32 keeps its canons.",
        "Project decision, Friday 27 November 2026: the manual is written in Portuguese.",
        "ADR-8 (27 Nov 2026): we log in UTC.",
        "ADR-9 (27 Nov 2026, accepted): errors are returned, never thrown.",
        "2026-11-27: The bell database is kept on the NAS.",
        "27 November 2026 - Decision: keep the NAS.",
        "Log 2026-11-27 - the deploy uses blue/green.",
        "Note (27 November 2026): the favourite composer of the user is Pärt.",
        "Note (27 November 2026): the dentist of the user is Dr. Amiri.",
        "Meeting notes, 27 November 2026: Tiago owns the parser.",
        "On 27 November we agreed to name branches feature/<topic>.",
        "On 27 November we agreed that logs must be in UTC.",
        "Agreed on 2026-11-27: tabs, not spaces.",
        "User prefers dark mode [noted 27 Nov 2026].",
        "Entscheidung (27.11.2026): Glocke 41 wird in Asten gegossen.",
        "Entscheidung vom 27. November 2026: Glocke 41 bleibt.",
        "27.11.2026: Die Datenbank liegt auf dem NAS.",
        "Am 27. November haben wir beschlossen, in UTC zu loggen.",
        "Am 27. November vereinbart: Rechnungen gehen an das Büro.",
        "Décision du 27 novembre 2026 : les logs sont en UTC.",
        "Décision (27 novembre 2026) : la cloche 42 garde son battant.",
        "Decisión (27 de noviembre de 2026): la campana 3 se queda.",
        "Decisione del 27 novembre 2026: i log sono in UTC.",
    ],
)
def test_the_day_of_a_decision_or_note_does_not_end_it(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "User has coeliac disease (diagnosed November 2026) and is not lactose intolerant.",
        "User has asthma (diagnosed on 27 November 2026) and must carry an inhaler.",
        "The user was diagnosed with asthma in November 2026",
        "User has a nickel allergy (test of 27 November 2026)",
        "User joined the choir Vozes do Douro (November 2026)",
        "User is learning Turkish (started November 2026)",
        "User is learning Turkish, started in November 2026",
        "User bought a Fairphone (November 2026)",
        "User has a new phone, bought this month.",
        "User got a dog this week.",
        "User has a new cat named Pascal (this week).",
        "Die Nutzerin hat Zöliakie (Diagnose November 2026).",
        "Im November 2026 wurde Asthma festgestellt.",
        "L'utilisatrice a une allergie au nickel (test du 27 novembre 2026).",
        "Tiene celiaquía (diagnosticada en noviembre de 2026).",
        "È celiaca (diagnosi di novembre 2026).",
    ],
)
def test_the_time_at_which_something_lasting_began_does_not_end_it(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("Dentist on 27 November at 15:00", ("11-27", "11-27")),
        ("Konzert am 27. November um 20 Uhr", ("11-27", "11-27")),
        ("Concert (4 December)", ("12-04", "12-04")),
        ("Note: dentist on 4 December", ("12-04", "12-04")),
        ("Note (27 November): the dentist is on 4 December", ("12-04", "12-04")),
        ("Decision (27 Nov): the lift stays out of order until 4 December.", ("11-27", "12-04")),
        ("User is on a training (25 to 28 November 2026).", ("11-25", "11-28")),
        ("Sprint 14 (20 to 30 November 2026): parser and exports.", ("11-20", "11-30")),
        ("Room 7 is being painted this week.", ("11-23", "11-29")),
        ("As of 27 November 2026, the hourly rate is €95.", ("11-27", None)),
    ],
)
def test_other_days_in_brackets_and_before_colons_still_count(text: str, limits: tuple[str | None, str | None]) -> None:
    assert stated_limits(text, SAID) == limits


def test_the_day_of_a_decision_is_still_a_day_that_the_text_names() -> None:
    stated = stated_period("Decision (27 Nov): bell 31 gets a steel yoke.", SAID)
    assert stated is not None
    assert [f"{first:%m-%d}" for first, _ in stated.days] == ["11-27"]
