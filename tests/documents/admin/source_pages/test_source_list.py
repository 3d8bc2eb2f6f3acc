"""Tests of the list of sources: its columns, its cost, and who may open which page."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.admin.source_pages.sync_pages import ACTIONS
from documents.models import Document, Source
from documents.sources.sync import sync
from oauthserver.models import User
from tests.documents.sources.support import folder_source, make_source, synced, write
from tests.support.factories import HOST

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

LIST = "/admin/documents/source/"
HOSTILE = "<script>alert(1)</script>"


def shown(pages: Client) -> str:
    response = pages.get(LIST)
    assert response.status_code == 200
    return str(response.content.decode())


def test_each_row_says_where_the_source_is_and_how_its_last_sync_went(
    owner: User, pages: Client, tmp_path: Path
) -> None:
    assert "No sources yet" in shown(pages)
    notes = folder_source(owner, tmp_path / "notes")
    write(tmp_path / "notes", boat="The boat.", tea="Tea.")
    synced(notes)
    sync(make_source(owner, "gone", path="/nowhere/at/all"))
    make_source(owner, "site", "web", urls=["https://a.example/", "https://b.example/"], every=0)
    make_source(owner, "papers", "s3", endpoint="https://s3.example", bucket="papers", prefix="2026/")
    Source.objects.filter(name="notes").update(skipped=1234)
    Source.objects.filter(name="papers").update(paused_at=timezone.now())
    page = shown(pages).lower()
    for text in (
        *(str(tmp_path / "notes").lower(), "folder", "synced", "1,234 skipped"),
        *("/nowhere/at/all", "failed <time", "<bdi>there is no such folder"),
        *("https://a.example/ and 1 more", "web pages", "not synced yet", "only manually"),
        *("https://s3.example/papers/2026/", "s3 bucket", "paused"),
    ):
        assert text in page
    assert page.count(" skipped") == 1
    assert "1,234 skipped" in pages.get("/admin/").content.decode()
    rows = pages.get(LIST).context["sources"]
    assert [(row.name, row.documents) for row in rows] == [("gone", 0), ("notes", 2), ("papers", 0), ("site", 0)]


def test_several_sources_that_fail_take_one_note_above_the_documents_and_none_above_results(
    owner: User, pages: Client
) -> None:
    sync(make_source(owner, "attic", path="/nowhere/attic"))
    library = "/admin/documents/document/"
    assert pages.get(library).content.decode().count("note bad") == 1
    sync(make_source(owner, "cellar", path="/nowhere/cellar"))
    page = pages.get(library).content.decode()
    assert page.count("note bad") == 1
    assert "2 sources could not be read" in page
    assert "<bdi>attic, cellar</bdi>" in page
    assert "note bad" not in pages.get(f"{library}?q=boat").content.decode()


def test_html_in_what_others_have_written_is_text(owner: User, pages: Client) -> None:
    source = make_source(owner, path=f"/{HOSTILE}")
    Source.objects.filter(pk=source.pk).update(
        problem=HOSTILE,
        notes=[HOSTILE],
        started_at=timezone.now(),
        finished_at=timezone.now(),
        skipped=1,
        tags=[HOSTILE],
    )
    for path in ("", f"{source.pk}/change/", f"{source.pk}/settings/", f"{source.pk}/remove/"):
        page = pages.get(LIST + path).content.decode()
        assert HOSTILE not in page
        assert "&lt;script&gt;alert(1)" in page


def test_other_owners_see_and_change_nothing(owner: User, other_pages: Client, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path, "private-notes")
    write(tmp_path, boat="The boat.")
    synced(source)
    assert "private-notes" not in shown(other_pages)
    for name in ("change", "settings", "remove", *ACTIONS):
        assert other_pages.get(f"{LIST}{source.pk}/{name}/").status_code == 404
        assert other_pages.post(f"{LIST}{source.pk}/{name}/", {"documents": "forget"}).status_code == 404
    source.refresh_from_db()
    assert source.paused_at is None
    assert Document.objects.not_deleted().count() == 1


def test_without_a_login_every_page_leads_to_the_login(owner: User) -> None:
    source = make_source(owner, path="/notes")
    visitor = Client(headers={"host": HOST})
    of_one = [f"{source.pk}/{name}/" for name in ("change", "settings", "remove", "delete", *ACTIONS)]
    for path in ["", "add/", "add/?kind=folder", *of_one]:
        for response in (visitor.get(LIST + path), visitor.post(LIST + path, {"documents": "forget"})):
            assert response.status_code == 302
            assert response["Location"].startswith(("/login/?", "/admin/login/?"))
    assert Source.objects.get().paused_at is None


@pytest.mark.parametrize("given", ["0", "999999999999999999", "x", "1.5"])
def test_an_id_that_no_page_has_sent_is_not_found(pages: Client, given: str) -> None:
    for name in ("change", "delete", "history"):
        assert pages.get(f"{LIST}{given}/{name}/", follow=True).status_code == 404


def test_the_cost_does_not_grow_with_the_number_of_sources(owner: User, pages: Client, tmp_path: Path) -> None:
    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert pages.get(LIST + path).status_code == 200
        return len(captured)

    source = folder_source(owner, tmp_path / "notes")
    write(tmp_path / "notes", boat="The boat.")
    synced(source)
    page = f"{source.pk}/change/"
    queries("")
    few = queries(""), queries(page)
    for number in range(8):
        made = folder_source(owner, tmp_path / f"n{number}", f"notes-{number}")
        write(tmp_path / f"n{number}", boat="Another boat.", tea="Tea.")
        synced(made)
    assert (queries(""), queries(page)) == few
    assert max(few) <= 12


def test_a_source_with_a_kind_of_another_version_can_still_be_seen_and_removed(owner: User, pages: Client) -> None:
    source = make_source(owner, path="/notes")
    Source.objects.filter(pk=source.pk).update(kind="ftp")
    assert "no sources of the kind ftp" in shown(pages)
    page = pages.get(f"{LIST}{source.pk}/change/").content.decode()
    assert "no sources of the kind ftp" in page
    assert "/settings/" not in page
    assert pages.get(f"{LIST}{source.pk}/settings/").status_code == 404
    pages.post(f"{LIST}{source.pk}/remove/", {"documents": "keep"})
    assert not Source.objects.exists()
