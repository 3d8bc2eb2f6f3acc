"""Tests of adding a memory from everywhere, and of the list of pages."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.contrib.staticfiles import finders
from django.http import QueryDict
from django.test import Client
from django.utils.html import escape

from memories.models import Memory
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import keep_kinds
from oauthserver.models import User
from ownsona_site.pages.areas import AREAS
from ownsona_site.pages.search_words import _WORDS
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import HOST, make_memory, make_user

ADD = "/admin/add/"
SHARE = "/admin/share/"


def test_what_is_typed_is_remembered_and_can_be_undone(owner: User, pages: Client) -> None:
    back = "/admin/memories/memory/?q=cat"
    response = pages.post(ADD, {"text": "The cat is called Mimi.", "tags": "Pets, x", "back": back}, follow=True)
    memory = Memory.objects.get(owner=owner)
    assert (memory.text, memory.tags, memory.stored_by) == ("The cat is called Mimi.", ["pets"], "admin")
    assert response.redirect_chain[-1][0] == back
    page = response.content.decode()
    assert "Remembered." in page
    assert "The tag “x” was dropped" in page
    assert "/admin/undo/now/?change_set=" in page


def test_without_a_page_to_return_to_it_leads_to_the_memory(owner: User, pages: Client) -> None:
    known = make_memory(owner, "The cat is called Mimi.")
    response = pages.post(ADD, {"text": "the CAT is called Mimi.", "back": "https://evil.example/"}, follow=True)
    assert response.redirect_chain[-1][0] == f"/admin/memories/memory/{known.pk}/change/"
    assert "You already have" in response.content.decode()


def test_a_memory_that_is_there_gets_the_new_tags(owner: User, pages: Client) -> None:
    known = make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    sent = {"text": "The cat is called Mimi.", "tags": "pets, home"}
    page = pages.post(ADD, sent, follow=True).content.decode()
    assert "You already have" in page
    assert "It has the new tags, too." in page
    known.refresh_from_db()
    assert known.tags == ["pets", "home"]
    undo = re.search(r'action="(/admin/undo/now/\?change_set=[^"]*)"', page)
    assert undo is not None
    pages.post(html.unescape(undo[1]))
    known.refresh_from_db()
    assert known.tags == ["pets"]
    page = pages.post(ADD, {**sent, "tags": "pets"}, follow=True).content.decode()
    assert "You already have" in page
    assert "new tags" not in page


def test_it_says_that_there_is_something_like_it_already(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    known = make_memory(owner, "The cat is called Mimi & co.")
    page = pages.post(ADD, {"text": "The cat is called Mimi & co!"}, follow=True).content.decode()
    link = f'<a class="link" dir="auto" href="/admin/memories/memory/{known.pk}/change/">'
    assert f"Remembered. You already have something like it: {link}The cat is called Mimi &amp; co.</a>" in page
    assert "/admin/undo/now/?change_set=" in page
    page = pages.post(ADD, {"text": "The tram runs every ten minutes."}, follow=True).content.decode()
    assert "Remembered." in page
    assert "something like it" not in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"text": ""}, "Enter the text of the memory."),
        ({"text": "A key: sk-" + "a" * 40}, "This seems to contain an API key"),
        ({"text": "Fact.", "tags": ", ".join(f"tag-{n}" for n in range(60))}, "at most 50"),
        ({"text": "half\x00way"}, "Null characters"),
    ],
)
def test_bad_input_is_refused_beside_its_field(pages: Client, typed: dict[str, str], said: str) -> None:
    response = pages.post(ADD, typed)
    assert response.status_code == 200
    assert said in response.content.decode()
    assert not Memory.objects.exists()


def test_what_is_shared_fills_the_form_and_is_stored_only_on_a_click(owner: User, pages: Client) -> None:
    shared = {"title": "Rad<b>haus", "text": "Opening hours https://example.org/", "url": "https://example.org/"}
    page = pages.get(ADD, shared).content.decode()
    assert "Rad&lt;b&gt;haus\nOpening hours https://example.org/</textarea>" in page
    assert not Memory.objects.exists()
    assert pages.get(ADD, {"text": "x" * 200_000}).status_code == 200


def test_a_long_text_is_shared_and_stored_only_on_a_click(owner: User) -> None:
    browser = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    browser.force_login(owner)
    text = "A long <b>story</b>. " * 700
    response = browser.post(SHARE, {"title": "Story", "text": text, "url": ""}, follow=True)
    assert response.redirect_chain == [(f"{ADD}?shared=1", 302)]
    page = response.content.decode()
    assert f"Story\n{escape(text.strip())}</textarea>" in page
    assert "story" not in browser.get(ADD).content.decode()
    assert not Memory.objects.exists()
    token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[0]
    browser.post(ADD, {"text": "The story is long.", "csrfmiddlewaretoken": token})
    assert Memory.objects.get().text == "The story is long."
    assert "A long" not in browser.get(f"{ADD}?shared=1").content.decode()


def test_what_is_shared_before_the_login_is_kept_if_it_is_short(owner: User) -> None:
    visitor = Client(headers={"host": HOST})
    response = visitor.post(SHARE, {"text": "The cat is called Mimi & co."})
    (path, query) = response["Location"].split("?")
    assert path == "/admin/login/"
    assert not visitor.cookies
    visitor.force_login(owner)
    assert "Mimi &amp; co.</textarea>" in visitor.get(QueryDict(query)["next"]).content.decode()
    visitor.logout()
    response = visitor.post(SHARE, {"text": "x" * 3_000})
    visitor.force_login(owner)
    address = QueryDict(response["Location"].split("?")[1])["next"]
    assert "too long to keep it during the login" in visitor.get(address).content.decode()


def test_another_site_shares_nothing(pages: Client) -> None:
    assert pages.post(SHARE, {"text": "Spam"}, headers={"sec-fetch-site": "cross-site"}).status_code == 400
    assert "Spam" not in pages.get(f"{ADD}?shared=1").content.decode()


def test_the_address_for_shares_leads_to_the_form_if_nothing_is_shared(pages: Client) -> None:
    assert pages.get(SHARE)["Location"] == ADD
    assert pages.put(SHARE).status_code == 405


def test_the_form_says_what_happens_to_secrets(owner: User, pages: Client) -> None:
    assert "Passwords, codes and card numbers are refused." in pages.get("/admin/add/").content.decode()
    keep_kinds(owner.pk, [Kind.LOCK_CODE])
    page = pages.get("/admin/add/").content.decode()
    assert "Secrets are refused or hidden from apps, as you chose." in page
    assert "Passwords, codes" not in page


def test_a_script_gets_the_form_alone(pages: Client) -> None:
    part = pages.get(ADD, headers={"x-part": "1"}).content.decode()
    assert part.startswith("<form")
    assert "<nav" not in part
    assert pages.get("/admin/go/", headers={"x-part": "1"}).content.decode().startswith("<form")


def test_the_manifest_of_the_web_app_names_pages_that_there_are(pages: Client) -> None:
    path = finders.find("ownsona/manifest.webmanifest")
    assert isinstance(path, str)
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    urls = [manifest["start_url"], *(one["url"] for one in manifest["shortcuts"])]
    assert all(pages.get(url).status_code == 200 for url in urls)
    assert (manifest["share_target"]["action"], manifest["share_target"]["method"]) == (SHARE, "POST")
    assert {one["name"]: one["url"] for one in manifest["shortcuts"]}["Review"] == "/admin/review/"
    assert manifest["share_target"]["params"].keys() == {"title", "text", "url"}


def test_a_visitor_and_a_foreign_site_add_nothing(owner: User) -> None:
    visitor = Client(headers={"host": HOST})
    assert visitor.post(ADD, {"text": "Fact."}).status_code == 302
    browser = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.post(ADD, {"text": "Fact."}).status_code == 403
    assert not Memory.objects.exists()


def test_only_those_who_run_the_server_are_offered_its_pages(owner: User, pages: Client) -> None:
    assert ">Jobs<" not in pages.get("/admin/go/").content.decode()
    owner.is_superuser = True
    owner.save()
    page = pages.get("/admin/go/").content.decode()
    assert ">Jobs<" in page
    assert ">Inbox<" in page
    assert make_user().username not in page


def test_pages_have_other_words_in_both_languages(pages: Client) -> None:
    german = pages.get("/admin/go/", headers={"accept-language": "de"}).content.decode()
    assert re.search('data-also="[^"]*dark[^"]*dunkel[^"]*"><a href="/admin/account/"', german)
    assert set(_WORDS) <= {tab.view for area in AREAS for tab in area.tabs}


def test_the_page_can_be_left_and_says_what_is_missing(pages: Client) -> None:
    page = pages.get("/admin/add/").content.decode()
    assert '<a class="btn bare" href="/admin/memories/memory/">' in page
    assert "Enter the text of the memory." in pages.post("/admin/add/", {"text": ""}).content.decode()
