"""The numbers that placeholders of hidden values in an archive have here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from django.db.models import Value
from django.db.models.functions import Greatest

from common.texts import translatable
from memories.drafts import KeptValue
from memories.models import SecretSettings
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.reader import ArchiveReader
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.placeholders import numbers_in, with_numbers
from memories.writing.hidden_values import numbers_by_value

_FIRST_DRY_NUMBER = 10**14
"""Numbers from here on belong to dry runs, so no stored placeholder has one."""

Secret = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class ArchivedValue:
    """A hidden value of an archive, and the former id of its memory."""

    former_id: int
    kept: KeptValue

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """Return the value of a record. Raises UnusableArchive."""
        match record:
            case {"memory_id": int(memory_id), "number": int(number), "kind": str(kind), "value": str(value)}:
                if kind in Kind.__members__ and 0 < number < _FIRST_DRY_NUMBER:
                    return cls(memory_id, KeptValue(number, Kind[kind], value))
        raise UnusableArchive(translatable("A hidden value has an invalid field."))


def archived_values(archive: ArchiveReader) -> Iterator[ArchivedValue]:
    """Yield the hidden values of an archive. Raises UnusableArchive."""
    return map(ArchivedValue.of, archive.records("hidden_values"))


class PlaceholderNumbers:
    """The numbers of placeholders here, by memory and number in the archive. Create it in the import's transaction.

    A number stays, unless another value has it here: otherwise two memories with different values would have equal
    texts, and one would count as a duplicate of the other. A value that gets another number gets that of an equal
    value, if there is one, so that a repeated import finds the memories of the first one. Values here that cannot be
    decrypted do not count: the archive may bring them back.
    """

    def __init__(self, owner_id: int, archive: ArchiveReader) -> None:
        self._owner_id = owner_id
        self._newest = 0
        secrets: dict[tuple[int, Secret], list[int]] = defaultdict(list)
        for each in archived_values(archive):
            secrets[each.kept.number, (each.kept.kind, each.kept.value)].append(each.former_id)
        chosen = self._chosen(secrets) if secrets else {}
        self._here = {
            (former_id, number): chosen[number, secret]
            for (number, secret), former_ids in secrets.items()
            for former_id in former_ids
        }

    def _chosen(self, wanted: Collection[tuple[int, Secret]]) -> dict[tuple[int, Secret], int]:
        last_number = _locked_last_number(self._owner_id)
        here = numbers_by_value(self._owner_id)
        secrets_of: dict[int, set[Secret]] = defaultdict(set)
        for secret, numbers in here.items():
            for number in numbers:
                secrets_of[number].add(secret)
        chosen: dict[tuple[int, Secret], int] = {}
        for number, secret in sorted(wanted):
            if number not in secrets_of or secret in secrets_of[number]:
                chosen[number, secret] = number
                secrets_of[number].add(secret)
                here.setdefault(secret, set()).add(number)
        next_number = max(last_number, *(number for number, _ in wanted)) + 1
        for number, secret in sorted(wanted):
            if (number, secret) not in chosen:
                if secret not in here:
                    here[secret] = {next_number}
                    next_number += 1
                chosen[number, secret] = min(here[secret])
        self._newest = next_number - 1
        return chosen

    def value(self, archived: ArchivedValue) -> KeptValue:
        """Return a value with its number here."""
        number = archived.kept.number
        return replace(archived.kept, number=self._here.get((archived.former_id, number), number))

    def translated(self, former_ids: Collection[int], text: str) -> str:
        """Return a text of memories, of which each has its former id in `former_ids`, with the numbers of here."""
        numbers = numbers_in(text)
        if not numbers:
            return text
        here = {
            number: next((self._here[each, number] for each in former_ids if (each, number) in self._here), number)
            for number in numbers
        }
        self._newest = max(self._newest, *(number for number in here.values() if number < _FIRST_DRY_NUMBER), 0)
        return with_numbers(text, here)

    def close(self) -> None:
        """Make sure that no new value gets a number of the archive. Call it at the end of the transaction."""
        if self._newest:
            SecretSettings.objects.get_or_create(owner_id=self._owner_id)
            SecretSettings.objects.filter(owner_id=self._owner_id).update(
                last_number=Greatest("last_number", Value(self._newest))
            )


def _locked_last_number(owner_id: int) -> int:
    """Return the newest number. Other transactions wait before they choose one."""
    SecretSettings.objects.get_or_create(owner_id=owner_id)
    return SecretSettings.objects.select_for_update().get(owner_id=owner_id).last_number
