"""Tests of changes that name what they replace, decide otherwise, or count on."""

from __future__ import annotations

import pytest

from memories.relations.comparison import MIN_RELATED_COSINE, corrects
from memories.relations.replaced import MIN_COUNTER_COSINE
from memories.relations.statements import Statement

of = Statement.of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Style: tabs in Go, single quotes in TypeScript.",
            "We format with double quotes now instead of single quotes.",
        ),
        (
            "White metro tiles rather than slate, they are cheaper.",
            "In the end we've gone for slate, the white is too cold.",
        ),
        (
            "Oak worktop rather than quartz, because it is warmer.",
            "We've gone for quartz in the end, oak needs oiling.",
        ),
        ("Plans: sage green fronts and an oak floor.", "Changed our minds on the colour: navy fronts instead of sage."),
        ("Photos are copied to Dropbox every night.", "Dropped Dropbox in favour of Nextcloud because of the price."),
        ("Our invoices are stored in Dropbox.", "Moved the invoices from Dropbox to Nextcloud."),
    ],
)
def test_what_a_change_names_is_corrected_even_in_less_similar_texts(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), MIN_RELATED_COSINE)
    assert not corrects(of(newer), of(older), MIN_RELATED_COSINE - 0.01)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The bathroom has a red door.", "Changed our minds on the colour: navy fronts instead of red."),
        ("Oak floor rather than laminate.", "We've gone for quartz in the end."),
        ("The oak table was a gift.", "We've gone to Italy in the end."),
        ("Photos are delivered through Pixieset.", "Dropped Dropbox in favour of Nextcloud because of the price."),
        ("Reports are batched on the first Tuesday.", "Filters are swapped first of every second month."),
        ("Ben has two cups of tea.", "Ben drinks coffee instead of milk."),
    ],
)
def test_what_a_change_does_not_name_is_not_corrected(older: str, newer: str) -> None:
    assert not corrects(of(newer), of(older), 0.4)


@pytest.mark.parametrize(
    ("older", "newer", "is_correction"),
    [
        ("The latest invoice is R-2026-052 (Bain).", "Invoice counter is at R-2026-055.", True),
        ("Numbers follow the pattern R-2026-001; the current one is R-2026-047.", "Latest invoice: R-2026-052.", True),
        ("Latest purchase order: PO-118.", "Purchase orders are now at PO-124.", True),
        ("Invoice counter is at R-2026-055.", "The latest invoice is R-2026-052.", False),
        ("The latest invoice is R-2026-052.", "The latest offer is A-2026-055.", False),
        ("Invoice R-2026-052 is unpaid.", "Invoice counter is at R-2026-055.", False),
    ],
)
def test_the_latest_number_corrects_an_earlier_one(older: str, newer: str, is_correction: bool) -> None:
    assert corrects(of(newer), of(older), MIN_COUNTER_COSINE) == is_correction
    assert of(newer).may_correct


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "The Brandt wedding is on 6 June, start 11am, 120 guests.",
            "Eva Brandt says the ceremony is now at 1pm rather than 11.",
        ),
        (
            "Drive 3 of the NAS has bad sectors, a replacement is ordered.",
            "The replacement drive is in and the array rebuilt.",
        ),
        ("The dishwasher is broken.", "The replacement dishwasher was installed on Friday."),
        ("The loft work is planned to begin on 2 March with Pete.", "Pete can't begin before 23 March."),
    ],
)
def test_these_are_corrections(older: str, newer: str) -> None:
    assert corrects(of(newer), of(older), 0.5)


def test_not_for_now_is_no_change() -> None:
    assert not of("Ada wants a hamster. We said no for now because of the cat.").may_correct
