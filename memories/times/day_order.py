"""The order of day and month in dates such as 5/7/2026: what else the text says decides, or where the owner lives."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from common.lazy_pattern import lazy_pattern

MONTHS = 12

_NUMBERS = lazy_pattern(r"(?<![\w/.-])([0-3]?\d)([/-])([0-3]?\d)\2(?:19|20)\d\d(?![-/.]?\w)")
# No word of one list is also an English word, and no word of the other one a word of the other languages.
_DAY_FIRST_WORDS = lazy_pattern(
    r"\b(?:der|das|dem|den|und|ist|bis|vom|zum|wird|le|les|du|au|est|une|jusqu|el|los|del|al|una|hasta|il|della?|dal|fino"
    r"|entro|uma|dos|ate|os|ao)\b"
)
_ENGLISH_WORDS = lazy_pattern(r"\b(?:the|is|are|on|at|of|and|my|our|until|till|by|from|to|for|with|will|was)\b")

_DAY_FIRST_REGIONS = ("Europe", "Africa", "Australia", "Atlantic")
_MONTH_FIRST_CITIES = """
    Adak Anchorage Boise Chicago Denver Detroit Juneau Los_Angeles Menominee Metlakatla New_York
    Nome Phoenix Sitka Yakutat
"""
_MONTH_FIRST_ZONES = {f"America/{city}" for city in _MONTH_FIRST_CITIES.split()} | {"Pacific/Honolulu"}
_MONTH_FIRST_REGIONS = ("US", "America/Indiana", "America/Kentucky", "America/North_Dakota")


def is_day_before_month(folded: str, first: int, second: int, now: datetime) -> bool | None:
    """Return whether the first number of a date in a folded text is the day, and the second the month.

    Of numbers over 12, one is the day. Otherwise another date of the text decides, its language (only in English, some
    write the month first), or the time zone of `now`. None if nothing does, or they contradict each other.
    """
    if first > MONTHS or second > MONTHS:
        return first > MONTHS
    orders = {int(one) > MONTHS for one, _, other in _NUMBERS.findall(folded) if max(int(one), int(other)) > MONTHS}
    if orders:
        return orders.pop() if len(orders) == 1 else None
    if _DAY_FIRST_WORDS.search(folded) and not _ENGLISH_WORDS.search(folded):
        return True
    return _is_day_first_in(now)


def _is_day_first_in(now: datetime) -> bool | None:
    """Return whether dates begin with the day where the time zone is used; None if both orders are, or it is UTC."""
    name = now.tzinfo.key if isinstance(now.tzinfo, ZoneInfo) else ""
    if name in _MONTH_FIRST_ZONES or name.rpartition("/")[0] in _MONTH_FIRST_REGIONS:
        return False
    return True if name.partition("/")[0] in _DAY_FIRST_REGIONS else None
