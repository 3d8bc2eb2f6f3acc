"""The tags of a person's memories, for the pages on which an app is limited to some of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from memories.errors import MemoriesError
from memories.selectors import list_tags
from memories.tags import canonical_tags
from memories.view import View


def offered(user_id: int, limit: int) -> list[str]:
    """The tags that the person uses most, at most `limit`."""
    return [tag for tag, _ in list_tags(View.whole(user_id), limit=limit)]


def canonical(user_id: int, tags: Sequence[str]) -> list[str]:
    """`tags` as memories carry them; what is no tag is left out. Raises ValidationError."""
    try:
        return canonical_tags(View.whole(user_id), tags)
    except MemoriesError as error:
        raise ValidationError(str(error)) from None
