"""Tests of the page that compares versions, and of the filter of the history by app."""

from __future__ import annotations

from django.test import Client

from memories.writing.lifecycle import confirm_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, make_memory, make_user, owner_actor

PAGE = "/admin/versions/"


def test_two_versions_are_compared_word_by_word(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Ann <b> lives in Bern")
    for text in ("Ann <b> lives in Basel", "Ann <b> lives in Zurich"):
        update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text=text))
    page = pages.get(f"{PAGE}?memory={memory.pk}").content.decode()
    assert "Ann &lt;b&gt; lives in <del>Basel</del> <ins>Zurich</ins>" in page
    page = pages.get(f"{PAGE}?memory={memory.pk}&one=3&other=1").content.decode()
    assert "lives in <del>Bern</del> <ins>Zurich</ins>" in page
    assert "From version 1 to 3" in page
    assert "Confirmed" not in page  # The times differ by less than the page shows.
    shown = pages.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    assert f'href="{PAGE}?memory={memory.pk}"' in shown
    assert "<del>Basel</del> <ins>Zurich</ins>" in shown


def test_the_last_change_that_made_a_difference_is_shown_first(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Ann lives in Bern")
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(text="Ann lives in Basel"))
    confirm_memory(owner_actor(owner), memory.pk)
    page = pages.get(f"{PAGE}?memory={memory.pk}").content.decode()
    assert "From version 1 to 2" in page
    assert "They are the same." not in page


def test_only_the_owner_compares_versions_that_there_are(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "Ann lives in Bern")
    assert "only one version" in pages.get(f"{PAGE}?memory={memory.pk}").content.decode()
    update_memory(owner_actor(owner), memory.pk, MemoryUpdate(importance=1.0))
    for query in ("", "?memory=x", f"?memory={memory.pk}&one=9", f"?memory={memory.pk}&one=-1", "?memory=999999"):
        assert pages.get(f"{PAGE}{query}").status_code == 404
    stranger = Client(headers={"host": HOST})
    stranger.force_login(make_user("stranger"))
    assert stranger.get(f"{PAGE}?memory={memory.pk}").status_code == 404
