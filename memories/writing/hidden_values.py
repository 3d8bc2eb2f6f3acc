"""Hidden values: secrets that are stored encrypted, apart from the texts that have placeholders for them.

Apps never get a value, nor learn whether two values are equal: otherwise an app could find one by trying. So a text
with a secret never counts as a duplicate when an app stores it: its placeholder has a new number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import orjson
from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext

from common.encryption import cipher
from memories.access import Actor, View
from memories.database import among, fetch_rows
from memories.drafts import KeptValue, SafeText
from memories.errors import NotConfigured
from memories.models import HiddenValue, JournalEntry, Memory, SecretSettings
from memories.validation.secrets.detection import kind_of_secret
from memories.validation.secrets.hiding import NotHidden, hide_secrets
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.placeholders import numbers_in, placeholder, without_numbers
from memories.validation.text import secret_rejected

_NEXT_NUMBER = """
UPDATE memories_secretsettings SET last_number = last_number + 1 WHERE owner_id = %(owner)s RETURNING last_number
"""

_FIRST_DRY_NUMBER = 10**14

_refuses_all: ContextVar[bool] = ContextVar("refuses_all", default=False)


@contextmanager
def all_secrets_refused() -> Iterator[None]:
    """Refuse secrets of every kind in the block, because what leads to them is recorded elsewhere."""
    token = _refuses_all.set(True)
    try:
        yield
    finally:
        _refuses_all.reset(token)


def kept_kinds(owner_id: int) -> frozenset[Kind]:
    """Return the kinds of secrets that the owner keeps. Names that this version does not know are ignored."""
    names = SecretSettings.objects.filter(owner_id=owner_id).values_list("kept", flat=True).first() or ()
    return frozenset(Kind[name] for name in names if name in Kind.__members__)


def keep_kinds(owner_id: int, kinds: Collection[Kind]) -> None:
    """Store the owner's choice. Values that are stored already stay."""
    names = [kind.name for kind in Kind if kind in kinds]
    SecretSettings.objects.update_or_create(owner_id=owner_id, defaults={"kept": names})


class Hiding:
    """Hides the secrets in the texts of one call, as its owner has chosen. See `memories.drafts.Hide`.

    The choice is read when the first secret is found. A dry run uses numbers that no stored value has.
    """

    def __init__(self, actor: Actor, *, dry_run: bool = False) -> None:
        self._actor = actor
        self._dry_run = dry_run
        self._kept: frozenset[Kind] | None = None
        self._numbers: dict[tuple[Kind, str], int] | None = None

    def __call__(self, name: str, text: str) -> SafeText:
        # A code beside a placeholder is a secret, too: "[hidden: code #1] and at work 9921".
        if kind_of_secret(text) is None and not numbers_in(text):
            return SafeText(text)
        values: dict[tuple[Kind, str], KeptValue] = {}

        def new_placeholder(kind: Kind, value: str) -> str:
            if (kind, value) not in values:
                values[kind, value] = KeptValue(self._number(kind, value, used=numbers_in(text)), kind, value)
            return placeholder(kind, values[kind, value].number)

        try:
            safe = hide_secrets(text, self._kinds(), new_placeholder)
        except NotHidden as error:
            may_be_kept = isinstance(error.kind, Kind) and not _refuses_all.get()
            is_owner = self._actor.is_owner
            raise secret_rejected(name, error.kind, may_be_kept=may_be_kept, is_owner=is_owner) from None
        return SafeText(safe, tuple(values.values()))

    def _kinds(self) -> frozenset[Kind]:
        if _refuses_all.get():
            return frozenset()
        if self._kept is None:
            self._kept = kept_kinds(self._actor.owner_id)
        return self._kept

    def _number(self, kind: Kind, value: str, used: Collection[int]) -> int:
        """Return the number for a value: a new one, or that of the same value in this call, for the owner in any.

        `used` are numbers that the text has: an imported placeholder without a value must not get this one.
        """
        if self._numbers is None:
            known = numbers_by_value(self._actor.owner_id) if self._actor.is_owner else {}
            self._numbers = {value: min(numbers) for value, numbers in known.items()}
        if (kind, value) not in self._numbers:
            number = self._new_number(len(self._numbers))
            while number in used and not self._dry_run:
                number = self._new_number(len(self._numbers))
            self._numbers[kind, value] = number
        return self._numbers[kind, value]

    def _new_number(self, count: int) -> int:
        if self._dry_run:
            return _FIRST_DRY_NUMBER + count
        return int(fetch_rows(_NEXT_NUMBER, {"owner": self._actor.owner_id})[0][0])


def numbers_by_value(owner_id: int) -> dict[tuple[Kind, str], set[int]]:
    """Return the numbers of the owner's values. Those that cannot be decrypted are left out."""
    known: dict[tuple[Kind, str], set[int]] = {}
    for row in HiddenValue.objects.filter(owner_id=owner_id):
        if row.kind in Kind.__members__ and (value := _decrypted(row)) is not None:
            known.setdefault((Kind[row.kind], value), set()).add(row.number)
    return known


