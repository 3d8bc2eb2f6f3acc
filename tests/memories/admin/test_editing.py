"""Tests of adding and changing a memory on its page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from memories.admin import memory as memory_page
from memories.errors import NotFound
from memories.models import JournalEntry, Memory, MemoryVector
from memories.writing.lifecycle import confirm_memory, forget_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_expired, make_memory, make_user

ADD = "/admin/memories/memory/add/"


def page_of(memory: Memory) -> str:
    return f"/admin/memories/memory/{memory.pk}/change/"


def form_of(pages: Client, url: str, **changes: str) -> dict[str, str]:
    """Return the data that a browser sends from the form at `url` after `changes` are typed into it."""
    form = pages.get(f"{url}?fields=all").context["adminform"].form
    data: dict[str, str] = {}
    for bound in form:
        value = bound.value()
        if hasattr(bound.field.widget, "decompress"):
            inputs = bound.field.widget.get_context(bound.html_name, value, {})["widget"]["subwidgets"]
            data |= {each["name"]: each["value"] or "" for each in inputs}
        else:
            data[bound.html_name] = str(bound.field.prepare_value(value) or "")
    return data | changes


def add(pages: Client, **typed: str) -> Any:
    return pages.post(ADD, form_of(pages, ADD, **typed), follow=True)


def test_what_is_added_is_remembered_indexed_and_journalled(owner: User, pages: Client) -> None:
    response = add(pages, text="  The cat is  called Mimi. ", tags="Pets, Home  Life, x", importance="0.75")

    memory = Memory.objects.get(owner=owner)
    assert (memory.text, memory.tags, memory.importance) == ("The cat is called Mimi.", ["pets", "home-life"], 0.75)
    assert MemoryVector.objects.filter(memory=memory).exists()
    entry = JournalEntry.objects.get(memory_id=memory.pk)
    assert (entry.owner_id, entry.operation, entry.client) == (owner.pk, "remember", "admin")
    assert response.redirect_chain[-1][0] == page_of(memory)
    assert "Remembered." in response.content.decode()


def test_adding_what_is_known_leads_to_it(owner: User, pages: Client) -> None:
    known = make_memory(owner, "The cat is called Mimi.")
    response = add(pages, text="the CAT is called Mimi.")
    assert response.redirect_chain[-1][0] == page_of(known)
    assert "You already have this memory" in response.content.decode()
    assert Memory.objects.count() == 1


def test_adding_what_is_almost_known_names_the_other(owner: User, pages: Client) -> None:
    near = make_memory(owner, "The cat that lives with us in the old house by the river is called Mimi.")
    response = add(pages, text="The cat that lives with us in the old house by the river is named Mimi.")
    assert Memory.objects.count() == 2
    assert f'<a href="{page_of(near)}">#{near.pk}</a> says almost the same' in response.content.decode()


BAD_INPUT = [
    ("text", "", "Enter the text"),
    ("text", " \n ", "Enter the text"),
    ("text", "A key: sk-" + "a" * 40, "This seems to contain an API key"),
    ("text", "The alarm code at home is 4711.", "This seems to contain an alarm or door code"),
    ("tags", "home, pin 8823", "This seems to contain a PIN"),
    ("text", "half\x00way", "Null characters"),
    ("text", "long " * 200_000, "at most 16,000"),
    ("tags", ", ".join(f"tag-{n}" for n in range(60)), "at most 50"),
    ("tags", "half\x00way", "NUL character"),
    ("importance", "1.5", "The importance must be from 0 to 1."),
    ("importance", "nan", "Enter a number"),
    ("importance", "much", "Enter a number"),
    ("expires_at_0", "the day after tomorrow", "Enter a valid date"),
    ("expires_at_0", "300000-01-01", "Enter a valid date"),
    ("expires_at_0", "1820-01-01", "1900"),
    ("expires_at_0", "2020-01-01", "is in the past"),
]


@pytest.mark.parametrize(("name", "value", "said"), BAD_INPUT)
def test_bad_input_is_refused_beside_its_field(pages: Client, name: str, value: str, said: str) -> None:
    typed = {"text": "The cat is called Mimi.", name: value}
    if name == "expires_at_0":
        typed["expires_at_1"] = "12:00:00"
    response = add(pages, **typed)
    assert response.status_code == 200
    errors = response.context["adminform"].form.errors
    assert said in " ".join(errors[name.removesuffix("_0")])
    assert not Memory.objects.exists()


def test_the_page_never_repeats_a_secret_in_its_error(pages: Client) -> None:
    response = add(pages, text="A key: sk-" + "a" * 40)
    assert "sk-" not in " ".join(response.context["adminform"].form.errors["text"])


def test_a_change_is_journalled_and_embedded_anew(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    vector = MemoryVector.objects.get(memory=memory).embedding
    pages.post(page_of(memory), form_of(pages, page_of(memory), text="The dog is called Rex.", tags="dogs"))

    memory.refresh_from_db()
    assert (memory.text, memory.tags) == ("The dog is called Rex.", ["dogs"])
    assert MemoryVector.objects.get(memory=memory).embedding != vector
    entry = JournalEntry.objects.filter(memory_id=memory.pk).latest("id")
    assert (entry.operation, entry.client) == ("update", "admin")
    assert (entry.before["text"], entry.before["tags"]) == ("The cat is called Mimi.", ["pets"])
    assert set(entry.before) == {"text", "tags", "last_confirmed_at"}


def test_a_new_text_is_confirmed_now_unless_the_owner_gives_the_date(owner: User, pages: Client) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    memory = make_memory(owner, "I live in Lisbon.", last_confirmed_at=long_ago)
    started_at = timezone.now()
    pages.post(page_of(memory), form_of(pages, page_of(memory), text="I live in Porto."))
    memory.refresh_from_db()
    assert memory.last_confirmed_at >= started_at

    dated = {"last_confirmed_at_0": "2020-05-17", "last_confirmed_at_1": "14:00:00"}
    pages.post(page_of(memory), form_of(pages, page_of(memory), text="I live in Faro.", **dated))
    memory.refresh_from_db()
    assert (memory.text, memory.last_confirmed_at.isoformat()) == ("I live in Faro.", "2020-05-17T14:00:00+00:00")


def test_saving_an_untouched_form_changes_nothing(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "First line.\nSecond line.", tags=("pets", "home"), importance=1 / 3)
    typed = form_of(pages, page_of(memory), text="First line.\r\nSecond line.")
    response = pages.post(page_of(memory), typed, follow=True)
    assert "Nothing was changed." in response.content.decode()
    assert JournalEntry.objects.count() == 1


def test_times_are_shown_in_minutes_and_keep_their_seconds(owner: User, pages: Client) -> None:
    until = datetime(2099, 5, 17, 14, 30, 59, tzinfo=UTC)
    memory = make_memory(owner, "The cat is called Mimi.", valid_until=until)
    typed = form_of(pages, page_of(memory), text="The cat is called Momo.")
    assert (typed["valid_until_0"], typed["valid_until_1"]) == ("2099-05-17", "14:30")
    pages.post(page_of(memory), typed)
    memory.refresh_from_db()
    assert (memory.text, memory.valid_until) == ("The cat is called Momo.", until)
    pages.post(page_of(memory), form_of(pages, page_of(memory), valid_until_1="14:31"))
    memory.refresh_from_db()
    assert memory.valid_until == datetime(2099, 5, 17, 14, 31, tzinfo=UTC)


def test_what_has_expired_can_be_corrected_without_another_expiry(owner: User, pages: Client) -> None:
    memory = make_expired(make_memory(owner, "The cat is called Mimi."))
    pages.post(page_of(memory), form_of(pages, page_of(memory), text="The cat is called Momo."))
    expires_at = memory.expires_at
    memory.refresh_from_db()
    assert (memory.text, memory.expires_at) == ("The cat is called Momo.", expires_at)


def test_an_expiry_can_be_set_and_taken_away(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    typed = form_of(pages, page_of(memory), expires_at_0="2099-05-17", expires_at_1="14:00:00")
    pages.post(page_of(memory), typed)
    memory.refresh_from_db()
    assert memory.expires_at is not None
    assert memory.expires_at.isoformat() == "2099-05-17T14:00:00+00:00"

    pages.post(page_of(memory), form_of(pages, page_of(memory), expires_at_0="", expires_at_1=""))
    memory.refresh_from_db()
    assert memory.expires_at is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        *BAD_INPUT[2:5],
        ("last_confirmed_at_0", "2999-01-01", "is in the future"),
        ("text", "Taken.", "already has this text"),
    ],
)
def test_a_bad_change_is_refused_beside_its_field(owner: User, pages: Client, name: str, value: str, said: str) -> None:
    make_memory(owner, "Taken.")
    memory = make_memory(owner, "The cat is called Mimi.")
    response = pages.post(page_of(memory), form_of(pages, page_of(memory), **{name: value}))
    assert response.status_code == 200
    assert said in " ".join(response.context["adminform"].form.errors[name.removesuffix("_0")])
    memory.refresh_from_db()
    assert memory.text == "The cat is called Mimi."


def test_what_was_forgotten_meanwhile_is_said_not_raised(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    typed = form_of(pages, page_of(memory), text="The dog is called Rex.")

    def too_late(*_: object) -> None:
        raise NotFound(f"Memory {memory.pk} was forgotten.")

    monkeypatch.setattr(memory_page, "update_memory", too_late)
    response = pages.post(page_of(memory), typed, follow=True)
    assert f"Memory {memory.pk} was forgotten." in response.content.decode()


def test_a_forgotten_memory_is_shown_but_not_changed(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    typed = form_of(pages, page_of(memory), text="The dog is called Rex.")
    forget_memory(actor_for(owner), memory.pk, reason="It moved out.")

    shown = pages.get(page_of(memory)).content.decode()
    assert "Reason: <bdi>It moved out.</bdi>" in shown
    assert f'name="restore" value="{memory.pk}"' in shown
    assert pages.post(page_of(memory), typed).status_code == 403
    memory.refresh_from_db()
    assert memory.text == "The cat is called Mimi."


def test_the_page_shows_who_changed_what_and_when(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    pages.post(page_of(memory), form_of(pages, page_of(memory), text="The dog is called Rex."))
    page = pages.get(page_of(memory)).content.decode()
    assert "The <del>cat</del> <ins>dog</ins> is called <del>Mimi</del> <ins>Rex</ins>." in page
    assert "<b>You changed the text</b> <time" in page
    assert re.search(rf'title="\d+ {timezone.now():%b %Y}, \d\d:\d\d">just now<', page)


@pytest.mark.parametrize("page", ["change", "delete"])
def test_the_page_of_somebody_elses_memory_is_not_found(owner: User, pages: Client, page: str) -> None:
    owner.is_superuser = True
    owner.save()
    memory = make_memory(make_user(), "Somebody else's cat.")
    url = f"/admin/memories/memory/{memory.pk}/{page}/"
    assert pages.get(url).status_code == 404
    assert pages.post(url, {"text": "Mine now.", "post": "yes"}).status_code == 404
    memory.refresh_from_db()
    assert memory.text == "Somebody else's cat."


@pytest.mark.parametrize("object_id", ["0", "-1", "9" * 30, "x", "_00", "1.5", "%F0%9F%90%88"])
def test_an_id_that_is_none_is_not_found(pages: Client, object_id: str) -> None:
    assert pages.get(f"/admin/memories/memory/{object_id}/change/").status_code == 404


def test_the_owner_is_told_what_became_of_a_tag(owner: User, pages: Client) -> None:
    said = add(pages, text="The novel is on the shelf.", tags="books, x, Home").content.decode()
    link = f'<a href="{reverse("admin:memories_tagsynonym_changelist")}">tag synonym</a>'
    assert f"The tag “books” was stored as “publishing”, because of a {link} that you can change." in said
    assert "The tag “x” was dropped" in said
    assert "Home”" not in said
    memory = Memory.objects.get(owner=owner)
    response = pages.post(page_of(memory), form_of(pages, page_of(memory), tags="publishing, coding"), follow=True)
    assert "The tag “coding” was stored as “software”" in response.content.decode()


def test_a_page_says_for_how_long_a_memory_holds(owner: User, pages: Client, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC
    said = datetime(2026, 5, 6, 9, tzinfo=UTC)
    past = make_memory(owner, "The lift is out of order until Friday.", created_at=said)
    future = make_memory(owner, "The voucher is valid until 31 December 2098.", created_at=said)
    plain = make_memory(owner, "I like tea.")
    one_day = make_memory(owner, "The recital is on 12 December 2098.", created_at=said)
    assert "On 12 Dec 2098" in pages.get(page_of(one_day)).text
    assert "Past since 9 May 2026" in pages.get(page_of(past)).text
    assert "True from 6 May 2026 to 31 Dec 2098" in pages.get(page_of(future)).text
    assert "from 6 May" not in pages.get(page_of(plain)).text
    listed = pages.get("/admin/memories/memory/").text
    assert "The lift is out of order until Friday.</a>" in listed
    assert listed.count("past since") == 1


def test_a_memory_added_on_its_page_has_the_times_that_it_states(owner: User, pages: Client) -> None:
    add(pages, text="Dentist tomorrow", importance="0.5")
    assert Memory.objects.get(owner=owner).valid_until is not None


def test_times_are_those_of_the_owners_zone(owner: User, pages: Client, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    add(pages, text="The cat is called Mimi.", valid_until_0="2099-05-17", valid_until_1="14:30")
    memory = Memory.objects.get()
    assert memory.valid_until == datetime(2099, 5, 17, 5, 30, tzinfo=UTC)
    typed = form_of(pages, page_of(memory), valid_until_1="15:30")
    assert typed["valid_until_0"] == "2099-05-17"
    pages.post(page_of(memory), typed)
    memory.refresh_from_db()
    assert memory.valid_until == datetime(2099, 5, 17, 6, 30, tzinfo=UTC)
    comparison = pages.get("/admin/versions/", {"memory": memory.pk}).content.decode()
    assert "<del>17 May 2099, 14:30</del> <ins>17 May 2099, 15:30</ins>" in comparison


def change_by_app(owner: User, memory: Memory, **changes: Any) -> None:
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(**changes))


def row_form(pages: Client, memory: Memory) -> dict[str, str]:
    """Return the data that a browser sends from the editor of a row."""
    form = pages.get(f"/admin/memories/memory/{memory.pk}/edit/").context["form"]
    return {bound.html_name: str(bound.field.prepare_value(bound.value()) or "") for bound in form}


@pytest.mark.parametrize("is_row", [True, False])
def test_what_an_app_changed_meanwhile_is_overwritten_only_by_a_second_save(
    owner: User, pages: Client, is_row: bool
) -> None:
    confirmed_at = datetime(2026, 5, 17, 14, 30, 12, tzinfo=UTC)
    memory = make_memory(owner, "I weigh 82 kilos.", tags=("health",), last_confirmed_at=confirmed_at)
    url = f"/admin/memories/memory/{memory.pk}/edit/" if is_row else page_of(memory)
    typed = {**(row_form(pages, memory) if is_row else form_of(pages, url)), "text": "I weigh 81 kilos."}
    change_by_app(owner, memory, text="I weigh 80 kilos.", tags=["health", "weight"])

    page = pages.post(url, typed)
    assert page.status_code == 200
    assert "This memory was changed after you opened it. Nothing was saved." in page.text
    assert '<dt>Text</dt><dd class="pre" dir="auto">I weigh 80 kilos.</dd>' in page.text
    assert '<dt>Tags</dt><dd class="pre" dir="auto">health, weight</dd>' in page.text
    german = pages.post(url, typed, headers={"accept-language": "de"}).text
    assert "Diese Erinnerung wurde geändert, nachdem du sie geöffnet hast." in german
    memory.refresh_from_db()
    assert memory.text == "I weigh 80 kilos."
    form = page.context["form"] if is_row else page.context["adminform"].form
    assert form["text"].value() == "I weigh 81 kilos."
    assert form["tags"].value() == "health, weight"

    again = {**typed, "seen": form["seen"].value(), "tags": form["tags"].value()}
    if not is_row:
        again |= {name: form.data[name] for name in ("last_confirmed_at_0", "last_confirmed_at_1")}
    pages.post(url, again)
    app_confirmed_at = memory.last_confirmed_at
    memory.refresh_from_db()
    assert (memory.text, memory.tags) == ("I weigh 81 kilos.", ["health", "weight"])
    assert memory.last_confirmed_at > app_confirmed_at


@pytest.mark.parametrize("is_row", [True, False])
def test_a_form_that_was_not_touched_saves_nothing_over_what_an_app_changed(
    owner: User, pages: Client, is_row: bool
) -> None:
    memory = make_memory(owner, "I weigh 82 kilos.", tags=("health",))
    url = f"/admin/memories/memory/{memory.pk}/edit/" if is_row else page_of(memory)
    typed = row_form(pages, memory) if is_row else form_of(pages, url)
    change_by_app(owner, memory, text="I weigh 80 kilos.", tags=["health", "weight"])
    assert "Nothing was changed." in pages.post(url, typed, follow=True).text
    memory.refresh_from_db()
    assert (memory.text, memory.tags) == ("I weigh 80 kilos.", ["health", "weight"])


def test_a_form_stays_as_old_as_it_is_when_a_value_is_refused(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I weigh 82 kilos.")
    url = f"/admin/memories/memory/{memory.pk}/edit/"
    typed = row_form(pages, memory)
    change_by_app(owner, memory, text="I weigh 80 kilos.")
    refused = pages.post(url, {**typed, "text": ""}).context["form"]
    assert "text" in refused.errors
    page = pages.post(url, {**typed, "seen": refused["seen"].value(), "text": "I weigh 81 kilos."})
    assert "Nothing was saved." in page.text


def test_the_editor_of_a_row_does_not_mind_a_confirmation(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I weigh 82 kilos.")
    typed = row_form(pages, memory)
    confirm_memory(actor_for(owner), memory.pk)
    pages.post(f"/admin/memories/memory/{memory.pk}/edit/", {**typed, "text": "I weigh 81 kilos."})
    memory.refresh_from_db()
    assert memory.text == "I weigh 81 kilos."


@pytest.mark.parametrize("seen", ["", "x", "[]", "{}", '{"text": 1}', '{"text": "a", "tags": [], "owner_id": 1}'])
def test_a_form_that_does_not_say_what_it_has_shown_is_saved(owner: User, pages: Client, seen: str) -> None:
    memory = make_memory(owner, "I weigh 82 kilos.")
    sent = {"text": "I weigh 81 kilos.", "tags": "", "seen": seen}
    pages.post(f"/admin/memories/memory/{memory.pk}/edit/", sent)
    memory.refresh_from_db()
    assert memory.text == "I weigh 81 kilos."
