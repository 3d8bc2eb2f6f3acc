"""Tests of personal tokens: shown once when created, limited to their scopes, and invalid when deleted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from oauthserver.connections.usage import pending_uses
from oauthserver.models import PersonalToken, User
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate, record_usage
from tests.oauthserver.admin.clicks import TOKENS, choose, shown
from tests.support.factories import make_user
from tests.support.oauth.flow import Browser, call

FORM = {"name": "Backup script", "scopes": ["memory:read"], "tags": "", "lifetime_days": "90"}


def make(browser: Browser, **changes: object) -> str:
    """Create a token and return its value, from the page that shows it."""
    response = browser.client.post(f"{TOKENS}add/", {**FORM, **changes})
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    found = re.search(r"ownsona_[\w-]{43}", response.content.decode())
    assert found, response.content
    return found[0]


def test_a_token_is_shown_once_and_kept_as_a_checksum(browser: Browser) -> None:
    value = make(browser)
    token = PersonalToken.objects.get()
    assert value not in (token.token_sha256, token.name)
    for url in (TOKENS, f"{TOKENS}{token.pk}/change/"):
        page = shown(browser, url)
        assert "Backup script" in page
        assert value not in page
        assert token.token_sha256 not in page


@pytest.mark.parametrize(
    ("scopes", "tags", "tools", "sentences"),
    [
        ("read", [], [], "It can read all memories, but not change any. Its tools are not limited."),
        ("read write", [], [], "It can read and change all memories. Its tools are not limited."),
        ("read write admin", [], [], "It can read, change and permanently delete all memories. Its tools are not"),
        ("write", [], ["remember"], "It can change all memories, but not read any. It can call only remember."),
        ("read", ["work", "home"], [], "It can read only memories tagged work, home, but not change any. Its tools"),
        ("read write", ["work"], ["recall", "*_memory"], "tagged work. It can call only recall, *_memory."),
        ("", ["work"], [], "It can do nothing."),
    ],
)
def test_the_page_of_a_token_says_what_it_can_do(
    browser: Browser, scopes: str, tags: list[str], tools: list[str], sentences: str
) -> None:
    make(browser)
    granted = [f"memory:{scope}" for scope in scopes.split()]
    PersonalToken.objects.update(scopes=granted, tags=tags, tools=tools)
    assert sentences in shown(browser, f"{TOKENS}{PersonalToken.objects.get().pk}/change/")


def test_the_list_says_until_when_a_token_is_valid(browser: Browser) -> None:
    make(browser)
    PersonalToken.objects.update(expires_at=datetime(2126, 2, 26, 12, tzinfo=UTC))
    assert "valid until 26 Feb 2126" in shown(browser, TOKENS)
    PersonalToken.objects.update(expires_at=None)
    assert "valid until you delete it" in shown(browser, TOKENS)
    PersonalToken.objects.update(expires_at=timezone.now())
    page = shown(browser, TOKENS)
    assert "valid until" not in page
    assert "expired" in page


def test_a_script_gets_in_with_it_and_is_counted(
    owner: User, browser: Browser, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    value = make(browser, scopes=["memory:read", "memory:write"], tags="Work")
    with django_assert_num_queries(1):
        principal = authenticate(call(value))
    assert (principal.owner_id, principal.client_name) == (owner.pk, "Backup script")
    assert principal.client_id == f"token:{PersonalToken.objects.get().pk}"
    assert (set(principal.scopes), principal.tags) == ({"memory:read", "memory:write"}, ("work",))
    record_usage(principal, is_write=True)
    pending_uses.flush()
    assert PersonalToken.objects.get().writes == 1


def test_a_token_ends_when_it_says(browser: Browser) -> None:
    value = make(browser)
    ends = PersonalToken.objects.get().expires_at
    assert ends is not None
    assert timedelta(days=89) < ends - timezone.now() <= timedelta(days=90)
    PersonalToken.objects.update(expires_at=timezone.now())
    with pytest.raises(Unauthorized) as refusal:
        authenticate(call(value))
    assert refusal.value.reason == "expired_token"
    assert "expired" in shown(browser, TOKENS)


def test_a_token_may_last_until_it_is_deleted(browser: Browser) -> None:
    value = make(browser, lifetime_days="0")
    assert PersonalToken.objects.get().expires_at is None
    assert authenticate(call(value)).client_name == "Backup script"
    token = PersonalToken.objects.get()
    browser.client.post(f"{TOKENS}{token.pk}/delete/", {"post": "yes"})
    with pytest.raises(Unauthorized):
        authenticate(call(value))


def test_a_paused_token_is_refused_and_a_narrowed_one_may_do_less(browser: Browser) -> None:
    value = make(browser, scopes=["memory:read", "memory:write"])
    token = PersonalToken.objects.get()
    choose(browser, TOKENS, "pause", token)
    with pytest.raises(Forbidden, match="Backup script is paused"):
        authenticate(call(value))
    changed = {"scopes": ["memory:read"], "tags": "home", "profile": "core", "quarantine": "on"}
    browser.client.post(f"{TOKENS}{token.pk}/change/", changed)
    principal = authenticate(call(value))
    assert (set(principal.scopes), principal.tags, principal.quarantine) == ({"memory:read"}, ("home",), True)


def test_a_locked_out_persons_token_is_refused(owner: User, browser: Browser) -> None:
    value = make(browser)
    owner.is_active = False
    owner.save()
    with pytest.raises(Unauthorized):
        authenticate(call(value))


@pytest.mark.parametrize("value", ["ownsona_", "ownsona_" + "x" * 43, "ownsona_a\udc80b", "ownsona_\x00"])
def test_what_only_looks_like_a_token_is_refused(db: None, value: str) -> None:
    with pytest.raises(Unauthorized) as refusal:
        authenticate(call(value))
    assert refusal.value.reason == "invalid_token"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ""}, "This field is required"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"scopes": []}, "Select at least one permission.</span>"),
        ({"lifetime_days": "36500"}, "Select a valid choice"),
        ({"tags": "?"}, "A tag must have at least two characters"),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(browser: Browser, change: dict[str, object], problem: str) -> None:
    response = browser.client.post(f"{TOKENS}add/", {**FORM, **change})
    assert problem in response.content.decode()
    assert not PersonalToken.objects.exists()


def test_loading_the_page_of_a_new_token_again_makes_no_second_one(browser: Browser) -> None:
    make(browser)
    response = browser.client.post(f"{TOKENS}add/", FORM)
    assert "Another of your tokens has this name" in response.content.decode()
    assert PersonalToken.objects.count() == 1


def test_nobody_sees_the_token_of_another(browser: Browser) -> None:
    PersonalToken.objects.create(user=make_user(), name="Foreign", scopes=["memory:read"], token_sha256="f" * 64)
    token = PersonalToken.objects.get()
    assert "Foreign" not in shown(browser, TOKENS)
    for page in ("change", "delete"):
        assert browser.client.get(f"{TOKENS}{token.pk}/{page}/").status_code == 404