def with_equal_values(memory: Memory, others: Iterable[Memory]) -> set[int]:
    """Return the ids of those whose text differs from that of `memory` only in the numbers of equal values.

    For the owner's pages only: an app must not learn that values are equal. One query if a text differs so.
    """
    alike = [other for other in others if without_numbers(other.text) == without_numbers(memory.text)]
    if not alike or not numbers_in(memory.text):
        return set()
    rows = HiddenValue.objects.filter(owner_id=memory.owner_id, memory_id__in=[memory.pk, *(each.pk for each in alike)])
    known = {(row.memory_id, row.number): _decrypted(row) for row in rows}

    def values_of(each: Memory) -> list[str | None]:
        return [known.get((each.pk, number)) for number in numbers_in(each.text)]

    wanted = values_of(memory)
    return set() if None in wanted else {each.pk for each in alike if values_of(each) == wanted}


def fill_in_value(view: View, memory_id: int, kept: KeptValue) -> bool:
    """Store a value of a memory that has none with its number, or one that cannot be decrypted. Return whether it did.

    Nothing is stored if neither the memory's text nor one of its versions has the placeholder.
    """
    row = HiddenValue.objects.filter(owner_id=view.owner_id, memory_id=memory_id, number=kept.number).first()
    is_missing = row is None or _decrypted(row) is None
    if not is_missing or not _has_placeholder(view, memory_id, placeholder(kept.kind, kept.number)):
        return False
    if row:
        row.delete()
    store_values(view.owner_id, memory_id, [kept])
    return True


def _has_placeholder(view: View, memory_id: int, text: str) -> bool:
    seen = Memory.objects.visible_including_quarantined(view)
    if seen.filter(pk=memory_id, text__contains=text).exists():
        return True
    versions = JournalEntry.objects.filter(owner_id=view.owner_id, memory_id=memory_id)
    return any(text in (state.get("text") or "") for state in versions.values_list("after", flat=True).iterator())


def store_values(owner_id: int, memory_id: int, values: Iterable[KeptValue]) -> None:
    """Store the values of a memory's text, encrypted. Call it in the transaction that stores the text."""
    rows = [
        HiddenValue(
            owner_id=owner_id,
            memory_id=memory_id,
            number=each.number,
            kind=each.kind.name,
            encrypted_value=encrypted(owner_id, each),
        )
        for each in values
    ]
    HiddenValue.objects.bulk_create(rows, ignore_conflicts=True)


def inherit_values(owner_id: int, from_ids: Collection[int], to: Iterable[Memory]) -> None:
    """Give memories the values of others, as far as their texts have the placeholders. Others keep them, too."""
    wanted = {memory.pk: set(numbers) for memory in to if (numbers := numbers_in(memory.text))}
    if not wanted:
        return
    known = list(HiddenValue.objects.filter(owner_id=owner_id, memory_id__in=among(from_ids)))
    rows = [
        HiddenValue(
            owner_id=owner_id,
            memory_id=memory_id,
            number=row.number,
            kind=row.kind,
            encrypted_value=row.encrypted_value,
        )
        for memory_id, numbers in wanted.items()
        for row in known
        if row.number in numbers and row.memory_id != memory_id
    ]
    HiddenValue.objects.bulk_create(rows, ignore_conflicts=True)


def delete_removed_values(actor: Actor, memory: Memory, text_before: str) -> int:
    """Delete the values whose placeholders the owner has removed from a text, and return their number.

    What an app removes can be undone.
    """
    removed = set(numbers_in(text_before)) - set(numbers_in(memory.text))
    if not actor.is_owner or not removed:
        return 0
    rows = HiddenValue.objects.filter(owner_id=actor.owner_id, memory_id=memory.pk, number__in=removed)
    return rows.delete()[0]


def hidden_values_of(owner_id: int, memory_id: int) -> Sequence[HiddenValue]:
    """Return the hidden values of a memory and its versions, without decrypting them."""
    return list(HiddenValue.objects.filter(owner_id=owner_id, memory_id=memory_id).order_by("number"))


def decrypted(row: HiddenValue) -> str:
    """Return a value in plain text. Raises NotConfigured if SECRET_KEY has changed."""
    value = _decrypted(row)
    if value is None:
        raise NotConfigured(gettext("The value cannot be decrypted, because SECRET_KEY has changed."))
    return value


def _decrypted(row: HiddenValue) -> str | None:
    try:
        owner_id, number, value = orjson.loads(_cipher().decrypt(row.encrypted_value.encode()))
    except (InvalidToken, orjson.JSONDecodeError):
        return None
    # A value that was copied to another row in the database is not shown there.
    return value if (owner_id, number) == (row.owner_id, row.number) else None


def encrypted(owner_id: int, kept: KeptValue) -> str:
    """Return a value as it is stored."""
    return _cipher().encrypt(orjson.dumps([owner_id, kept.number, kept.value])).decode()


def _cipher() -> MultiFernet:
    return cipher(b"ownsona hidden values", settings.SECRET_KEY)
