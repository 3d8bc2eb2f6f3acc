"""The inferences that an owner refuses from an app: see docs/decisions/refused-inferences.md."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from oauthserver.models import EXTERNAL_CLIENT, PERSONAL_CLIENT, Connection, ExternalIdentity, Permission, PersonalToken


def refused_inferences(owner_id: int, client: str) -> list[str] | None:
    """Return the tags whose inferences the owner refuses from the app; None if it has no permission. One query."""
    permissions = _permissions_of(owner_id, client)
    return permissions[0].refused_inferences if permissions else None


def refuse_inferences(owner_id: int, client: str, tag: str) -> bool:
    """Refuse what the app infers about `tag` (ALL: about anything). Return whether the app has a permission."""
    return _change(owner_id, client, lambda refused: [*(each for each in refused if each != tag), tag])


def allow_inferences(owner_id: int, client: str, tag: str) -> bool:
    """Allow again what `refuse_inferences` refused. Return whether the app has a permission."""
    return _change(owner_id, client, lambda refused: [each for each in refused if each != tag])


def _change(owner_id: int, client: str, change: Callable[[list[str]], list[str]]) -> bool:
    with transaction.atomic():
        permissions = _permissions_of(owner_id, client, locks=True)
        for permission in permissions:
            permission.refused_inferences = change(permission.refused_inferences)
            permission.save(update_fields=["refused_inferences"])
    return bool(permissions)


def _permissions_of(owner_id: int, client: str, *, locks: bool = False) -> list[Permission]:
    """Return the permissions under which the client of the journal acts.

    Apps of an external issuer share the permissions of the owner's identities there.
    """
    kind: type[Permission]
    condition: dict[str, int | str]
    if client.startswith(PERSONAL_CLIENT):
        number = client.removeprefix(PERSONAL_CLIENT)
        kind, condition = PersonalToken, {"pk": int(number) if number.isdecimal() else 0}
    elif client.startswith(EXTERNAL_CLIENT):
        kind, condition = ExternalIdentity, {}
    else:
        kind, condition = Connection, {"application__client_id": client}
    rows = kind.objects.filter(user_id=owner_id, **condition).order_by("pk")
    return list(rows.select_for_update(no_key=True, of=("self",)) if locks else rows)
