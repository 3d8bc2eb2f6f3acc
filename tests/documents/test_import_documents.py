"""Tests of the command that adds files as documents."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from documents.models import Chunk, Document, Version
from oauthserver.models import User
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user("ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "boat.md").write_text("# Ragnhild\n\nThe boat is in Lyngby.\n")
    (tmp_path / "notes" / "house.txt").write_text("The roof needs new tiles.")
    (tmp_path / "notes" / ".hidden.md").write_text("hidden")
    (tmp_path / "notes" / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("outside")
    return tmp_path / "notes"


def imported(*arguments: str) -> tuple[str, str, int]:
    """Run the command and return its output, its errors and its exit code."""
    output, errors = StringIO(), StringIO()
    try:
        call_command("import_documents", "--user", "ada", *arguments, stdout=output, stderr=errors)
    except SystemExit as exit_:
        return output.getvalue(), errors.getvalue(), int(exit_.code or 0)
    return output.getvalue(), errors.getvalue(), 0


def test_the_files_of_a_folder_become_documents(owner: User, folder: Path) -> None:
    output, _, code = imported(str(folder), "--tags", "notes")
    assert (output.strip(), code) == ("2 added, 0 new version, 0 already there, 0 could not be read, 0 failed", 0)
    assert sorted(Document.objects.values_list("title", flat=True)) == ["Ragnhild", "house.txt"]
    assert set(map(tuple, Document.objects.values_list("tags", flat=True))) == {("notes",)}
    assert Chunk.objects.count() == 2


def test_a_second_run_adds_only_what_has_changed(owner: User, folder: Path) -> None:
    imported(str(folder))
    (folder / "boat.md").write_text("# Ragnhild\n\nSold.\n")
    output, _, _ = imported(str(folder))
    assert output.startswith("0 added, 1 new version, 1 already there")
    assert Document.objects.count() == 2
    assert Version.objects.count() == 3
    assert "Sold." in Chunk.objects.values_list("text", flat=True)


def test_files_that_cannot_be_read_are_named_and_the_others_added(owner: User, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "empty.md").write_bytes(b"")
    output, errors, code = imported(str(folder))
    assert output.startswith("2 added")
    assert "1 could not be read, 1 failed" in output
    assert code == 1
    assert "broken.pdf: " in errors
    assert "empty.md: file: is empty." in errors


def test_a_path_that_does_not_exist_is_named(owner: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no file or folder .*missing"):
        call_command("import_documents", "--user", "ada", str(tmp_path / "missing"))
