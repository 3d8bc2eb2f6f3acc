"""Tests that an account that does not run the server cannot read what belongs to the server through a source."""

from __future__ import annotations

import pytest
from django.test import Client

from documents.models import Source
from documents.sources.server_access import ONLY_OPERATORS
from oauthserver.models import User
from tests.documents.sources.support import make_source
from tests.support.factories import HOST, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue", "owner")]

ADD = "/admin/documents/source/add/"
SHARED = {"name": "notes", "interval_minutes": "60"}


@pytest.fixture
def guest() -> User:
    return make_user("guest")


@pytest.fixture
def guests_pages(guest: User) -> Client:
    client = Client(headers={"host": HOST})
    client.force_login(guest)
    return client


@pytest.mark.parametrize(
    ("kind", "fields", "refused"),
    [
        ("folder", {"path": "/"}, "path"),
        ("git", {"url": "/srv/repository"}, "url"),
        ("git", {"url": "file:///srv/repository"}, "url"),
        ("git", {"url": "git@example.com:ada/diary.git"}, "url"),
        ("git", {"url": "ssh://example.com/ada/diary.git"}, "url"),
        ("git", {"url": "https://nas.example/diary.git", "allow_private": "on"}, "allow_private"),
        ("web", {"urls": "http://192.168.1.1/", "allow_private": "on"}, "allow_private"),
        ("s3", {"endpoint": "https://nas.example", "bucket": "diary", "allow_private": "on"}, "allow_private"),
    ],
)
def test_only_accounts_that_run_the_server_reach_its_files_keys_and_network(
    pages: Client, guests_pages: Client, kind: str, fields: dict[str, str], refused: str
) -> None:
    response = guests_pages.post(f"{ADD}?kind={kind}", {**SHARED, **fields})
    assert response.status_code == 200
    assert response.context["form"].errors == {refused: [ONLY_OPERATORS]}
    assert not Source.objects.exists()
    assert pages.post(f"{ADD}?kind={kind}", {**SHARED, **fields}).status_code == 302


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("git", {"url": "https://git.example/x"}),
        ("web", {"urls": "https://site.example/"}),
        ("s3", {"endpoint": "https://bucket.example", "bucket": "papers"}),
    ],
)
def test_others_add_sources_on_the_public_internet(guests_pages: Client, kind: str, fields: dict[str, str]) -> None:
    assert guests_pages.post(f"{ADD}?kind={kind}", {**SHARED, **fields}).status_code == 302


def test_a_source_that_was_added_for_an_account_leads_nowhere_else(guests_pages: Client, guest: User) -> None:
    source = make_source(guest, path="/srv/notes-of-guest")
    page = f"/admin/documents/source/{source.pk}/settings/"
    kept = {"path": "/srv/notes-of-guest", "ignore_files": "on", "interval_minutes": "60"}
    response = guests_pages.post(page, {**kept, "path": "/home/ada"})
    assert response.context["form"].errors == {"path": [ONLY_OPERATORS]}
    assert guests_pages.post(page, {**kept, "interval_minutes": "1440", "tags": "home"}).status_code == 302
    source.refresh_from_db()
    assert (source.settings, source.interval_minutes) == ({"path": "/srv/notes-of-guest"}, 1440)
