"""Tests of changing sources: settings, tags, schedule, and secrets that are kept, replaced and removed."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from common.advisory_locks import AdvisoryLock, locked
from documents.models import Source
from documents.sources.stored_settings import settings_with_secrets
from oauthserver.models import User
from tests.common.test_advisory_locks import held_elsewhere
from tests.documents.sources.support import make_source

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

URL = "https://git.example/x"


@pytest.fixture
def source(owner: User) -> Source:
    return make_source(owner, "code", "git", url=URL, token="sesame", exclude=["*.lock"], tags=["work"], every=45)


def save(pages: Client, source: Source, **fields: str) -> Any:
    """Send the form with what it shows and `fields`, and return the response."""
    form = pages.get(f"/admin/documents/source/{source.pk}/settings/").context["form"]
    shown = {bound.name: bound.value() for bound in form}
    texts = {name: form[name].field.prepare_value(value) for name, value in shown.items() if value not in (None, False)}
    response = pages.post(f"/admin/documents/source/{source.pk}/settings/", {**texts, **fields})
    source.refresh_from_db()
    return response


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 200
    return dict(response.context["form"].errors)


def test_without_changes_nothing_is_changed(pages: Client, source: Source) -> None:
    before = Source.objects.filter(pk=source.pk).values().get()
    page = save(pages, source)
    assert "Nothing was changed." in pages.get(page["Location"]).content.decode()
    assert Source.objects.filter(pk=source.pk).values().get() == before


def test_settings_tags_and_schedule_are_changed_and_the_secret_is_kept(pages: Client, source: Source) -> None:
    assert save(pages, source, branch="main", exclude="", tags="home", interval_minutes="1440").status_code == 302
    assert source.settings == {"url": URL, "branch": "main"}
    assert (source.tags, source.interval_minutes) == (["home"], 1440)
    assert settings_with_secrets(source)["token"] == "sesame"


def test_a_secret_is_replaced(pages: Client, source: Source) -> None:
    save(pages, source, token="open")
    assert settings_with_secrets(source) == {"url": URL, "exclude": ["*.lock"], "token": "open"}


def test_a_secret_is_removed(pages: Client, source: Source) -> None:
    save(pages, source, remove_token="on")
    assert settings_with_secrets(source) == {"url": URL, "exclude": ["*.lock"]}
    assert source.encrypted_secrets == ""
    assert "remove_token" not in pages.get(f"/admin/documents/source/{source.pk}/settings/").content.decode()


def test_a_secret_is_not_kept_for_another_address(pages: Client, source: Source) -> None:
    response = save(pages, source, url="https://evil.example/x")
    assert errors(response) == {"token": ["Must be given again for the new address."]}
    assert source.settings["url"] == URL
    assert save(pages, source, url="https://git.example/y", token="sesame").status_code == 302
    assert settings_with_secrets(source)["token"] == "sesame"
    assert save(pages, source, url="https://git.example/z", remove_token="on").status_code == 302
    assert "token" not in settings_with_secrets(source)


def test_an_error_names_the_field_and_nothing_is_saved(pages: Client, source: Source) -> None:
    response = save(pages, source, branch="a..b", tags="home")
    assert errors(response) == {"branch": ["Must be the name of a branch."]}
    assert (source.tags, "branch" in source.settings) == (["work"], False)


def test_secrets_that_cannot_be_decrypted_can_be_entered_again(
    pages: Client, source: Source, settings: Settings
) -> None:
    settings.SECRET_KEY_FALLBACKS = []
    settings.SECRET_KEY = "another key " * 4
    # The login is signed with the key, too.
    pages.force_login(User.objects.get(pk=source.owner_id))
    response = save(pages, source, branch="main")
    assert "Enter them again" in errors(response)["__all__"][0]
    assert save(pages, source, token="open").status_code == 302
    assert settings_with_secrets(source)["token"] == "open"


def test_a_source_is_not_changed_while_it_is_synced(pages: Client, source: Source) -> None:
    with held_elsewhere(lambda: locked(AdvisoryLock.SOURCE_SYNC, source.pk)):
        response = save(pages, source, tags="home")
    assert "is being synced" in errors(response)["__all__"][0]
    assert source.tags == ["work"]
