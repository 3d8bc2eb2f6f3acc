"""Tests of the page “Connection check”."""

from __future__ import annotations

import re
from datetime import timedelta

import httpx
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer as DjangoServer

from common.pages.relative_times import exact_time
from oauthserver.connections.failure_log import Step
from oauthserver.models import Application, Connection, FailedHandshake, LoginAttempt, PersonalToken, User
from oauthserver.resource_server.bearer import SCRIPT_CLIENT
from ownsona_site.doctor import runner
from ownsona_site.doctor.remedies import REMEDIES, remedy_for
from tests.support.factories import make_access_token, make_app, make_personal_token, make_user
from tests.support.live_server import live_server as served

PAGE = "/admin/connection-check/"


def refuse(
    client: str = "",
    step: str = "token",
    reason: str = "wrong_verifier",
    count: int = 1,
    since: timedelta = timedelta(),
) -> None:
    now = timezone.now()
    FailedHandshake.objects.create(
        step=step, reason=reason, client=client, address="192.0.2.7", first_at=now - since, last_at=now, count=count
    )


@pytest.fixture
def pages(db: None) -> Client:
    """The pages of a superuser."""
    pages = Client(headers={"host": "127.0.0.1:8000"})
    pages.force_login(User.objects.create_superuser("robin"))
    return pages


def test_the_record_says_who_failed_at_what_and_what_to_do(pages: Client) -> None:
    refuse(make_app("Notebook <b>").client_id, count=3)
    page = pages.get(PAGE).content.decode()
    assert "Notebook &lt;b&gt;" in page
    assert "mixed up two logins" in page
    assert "3 times since" in page
    assert "192.0.2.7" in page


def test_a_personal_token_is_named_in_the_language_of_the_page(pages: Client) -> None:
    refuse(SCRIPT_CLIENT, step="call", reason="invalid_token")
    assert "A personal token" in pages.get(PAGE).content.decode()
    german = pages.get(PAGE, headers={"accept-language": "de"}).content.decode()
    assert "Ein eigenes Token" in german
    assert SCRIPT_CLIENT not in german


def test_a_paused_token_or_app_of_the_owner_is_named_with_its_page(pages: Client) -> None:
    owner, other = User.objects.get(username="robin"), make_user()
    make_personal_token(owner, "Kitchen tablet")
    make_personal_token(other, "Somebody else's token")
    app = make_app("Notebook")
    connection = Connection.objects.create(user=owner, application=app)
    Connection.objects.create(user=other, application=app)
    own, foreign = PersonalToken.objects.order_by("pk")
    for client in (f"token:{own.pk}", f"token:{foreign.pk}", app.client_id):
        refuse(client, step="call", reason="app_paused")
    page = pages.get(PAGE).content.decode()
    assert f'<a href="/admin/oauthserver/personaltoken/{own.pk}/change/"><bdi>Kitchen tablet</bdi></a>' in page
    assert f'<a href="/admin/oauthserver/connection/{connection.pk}/change/"><bdi>Notebook</bdi></a>' in page
    assert "resume it on its page under Apps." in page
    assert "Somebody else" not in page
    assert "<b><bdi>A personal token</bdi></b>" in page


def test_a_locked_login_is_not_called_an_app(pages: Client) -> None:
    refuse(step="login", reason="login_locked")
    page = pages.get(PAGE).content.decode()
    assert "Too many wrong passwords or codes" in page
    assert "An app without a name" not in page
    assert "#key" in page
    assert "run <code>manage.py unlock_login</code>." in page


def test_an_empty_record_says_so(pages: Client) -> None:
    assert "None in the last 30 days." in pages.get(PAGE).content.decode()


