"""Tests of the frame of the owner's pages: the navigation, the tabs and the account page."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from memories.models import TagSynonym
from oauthserver.models import User
from ownsona_site.pages.areas import AREAS
from ownsona_site.pages.go import SHOWN_DOCUMENTS
from tests.documents.support import make_document
from tests.ownsona_site.pages.test_pages import OWNERS_PAGES
from tests.support.factories import infer, make_memory, make_user, quarantined

TABS = [(area.title, tab) for area in AREAS for tab in area.tabs]


@pytest.fixture
def owner(db: None) -> User:
    user = make_user("owner")
    user.is_superuser = True
    user.save()
    return user


@pytest.mark.parametrize(("area", "tab"), TABS, ids=[tab.title for _, tab in TABS])
def test_every_tab_opens_and_marks_its_place(pages: Client, area: str, tab: object) -> None:
    view = tab.view  # type: ignore[attr-defined]
    page = pages.get(reverse(view)).content.decode()
    navigation, _, rest = page.partition('class="nav"')[2].partition("</nav>")
    assert re.search(rf'aria-current="page">.*?</svg>{area}', navigation)
    current = re.search(r'<nav class="tabs".*?aria-current="page">([^<]*)', rest, re.DOTALL)
    # External identities are a tab only with an external issuer.
    assert current is None or current[1].strip() == tab.title  # type: ignore[attr-defined]
    assert current is not None or tab.title == "External identities"  # type: ignore[attr-defined]


def test_every_list_and_page_without_a_row_is_a_tab_or_belongs_to_one(pages: Client) -> None:
    for path in set(OWNERS_PAGES) - {"/admin/", "/admin/go/"}:
        shell = pages.get(path.replace("forget/?ids=1", "")).context["shell"]
        assert shell.area_title, path


def test_pages_of_rows_lead_back_to_their_list(pages: Client) -> None:
    page = pages.get("/admin/memories/tagsynonym/add/").content.decode()
    assert re.search(r'class="crumb" href="/admin/memories/tagsynonym/".*Tag synonyms</span></a>', page)
    assert 'class="tabs"' not in page


def test_the_badge_counts_what_is_ones_own(pages: Client, owner: User) -> None:
    infer(quarantined(make_user()), "Somebody else may like jazz.")
    assert 'class="badge"' not in pages.get("/admin/account/").content.decode()
    infer(quarantined(owner), "Robin may like jazz.")
    assert '<span class="badge">1<' in pages.get("/admin/account/").content.decode()


def test_the_account_page_has_the_logout_and_no_markup_from_names(pages: Client, owner: User) -> None:
    owner.username = "<b>x</b>"
    owner.save()
    page = pages.get("/admin/account/").content.decode()
    assert "&lt;b&gt;x&lt;/b&gt;, account" in page
    assert 'action="/admin/logout/"' in page
    assert pages.post("/admin/logout/").headers["Location"] == "/login/"
    assert pages.get("/admin/account/").status_code == 302


def test_the_palette_shows_whole_words_before_beginnings_and_parts_of_words(pages: Client, owner: User) -> None:
    for text in (
        "Robin drinks tea.",
        "A cup of Tea, an old one",
        "The team meets.",
        "A new steak",
        "The teapot is new.",
    ):
        make_memory(owner, text)
    page = pages.get("/admin/go/", {"q": "tea"}, headers={"x-part": "1"}).content.decode()
    assert re.findall(r'dir="auto">(.+?)</span>', page) == [
        "A cup of Tea, an old one", "Robin drinks tea.", "The teapot is new.", "The team meets.", "A new steak",
    ]  # fmt: skip


def test_the_palette_gets_the_memories_with_the_typed_words(pages: Client, owner: User) -> None:
    make_memory(owner, "The <b>cat</b> is called Mimi.")
    make_memory(make_user(), "A cat of somebody else")

    def found(typed: str) -> str:
        return pages.get("/admin/go/", {"q": typed}, headers={"x-part": "1"}).content.decode()

    assert "The &lt;b&gt;cat&lt;/b&gt; is called Mimi." in found(" MIMI ")
    assert found("cat").count("data-match") == 1
    assert "data-match" not in found("ca")
    assert "data-match" not in found("\x00cat")
    assert "data-match" not in found("c" * 20_000)


def test_the_palette_offers_the_tag_that_is_typed(pages: Client, owner: User) -> None:
    TagSynonym.objects.get_or_create(owner=owner, variant="relatives", canonical="family")
    make_memory(owner, "Ole starts with sailing.", tags=("family",))
    make_memory(make_user(), "Somebody else's.", tags=("xylophone",))
    link = f"{reverse('admin:memories_memory_changelist')}?q=tag:family"
    for typed in ("family", "Family", "relatives"):
        assert link in pages.get("/admin/go/", {"q": typed}, headers={"x-part": "1"}).content.decode()
    for typed in ("famil", "xylophone", "famil " * 30):
        assert "q=tag:" not in pages.get("/admin/go/", {"q": typed}, headers={"x-part": "1"}).content.decode()


def test_the_palette_finds_documents_by_title_and_by_words_but_few(pages: Client, owner: User) -> None:
    for number in range(5):
        make_document(owner, f"Chapter {number} is about the rudder.", name=f"chapter-{number}.md")
    titled = make_document(owner, "Nothing but words.", name="rudder.md")
    make_document(make_user(), "The rudder of somebody else.", name="secret.md")
    page = pages.get("/admin/go/", {"q": "rudder"}, headers={"x-part": "1"}).content.decode()
    links = re.findall(r'href="(/admin/documents/document/[^"]+)"', page)
    assert links[0] == reverse("admin:documents_document_change", args=[titled.pk])
    assert len(links) == SHOWN_DOCUMENTS
    assert "secret" not in page
    assert "/admin/documents/" not in pages.get("/admin/go/", {"q": "keel"}, headers={"x-part": "1"}).content.decode()
