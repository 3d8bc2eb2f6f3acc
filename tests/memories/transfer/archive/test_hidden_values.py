"""Hidden values in exports, archives and imports."""

from __future__ import annotations

import io
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from memories.access import Actor, View
from memories.drafts import Draft
from memories.models import HiddenValue, JournalEntry, Memory
from memories.transfer.archive.exporting import export_archive
from memories.transfer.archive.importing import import_archive
from memories.transfer.entries import Entry
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from memories.transfer.preview import preview
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import decrypted, keep_kinds
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_user, owner_actor

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
    assert "Hidden values left out: 1." in said.getvalue()
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


def test_a_value_whose_placeholder_has_another_value_here_gets_another_number(owner: User, tmp_path: Path) -> None:
    update_memory(owner_actor(owner), Memory.objects.get(owner=owner).pk, MemoryUpdate(text=f"{TEXT}, as before"))
    update_memory(owner_actor(owner), Memory.objects.get(owner=owner).pk, MemoryUpdate(text=TEXT))
    export_archive(View.whole(owner.pk), tmp_path / "all.zip", with_hidden_values=True)
    other = make_user()
    keep_kinds(other.pk, [Kind.LOCK_CODE])
    store(other, TEXT.replace("471183", "990011"))
    summary = import_archive(owner_actor(other), tmp_path / "all.zip")
    assert (summary.of("memories").added, summary.of("hidden_values").added) == (1, 1)
    assert texts_and_values(other) == [
        ("The alarm code at home is [hidden: code #1]", ["990011"]),
        ("The alarm code at home is [hidden: code #2]", ["471183"]),
    ]
    restored = Memory.objects.filter(owner=other).order_by("-pk")[0]
    states = [entry.after["text"] for entry in JournalEntry.objects.filter(memory_id=restored.pk).order_by("pk")]
    assert states[:2] == [f"{restored.text}", f"{restored.text}, as before"]
    again = import_archive(owner_actor(other), tmp_path / "all.zip")
    assert (again.of("memories").added, again.of("memories").present, again.of("hidden_values").present) == (0, 1, 1)
    assert len(texts_and_values(other)) == 2


def test_values_may_follow_an_import_without_them(owner: User, tmp_path: Path) -> None:
    export_archive(View.whole(owner.pk), tmp_path / "without.zip")
    export_archive(View.whole(owner.pk), tmp_path / "with.zip", with_hidden_values=True)
    other = make_user()
    import_archive(owner_actor(other), tmp_path / "without.zip")
    summary = import_archive(owner_actor(other), tmp_path / "with.zip")
    assert (summary.of("memories").present, summary.of("hidden_values").added) == (1, 1)
    assert texts_and_values(other) == [("The alarm code at home is [hidden: code #1]", ["471183"])]


def test_an_archive_brings_values_back_that_cannot_be_decrypted(
    owner: User, tmp_path: Path, settings: Settings
) -> None:
    export_archive(View.whole(owner.pk), tmp_path / "with.zip", with_hidden_values=True)
    settings.SECRET_KEY = "another key " * 4
    summary = import_archive(owner_actor(owner), tmp_path / "with.zip")
    assert (summary.of("memories").present, summary.of("hidden_values").added) == (1, 1)
    assert values_of(owner) == ["471183"]


def test_no_new_value_gets_a_number_that_only_the_history_of_the_archive_has(owner: User, tmp_path: Path) -> None:
    memory = Memory.objects.get(owner=owner)
    update_memory(Actor(View.whole(owner.pk), "cursor"), memory.pk, MemoryUpdate(text="The alarm code is 552210"))
    assert Assistant.of(owner).call("undo", memory_id=memory.pk, version=1)["ok"]
    assert Memory.objects.get(pk=memory.pk).text.endswith("#1]")
    export_archive(View.whole(owner.pk), tmp_path / "with.zip", with_hidden_values=True)
    other = make_user()
    keep_kinds(other.pk, [Kind.LOCK_CODE])
    import_archive(owner_actor(other), tmp_path / "with.zip")
    imported = Memory.objects.get(owner=other)
    update_memory(Actor(View.whole(other.pk), "cursor"), imported.pk, MemoryUpdate(text="The alarm code is 887766"))
    assert Memory.objects.get(pk=imported.pk).text == "The alarm code is [hidden: code #3]"
    assert values_of(other) == ["471183", "552210", "887766"]


def test_values_of_earlier_versions_may_follow_too(owner: User, tmp_path: Path) -> None:
    memory_id = Memory.objects.get(owner=owner).pk
    update_memory(Actor(View.whole(owner.pk), "cursor"), memory_id, MemoryUpdate(text="The alarm code is 552210"))
    export_archive(View.whole(owner.pk), tmp_path / "without.zip")
    export_archive(View.whole(owner.pk), tmp_path / "with.zip", with_hidden_values=True)
    other = make_user()
    import_archive(owner_actor(other), tmp_path / "without.zip")
    import_archive(owner_actor(other), tmp_path / "with.zip")
    assert values_of(other) == ["471183", "552210"]


def test_a_placeholder_without_a_value_does_not_get_that_of_a_new_one(owner: User) -> None:
    text = "The alarm code was [hidden: code #2] and the alarm code is now 552210"
    assert store(owner, text).text.endswith("was [hidden: code #2] and the alarm code is now [hidden: code #3]")


def texts_and_values(user: User) -> list[tuple[str, list[str]]]:
    return [
        (memory.text, [decrypted(row) for row in HiddenValue.objects.filter(memory=memory)])
        for memory in Memory.objects.filter(owner=user).order_by("pk")
    ]
