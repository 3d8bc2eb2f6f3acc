"""Texts are shown in their own direction, also those in Hebrew and Arabic, on every page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.test import Client

from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import JournalEntry
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import infer, make_app, make_memory, owner_actor, quarantined

HEBREW = "דנה גרה בתל אביב"
CHANGED = "דנה גרה בחיפה"
OTHER = "אורי גר בירושלים"
REASON = "עברה דירה"
_VOID = {"meta", "link", "input", "br", "img", "hr"}
_INVISIBLE = {"title", "option", "script"}


class _Directions(HTMLParser):
    """Collects texts in Hebrew, and whether the nearest element with a direction takes it from the text."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, str | None]] = [("html", "ltr")]
        self.found: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._open.append((tag, dict(attrs).get("dir") or ("auto" if tag == "bdi" else None)))

    def handle_endtag(self, tag: str) -> None:
        while self._open.pop()[0] != tag:
            pass

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass  # A shape of a drawing, without a text.

    def handle_data(self, data: str) -> None:
        # A sentence of the page that quotes a word begins with another one, and has the direction of the page.
        if re.match("[^a-zA-Z]*[\u0590-\u05ff]", data) and self._open[-1][0] not in _INVISIBLE:
            nearest = next(direction for _, direction in reversed(self._open) if direction)
            self.found.append((data.strip(), nearest == "auto"))


@pytest.mark.parametrize(
    ("path", "least"),
    [
        ("/admin/", 2),
        ("/admin/memories/memory/", 2),
        ("/admin/memories/memory/{id}/change/", 3),
        ("/admin/memories/memory/{id}/change/?fields=all", 1),
        ("/admin/memories/memory/{id}/edit/", 1),
        ("/admin/memories/memory/{id}/delete/", 1),
        ("/admin/memories/memory/forget/?ids={id}", 1),
        ("/admin/memories/memory/merge/?id={id}&id={other}", 3),
        ("/admin/memories/journalentry/", 3),
        ("/admin/memories/journalentry/{entry}/change/", 1),
        ("/admin/undo/?change_set={change_set}", 1),
        ("/admin/versions/?memory={id}", 1),
        ("/admin/ask/?q=דנה", 1),
        ("/admin/go/?q=דנה", 1),
        ("/admin/briefing/", 1),
        ("/admin/inbox/", 1),
        ("/admin/review/", 2),
        ("/admin/review/?show=p{plan}", 4),
        ("/admin/cleanup/", 5),
    ],
)
def test_a_page_takes_the_direction_of_each_text_from_the_text(
    pages: Client, owner: User, path: str, least: int
) -> None:
    memory, other = make_memory(owner, HEBREW), make_memory(owner, OTHER)
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text=CHANGED))
    client = str(make_app("Claude").client_id)
    change = ProposedChange(Action.CORRECT, [memory.pk], text=HEBREW, reason=REASON)
    merge = ProposedChange(Action.MERGE, [memory.pk, other.pk], text=OTHER)
    plan = propose_plan(Actor(View.whole(owner.pk), client), [change, merge], REASON)
    infer(quarantined(owner), "אורי אולי אוהב קפה")
    entry = JournalEntry.objects.filter(memory_id=memory.pk).latest("pk")
    names = {"id": memory.pk, "other": other.pk, "plan": plan.pk, "entry": entry.pk, "change_set": entry.change_set}
    page = pages.get(path.format(**names), headers={"X-Part": "1"} if "/go/" in path else {})
    assert page.status_code == 200
    parser = _Directions()
    parser.feed(page.content.decode())
    assert [text for text, is_auto in parser.found if not is_auto] == []
    assert len(parser.found) >= least, parser.found
