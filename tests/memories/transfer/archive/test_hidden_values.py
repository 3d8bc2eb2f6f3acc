"""Hidden values in exports, archives and imports."""

from __future__ import annotations

import io
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import HiddenValue, Memory
from memories.transfer.archive.exporting import export_archive
from memories.transfer.archive.importing import import_archive
from memories.transfer.entries import Entry
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from memories.transfer.preview import preview
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import decrypted, keep_kinds
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.support.factories import make_user, owner_actor

TEXT = "The alarm code at home is 471183"


@pytest.fixture
def owner(db: None) -> User:
    """An owner with a hidden alarm code."""
    user = make_user()
    keep_kinds(user.pk, [Kind.LOCK_CODE])
    store(user, TEXT)
    return user


def store(user: User, text: str) -> Memory:
    return Memory.objects.get(pk=remember(Actor(View.whole(user.pk), "cursor"), RememberRequest(Draft(text))).memory_id)


def values_of(user: User) -> list[str]:
    return [decrypted(row) for row in HiddenValue.objects.filter(owner=user).order_by("number")]


def test_an_archive_has_no_values_unless_the_owner_asks(owner: User, tmp_path: Path) -> None:
    manifest = export_archive(View.whole(owner.pk), tmp_path / "all.zip")
    assert manifest.hidden_values_left_out == 1
    assert b"471183" not in (tmp_path / "all.zip").read_bytes()
    other = make_user()
    summary = import_archive(owner_actor(other), tmp_path / "all.zip")
    assert any("without its 1 hidden values" in note for note in summary.notes)
    assert Memory.objects.get(owner=other).text == "The alarm code at home is [hidden: code #1]"
    assert values_of(other) == []


def test_with_the_values_another_installation_has_them_too(owner: User, tmp_path: Path) -> None:
    manifest = export_archive(View.whole(owner.pk), tmp_path / "all.zip", with_hidden_values=True)
    assert (manifest.counts["hidden_values"], manifest.hidden_values_left_out) == (1, 0)
    other = make_user()
    import_archive(owner_actor(other), tmp_path / "all.zip")
    import_archive(owner_actor(other), tmp_path / "all.zip")
    assert values_of(other) == ["471183"]
    keep_kinds(other.pk, [Kind.LOCK_CODE])
    assert store(other, "The code of the garage is 9921#").text.endswith("[hidden: code #2]")


def test_the_command_says_what_it_left_out(owner: User, tmp_path: Path) -> None:
    said = StringIO()
    call_command("export", str(tmp_path / "all.zip"), "--user", owner.username, stdout=said)
    assert "1 hidden values were left out" in said.getvalue()
    call_command("export", str(tmp_path / "values.zip"), "--user", owner.username, "--with-hidden-values", stdout=said)
    assert b"471183" in (tmp_path / "values.zip").read_bytes()


def test_other_exports_have_placeholders(owner: User, tmp_path: Path) -> None:
    for name in ("all.jsonl", "all.csv"):
        call_command("export", str(tmp_path / name), "--user", owner.username, stdout=StringIO())
        content = (tmp_path / name).read_text()
        assert "[hidden: code #1]" in content
        assert "471183" not in content


def test_an_import_hides_values_and_may_be_repeated(owner: User) -> None:
    record = {"text": "The code of the safe is 24-36-12"}
    for expected in ((1, 0), (0, 1)):
        run = ImportRun(owner_actor(owner))
        run.run([Entry("1", record)], _no_error)
        assert (run.summary.inserted, run.summary.duplicates) == expected
    assert values_of(owner) == ["471183", "24-36-12"]
    tombstone = {"text": "The code of the gym locker is 7712", "deleted_at": "2024-01-01T00:00:00Z"}
    ImportRun(owner_actor(owner)).run([Entry("1", tombstone)], _no_error)
    assert values_of(owner)[-1] == "7712"
    assert "24-36-12" not in json.dumps(list(Memory.objects.values_list("text", flat=True)))


def test_a_preview_has_placeholders_because_it_is_stored(owner: User) -> None:
    content = json.dumps({"text": "The code of the safe is 24-36-12"}).encode()
    found = preview(ImportRun(owner_actor(owner)), open_import(io.BytesIO(content), "file"))
    assert [sample.text for sample in found.samples] == ["The code of the safe is [hidden: code]"]
    assert found.summary.inserted == 1
    assert values_of(owner) == ["471183"]
    keep_kinds(owner.pk, [])
    found = preview(ImportRun(owner_actor(owner)), open_import(io.BytesIO(content), "file"))
    assert (found.samples, found.summary.failed) == ([], 1)


def _no_error(place: str, error: Exception) -> None:
    raise error
