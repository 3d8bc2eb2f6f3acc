"""Tests of creating, changing and removing sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common.advisory_locks import AdvisoryLock, locked
from documents.models import Chunk, Document, Source, SourceItemState
from documents.sources.changes import change_source, create_source, remove_source
from documents.sources.drafts import SourceDraft
from documents.sources.opening import cache_folder
from documents.sources.selectors import health_problem
from documents.sources.stored_settings import settings_with_secrets
from documents.sources.sync import sync
from documents.tasks import read_queued
from memories.errors import InvalidInput, MemoriesError
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import active_keys, folder_source, make_source, synced, write
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

GIT: dict[str, Any] = {"url": "https://git.example/x", "token": "sesame-token"}


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def source(owner: User, tmp_path: Path) -> Source:
    made = folder_source(owner, tmp_path / "notes", tags=["home"])
    write(tmp_path / "notes", boat="The boat is in Lyngby.", tea="Green tea.")
    synced(made)
    read_queued()
    return made


def test_secrets_are_stored_encrypted_and_apart(owner: User) -> None:
    source = make_source(owner, kind="git", **GIT)
    row = str(Source.objects.values().get())
    assert "sesame" not in row
    assert source.settings == {"url": GIT["url"]}
    assert settings_with_secrets(source) == GIT


def test_secrets_that_cannot_be_decrypted_are_a_problem_and_not_an_error(
    owner: User, settings: pytest.FixtureRequest
) -> None:
    source = make_source(owner, kind="git", **GIT)
    settings.SECRET_KEY = "another key " * 4  # type: ignore[attr-defined]
    assert "SECRET_KEY has changed" in health_problem(source)
    assert "SECRET_KEY has changed" in sync(source).problem


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        ({"name": "memory"}, "name: is the name of a built-in source"),
        ({"name": "documents"}, "name: is the name of a built-in source"),
        ({"name": "My notes"}, "name: must have 1 to 32"),
        ({"name": "-notes"}, "name: must have 1 to 32"),
        ({"name": "n" * 33}, "name: must have 1 to 32"),
        ({"name": ""}, "name: must have 1 to 32"),
        ({"kind": "ftp"}, "kind: must be one of folder, git, web, s3"),
        ({"settings": {}}, "path: Field required"),
        ({"settings": {"path": "notes"}}, "path: must be an absolute path"),
        ({"settings": {"path": "/notes", "colour": "red"}}, "colour: "),
        ({"interval_minutes": -1}, "interval_minutes: must be a number of minutes"),
        ({"interval_minutes": 10**6}, "interval_minutes: must be a number of minutes"),
        ({"limits": {"bananas": 5}}, "limits: must be among items, item_bytes"),
        ({"limits": {"items": 0}}, "limits.items: must be at least 1"),
        ({"tags": [f"tag{number}" for number in range(51)]}, "tags: "),
    ],
)
def test_an_invalid_field_is_named_and_nothing_is_stored(owner: User, details: dict[str, Any], problem: str) -> None:
    fields = {"name": "notes", "kind": "folder", "settings": {"path": "/notes"}, **details}
    with pytest.raises(MemoriesError, match=f"^{problem}"):
        create_source(owner.pk, SourceDraft(**fields))
    assert not Source.objects.exists()


def test_an_invalid_setting_is_never_repeated(owner: User) -> None:
    with pytest.raises(InvalidInput) as error:
        make_source(owner, kind="git", url="ssh://git.example/x", token="sesame")
    assert "sesame" not in str(error.value)


def test_a_name_is_unique_for_an_owner(owner: User) -> None:
    make_source(owner, path="/a")
    make_source(make_user(), path="/a")
    with pytest.raises(InvalidInput, match=r"^name: There is already a source notes"):
        make_source(owner, path="/b")


def test_new_tags_replace_the_old_ones_in_documents_and_chunks(source: Source) -> None:
    boat = Document.objects.get(source_key="boat.md")
    Document.objects.filter(pk=boat.pk).update(tags=["home", "sea"])
    change_source(source, tags=["work"])
    assert Document.objects.get(pk=boat.pk).tags == ["sea", "work"]
    assert set(map(tuple, Chunk.objects.values_list("tags", flat=True))) == {("sea", "work"), ("work",)}
    source.refresh_from_db()
    assert source.tags == ["work"]


def test_settings_are_replaced_with_their_secrets(owner: User) -> None:
    source = make_source(owner, kind="git", **GIT)
    change_source(source, settings={"url": "https://git.example/y"}, interval_minutes=0, is_paused=True)
    source.refresh_from_db()
    assert (source.settings, source.encrypted_secrets) == ({"url": "https://git.example/y"}, "")
    assert (source.interval_minutes, source.next_run_at) == (0, None)
    assert source.paused_at is not None
    with pytest.raises(InvalidInput, match=r"^url: "):
        change_source(source, settings={"url": "nowhere"})


def test_removing_a_source_forgets_its_documents(source: Source) -> None:
    folder = cache_folder(source.pk)
    # Parallel workers share the data folder: another one may have removed its own source with this id.
    folder.mkdir(parents=True, exist_ok=True)
    assert remove_source(source) == 2
    assert not Source.objects.exists()
    assert not SourceItemState.objects.exists()
    assert not Chunk.objects.filter(deleted_at=None).exists()
    assert set(Document.objects.values_list("forget_reason", flat=True)) == {"The source “notes” was removed."}
    assert not folder.exists()


def test_documents_of_a_removed_source_can_stay_and_be_taken_over(owner: User, source: Source) -> None:
    path = source.settings["path"]
    assert remove_source(source, forget_documents=False) == 0
    assert active_keys(source) == ["boat.md", "tea.md"]
    assert synced(make_source(owner, path=path)) == {"unchanged": 2}


def test_a_source_is_neither_changed_nor_removed_while_it_is_synced(source: Source) -> None:
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        with pytest.raises(InvalidInput, match="is being synced"):
            remove_source(source)
        with pytest.raises(InvalidInput, match="is being synced"):
            change_source(source, tags=[])
    assert active_keys(source) == ["boat.md", "tea.md"]
