"""Tests of adding sources: kinds, fields, errors, and secrets that no page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from documents.admin.source_pages.labels import KINDS
from documents.connectors.parts.network_policy import ALLOW_PRIVATE
from documents.connectors.registry import CONNECTORS
from documents.models import Source
from documents.sources.stored_settings import settings_with_secrets
from oauthserver.models import User
from tests.documents.sources.support import make_source

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue", "owner")]

ADD = "/admin/documents/source/add/"
GIT = {"name": "code", "url": "https://git.example/x", "token": "sesame-token", "interval_minutes": "60"}


NOT_OFFERED = {"web": {"hidden"}}
"""Settings that mean nothing for web pages: they have no hidden files."""


def post(pages: Client, kind: str, **fields: object) -> Any:
    return pages.post(f"{ADD}?kind={kind}", {"interval_minutes": "60", **fields})


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 200
    return dict(response.context["form"].errors)


def test_every_kind_is_offered_with_a_name_and_a_form_with_help_texts(pages: Client) -> None:
    page = pages.get(ADD).content.decode()
    assert set(KINDS) == set(CONNECTORS)
    for kind in CONNECTORS:
        assert f'href="?kind={kind}"' in page
        form = pages.get(f"{ADD}?kind={kind}").context["form"]
        settings = CONNECTORS[kind].settings_model.model_fields
        assert list(form.fields) == ["name", *form._settings, "tags", "interval_minutes", "is_paused"]
        assert set(form._settings) == set(settings) - NOT_OFFERED.get(kind, set())
        for field in form.fields.values():
            assert field.help_text
            assert str(field.label) + "." != str(field.help_text)
            assert not re.search(r"[a-z]_[a-z]", f"{field.label} {field.help_text}")
    assert pages.get(f"{ADD}?kind=ftp").status_code == 404


def test_a_folder_is_added_with_its_patterns(pages: Client, tmp_path: Path) -> None:
    response = post(
        pages,
        "folder",
        name="notes",
        path=str(tmp_path),
        include="*.md\r\n\r\n *.pdf ",
        ignore_files="on",
        tags="home, sea",
    )
    source = Source.objects.get()
    assert response["Location"] == f"/admin/documents/source/{source.pk}/change/"
    assert source.settings == {"path": str(tmp_path), "include": ["*.md", "*.pdf"]}
    assert (source.tags, source.interval_minutes, source.paused_at) == (["home", "sea"], 60, None)
    assert source.next_run_at is not None


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Recipes", "recipes"),
        (" My notes ", "my-notes"),
        ("Ruth's_notes -- 2026!", "ruths-notes-2026"),
        ("Bücher", "buecher"),
    ],
)
def test_any_short_name_is_accepted_and_the_page_says_what_it_becomes(
    pages: Client, tmp_path: Path, typed: str, name: str
) -> None:
    page = pages.get(post(pages, "folder", name=typed, path=str(tmp_path))["Location"]).content.decode()
    assert Source.objects.get().name == name
    assert f"Added as “{name}”." in page


@pytest.mark.parametrize("below", ["", "inside"])
def test_the_data_folder_is_refused_before_the_first_sync(
    owner: User, pages: Client, settings: Settings, tmp_path: Path, below: str
) -> None:
    (tmp_path / "inside").mkdir()
    settings.DATA_DIR = tmp_path
    refused = ["The folder of OwnSona's own data cannot be a source."]
    assert errors(post(pages, "folder", name="notes", path=str(tmp_path / below))) == {"path": refused}
    assert not Source.objects.exists()
    page = f"/admin/documents/source/{make_source(owner, path='/notes').pk}/settings/"
    sent = {"path": str(tmp_path / below), "ignore_files": "on", "interval_minutes": "60"}
    assert errors(pages.post(page, sent)) == {"path": refused}


def test_what_differs_from_the_defaults_is_stored(pages: Client) -> None:
    post(pages, "web", name="site", urls="https://a.example/\nhttps://b.example/", pause_seconds="2.5", exclude="/ads/")
    assert Source.objects.get().settings == {
        "urls": ["https://a.example/", "https://b.example/"], "pause_seconds": 2.5, "exclude": ["/ads/"],
    }  # fmt: skip


def test_a_source_can_be_added_paused_and_synced_only_by_hand(pages: Client, tmp_path: Path) -> None:
    page = post(pages, "folder", name="notes", path=str(tmp_path), is_paused="on", interval_minutes="0")
    source = Source.objects.get()
    assert source.paused_at is not None
    assert source.next_run_at is None
    assert "Added as “notes”. It is paused." in pages.get(page["Location"]).content.decode()


def test_secrets_are_stored_encrypted_and_shown_on_no_page(pages: Client) -> None:
    assert pages.post(f"{ADD}?kind=git", GIT).status_code == 302
    source = Source.objects.get()
    assert settings_with_secrets(source)["token"] == "sesame-token"
    for path in ("", f"{source.pk}/change/", f"{source.pk}/settings/", f"{source.pk}/remove/"):
        assert "sesame" not in pages.get(f"/admin/documents/source/{path}").content.decode()


def test_a_secret_is_not_sent_back_with_an_error(pages: Client) -> None:
    response = pages.post(f"{ADD}?kind=git", {**GIT, "url": "nowhere"})
    assert set(errors(response)) == {"url"}
    assert "sesame" not in response.content.decode()


@pytest.mark.parametrize(
    ("kind", "fields", "field", "problem"),
    [
        ("folder", {"path": "notes"}, "path", "Must be an absolute path"),
        ("folder", {"path": ""}, "path", "This field is required."),
        ("folder", {"path": "/no-such-folder"}, "path", "There is no such folder. If it is on a disk"),
        ("folder", {"path": __file__}, "path", "There is no such folder."),
        ("folder", {"path": "/", "exclude": "[z-a]"}, "exclude", "Must contain patterns"),
        ("folder", {"path": "/", "name": "日記"}, "name", "Must have 1 to 32 lower-case letters"),
        ("folder", {"path": "/", "name": "Memory"}, "name", "Is the name of a built-in source"),
        ("folder", {"path": "/", "tags": ",".join(f"t{n}" for n in range(60))}, "tags", "50"),
        ("folder", {"path": "/", "interval_minutes": "7"}, "interval_minutes", "Select a valid choice"),
        (
            "git",
            {"url": "http://git.example/x"},
            "url",
            "Must be an https URL, unless servers in your own network are allowed",
        ),
        ("git", {"url": "ssh://git.example/x", "token": "sesame"}, "token", "Only used with an https URL."),
        ("web", {"urls": "ftp://a.example/"}, "urls", "Must be an http or https URL."),
        ("web", {"urls": "https://a.example/", "pause_seconds": "600"}, "pause_seconds", "less than or equal to 60"),
        ("s3", {"endpoint": "https://s3.example", "bucket": "a/b"}, "bucket", "Must be the name of a bucket"),
        ("s3", {"endpoint": "https://s3.example", "bucket": "abc", "access_key": "AK"}, "secret_key", "Must be given"),
    ],
)
def test_an_error_names_the_field_and_what_is_allowed(
    pages: Client, kind: str, fields: dict[str, str], field: str, problem: str
) -> None:
    found = errors(post(pages, kind, **{"name": "notes", **fields}))
    assert list(found) == [field]
    assert problem in found[field][0]
    assert not Source.objects.exists()


def test_no_problem_names_a_setting_in_code(pages: Client) -> None:
    problems = [
        *errors(post(pages, "git", name="notes", url="http://git.example/x"))["url"],
        *errors(post(pages, "s3", name="notes", endpoint="http://s3.example", bucket="abc"))["endpoint"],
        *errors(post(pages, "s3", name="notes", endpoint="https://s3.example", bucket="abc", access_key="AK"))[
            "secret_key"
        ],
        ALLOW_PRIVATE,
    ]
    assert not [problem for problem in problems if "_" in problem]


def test_a_web_source_keeps_a_setting_that_the_page_does_not_offer(owner: User, pages: Client) -> None:
    source = make_source(owner, kind="web", urls=["https://a.example/"], hidden=True)
    page = f"/admin/documents/source/{source.pk}/settings/"
    pages.post(page, {"urls": "https://b.example/", "pause_seconds": "0.5", "interval_minutes": "60"})
    source.refresh_from_db()
    assert source.settings["urls"] == ["https://b.example/"]
    assert source.settings["hidden"] is True


def test_all_fields_are_checked_at_once(pages: Client) -> None:
    assert set(errors(post(pages, "folder", name="日記", path="notes"))) == {"name", "path"}


def test_a_name_is_used_once(owner: User, pages: Client) -> None:
    make_source(owner, path="/notes")
    assert "There is already a source notes." in errors(post(pages, "folder", name="Notes", path="/"))["name"][0]