def test_the_record_costs_four_queries_whatever_its_length(
    pages: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(60):
        refuse(str(number))
    with django_assert_max_num_queries(9):  # type: ignore[operator]  # the fixture has no public type
        page = pages.get(PAGE).content.decode()
    assert page.count("An app without a name") == 0
    assert page.count('<li class="mem">') == 50


def test_the_record_can_be_cleared(pages: Client) -> None:
    refuse()
    assert pages.post(PAGE, {"clear": "yes"})["Location"] == PAGE
    assert not FailedHandshake.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_only_who_runs_the_server_may_look(method: str) -> None:
    visitor = Client(headers={"host": "127.0.0.1:8000"})
    assert getattr(visitor, method)(PAGE)["Location"].startswith("/admin/login/?")
    visitor.force_login(make_user())
    assert getattr(visitor, method)(PAGE).status_code == 403


def test_another_sites_page_cannot_start_a_check(pages: Client) -> None:
    strict = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1:8000"})
    strict.cookies = pages.cookies
    assert strict.post(PAGE).status_code == 403


def test_a_check_is_run_against_this_server_alone(
    live_server: DjangoServer, settings: Settings, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PUBLIC_URL = live_server.url
    asked: list[str] = []

    def noting(url: str, person: User) -> list[runner.CheckResult]:
        asked.append(url)
        return runner.check(url, person)

    monkeypatch.setattr("ownsona_site.doctor.page.check", noting)
    page = pages.post(PAGE, {"url": "http://192.0.2.1/mcp"}).content.decode()
    assert asked == [f"{live_server.url}/mcp"]
    remarkable, passed = page.split("<details>")
    assert "works on this machine only" in remarkable
    assert "A tool responds" in passed
    assert "A tool responds" not in remarkable
    assert not Application.objects.exists()
    assert not FailedHandshake.objects.exists()


def test_the_overview_tells_who_runs_the_server_of_refused_apps(pages: Client) -> None:
    refuse(step="consent", reason="access_denied")
    assert "failed in the last" not in pages.get("/admin/").content.decode()
    refuse()
    assert (
        "1 attempt to connect an app or to log in failed in the last 24 hours." in pages.get("/admin/").content.decode()
    )
    pages.force_login(make_user())
    assert "failed in the last" not in pages.get("/admin/").content.decode()


def test_the_overview_does_not_count_what_the_owner_has_caused(pages: Client) -> None:
    owner = User.objects.get(username="robin")
    app, connected = make_app("Notebook"), make_app("Diary")
    Connection.objects.create(user=owner, application=app)
    make_access_token(owner, app=connected)
    refuse("token:1", step="call", reason="app_paused")
    refuse(app.client_id, step="call", reason="invalid_token")
    refuse(app.client_id, step="refresh", reason="refresh_revoked")
    assert "failed in the last" not in overview(pages)
    assert pages.get(PAGE).content.decode().count('<li class="mem">') == 3
    refuse(connected.client_id, step="call", reason="invalid_token")
    refuse(app.client_id, step="refresh", reason="refresh_replayed")
    assert "2 attempts to connect an app or to log in failed" in overview(pages)


@pytest.mark.parametrize(
    ("address", "network"), [("192.0.2.7", "192.0.2.7"), ("2001:db8::1:2:3:4", "2001:db8::"), (None, None)]
)
def test_a_wrong_password_counts_until_a_login_from_its_network(
    pages: Client, address: str | None, network: str | None
) -> None:
    refuse(step="login", reason="wrong_password", count=2)
    FailedHandshake.objects.update(address=address)
    LoginAttempt.objects.create(name_digest="x", network=network, succeeded=False)
    LoginAttempt.objects.create(name_digest="x", network="198.51.100.1", succeeded=True)
    assert "2 attempts to connect an app or to log in failed" in overview(pages)
    LoginAttempt.objects.create(name_digest="x", network=network, succeeded=True)
    assert ("failed in the last" in overview(pages)) == (address is None)
    assert "A wrong name or password" in pages.get(PAGE).content.decode()


def test_the_overview_counts_attempts_as_the_list_does(pages: Client) -> None:
    refuse("a", count=8)
    refuse("b", count=2)
    assert "8 times since" in pages.get(PAGE).content.decode()
    assert "10 attempts to connect an app or to log in failed in the last 24 hours." in overview(pages)
    refuse("c", count=1_000, since=timedelta(days=3))
    when = exact_time(FailedHandshake.objects.get(client="c").first_at)
    assert f"1,010 attempts to connect an app or to log in have failed since {when}." in overview(pages)
    assert f"1,000 times since {when}" in pages.get(PAGE).content.decode()


def overview(pages: Client) -> str:
    return pages.get("/admin/").content.decode()


@pytest.mark.parametrize("step", Step.values)
def test_there_is_advice_for_what_nobody_has_foreseen(step: str) -> None:
    assert remedy_for(step, "never heard of").endswith(".")


def test_every_step_has_advice_of_its_own_and_none_is_cut_off() -> None:
    advice = [remedy_for(step, reason) for step, reasons in REMEDIES.items() for reason in reasons]
    assert set(REMEDIES) == set(Step)
    assert all(text.endswith(".") and "\n" not in text for text in advice)


def test_a_server_that_can_answer_one_request_at_a_time_says_so_and_goes_on() -> None:
    with served(WEB_CONCURRENCY="1", WEB_THREADS="1") as server, httpx.Client(timeout=60) as browser:
        name, password = server.login
        login = browser.get(f"{server.url}/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', login.text)
        assert token
        form = {"csrfmiddlewaretoken": token[1], "username": name, "password": password, "next": PAGE}
        page = browser.post(f"{server.url}/login/", data=form, follow_redirects=True)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token
        found = browser.post(f"{server.url}{PAGE}", data={"csrfmiddlewaretoken": token[1]})
        assert found.status_code == 200
        assert "increase one of them" in found.text
        assert browser.get(f"{server.url}/health").status_code == 200
