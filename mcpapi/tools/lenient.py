"""Lenient parsing of arguments as models send them.

Each function converts a value with only one possible meaning to the type of the argument, and returns any other value
unchanged: the validation that follows refuses that by name. docs/decisions/tool-arguments.md has the rules and their
reasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time

from django.conf import settings

from common.tag_lists import split_tags
from mcpapi.rpc.json_scan import scans
from mcpapi.rpc.jsonrpc import RpcError, decode

MAX_SPLIT_CHARS = 20_000
"""A longer text is not split at commas: 1,000 ids, or 50 tags of 64 characters, are shorter."""
MAX_ENCODED_CHARS = 4_000_000
"""The longest JSON in a string that is parsed: 200 items with texts of 16,000 characters are shorter."""
MAX_ENCODED_SEPARATORS = 60_000
"""The most brackets, commas and colons outside of strings in JSON that is parsed: as in the body of a batch."""
MAX_ENCODED_DEPTH = 64

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}(?:\.0{1,19})?")
_ID = re.compile(r"#([0-9]{1,19})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,19}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")
_FLAGS = {"true": True, "false": False}
_EXTENDED_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def as_whole(value: object) -> object:
    """Convert 5.0, "5" and "5.0" to 5: JSON has one kind of number, and models write numbers as text."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return value


def as_id(value: object) -> object:
    """Convert "#12" to 12, as the pages write an id, and what `as_whole` converts."""
    return as_whole(_without_sign(value))


def _without_sign(value: object) -> object:
    found = _ID.fullmatch(value.strip()) if isinstance(value, str) else None
    return found[1] if found else value


def as_number(value: object) -> object:
    """Convert "0.5" to 0.5."""
    return float(value.strip()) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else value


def as_id_text(value: object) -> object:
    """Convert 12 and "#12" to "12", for ids that are texts."""
    whole = as_whole(value) if isinstance(value, float) else _without_sign(value)
    return str(whole) if isinstance(whole, int) and not isinstance(whole, bool) else whole


def as_flag(value: object) -> object:
    """Convert "true" and "False" to booleans, but not 1 and "yes", which may mean something else."""
    return _FLAGS.get(value.strip().lower(), value) if isinstance(value, str) else value


def as_object(value: object) -> object:
    """Convert a JSON object in a string to that object."""
    decoded = _decoded(value)
    return decoded if isinstance(decoded, dict) else value


def as_objects(value: object) -> object:
    """Convert a single object to a list of one, and a JSON list or object in a string to that list or object."""
    decoded = _decoded(value)
    if isinstance(decoded, dict):
        return [decoded]
    return decoded if isinstance(decoded, list) else value


def as_tags(value: object) -> object:
    """Convert "pets, home" and "pets; home" to two tags, since no tag has such a sign in it, and JSON to its list."""
    return _as_list(value, split_tags)


def as_texts(value: object) -> object:
    """Convert a JSON list in a string to that list. A text is not split: it may have commas in it."""
    decoded = _decoded(value)
    return decoded if isinstance(decoded, list) else value


def as_ids(value: object) -> object:
    """Convert a single id to a list of one, "1, 2" to two ids, and a JSON list in a string to that list."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    return _as_list(value, _at_commas)


def _at_commas(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _as_list(value: object, split: Callable[[str], list[str]]) -> object:
    """Split a text, or decode the JSON list in it. Other JSON is returned unchanged."""
    decoded = _decoded(value)
    if isinstance(decoded, list):
        return decoded
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_SPLIT_CHARS:
        return value
    return value if value.lstrip()[0] in "[{" else split(value)


def _decoded(value: object) -> object:
    """Decode the JSON list or object in a string. Any other value is returned unchanged."""
    if not isinstance(value, str) or len(value) > MAX_ENCODED_CHARS or not value.lstrip().startswith(("[", "{")):
        return value
    encoded = value.encode("utf-8", "surrogatepass")
    # The scan of the body does not see the JSON in its strings.
    if any(scan.separators > MAX_ENCODED_SEPARATORS or scan.depth > MAX_ENCODED_DEPTH for scan in scans(encoded)):
        return value
    try:
        return decode(encoded)
    except RpcError:
        return value


def is_impossible_day(value: object) -> bool:
    """Return whether a text begins with a date that no calendar has, such as 2026-02-30."""
    if not isinstance(value, str) or not (found := _EXTENDED_DATE.match(value.strip())):
        return False
    try:
        date.fromisoformat(found[0])
    except ValueError:
        return True
    return False


def as_time(value: object, *, ends_day: bool = False) -> datetime | None:
    """Parse an ISO 8601 time. A date is the beginning of that day, or with `ends_day` its end.

    Without a zone it is in the owner's. Return None for anything else, also a number, which could be seconds or
    milliseconds.
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        if _EXTENDED_DATE.fullmatch(text):
            moment = datetime.combine(date.fromisoformat(text), time.max if ends_day else time.min)
        else:
            moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.utcoffset() is not None:
        return moment
    # "17101210123456" would be parsed as a time, too.
    if not _EXTENDED_DATE.match(text):
        return None
    # If the clocks are set back at midnight, a day ends at the second occurrence of that time.
    return moment.replace(tzinfo=settings.OWNER_TIME_ZONE, fold=int(ends_day))
