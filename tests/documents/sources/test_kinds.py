"""Tests of syncing each kind of source that is on another machine, with a real repository and a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.connectors.base import SourceError, SourceItem
from documents.models import Document
from documents.sources.run import MAX_UNREACHABLE_ITEMS
from documents.sources.sync import sync
from documents.tasks import read_queued
from oauthserver.models import User
from tests.documents.sources.support import active_keys, counts, make_source, synced
from tests.support.factories import make_user
from tests.support.git_repository import Repository
from tests.support.web_site import web_site

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user()


def test_the_files_of_a_git_repository_follow_its_branch(owner: User, tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "project")
    repository.commit({"README.md": b"hello", "docs/a.md": b"first"})
    source = make_source(owner, kind="git", url=str(repository.path))
    assert synced(source) == {"added": 2}
    (repository.path / "README.md").unlink()
    repository.commit({"docs/a.md": b"second", "docs/b.md": b"new"})
    assert synced(source) == {"added": 1, "changed": 1, "removed": 1}
    assert active_keys(source) == ["docs/a.md", "docs/b.md"]


def test_pages_are_requested_once_and_have_their_address_and_format(owner: User) -> None:
    with web_site() as site:
        urls = [
            site.page("/a.php", "<h1>Boat</h1><p>In Lyngby.</p>", etag='"1"', content_type="text/html; charset=utf-8"),
            site.page("/b", "Tea.", etag='"1"', content_type="text/plain"),
        ]
        source = make_source(owner, kind="web", urls=urls, pause_seconds=0, allow_private=True)
        assert synced(source) == {"added": 2}
        assert sorted(path for path in site.paths() if path != "/robots.txt") == ["/a.php", "/b"]
        assert synced(source) == {"unchanged": 2}
    read_queued()
    types = {
        document.source_url: document.current and document.current.media_type for document in Document.objects.all()
    }
    assert types == dict(zip(urls, ("text/html", "text/plain"), strict=True))


def test_a_server_that_is_down_removes_nothing(owner: User) -> None:
    with web_site() as site:
        url = site.page("/a", "Tea.")
        source = make_source(owner, kind="web", urls=[url], pause_seconds=0, allow_private=True)
        assert counts(sync(source)) == {"added": 1}
    report = sync(source)
    assert report.problem
    assert active_keys(source) == [url]


def test_a_server_that_stops_delivering_ends_the_run(
    owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def fail(self: object, item: SourceItem) -> bytes:
        tried.append(item.key)
        raise SourceError("unreachable", "The server does not respond.")

    monkeypatch.setattr("documents.connectors.folder.FolderConnector.read", fail)
    for number in range(10):
        (tmp_path / f"{number}.md").write_text("text")
    source = make_source(owner, path=str(tmp_path))
    assert sync(source).problem == "The server does not respond."
    assert len(tried) == MAX_UNREACHABLE_ITEMS
