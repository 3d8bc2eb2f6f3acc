"""A memory as a row of a list: its text, then one quiet line of tags, app, time and exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from common.pages.list_rows import Flag
from common.pages.relative_times import relative_time
from memories.admin.seen_texts import seen_id
from memories.admin.sources import shown_name
from memories.admin.states import past_since
from memories.models import Memory

SHOWN_CHARS = 600
"""Characters of a text that a list shows. The memory's own page shows all."""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory for `owner/memory_row.html`. `tags` are pairs of a tag and the address of the list of its memories.

    `agent` is the name of the agent that it belongs to, and `proposer` that of the app whose plan added it, if any.
    `seen_id` is its id in forms.
    """

    id: int
    text: str
    url: str
    tags: tuple[tuple[str, str], ...]
    app: str
    agent: str
    created_at: datetime
    flags: tuple[Flag, ...]
    is_gone: bool
    is_waiting: bool
    seen_id: str
    proposer: str = ""

    @property
    def label(self) -> str:
        """The beginning of the text, for the names of buttons."""
        return self.text[:50]

    @property
    def agent_url(self) -> str:
        """The address of the list of the memories of the agent."""
        return _list_url("agent", self.agent)


def memory_row(
    memory: Memory, *, passage: str = "", proposer: str = "", is_contradicting: bool = False, chars: int = SHOWN_CHARS
) -> MemoryRow:
    """Return the row of `memory`, which is annotated by `with_source`, with at most `chars` characters of its text.

    A `passage` is shown in place of a long text.
    """
    doubt = (Flag(gettext("may contradict another"), "warn"),) if is_contradicting else ()
    text = (passage and not memory.text.startswith(passage) and f"…{passage}") or memory.text
    return MemoryRow(
        id=memory.pk,
        text=text if len(text) <= chars else f"{text[:chars].rstrip()}…",
        url=reverse("admin:memories_memory_change", args=[memory.pk]),
        tags=tuple((tag, tag_url(tag)) for tag in memory.tags),
        app=shown_name(getattr(memory, "source_name", None) or ""),
        agent=memory.agent or "",
        created_at=memory.created_at,
        flags=(*flags_of(memory), *doubt),
        is_gone=memory.deleted_at is not None,
        is_waiting=memory.quarantined_from is not None,
        seen_id=seen_id(memory),
        proposer=proposer,
    )


def memory_rows(memories: Iterable[Memory]) -> list[MemoryRow]:
    """Return the rows of `memories`."""
    return [memory_row(memory) for memory in memories]


def tag_url(tag: str) -> str:
    """Return the address of the list of the memories with `tag`."""
    return _list_url("tag", tag)


def _list_url(name: str, value: str) -> str:
    return f"{reverse('admin:memories_memory_changelist')}?{urlencode({'q': search_term(name, value)})}"


def search_term(name: str, value: str) -> str:
    """Return a filter as it is typed into the search box, such as `tag:work` or `app:"Home Assistant"`."""
    return f'{name}:"{value}"' if " " in value else f"{name}:{value}"


def flags_of(memory: Memory) -> Iterator[Flag]:
    """Yield the exceptions of `memory`. An active memory without any has none."""
    now = timezone.now()
    if memory.briefing_place == Memory.BriefingPlace.PINNED:
        yield Flag(gettext("pinned"), "pin")
    elif memory.briefing_place == Memory.BriefingPlace.HIDDEN:
        yield Flag(gettext("not in briefings"))
    if memory.deleted_at is not None:
        yield Flag(gettext("replaced") if memory.replaced_by_id else gettext("forgotten"))
        return
    if memory.quarantined_from is not None:
        yield Flag(gettext("in your inbox"), "warn", is_place=True)
    if memory.expires_at is not None:
        passed = memory.expires_at <= now
        yield Flag(
            gettext("expired")
            if passed
            else gettext("expires %(expires)s") % {"expires": relative_time(memory.expires_at, now)},
            "warn",
        )
    if memory.is_past:
        yield Flag(past_since(memory))
