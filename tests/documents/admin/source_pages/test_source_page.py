"""Tests of the page of a source: its report, the preview, syncs, pauses and the removal."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from common.advisory_locks import AdvisoryLock, locked
from documents.models import Document, Source
from documents.queue import SYNC_SOURCE
from documents.sources.sync import sync
from documents.tasks import sync_source
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import active_keys, folder_source, make_source, synced, write
from tests.support.factories import HOST

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

FOLLOWS = "ownsona/refresh.js"
"""The script of a page that follows what is done in the background."""


@pytest.fixture
def source(owner: User, tmp_path: Path) -> Source:
    """A source of a folder with two files that were imported."""
    made = folder_source(owner, tmp_path, tags=["home"])
    write(tmp_path, boat="The boat.", tea="Tea.")
    synced(made)
    return made


def page_of(source: Source) -> str:
    return f"/admin/documents/source/{source.pk}/change/"


def shown(pages: Client, source: Source) -> str:
    response = pages.get(page_of(source))
    assert response.status_code == 200
    return str(response.content.decode())


def test_a_problem_is_a_sentence_without_the_name_of_a_setting(pages: Client, source: Source) -> None:
    ended = {"started_at": timezone.now(), "finished_at": timezone.now()}
    Source.objects.filter(pk=source.pk).update(problem="path: There is no such folder.", **ended)
    lists = ["/admin/documents/document/", "/admin/documents/source/"]
    for page in [shown(pages, source), *(pages.get(path).content.decode() for path in lists)]:
        assert "There is no such folder." in page
        assert "path: There" not in page


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("url: 127.0.0.1 is not a server on the public internet.", "<bdi>127.0.0.1 is not a server on the public"),
        ("url: git.example.org refused the connection.", "<bdi>git.example.org refused the connection."),
        ("token: The server requires a login.", "<bdi>The server requires a login."),
        ("git: Install git 2.32 or newer.", "<bdi>Install git 2.32 or newer."),
        ("token: must be given again for the new address.", "<bdi>Access token: must be given again"),
        ("path: must be absolute.", "<bdi>Folder: must be absolute."),
        ("Give the credentials again: here.", "<bdi>Give the credentials again: here."),
    ],
)
def test_no_problem_begins_with_the_name_of_a_setting(pages: Client, source: Source, problem: str, said: str) -> None:
    ended = {"started_at": timezone.now(), "finished_at": timezone.now()}
    Source.objects.filter(pk=source.pk).update(problem=problem, **ended)
    assert said in shown(pages, source)


def test_a_problem_offers_to_change_the_source(pages: Client, source: Source) -> None:
    link = f'href="/admin/documents/source/{source.pk}/settings/">Change</a>'
    assert shown(pages, source).count(link) == 1
    Source.objects.filter(pk=source.pk).update(problem="url: git.example.org refused the connection.")
    page = shown(pages, source)
    assert page.count(link) == 1
    assert page.index(link) < page.index("Location")


def test_a_sync_that_is_later_than_scheduled_says_why(pages: Client, source: Source) -> None:
    now = timezone.now()
    later = {"interval_minutes": 60, "started_at": now, "finished_at": now, "problem": "It failed."}
    for failures, hours, is_said in ((0, 1, False), (3, 0.3, False), (6, 2.7, True)):
        due = now + timedelta(hours=hours)
        Source.objects.filter(pk=source.pk).update(failures=failures, next_run_at=due, **later)
        assert ("Later than scheduled, because 6 syncs in a row failed." in shown(pages, source)) == is_said
    Source.objects.filter(pk=source.pk).update(paused_at=now)
    assert "Later than scheduled" not in shown(pages, source)


def test_a_preview_that_fails_says_so_without_the_name_of_a_setting(
    pages: Client, source: Source, tmp_path: Path
) -> None:
    source.settings["path"] = str(tmp_path / "missing")
    source.save()
    page = press(pages, source, "preview")
    assert "<bdi>There is no such folder." in page


def test_the_page_of_a_new_source_waits_for_its_first_sync(owner: User, pages: Client, tmp_path: Path) -> None:
    new = folder_source(owner, tmp_path, "new")
    response = pages.get(page_of(new))
    assert FOLLOWS in response.content.decode()
    assert "The first sync begins within a minute." in response.content.decode()
    Source.objects.filter(pk=new.pk).update(paused_at=timezone.now())
    assert FOLLOWS not in shown(pages, new)
    Source.objects.filter(pk=new.pk).update(paused_at=None, settings={})
    assert FOLLOWS not in shown(pages, new)


def press(pages: Client, source: Source, name: str, **fields: str) -> str:
    """Press a button of the page and return the page that follows."""
    response = pages.post(f"/admin/documents/source/{source.pk}/{name}/", fields, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def requested() -> QuerySet[ProcrastinateJob]:
    """Return the syncs that were requested and have not begun."""
    return ProcrastinateJob.objects.filter(task_name=SYNC_SOURCE, status="todo")


def run_requested() -> None:
    """Run the syncs that were requested, as the job process would."""
    for job in requested():
        sync_source(**job.args)
    requested().delete()


def test_the_page_shows_the_last_sync_and_links_to_the_documents(
    owner: User, pages: Client, source: Source, tmp_path: Path
) -> None:
    (tmp_path / "empty.md").touch()
    sync(source)
    Document.objects.get(source_key="tea.md").versions.update(state="failed", problem="broken")
    page = shown(pages, source)
    for text in (str(tmp_path), "Every hour", "empty.md: ", '?source=notes">2</a>', "1 could not be read"):
        assert text in page
    assert "1 waiting to be read" in page
    assert page.count("<dt>Skipped</dt><dd>1</dd>") == 1


def test_a_preview_names_the_changes_and_makes_none(pages: Client, source: Source, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat is sold.", wine="Red.")
    (tmp_path / "tea.md").unlink()
    page = press(pages, source, "preview")
    for text in ("Added: 1", "Changed: 1", "Forgotten: 1", "wine.md", "boat.md", "tea.md"):
        assert text in page
    assert active_keys(source) == ["boat.md", "tea.md"]
    assert not requested().exists()


def test_a_preview_without_changes_says_so(pages: Client, source: Source) -> None:
    page = press(pages, source, "preview")
    assert "Unchanged: 2." in page
    assert "Nothing would change." in page
    assert "Added: 0" not in page


def test_a_preview_of_a_source_that_cannot_be_read_says_why(owner: User, pages: Client) -> None:
    page = press(pages, make_source(owner, path="/nowhere/at/all"), "preview")
    assert "A sync would fail now" in page
    assert "There is no such folder" in page


def test_sync_now_queues_a_sync_and_the_page_reloads_until_it_has_ended(
    pages: Client, source: Source, tmp_path: Path
) -> None:
    write(tmp_path, wine="Red.")
    assert FOLLOWS not in shown(pages, source)
    assert "Sync requested." in press(pages, source, "sync")
    assert "A sync is already requested." in press(pages, source, "sync")
    assert "A sync is requested and begins in a moment." in shown(pages, source)
    assert FOLLOWS in shown(pages, source)
    # The job process has taken it, and has not recorded its start yet.
    requested().update(status="doing")
    assert FOLLOWS in shown(pages, source)
    ProcrastinateJob.objects.filter(task_name=SYNC_SOURCE).update(status="todo")
    run_requested()
    assert active_keys(source) == ["boat.md", "tea.md", "wine.md"]
    assert "<dt>Added</dt><dd>1</dd>" in (page := shown(pages, source))
    assert f'href="/admin/memories/journalentry/?app=source%3A{source.name}">Journal</a>' in page
    assert FOLLOWS not in shown(pages, source)


def test_while_a_source_is_synced_the_page_shows_the_progress(pages: Client, source: Source) -> None:
    running = {"started_at": timezone.now(), "finished_at": None, "problem": "It failed the last time."}
    Source.objects.filter(pk=source.pk).update(**running)
    assert "being synced" in pages.get("/admin/documents/source/").content.decode().lower()
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        response = pages.get(page_of(source))
    assert "It failed the last time." not in response.content.decode()
    assert ": 2 documents so far." in response.content.decode()
    assert FOLLOWS in response.content.decode()


def test_a_sync_that_was_killed_is_named_and_the_page_does_not_reload(pages: Client, source: Source) -> None:
    Source.objects.filter(pk=source.pk).update(started_at=timezone.now(), finished_at=None)
    response = pages.get(page_of(source))
    assert "It was interrupted. The next sync continues it." in response.content.decode()
    assert FOLLOWS not in response.content.decode()


def test_a_source_is_paused_and_resumed(pages: Client, source: Source) -> None:
    assert "Paused." in press(pages, source, "pause")
    source.refresh_from_db()
    assert source.paused_at is not None
    assert "Resume" in shown(pages, source)
    assert "Resumed." in press(pages, source, "resume")
    source.refresh_from_db()
    assert source.paused_at is None


def test_a_link_presses_no_button(pages: Client, source: Source) -> None:
    for name in ("preview", "sync", "pause", "resume"):
        response = pages.get(f"/admin/documents/source/{source.pk}/{name}/")
        assert (response.status_code, response["Location"]) == (302, page_of(source))
    assert pages.get(f"/admin/documents/source/{source.pk}/remove/").status_code == 200
    source.refresh_from_db()
    assert source.paused_at is None
    assert not requested().exists()


def test_a_form_of_another_site_changes_no_source(owner: User, source: Source) -> None:
    strict = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    strict.force_login(owner)
    of_one = f"/admin/documents/source/{source.pk}"
    names = ("preview", "sync", "pause", "resume", "settings", "remove")
    for path in (*(f"{of_one}/{name}/" for name in names), "/admin/documents/source/add/?kind=folder"):
        assert strict.post(path, {"documents": "forget", "name": "more", "path": "/"}).status_code == 403
    assert [each.paused_at for each in Source.objects.all()] == [None]
    assert not requested().exists()


def test_a_source_that_is_not_configured_is_not_synced(pages: Client, source: Source) -> None:
    Source.objects.filter(pk=source.pk).update(settings={})
    assert "Folder: Field required." in press(pages, source, "sync")
    assert not requested().exists()


def test_while_a_source_is_synced_the_other_buttons_say_so(pages: Client, source: Source) -> None:
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        for name in ("preview", "pause"):
            assert "is being synced" in press(pages, source, name)
        assert "is being synced" in press(pages, source, "remove", documents="keep")
    assert Source.objects.get().paused_at is None


def test_a_mass_removal_is_confirmed_with_a_button(pages: Client, source: Source, tmp_path: Path) -> None:
    write(tmp_path, **{f"n{number}": f"Number {number}." for number in range(20)})
    synced(source)
    for number in range(20):
        (tmp_path / f"n{number}.md").unlink()
    confirm = "Sync and forget 20 documents"
    assert confirm not in shown(pages, source)
    assert confirm in press(pages, source, "preview")
    sync(source)
    page = shown(pages, source)
    assert "20 of 22 documents are gone" in page
    assert confirm in page
    assert "Its 22 documents stay searchable." in page
    press(pages, source, "sync", confirm_removals="1")
    assert confirm not in shown(pages, source)
    run_requested()
    assert active_keys(source) == ["boat.md", "tea.md"]
    assert confirm not in shown(pages, source)


@pytest.mark.parametrize(
    ("choice", "kept", "said"),
    [("forget", [], "2 documents were forgotten."), ("keep", ["boat.md", "tea.md"], "Its documents stay.")],
)
def test_a_source_is_removed_with_or_without_its_documents(
    pages: Client, source: Source, choice: str, kept: list[str], said: str
) -> None:
    asked = pages.get(f"/admin/documents/source/{source.pk}/delete/", follow=True).content.decode()
    assert "It has 2 documents." in asked
    assert said in press(pages, source, "remove", documents=choice)
    assert not Source.objects.exists()
    assert active_keys(source) == kept


def test_a_source_without_documents_is_removed_without_a_question_about_them(pages: Client, source: Source) -> None:
    press(pages, source, "remove", documents="forget")
    empty = Source.objects.create(owner_id=source.owner_id, name="empty", kind="folder", settings={"path": "/x"})
    asked = pages.get(f"/admin/documents/source/{empty.pk}/remove/").content.decode()
    assert "It has no documents." in asked
    assert 'type="radio"' not in asked
    page = press(pages, empty, "remove", documents="forget")
    assert "Removed." in page
    assert "documents were forgotten" not in page


@pytest.mark.parametrize("choice", ["", "burn"])
def test_nothing_is_removed_without_a_choice(pages: Client, source: Source, choice: str) -> None:
    press(pages, source, "remove", documents=choice)
    assert Source.objects.exists()
    assert active_keys(source) == ["boat.md", "tea.md"]
