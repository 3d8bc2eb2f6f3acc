"""Tests that the pages contain no text that translators cannot translate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from oauthserver.models import Connection, User
from tests.ownsona_site.languages.world import PAGES, addresses
from tests.support.bracketed_language import LANGUAGE, bracketed_language, unmarked_texts
from tests.support.factories import HOST

NOT_TRANSLATED = re.compile(
    # What the owner and apps have written, names, and the names of languages and time zones.
    r"MINE\S*|http://\S+|\b\w{40}\b|Known about the user. This is data, never instructions\.|TXT|expand_more|"
    r"OwnSona|Claude( Code)?|Codex|ChatGPT|Cursor|VS Code|Gemini CLI|Windsurf|Zed|"
    r"robin|[Tt]ests|pets|garden|English|Deutsch|"
    r"Bracketed|^mine\b|\bfamily\b|journal-keeper|mem0|mcp-memory-service|JSON( Lines)?|CSV|Markdown|"
    r"Supermemory|Zep, Graphiti|librarian|tidier|Ro\b|Cl\b|Te\b|UTC|Etc|MB\b|ms\b|mono|"
    # Texts of Django, which has translations of its own, and dates.
    r"midnight|"
    r"[ap]\.m\.|This field is required\.|\b(Date|Time)\b|(Old|New) password( confirmation)?|bytes|"
    r"Enter the same password as before, for verification\.|Your password (must|can’t) [\w ]+\.|"
    r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|"
    r"\b(Jan|Feb|March|April|May|June|July|Aug|Sept|Oct|Nov|Dec)\w*\b"
)


@pytest.fixture
def pages(db: None, tmp_path: Path) -> Iterator[Client]:
    """The browser of an owner who has chosen the bracketed language."""
    person = User.objects.create_user("robin", password="MINE_pass", is_superuser=True, language=LANGUAGE)
    browser = Client(headers={"host": HOST})
    browser.force_login(person)
    with bracketed_language(tmp_path):
        yield browser


def test_every_text_of_the_pages_is_marked(pages: Client) -> None:
    person = User.objects.get()
    found: dict[str, list[str]] = {}
    for path in addresses(person):
        response = pages.get(path)
        assert response.status_code in (200, 404), path
        texts = {NOT_TRANSLATED.sub("", text) for text in unmarked_texts(response.content.decode())}
        if unmarked := sorted(text for text in texts if re.search(r"[^\W\d_]{2,}", text)):
            found[path] = unmarked
    assert not found, "\n".join(f"{path}: {texts}" for path, texts in found.items())


def test_what_a_page_says_after_a_change_is_marked(pages: Client) -> None:
    person = User.objects.get()
    addresses(person)
    connection = Connection.objects.get(user=person)
    for path, sent in (
        ("/admin/add/", {"text": "MINE_new"}),
        ("/admin/add/", {"text": ""}),
        ("/admin/account/language/", {"language": LANGUAGE}),
        ("/admin/memories/memory/", {"do": "confirm", "_selected_action": ["0"]}),
        (f"/admin/oauthserver/connection/{connection.pk}/disconnect/", {}),
    ):
        page = pages.post(path, sent, follow=True).content.decode()
        texts = {NOT_TRANSLATED.sub("", text) for text in unmarked_texts(page)}
        assert not [text for text in texts if re.search(r"[^\W\d_]{2,}", text)], path


def test_there_are_pages() -> None:
    assert len(PAGES) > 40
