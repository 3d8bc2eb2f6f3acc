"""Which tags a person's memories have. The domain knows; a setting names its module, since nothing here imports it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from django.conf import settings

OFFERED_TAGS = 24


class TagChoices(Protocol):
    """What the module that the setting TAG_CHOICES names has to offer."""

    def offered(self, user_id: int, limit: int) -> list[str]:
        """The tags that the person uses most, at most `limit`."""
        ...

    def canonical(self, user_id: int, tags: Sequence[str]) -> list[str]:
        """`tags` as memories carry them; what is no tag is left out. Raises ValidationError."""
        ...


def offered_tags(user_id: int) -> list[str]:
    """The tags to choose from."""
    return _choices().offered(user_id, OFFERED_TAGS)


def canonical_tags(user_id: int, tags: Sequence[str]) -> list[str]:
    """See `TagChoices.canonical`."""
    return _choices().canonical(user_id, tags)


def _choices() -> TagChoices:
    return cast(TagChoices, import_module(settings.TAG_CHOICES))
