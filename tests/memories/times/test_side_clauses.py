"""Tests of sentences of which only a part is limited by a date."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memories.times.support import named_days, stated_limits

SAID = datetime(2026, 11, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I drive a 2019 Skoda Octavia estate, MOT due in February.", ["2027-02-28"]),
        ("Beth wants the gallery by 20 November and hates black and white conversions.", ["2026-11-20"]),
        ("Maya's passport expires on 11 April 2027, the others are fine till 2030.", ["2027-04-11", "2030-12-31"]),
        ("Broadband is with Plusnet, contract ends in June 2027.", ["2027-06-30"]),
        ("We rent a van from Enterprise; the lease runs until 3 March 2027.", ["2027-03-03"]),
        ("The boiler is a Vaillant ecoTEC, warranty until 2028.", ["2028-12-31"]),
        ("Our gym is PureGym and the membership runs until 31 March 2027.", ["2027-03-31"]),
        ("The Octavia is insured with Aviva, renewal 3 March 2027.", ["2027-03-03"]),
        ("Public liability insurance with Towergate, £5m cover, renewal on 1 May, £168 a year.", ["2027-05-01"]),
        ("Ich fahre einen Skoda Octavia, TÜV fällig im Februar 2027.", ["2027-02-28"]),
        ("Wir haben eine Bosch-Spülmaschine, Garantie bis März 2028.", ["2028-03-31"]),
        ("Je conduis une Clio, contrôle technique avant février 2027.", ["2027-02-28"]),
        ("Tengo un Seat Ibiza, la ITV vence en febrero de 2027.", ["2027-02-28"]),
        ("We have solar panels from Eon, feed-in contract until 2039.", ["2039-12-31"]),
        ("Gym: PureGym Totley, £22 a month, minimum term runs until 1 April 2027.", ["2027-04-01"]),
        ("Ausweis läuft im März 2027 ab, der Führerschein gilt bis 2033.", ["2027-03-31", "2033-12-31"]),
        ("Ma carte d'identité expire en mai 2027, celle de Zoé en 2031.", ["2027-05-31", "2031-01-01"]),
        ("Netflix is 12.99 a month, price locked until June 2027.", ["2027-06-30"]),
        ("Unser Mietvertrag läuft bis 31.8.2027, die Kaution liegt bei der Sparkasse.", ["2027-08-31"]),
        ("Guido una Panda, revisione entro febbraio 2027.", ["2027-02-28"]),
    ],
)
def test_a_side_clause_ends_nothing_but_names_its_day(text: str, days: list[str]) -> None:
    assert stated_limits(text, SAID) == (None, None)
    assert named_days(text, SAID) == days


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("The library book is due on 3 May.", "05-03"),
        ("The warranty of the boiler, a Vaillant, ends on 20 December 2026.", "12-20"),
        ("Contract with Plusnet ends in June 2027.", "06-30"),
        ("Hand in the report by 4 December and call Joe.", "12-04"),
        ("The lift is out of order until 4 December, it is the motor.", "12-04"),
        ("MOT due in February.", "02-28"),
        ("The café is shut and under renovation until 4 December.", "12-04"),
    ],
)
def test_what_only_has_an_end_ends(text: str, last: str) -> None:
    assert stated_limits(text, SAID)[1] == last
