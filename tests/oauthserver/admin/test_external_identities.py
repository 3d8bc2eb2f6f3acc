"""Tests of the owner's page of external identities, which may connect with tokens of the external issuer."""

from __future__ import annotations

from html import unescape

import pytest
from pytest_django import Settings

from oauthserver.models import ExternalIdentity, User
from tests.support.factories import make_user
from tests.support.oauth.flow import Browser

PAGE = "/admin/oauthserver/externalidentity/"
ISSUER = "https://login.example/realms/home"
FORM = {"subject": "ada", "scopes": ["memory:read"], "tags": "Work, home"}


@pytest.fixture
def pages(owner: User, browser: Browser, settings: Settings) -> Browser:
    """The pages of a superuser who trusts an issuer."""
    settings.OIDC_ISSUER, settings.OIDC_AUDIENCE = ISSUER, "https://memory.example"
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    return browser


def test_someone_is_added_with_what_they_may_do(pages: Browser, owner: User) -> None:
    assert pages.client.get(f"{PAGE}add/").status_code == 200

    response = pages.client.post(f"{PAGE}add/", FORM)

    assert response.status_code == 302
    identity = ExternalIdentity.objects.get()
    assert (identity.user, identity.issuer, identity.subject) == (owner, ISSUER, "ada")
    assert (identity.scopes, identity.tags) == (["memory:read"], ["work", "home"])


def test_someone_is_narrowed_and_paused_and_stays_who_they_are(pages: Browser, owner: User) -> None:
    pages.client.post(f"{PAGE}add/", FORM)
    identity = ExternalIdentity.objects.get()
    assert "ada" in pages.client.get(f"{PAGE}{identity.pk}/change/").content.decode()

    scopes = ["memory:read", "memory:write"]
    change = {"subject": "eve", "scopes": scopes, "tags": "", "profile": "auto", "is_paused": "on", "quarantine": "on"}
    assert pages.client.post(f"{PAGE}{identity.pk}/change/", change).status_code == 302

    identity.refresh_from_db()
    assert (identity.subject, identity.scopes, identity.tags) == ("ada", scopes, [])
    assert identity.paused_at is not None
    assert identity.quarantine
    assert "paused" in pages.client.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"subject": ""}, "required"),
        ({"subject": "a\0b"}, "Null characters"),
        ({"subject": "s" * 256}, "255"),
        ({"scopes": []}, "Select at least one"),
        ({"scopes": ["everything"]}, "valid choice"),
    ],
)
def test_what_is_wrong_is_said(pages: Browser, change: dict[str, object], problem: str) -> None:
    response = pages.client.post(f"{PAGE}add/", {**FORM, **change})

    assert problem in response.content.decode()
    assert not ExternalIdentity.objects.exists()


def test_the_same_one_twice_is_refused(pages: Browser) -> None:
    pages.client.post(f"{PAGE}add/", FORM)

    assert "already exists" in pages.client.post(f"{PAGE}add/", FORM).content.decode()
    assert ExternalIdentity.objects.count() == 1


def test_those_of_a_former_issuer_are_shown_as_not_trusted(pages: Browser, settings: Settings) -> None:
    pages.client.post(f"{PAGE}add/", FORM)
    settings.OIDC_ISSUER = "https://other.example"

    assert "not trusted" in pages.client.get(PAGE).content.decode()


def test_the_page_calls_an_identity_by_its_id_only_once(pages: Browser) -> None:
    subject = "8c1f0e6a-33c2-4d0e-b1f5-1f6d8b8f2b11"
    pages.client.post(f"{PAGE}add/", {**FORM, "subject": subject})
    assert "that can use your memories, with the tokens that it issues" in pages.client.get(PAGE).content.decode()

    page = pages.client.get(f"{PAGE}{ExternalIdentity.objects.get().pk}/change/").content.decode()

    main = page.split("<main")[1]
    assert main.count(subject) == 1
    assert "This identity can read your memories" in main
    assert "Delete this identity" in main
    german = pages.client.get(
        f"{PAGE}{ExternalIdentity.objects.get().pk}/change/", headers={"accept-language": "de"}
    ).content.decode()
    assert "Vertrauenswürdig, nie genutzt" in german
    assert "Diese Identität kann deine Erinnerungen und Dokumente lesen" in german


def test_an_identity_can_have_a_name_that_the_pages_show_instead_of_its_id(pages: Browser) -> None:
    subject = "8c1f0e6a-33c2-4d0e-b1f5-1f6d8b8f2b11"
    pages.client.post(f"{PAGE}add/", {**FORM, "subject": subject, "name": " Ada's phone "})
    identity = ExternalIdentity.objects.get()
    listed = unescape(pages.client.get(PAGE).content.decode())
    assert "Ada's phone" in listed
    assert subject not in listed
    path = f"{PAGE}{identity.pk}/change/"
    page = unescape(pages.client.get(path).content.decode()).split("<main")[1]
    assert "Ada's phone can read your memories" in page
    assert "Delete Ada's phone" in page
    assert page.count(subject) == 1
    above, permissions = page.split('id="permissions"')
    assert 'name="name"' in above
    assert above.count('form="permission-form"') == 2, "the field and its button"
    assert '<form id="permission-form"' in permissions
    change = {"name": "Ada", "scopes": ["memory:read"], "tags": "", "profile": "auto"}
    assert pages.client.post(path, change).status_code == 302
    identity.refresh_from_db()
    assert (identity.name, identity.subject) == ("Ada", subject)
    pages.client.post(path, {**change, "name": ""})
    identity.refresh_from_db()
    assert str(identity) == subject
    assert 'maxlength="100"' in pages.client.get(path).content.decode()


@pytest.mark.parametrize("path", ["", "add/"])
def test_nobody_else_says_who_somebody_is(pages: Browser, path: str) -> None:
    pages.client.force_login(make_user())

    assert pages.client.get(f"{PAGE}{path}").status_code == 403


def test_without_an_issuer_there_is_nobody_to_add(pages: Browser, settings: Settings) -> None:
    settings.OIDC_ISSUER = ""

    assert pages.client.get(f"{PAGE}add/").status_code == 403
