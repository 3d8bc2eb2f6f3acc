"""Storage of a benchmark's texts as memories, as an app stores them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tqdm import tqdm

from memories.access import Actor, View
from memories.drafts import Draft
from memories.errors import MemoriesError
from memories.writing.remembering import RememberRequest, remember_all
from oauthserver.models import User

BATCH = 100


def new_view(username: str) -> View:
    """Return the view of the whole memory of that owner, who is created if needed."""
    owner, _ = User.objects.get_or_create(username=username)
    return View.whole(owner.pk)


def store_drafts(view: View, drafts: Sequence[Draft], name: str) -> list[int | None]:
    """Remember the drafts in order. Return the ids of their memories, None for each draft that was refused.

    A text that is stored already keeps its memory, so a second run over kept data embeds nothing.
    """
    ids: list[int | None] = []
    for start in tqdm(range(0, len(drafts), BATCH), desc=name, file=sys.stderr):
        requests = [RememberRequest(draft) for draft in drafts[start : start + BATCH]]
        outcomes = remember_all(Actor(view, "benchmark"), requests)
        ids += [None if isinstance(outcome, MemoriesError) else outcome.memory_id for outcome in outcomes]
    return ids
