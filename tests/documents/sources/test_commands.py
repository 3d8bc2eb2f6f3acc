"""Tests of the commands for sources."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, load_command_class

from documents.models import Source
from documents.sources.stored_settings import settings_with_secrets
from oauthserver.models import User
from tests.documents.sources.support import active_keys, folder_source, make_source, write
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user("owner")


def run(name: str, *arguments: str) -> str:
    """Run the command for the owner and return what it writes."""
    written = StringIO()
    call_command(name, *arguments, "--user", "owner", stdout=written)
    return written.getvalue()


def test_a_source_is_added_synced_and_removed(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat.", tea="Tea.", wine="Red.")
    written = run(
        "add_source", "notes", "folder", f"path={tmp_path}", "exclude=tea.md", "exclude=wine.md", "--tags=home,sea"
    )
    assert written.startswith("The source notes was added. It is synced every 60 minutes.")
    source = Source.objects.get()
    assert source.settings == {"path": str(tmp_path), "exclude": ["tea.md", "wine.md"]}
    assert source.tags == ["home", "sea"]
    nothing = "0 changed, 0 removed, 0 skipped, 0 unchanged.\n"
    assert run("sync_sources", "--dry-run") == f"notes: would be: 1 added, {nothing}"
    assert run("sync_sources", "notes") == f"notes: 1 added, {nothing}"
    assert run("remove_source", "notes", "--forget-documents") == (
        "The source notes was removed; 1 document was forgotten.\n"
    )
    assert active_keys(source) == []


@pytest.mark.parametrize(("answer", "kept"), [("", []), ("y", []), ("n", ["boat.md"]), ("No", ["boat.md"])])
def test_removing_asks_whether_the_documents_are_forgotten(
    owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, kept: list[str]
) -> None:
    source = folder_source(owner, tmp_path)
    write(tmp_path, boat="The boat.")
    run("sync_sources")
    monkeypatch.setattr("builtins.input", lambda _: answer)
    run("remove_source", "notes")
    assert active_keys(source) == kept


def test_a_secret_can_be_typed_instead_of_given_as_an_argument(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.management.setting_arguments.getpass", lambda _: "sesame")
    assert "sesame" not in run("add_source", "code", "git", "url=https://git.example/x", "token")
    assert settings_with_secrets(Source.objects.get())["token"] == "sesame"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["notes", "folder"], "path: Field required."),
        (["notes", "folder", "path"], "path: has no value"),
        (["notes", "folder", "path=/a", "path=/b"], "path: can be given only once"),
        (["notes", "ftp", "host=x"], "kind: must be one of"),
        (["Notes", "folder", "path=/a"], "name: must have"),
        (["notes", "folder", "path=/a", "--every=-5"], "interval_minutes: must be"),
        (["notes", "folder", "path=/a", "--limit=items=many"], "limit: items must have a number"),
        (["notes", "git", "url=ssh://git.example/x", "token=sesame"], "token: only used with"),
    ],
)
def test_an_error_names_the_field(owner: User, arguments: list[str], problem: str) -> None:
    with pytest.raises(CommandError, match=problem) as error:
        run("add_source", *arguments)
    assert "sesame" not in str(error.value)
    assert not Source.objects.exists()


def test_a_source_is_changed(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    git: dict[str, Any] = {"url": "https://git.example/x", "token": "sesame", "exclude": ["*.lock"]}
    make_source(owner, kind="git", tags=["home"], **git)
    written = run("change_source", "notes", "branch=main", "include=*.md", "include=/docs/", "exclude=", "--every=15")
    assert written == "The source notes was changed.\n"
    source = Source.objects.get()
    patterns = ["*.md", "/docs/"]
    assert source.settings == {"url": "https://git.example/x", "branch": "main", "include": patterns}
    assert settings_with_secrets(source)["token"] == "sesame"
    assert (source.interval_minutes, source.tags, source.paused_at) == (15, ["home"], None)
    run("change_source", "notes", "--tags=sea,boat", "--pause")
    source.refresh_from_db()
    assert (source.interval_minutes, source.tags) == (15, ["sea", "boat"])
    assert source.paused_at is not None
    monkeypatch.setattr("documents.management.setting_arguments.getpass", lambda _: "open")
    run("change_source", "notes", "branch=", "token", "--tags=", "--resume")
    source.refresh_from_db()
    assert settings_with_secrets(source) == {"url": git["url"], "include": patterns, "token": "open"}
    assert not source.tags
    assert source.paused_at is None
    run("change_source", "notes", "token=")
    assert "token" not in settings_with_secrets(Source.objects.get())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "Nothing to change"),
        (["url=https://evil.example/x"], "token: must be given again for the new address"),
        (["url=nowhere", "token=sesame"], "url: must be"),
        (["colour=red"], "colour: "),
        (["branch"], "branch: has no value"),
        (["--every=-1"], "interval_minutes: must be"),
        (["--tags=" + ",".join(f"t{number}" for number in range(60))], "tags: "),
    ],
)
def test_an_invalid_change_is_named_and_nothing_is_changed(owner: User, arguments: list[str], problem: str) -> None:
    make_source(owner, kind="git", url="https://git.example/x", token="sesame")
    before = Source.objects.values().get()
    with pytest.raises(CommandError, match=problem) as error:
        run("change_source", "notes", *arguments)
    assert "sesame" not in str(error.value)
    assert Source.objects.values().get() == before


def test_a_failed_sync_ends_with_an_error_and_the_other_sources_are_synced(owner: User, tmp_path: Path) -> None:
    make_source(owner, "a", path="/nowhere/at/all")
    other = folder_source(owner, tmp_path, "b")
    write(tmp_path, boat="The boat.")
    with pytest.raises(CommandError, match=r"^Not synced: a\.$"):
        run("sync_sources")
    assert active_keys(other) == ["boat.md"]


def test_an_unknown_name_is_an_error(owner: User) -> None:
    for command in ("sync_sources", "remove_source", "change_source"):
        with pytest.raises(CommandError, match="There is no source 'x'"):
            run(command, "x")
    assert "There are no sources" in run("sync_sources")


def test_a_mass_removal_is_confirmed_for_one_source(owner: User, tmp_path: Path) -> None:
    source = folder_source(owner, tmp_path)
    write(tmp_path, **{f"n{number}": f"Number {number}." for number in range(21)})
    run("sync_sources")
    for number in range(20):
        (tmp_path / f"n{number}.md").unlink()
    with pytest.raises(CommandError, match="Name it"):
        run("sync_sources", "--confirm-removals")
    written = StringIO()
    with pytest.raises(CommandError, match="Not synced: notes"):
        call_command("sync_sources", "notes", "--user", "owner", stdout=written)
    assert "To confirm it here: manage.py sync_sources notes --confirm-removals" in written.getvalue()
    assert run("sync_sources", "notes", "--confirm-removals").startswith("notes: 0 added, 0 changed, 20 removed")
    assert active_keys(source) == ["n20.md"]


def test_the_commands_take_settings_on_the_command_line(owner: User, tmp_path: Path) -> None:
    """`call_command` does not read the options of Django that come first, such as --settings."""
    add = ["manage.py", "add_source", "notes", "folder", f"path={tmp_path}", "--user", "owner"]
    load_command_class("documents", "add_source").run_from_argv(add)
    change = ["manage.py", "change_source", "notes", "include=*.md", "--user", "owner"]
    load_command_class("documents", "change_source").run_from_argv(change)
    assert Source.objects.get().settings == {"path": str(tmp_path), "include": ["*.md"]}
