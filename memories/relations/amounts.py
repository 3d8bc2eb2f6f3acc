"""One spelling for amounts of money: "1.200 €", "1 200 €" and "1.200,00 €" as "1200 €", "19,90 €" as "19.90 €".

The texts are in lower case. Only a currency shows whether a dot or a comma separates thousands or decimals.
"""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern

_CURRENCY = r"(?:€|euros?\b|eur\b|chf\b|franken\b|francs\b|franchi\b)"
_THOUSANDS = r"[1-9]\d{0,2}(?:[.'’]\d{3})+"
_SPACED_THOUSANDS = r"(?<!\d )[1-9]\d{0,2}(?: \d{3})+"
_CENTS = r"(?:[.,](?P<cents{0}>\d\d))?"
# Petrol costs "1.459 € per litre".
_NO_PRICE_OF_FUEL = r"(?! ?(?:/|per|pro|le|al|por|a) ?(?:l\b|lit))"
_AMOUNT = lazy_pattern(
    rf"(?<![\d.,:'/-])(?P<whole1>{_THOUSANDS}|{_SPACED_THOUSANDS}|\d{{1,9}}){_CENTS.format(1)}"
    rf"(?P<currency1>(?:,[-–])? ?{_CURRENCY}){_NO_PRICE_OF_FUEL}"
    rf"|(?P<currency2>(?:€|\beur|\bchf|\beuro) ?)(?P<whole2>{_THOUSANDS}|\d{{1,9}}){_CENTS.format(2)}"
    rf"(?![\d%]|[.,'’:/-]\d){_NO_PRICE_OF_FUEL}"
)
_SIGN = lazy_pattern(r"€|eur|chf|fran")
_SEPARATOR = re.compile(r"\D")

PATTERNS = (_AMOUNT,)


def with_plain_amounts(lowered: str) -> str:
    """Return the text with amounts in euros and francs without separators of thousands, and with a dot before cents."""
    return _AMOUNT.sub(_plain, lowered) if _SIGN.search(lowered) else lowered


def _plain(found: re.Match[str]) -> str:
    parts = found.groupdict()
    place = "1" if parts["whole1"] else "2"
    cents, currency = parts[f"cents{place}"], parts[f"currency{place}"]
    amount = _SEPARATOR.sub("", parts[f"whole{place}"]) + (f".{cents}" if cents and cents != "00" else "")
    return f"{amount}{currency}" if place == "1" else f"{currency}{amount}"
