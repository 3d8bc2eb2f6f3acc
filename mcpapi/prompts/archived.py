"""The owner's own prompts as a part of archives."""

from __future__ import annotations

import re
from typing import Any, Final

from django.db.models import CharField

from mcpapi.models import OwnPrompt
from mcpapi.prompts.own import (
    MAX_PROMPTS,
    PROMPT_NAME,
    format_arguments,
    format_messages,
    parse_arguments,
    parse_messages,
)
from mcpapi.prompts.shipped import SHIPPED
from memories.access import View
from memories.errors import InvalidInput, LimitExceeded, MemoriesError
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.validation.text import refuse_secrets

_NAME: Final = "prompts"
_COLUMNS: Final = Columns(OwnPrompt, leave_out={"id", "owner_id"})


def _write(archive: ArchiveWriter, view: View) -> None:
    prompts = OwnPrompt.objects.filter(owner_id=view.owner_id).order_by("name").values(*_COLUMNS.names)
    archive.add_lines(_NAME, map(as_json, prompts.iterator()))


def _restore(restoration: Restoration) -> None:
    """Store the prompts whose names are not taken. A prompt that was changed here since stays as it is."""
    mine = OwnPrompt.objects.filter(owner_id=restoration.actor.owner_id)
    taken = set(mine.values_list("name", flat=True))
    for number, record in enumerate(restoration.archive.records(_NAME), start=1):
        values = _COLUMNS.values_of(record)
        if len(values) < len(_COLUMNS.names):
            raise UnusableArchive("A prompt is incomplete.")
        if values["name"] in taken:
            restoration.summary.of(_NAME).present += 1
            continue
        try:
            _check(values, taken)
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_NAME}.jsonl, line {number}", error)
            continue
        prompt = OwnPrompt.objects.create(owner_id=restoration.actor.owner_id, **values)
        # The time of the last change is set whenever a prompt is saved.
        mine.filter(pk=prompt.pk).update(updated_at=values["updated_at"])
        taken.add(values["name"])
        restoration.summary.of(_NAME).added += 1


def _check(values: dict[str, Any], taken: set[str]) -> None:
    """Raise InvalidInput, LimitExceeded or SecretRejected for a prompt that the page would not accept, either."""
    name = values["name"]
    if not PROMPT_NAME.fullmatch(name) or name in {prompt.name for prompt in SHIPPED}:
        raise InvalidInput("is not a valid name for a prompt of your own.", argument="name")
    if len(taken) >= MAX_PROMPTS:
        raise LimitExceeded(f"You have {MAX_PROMPTS} prompts, which is the maximum.")
    for field in OwnPrompt._meta.concrete_fields:
        if isinstance(field, CharField):
            if len(values[field.attname]) > (field.max_length or 0):
                raise LimitExceeded("is too long.", argument=field.name)
            refuse_secrets(field.name, values[field.attname])
    _check_content(values["arguments"], values["messages"])


def _check_content(arguments: Any, messages: Any) -> None:
    try:
        typed = format_messages(messages)
        refuse_secrets("messages", typed)
        is_unchanged = parse_messages(typed, arguments) == messages
        is_unchanged = is_unchanged and parse_arguments(format_arguments(arguments)) == arguments
    except (TypeError, KeyError, AttributeError):
        is_unchanged = False
    if not is_unchanged:
        raise InvalidInput("are not arguments and messages that the page of prompts would store.", argument="messages")


PROMPTS: Final = Part(_NAME, re.compile(r"prompts\.jsonl"), _write, _restore)
