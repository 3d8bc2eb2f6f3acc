"""Tests of the security headers of every response, from all parts of the site."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from common.pages.owner_pages import OWNER_POLICY
from memories.models import Memory
from oauthserver.models import User
from ownsona_site.monitoring import health_view
from ownsona_site.pages.views import HOME_POLICY
from ownsona_site.web.security_headers import HEADERS, PAGE_POLICY
from tests.ownsona_site.pages.test_pages import OWNERS_PAGES
from tests.support.factories import HOST, make_memory, make_user
from tests.support.oauth.flow import Registration

JOBS = "/admin/procrastinate/procrastinatejob/"


@pytest.fixture
def owner(db: None) -> User:
    user = make_user("owner")
    user.is_superuser = True
    user.save()
    return user


@pytest.fixture
def pages(owner: User) -> Client:
    """The owner's browser, logged in."""
    client = Client(headers={"host": HOST}, raise_request_exception=False)
    client.force_login(owner)
    return client


def assert_guarded(response: Any, policy: str, opener: str = "same-origin") -> None:
    expected = {
        **HEADERS,
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": opener,
    }
    assert {name: response.headers.get(name) for name in expected} == expected
    assert "Access-Control-Allow-Credentials" not in response


@pytest.mark.parametrize("policy", [PAGE_POLICY, HOME_POLICY, OWNER_POLICY])
def test_no_policy_lets_a_page_run_scripts_of_its_own_or_of_strangers_or_be_framed(policy: str) -> None:
    directives = dict(directive.strip().partition(" ")[::2] for directive in policy.split(";"))
    assert directives["default-src"] == directives["frame-ancestors"] == directives["base-uri"] == "'none'"
    assert set(directives.get("script-src", "").split()) <= {"'self'"}
    sources = {source for value in directives.values() for source in value.split()}
    assert sources <= {"'none'", "'self'"}


@pytest.mark.parametrize("path", OWNERS_PAGES)
def test_the_owners_pages_have_the_strict_policy(pages: Client, owner: User, path: str) -> None:
    memory = make_memory(owner, "The cat is called Mimi.")
    response = pages.get(path.replace("ids=1", f"ids={memory.pk}"))
    assert response.status_code == 200
    assert_guarded(response, OWNER_POLICY)
    assert not re.search(r"<style| style=| on\w+=|<script>", response.content.decode())
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/health", 200),
        ("/static/ownsona/site.css", 200),
        ("/static/ownsona/icon.svg", 200),
        ("/.well-known/oauth-authorization-server", 200),
        ("/oauth/jwks", 200),
        ("/oauth/token", 405),
        ("/login", 302),
        ("/logout/", 405),
        (f"{JOBS}?q=%00", 400),
        ("/nowhere", 404),
    ],
)
def test_everything_else_runs_no_script(pages: Client, path: str, status: int) -> None:
    response = pages.get(path)
    assert response.status_code == status
    assert_guarded(response, PAGE_POLICY)


def test_a_missing_page_of_the_owner_has_the_scripts_of_its_navigation(pages: Client) -> None:
    response = pages.get("/admin/nowhere/")
    assert response.status_code == 404
    assert_guarded(response, OWNER_POLICY)
    assert not re.search(r"<style| style=| on\w+=|<script>", response.content.decode())


def test_the_start_page_runs_scripts_of_the_site_alone(pages: Client) -> None:
    response = pages.get("/")
    assert response.status_code == 200
    assert_guarded(response, HOME_POLICY)
    assert not re.search(r"<style| style=| on\w+=|<script>", response.content.decode())


@pytest.mark.parametrize("path", ["/login/", "/oauth/authorize", ""])
def test_what_an_app_opens_may_report_back_to_it(pages: Client, path: str) -> None:
    response = pages.get(path or Registration.of_new_app().authorize_url())
    assert_guarded(response, PAGE_POLICY, opener="unsafe-none")
    assert "no-store" in response["Cache-Control"]


def test_a_page_that_is_not_ones_own_is_refused_in_the_sites_dress(pages: Client, owner: User) -> None:
    owner.is_superuser = False
    owner.save()
    response = pages.get(JOBS)
    assert response.status_code == 403
    assert_guarded(response, PAGE_POLICY)


def test_a_form_without_its_token_is_refused_in_the_sites_dress(owner: User) -> None:
    response = Client(headers={"host": HOST}, enforce_csrf_checks=True).post("/login/", {"username": "owner"})
    assert response.status_code == 403
    assert "This page is out of date" in response.content.decode()
    assert_guarded(response, PAGE_POLICY)


@pytest.mark.parametrize(
    ("referer", "link"),
    [
        (f"http://{HOST}/admin/add/?text=a%26b", '"/admin/add/?text=a%26b&amp;#unsaved"'),
        (f"http://{HOST}/login/?next=/admin/", '"/login/?next=/admin/&amp;#unsaved"'),
        (f"http://{HOST}/admin/add/", '"/admin/add/?#unsaved"'),
        ("http://elsewhere.example/admin/add/", 'href="/"'),
        ("", 'href="/"'),
    ],
)
def test_an_outdated_form_leads_back_to_its_page(pages: Client, referer: str, link: str) -> None:
    pages.handler.enforce_csrf_checks = True
    response = pages.post("/admin/add/", {"text": "A fact."}, headers={"referer": referer})
    page = response.content.decode()
    assert response.status_code == 403
    assert link in page
    assert "elsewhere" not in page
    assert not Memory.objects.exists()


def test_a_failure_of_our_own_tells_nothing(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("the detail")

    monkeypatch.setattr(health_view, "components", fail)
    response = pages.get("/health")
    assert response.status_code == 500
    assert "the detail" not in response.content.decode()
    assert_guarded(response, PAGE_POLICY)


@pytest.mark.parametrize("path", ["/", "/admin/", "/static/ownsona/site.css", "/nowhere"])
def test_with_an_https_address_browsers_are_to_insist_on_it_for_a_month(
    pages: Client, settings: Settings, path: str
) -> None:
    assert "Strict-Transport-Security" not in pages.get(path)
    settings.PUBLIC_URL = "https://memory.example"
    assert pages.get(path)["Strict-Transport-Security"] == "max-age=2592000"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("origin", "status"), [(None, 401), ("http://localhost:6274", 401), ("https://evil.example", 403)]
)
def test_what_programs_are_answered_is_no_page_comes_by_https_and_depends_on_the_origin(
    settings: Settings, origin: str | None, status: int
) -> None:
    settings.PUBLIC_URL = "https://memory.example"
    response = Client(headers={"host": HOST, **({"origin": origin} if origin else {})}).post("/mcp")
    assert response.status_code == status
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Strict-Transport-Security"] == "max-age=2592000"
    assert response["Vary"] == "Origin"
    assert response.get("Access-Control-Allow-Origin") == (origin if status == 401 else None)
