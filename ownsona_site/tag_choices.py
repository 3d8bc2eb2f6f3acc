"""The tags of a person's memories, for the pages on which an app is limited to some of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from memories.access import View
from memories.errors import MemoriesError
from memories.queries.selectors import list_tags
from memories.validation.tags import canonical_tags


def offered(user_id: int, limit: int) -> list[str]:
    """The tags that the person uses most, at most `limit`."""
    return [tag for tag, _ in list_tags(View.whole(user_id), limit=limit)]


def canonical(user_id: int, tags: Sequence[str]) -> list[str]:
    """`tags` as memories carry them; what is no tag is left out. Raises ValidationError."""
    try:
        return canonical_tags(View.whole(user_id), tags)
    except MemoriesError as error:
        raise ValidationError(str(error)) from None
