"""The pages on kept secrets: the choice per kind, and the hidden values on the page of a memory."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import HiddenValue, JournalEntry, Memory
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import decrypted, keep_kinds, kept_kinds
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import HOST, Assistant, make_user

SETTINGS = "/admin/secrets/"
CODE = "471183"
TEXT = f"The alarm code at home is {CODE}"


@pytest.fixture
def memory_id(owner: User) -> int:
    """A memory with a hidden alarm code, which an app has stored."""
    keep_kinds(owner.pk, [Kind.LOCK_CODE])
    return remember(Actor(View.whole(owner.pk), "cursor"), RememberRequest(Draft(TEXT))).memory_id


def page_of(memory_id: int) -> str:
    return f"/admin/memories/memory/{memory_id}/change/"


def show_url(memory_id: int, number: int = 1) -> str:
    return f"/admin/memories/memory/{memory_id}/hidden/{number}/show/"


def read(pages: Client, url: str) -> str:
    response = pages.get(url)
    assert response.status_code == 200
    return unescape(" ".join(response.content.decode().split()))


def test_every_kind_is_refused_until_the_owner_chooses(pages: Client, owner: User) -> None:
    shown = read(pages, SETTINGS)
    for kind in Kind:
        assert f'name="{kind.name}" value="keep" id="id_{kind.name}">' in shown
    assert pages.post(SETTINGS, {"PIN": "keep"}).status_code == 302
    assert kept_kinds(owner.pk) == {Kind.PIN}
    shown = read(pages, SETTINGS)
    assert 'name="PIN" value="keep" id="id_PIN" checked>' in shown
    assert shown.count('role="switch"') == len(Kind)
    assert shown.count(" checked>") == 1
    pages.post(SETTINGS, {"PIN": "anything", "NONSENSE": "keep"})
    assert kept_kinds(owner.pk) == frozenset()


def test_the_choice_is_that_of_the_logged_in_owner(pages: Client, owner: User) -> None:
    other = make_user()
    pages.post(SETTINGS, {"PIN": "keep"})
    assert kept_kinds(other.pk) == frozenset()
    assert Client(headers={"host": HOST}).post(SETTINGS, {"PIN": "keep"}).url.startswith("/admin/login/")  # type: ignore[attr-defined]


def test_the_page_of_a_memory_names_the_value_and_does_not_have_it(pages: Client, memory_id: int) -> None:
    shown = read(pages, page_of(memory_id))
    assert "The alarm code at home is [hidden: code #1]" in shown
    assert "Alarm or door code" in shown
    assert show_url(memory_id) in shown
    assert CODE not in shown


def test_show_shows_the_value_once_and_is_recorded(pages: Client, memory_id: int) -> None:
    response = pages.post(show_url(memory_id))
    assert CODE in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"]
    assert "You looked at the hidden alarm or door code" in read(pages, page_of(memory_id))
    assert "You looked at hidden values of 1 memory" in read(pages, "/admin/memories/journalentry/")
    assert CODE not in read(pages, page_of(memory_id))
    (entry,) = JournalEntry.objects.filter(operation="show")
    assert (entry.memory_id, entry.client, entry.after) == (memory_id, "admin", {"shown": "alarm or door code"})


def test_show_is_a_post_of_the_owner(pages: Client, memory_id: int) -> None:
    assert pages.get(show_url(memory_id)).status_code == 405
    assert pages.post(show_url(memory_id, 2)).status_code == 404
    stranger = Client(headers={"host": HOST})
    assert stranger.post(show_url(memory_id)).status_code == 302
    stranger.force_login(make_user())
    assert stranger.post(show_url(memory_id)).status_code == 404
    checked = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    checked.force_login(Memory.objects.get(pk=memory_id).owner)
    assert checked.post(show_url(memory_id)).status_code == 403
    assert not JournalEntry.objects.filter(operation="show").exists()


def test_apps_do_not_hear_that_the_owner_looked(pages: Client, owner: User, memory_id: int) -> None:
    pages.post(show_url(memory_id))
    app = Assistant.of(owner)
    assert [each["operation"] for each in app.call("memory_history", id=memory_id)["versions"]] == ["remember"]
    assert "show" not in str(app.call("list_changes"))
    assert app.call("undo", memory_id=memory_id, version=1)["ok"] is False


def test_a_changed_secret_key_is_said_and_not_recorded(pages: Client, memory_id: int, settings: object) -> None:
    settings.SECRET_KEY = "another"  # type: ignore[attr-defined]
    pages.force_login(Memory.objects.get(pk=memory_id).owner)
    assert "SECRET_KEY has changed" in pages.post(show_url(memory_id)).content.decode()
    assert not JournalEntry.objects.filter(operation="show").exists()


def test_a_placeholder_without_a_value_is_called_that(pages: Client, owner: User) -> None:
    app = Assistant.of(owner)
    memory_id = app.call("remember", text="My note: [hidden: recovery code #7]")["memory_id"]
    shown = read(pages, page_of(memory_id))
    assert 'Recovery code <span class="quiet">#7</span> <span class="flag">no value is stored</span>' in shown
    assert show_url(memory_id, 7) not in shown


def test_editing_the_text_on_the_page_keeps_or_removes_the_value(pages: Client, memory_id: int) -> None:
    edit = f"/admin/memories/memory/{memory_id}/edit/"
    pages.post(edit, {"text": "At home, the alarm code is [hidden: code #1]", "tags": "home"})
    assert [decrypted(row) for row in HiddenValue.objects.all()] == [CODE]
    pages.post(edit, {"text": "The alarm code at home is 990011", "tags": "home"})
    assert Memory.objects.get().text == "The alarm code at home is [hidden: code #2]"
    assert [decrypted(row) for row in HiddenValue.objects.all()] == ["990011"]
    after = pages.post(edit, {"text": "There is an alarm at home", "tags": "home"}, follow=True)
    assert "The hidden value was deleted with its placeholder." in after.content.decode()
    assert not HiddenValue.objects.exists()


def test_a_memory_that_is_added_on_the_page_is_hidden_or_refused(pages: Client, owner: User) -> None:
    for url in ("/admin/add/", "/admin/memories/memory/add/"):
        form = {"text": TEXT, "tags": "", "importance": "0.5"}
        page = pages.post(url, form).content.decode()
        assert "seems to contain" in page
        assert "Remove it, or choose under Settings, Secrets to keep them, hidden from apps." in page
        assert "The owner" not in page
    keep_kinds(owner.pk, [Kind.LOCK_CODE])
    pages.post("/admin/memories/memory/add/", {"text": TEXT, "tags": "", "importance": "0.5"})
    pages.post("/admin/add/", {"text": "The code of the safe is 24-36-12", "tags": ""})
    assert [decrypted(row) for row in HiddenValue.objects.order_by("pk")] == [CODE, "24-36-12"]


def test_a_value_that_an_app_has_removed_from_the_text_can_be_deleted(
    pages: Client, owner: User, memory_id: int
) -> None:
    update_memory(Actor(View.whole(owner.pk), "cursor"), memory_id, MemoryUpdate(text="There is an alarm"))
    assert "in an earlier version" in read(pages, page_of(memory_id))
    delete = show_url(memory_id).replace("show", "delete")
    stranger = Client(headers={"host": HOST})
    stranger.force_login(make_user())
    assert stranger.post(delete).status_code == 404
    assert pages.get(delete).status_code == 405
    assert pages.post(delete).status_code == 302
    assert not HiddenValue.objects.exists()


def test_deleting_the_memory_deletes_the_value_and_the_looks(pages: Client, memory_id: int) -> None:
    pages.post(show_url(memory_id))
    pages.post(f"/admin/memories/memory/{memory_id}/delete/", {"post": "yes"})
    assert not HiddenValue.objects.exists()
    assert list(JournalEntry.objects.values_list("operation", flat=True)) == ["hard_delete"]


def test_the_same_code_told_twice_is_no_contradiction(pages: Client, owner: User, memory_id: int) -> None:
    app = Actor(View.whole(owner.pk), "cursor")
    again = remember(app, RememberRequest(Draft(TEXT))).memory_id
    other = remember(app, RememberRequest(Draft(TEXT.replace(CODE, "990022")))).memory_id
    assert len({memory_id, again, other}) == 3
    page = pages.get(page_of(memory_id))
    related = page.context["related"]
    assert [row.id for row in related.same] == [again]
    assert [row.id for row in related.contradicting] == [other]
    assert CODE not in page.content.decode()
    HiddenValue.objects.filter(memory_id=again).update(encrypted_value="damaged")
    assert again not in [row.id for row in pages.get(page_of(memory_id)).context["related"].same]
