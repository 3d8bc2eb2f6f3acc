"""Prefixes and lengths of the card numbers of each payment network (ISO/IEC 7812)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

ANY_LENGTH = range(13, 20)
_DOUBLED = str.maketrans("0123456789", "0246813579")


@dataclass(frozen=True, slots=True)
class Issuer:
    """A payment network. Each prefix is a number or a range of two numbers of equal length.

    `lengths` are allowed by the network's rules, `usual_lengths` are in real use. Numbers of other lengths are hardly
    ever cards, unless they are written in groups or a word beside them says so.
    """

    name: str
    prefixes: tuple[str, ...]
    lengths: Collection[int]
    usual_lengths: Collection[int] = field(default=(16,))

    def issues(self, digits: str) -> bool:
        """Return whether `digits` have a length and a prefix of this network."""
        return len(digits) in self.lengths and any(_begins(digits, prefix) for prefix in self.prefixes)


def _begins(digits: str, prefix: str) -> bool:
    first, _, last = prefix.partition("-")
    return first <= digits[: len(first)] <= (last or first)


ISSUERS = (
    # 19 digits are allowed but practically unused, while ids of 19 digits are common.
    Issuer("Visa", ("4",), (13, 16, 19), (13, 16)),
    Issuer("Mastercard", ("51-55", "2221-2720"), (16,)),
    Issuer("American Express", ("34", "37"), (15,), (15,)),
    Issuer("Discover", ("6011", "644-649", "65"), range(16, 20)),
    Issuer("Diners Club", ("300-305", "3095", "36", "38", "39"), range(14, 20), (14, 16)),
    Issuer("JCB", ("3528-3589",), range(16, 20)),
    # Its debit cards have 19 digits.
    Issuer("UnionPay", ("62", "81"), range(16, 20), (16, 19)),
    # Mostly 16 digits by now. The last prefixes are from Switch, Solo and Laser, whose numbers Maestro took over.
    Issuer(
        "Maestro",
        ("5018", "5020", "5038", "5641", "5893", "6304", "6390", "670", "675-677", "679", "0604", "6331", "6333-6334"),
        ANY_LENGTH,
    ),
    Issuer("Mir", ("2200-2204",), range(16, 20)),
    Issuer("RuPay", ("60", "65", "81", "82", "508"), (16,)),
    Issuer("Elo", ("504175", "506699-506778", "509", "627780", "636297", "636368", "6500-6505", "6516"), (16,)),
    Issuer("Hipercard", ("3841", "606282", "637095", "637568", "637599", "637609", "637612"), (16, 19)),
    # No usual length: many kinds of ids have 15 digits and begin with 1.
    Issuer("UATP", ("1",), (15,), ()),
    Issuer("Troy", ("9792",), (16,)),
    # Numbers with 19 digits are in daily use, too.
    Issuer("Verve", ("5060-5061", "507865-507964", "650002-650027"), (16, 18, 19), (16, 19)),
    Issuer("Dankort", ("5019",), (16,)),
    Issuer("Bankcard", ("5610", "560221-560225"), (16,)),
    Issuer("InterPayment, InstaPayment", ("636-639",), range(16, 20)),
    Issuer("Napas", ("9704",), (16, 19)),
    Issuer("Uzcard, Humo", ("8600", "9860"), (16,)),
    Issuer("BORICA, PayPak", ("2205",), (16,)),
    Issuer("Meeza", ("5078",), (16,)),
)


def is_issued(digits: str) -> bool:
    """Return whether a network issues numbers like `digits` and they pass Luhn's test."""
    return passes_luhn(digits) and any(issuer.issues(digits) for issuer in ISSUERS)


def has_usual_length(digits: str) -> bool:
    """Return whether a network that issues numbers like `digits` uses their length in practice."""
    return any(issuer.issues(digits) and len(digits) in issuer.usual_lengths for issuer in ISSUERS)


def passes_luhn(digits: str) -> bool:
    """Return whether the last of `digits` is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    # Every second digit from the right is doubled; of a result above 9 the sum of its digits counts.
    return (sum(map(int, digits[::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))) % 10 == 0
