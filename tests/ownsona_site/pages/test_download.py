"""Tests of the download of everything that an owner has."""

from __future__ import annotations

import errno
import io
import zipfile
from pathlib import Path
from typing import IO

import pytest
from django.http import FileResponse
from django.test import Client
from pytest_django import Settings

from documents.models import Document
from memories.access import View
from memories.transfer.archive.importing import import_archive
from oauthserver.models import User
from ownsona_site.pages import download
from tests.documents.support import make_document
from tests.support.concurrency import in_threads
from tests.support.factories import HOST, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db(transaction=True)

PAGE, DOWNLOAD = "/admin/backups/", "/admin/backups/download/"


def browser_of(user: User, *, enforce_csrf_checks: bool = False) -> Client:
    browser = Client(headers={"host": HOST}, enforce_csrf_checks=enforce_csrf_checks)
    browser.force_login(user)
    return browser


def test_the_file_has_everything_of_the_owner_and_nothing_of_others(tmp_path: Path) -> None:
    owner = make_user("owner")
    make_memory(owner, "My dog is called Mochi")
    make_memory(make_user("anna"), "Anna's secret")
    make_document(owner, "The crane is green.")

    response: object = browser_of(owner).post(DOWNLOAD)
    assert isinstance(response, FileResponse)

    assert response["Content-Disposition"].startswith('attachment; filename="ownsona-data-20')
    assert response["Content-Type"] == "application/zip"
    content = b"".join(map(bytes, response))
    (tmp_path / "data.zip").write_bytes(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert b"Anna" not in b"".join(map(archive.read, archive.namelist()))
    other = make_user("robin")
    import_archive(owner_actor(other), tmp_path / "data.zip")
    assert [memory.text for memory in other.memories.all()] == ["My dog is called Mochi"]
    assert Document.objects.filter(owner=other).count() == 1


def test_it_needs_a_login_a_token_and_a_button() -> None:
    assert Client(headers={"host": HOST}).post(DOWNLOAD).headers["Location"].startswith("/admin/login/")
    owner = make_user("owner")
    assert browser_of(owner).get(DOWNLOAD).status_code == 405
    assert browser_of(owner, enforce_csrf_checks=True).post(DOWNLOAD).status_code == 403


def test_a_second_click_waits_for_no_second_file(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user("owner")
    clicked: list[str] = []

    def click_again(view: View, stream: IO[bytes], *, with_hidden_values: bool) -> None:
        answer = in_threads(1, lambda _: browser_of(owner).post(DOWNLOAD, follow=True))[0]
        clicked.append(answer.content.decode())

    monkeypatch.setattr(download, "write_archive", click_again)
    browser_of(owner).post(DOWNLOAD)

    assert "The file is already being made." in clicked[0]
    monkeypatch.undo()
    assert browser_of(owner).post(DOWNLOAD).status_code == 200


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_full_disk_is_reported_and_leaves_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def fail(view: View, stream: IO[bytes], *, with_hidden_values: bool) -> None:
        stream.write(b"x" * 1000)
        raise OSError(errno.ENOSPC, "No space left on device")

    if when == "before":
        settings.DISK_MINIMUM_MB = settings.DISK_WARNING_MB = 10**9
        settings.DATABASE_URL = ""
    else:
        monkeypatch.setattr(download, "write_archive", fail)
    files = sorted(Path(settings.DATA_DIR).iterdir())

    page = browser_of(make_user("owner")).post(DOWNLOAD, follow=True)

    assert "The disk is too full to make the file." in page.content.decode()
    assert page.redirect_chain == [(PAGE, 302)]
    assert sorted(Path(settings.DATA_DIR).iterdir()) == files


def test_no_line_of_a_command_ends_in_the_middle_of_an_option() -> None:
    owner = make_user("it's me")
    User.objects.update(is_superuser=True)
    page = browser_of(owner).get(PAGE).content.decode()
    assert "<span>restore</span> <span>--check</span> <span>ownsona-" in page
    assert "<span>--user</span> <span>&#x27;it&#x27;&quot;&#x27;&quot;&#x27;s me&#x27;</span></code>" in page
