"""How much of a text states something, in SQL: in a conversation much is asked, and what only asks answers little."""

from __future__ import annotations

from django.db.models import FloatField, Func, TextField, Value
from django.db.models.functions import Cast, Greatest, Length

# A question ends with a question mark; the one in an address ("?page=2") ends nothing and is gone through, since a
# search that stopped there would begin again at each character before it. A group that captures costs as much.
_QUESTION = r"(?:[^.!?…。！？؟\n]|\?+\w)*(?:\?+(?!\w)|[？؟]+)"

_STATEMENTS = Func("text", Value(_QUESTION), Value(""), Value("g"), function="regexp_replace", output_field=TextField())

STATED_SHARE = Cast(Length(_STATEMENTS), FloatField()) / Greatest(Length("text"), 1)
"""The share of the characters of a memory's `text` that stand in no question, 0–1."""
