"""Tests of the owner's pages when no model works, or the settings name a model other than the one in use."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from memories.vectors.spaces import cached_space, space_in_use
from oauthserver.models import User
from tests.ownsona_site.pages.test_pages import OWNERS_PAGES
from tests.support.factories import infer, make_memory, quarantined

OTHER_MODEL = "The settings name the embedding model"


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_superuser("owner")


@pytest.mark.parametrize("path", [*OWNERS_PAGES, "/", "/admin/inbox/", "/admin/memories/memory/?state=waiting"])
def test_every_page_opens_where_no_model_has_ever_worked(
    owner: User, pages: Client, settings: Settings, path: str
) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    memory = make_memory(owner, "The cat is called Mimi.")
    response = pages.get(path.replace("ids=1", f"ids={memory.pk}"))
    assert response.status_code == 200


def test_the_overview_says_why_no_model_works(owner: User, pages: Client, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    make_memory(owner, "The cat is called Mimi.")
    response = pages.get("/admin/")
    assert "/nowhere is not a folder with an ONNX sentence-transformer" in response.content.decode()


def test_the_overview_says_that_the_settings_name_another_model_and_what_to_do(
    pages: Client, settings: Settings
) -> None:
    space_in_use()
    assert OTHER_MODEL not in pages.get("/admin/").content.decode()
    settings.EMBEDDING_DIMENSIONS = 96
    page = pages.get("/admin/").content.decode()
    assert OTHER_MODEL in page
    assert "embedding model fake: hashed-words (96), but searches still use fake: hashed-words (64)" in page
    assert "manage.py reembed" in page


def test_that_is_not_told_to_who_cannot_do_anything_about_it(owner: User, pages: Client, settings: Settings) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=False)
    space_in_use()
    settings.EMBEDDING_DIMENSIONS = 96
    cached_space.invalidate()
    assert OTHER_MODEL not in pages.get("/admin/").content.decode()


def test_the_inbox_opens_with_what_waits_though_no_model_works(owner: User, pages: Client, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    infer(quarantined(owner), "Robin is probably a vegetarian.")
    assert "Robin is probably a vegetarian." in pages.get("/admin/inbox/").content.decode()
