"""The types of tool arguments, as the schemas publish them, with lenient parsing of what models send."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from mcpapi.tools import lenient

MAX_INT64 = 2**63 - 1


def _time(value: object, *, ends_day: bool = False) -> datetime:
    # pydantic itself would read a number as seconds since 1970.
    moment = lenient.as_time(value, ends_day=ends_day)
    if moment is not None:
        return moment
    if lenient.is_impossible_day(value):
        raise PydanticCustomError("day", "names a day that does not exist. Check the month and the day")
    raise PydanticCustomError("time", "must be an ISO 8601 time, such as 2026-05-17T14:00:00Z, or a date")


def _end_time(value: object) -> datetime:
    return _time(value, ends_day=True)


def _time_or_always(value: object) -> object:
    return value if value == "always" else _time(value)


def _end_time_or_never(value: object) -> object:
    return value if value == "never" else _end_time(value)


Integer = Annotated[int, Strict(), BeforeValidator(lenient.as_whole)]
MemoryId = Annotated[Integer, Field(ge=1, le=MAX_INT64), BeforeValidator(lenient.as_id)]
Time = Annotated[datetime, BeforeValidator(_time)]
EndTime = Annotated[datetime, BeforeValidator(_end_time)]
"""The time until which something lasts. A date means the end of that day."""
EndTimeOrNever = Annotated[datetime | Literal["never"], BeforeValidator(_end_time_or_never)]
TimeOrAlways = Annotated[datetime | Literal["always"], BeforeValidator(_time_or_always)]
Number = Annotated[float, Strict(), BeforeValidator(lenient.as_number), Field(allow_inf_nan=False)]
UnitInterval = Annotated[Number, Field(ge=0, le=1)]
Flag = Annotated[bool, Strict(), BeforeValidator(lenient.as_flag)]
# One error is enough for a list with a million bad entries.
Tags = Annotated[list[str], Field(fail_fast=True), BeforeValidator(lenient.as_tags)]
Texts = Annotated[list[str], Field(fail_fast=True), BeforeValidator(lenient.as_texts)]
MemoryIds = Annotated[list[MemoryId], Field(fail_fast=True), BeforeValidator(lenient.as_ids)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(lenient.as_object)]
Objects = Annotated[list[Any], BeforeValidator(lenient.as_objects)]
"""Items that are validated one by one."""
IdText = Annotated[str, BeforeValidator(lenient.as_id_text)]


def parse_memory_id(text: str) -> int | None:
    """Parse an id in decimal digits without leading zeros. Return None for anything else."""
    is_number = text.isascii() and text.isdigit() and not text.startswith("0") and len(text) < 20
    return int(text) if is_number and int(text) <= MAX_INT64 else None
