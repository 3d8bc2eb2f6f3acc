"""Tests of attacks on the consent page: the refusals, where they are shown, and that only the owner's click grants."""

from __future__ import annotations

import pytest
from django.test import Client
from oauth2_provider.models import Grant

from oauthserver.models import Application, Connection, User
from tests.support.oauth.flow import ALLOW_READING, CHALLENGE, HOST, Browser, Registration, http_client, parameters_of

ISSUER = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "too-short"}, "invalid_request"),
        ({"code_challenge": CHALLENGE[:-1] + "="}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unauthorized_client"),
        ({"response_type": "none"}, "unauthorized_client"),
        ({"response_type": None}, "invalid_request"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000/mcp\0"}, "invalid_request"),
        ({"nonce": "a\0b"}, "invalid_request"),
        ({"prompt": "none"}, "consent_required"),
    ],
)
def test_a_bad_request_goes_back_to_the_app_before_anyone_is_asked(
    browser: Browser, registration: Registration, changes: dict[str, str | None], error: str
) -> None:
    response = browser.client.get(registration.authorize_url(**changes))

    assert response.status_code == 302
    answer = parameters_of(response["Location"])
    assert (answer["error"], answer["state"], answer["iss"]) == (error, "xyz", ISSUER)
    assert "code" not in answer


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "nobody"},
        {"client_id": None},
        {"client_id": "a\0b"},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1:33418/callback/../evil"},
        {"redirect_uri": "http://127.0.0.1:33418/callback?evil=1"},
        {"redirect_uri": "http://127.0.0.1:33418/callback#evil"},
        {"redirect_uri": "http://127.0.0.1:33418@evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1:33418\\@evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1:33418/%63allback"},
        {"redirect_uri": "http://127.0.0.1:33418/callback\n"},
        {"redirect_uri": "http://127.0.0.1:33418/callback\0"},
        {"redirect_uri": "http://localhost:33418/callback"},
    ],
)
def test_nobody_is_sent_to_an_address_that_the_app_did_not_register(
    browser: Browser, registration: Registration, changes: dict[str, str | None]
) -> None:
    response = browser.client.get(registration.authorize_url(**changes))

    assert response.status_code == 400
    assert "This app cannot be connected" in response.content.decode()


@pytest.mark.parametrize(
    ("changes", "language", "problem"),
    [
        ({"client_id": "nobody"}, "en", "The app is not registered here, or its registration was deleted."),
        ({"redirect_uri": "https://x.example/"}, "en", "The app registered with a different redirect address."),
        ({"client_id": "nobody"}, "de", "Die App ist hier nicht registriert, oder ihre Registrierung wurde gelöscht."),
    ],
)
def test_the_page_about_a_refused_app_says_the_problem_in_plain_words(
    browser: Browser, registration: Registration, changes: dict[str, str | None], language: str, problem: str
) -> None:
    page = browser.client.get(registration.authorize_url(**changes), headers={"Accept-Language": language})
    assert problem in page.content.decode()


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "scope", "state", "code_challenge"])
def test_a_repeated_parameter_is_refused(browser: Browser, registration: Registration, name: str) -> None:
    response = browser.client.get(f"{registration.authorize_url()}&{name}=again")

    refused_on_page = response.status_code == 400
    refused_by_redirect = response.status_code == 302 and "Duplicate" in response["Location"]
    assert refused_on_page or refused_by_redirect


@pytest.mark.parametrize(
    "name",
    [
        *("client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method"),
        *("resource", "prompt", "a\0"),
    ],
)
@pytest.mark.parametrize("value", ["\0", "x\0y"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_nul_character_is_refused_wherever_it_stands(
    browser: Browser, registration: Registration, name: str, value: str, method: str
) -> None:
    url = registration.authorize_url(**{name: value})

    response = getattr(browser.client, method)(url, {"decision": "allow"} if method == "post" else None)

    assert response.status_code == 400 or "error=" in response["Location"]
    assert not Grant.objects.exists()


@pytest.mark.parametrize("name", ["decision", "scope", "memories", "tag", "typed_tags", "csrfmiddlewaretoken"])
def test_a_nul_character_in_the_decision_is_no_server_error(
    browser: Browser, registration: Registration, name: str
) -> None:
    response = browser.client.post(registration.authorize_url(), {**ALLOW_READING, name: "a\0b"})

    assert response.status_code in {200, 302}
    assert Grant.objects.count() == (name == "csrfmiddlewaretoken"), "the tests' client checks no such token"


@pytest.mark.parametrize("query", ["%zz", "client_id=%ff%fe", "=", "&&&", "client_id[]=x", "a=%ed%a0%80", "client_id"])
def test_a_broken_query_is_refused_without_a_server_error(browser: Browser, query: str) -> None:
    assert browser.client.get("/oauth/authorize", QUERY_STRING=query).status_code == 400


@pytest.mark.parametrize("changes", [{"response_type": "token"}, {"prompt": "none"}])
def test_a_signed_out_person_is_shown_the_login_and_sent_to_no_app(
    registration: Registration, changes: dict[str, str]
) -> None:
    response = http_client().get(registration.authorize_url(**changes))

    assert response["Location"].startswith("/login/?")


@pytest.mark.parametrize("extra", ["approval_prompt=auto", "allow=true", "decision=allow&scope=x", "prompt=consent"])
def test_a_link_alone_never_grants_anything(browser: Browser, registration: Registration, extra: str) -> None:
    browser.decide(registration.authorize_url())
    Grant.objects.all().delete()

    browser.client.get(f"{registration.authorize_url()}&{extra}")

    assert not Grant.objects.exists()


def test_the_page_is_shown_again_to_an_app_that_was_let_in_before(browser: Browser, registration: Registration) -> None:
    browser.decide(registration.authorize_url())

    assert browser.client.get(registration.authorize_url()).status_code == 200


def test_consent_without_a_csrf_token_grants_nothing(owner: User, registration: Registration) -> None:
    client = http_client(enforce_csrf_checks=True)
    client.force_login(owner)

    response = client.post(registration.authorize_url(), ALLOW_READING)

    assert response.status_code == 403
    assert not Grant.objects.exists()


def test_consent_from_another_origin_grants_nothing(owner: User, registration: Registration) -> None:
    client = http_client(enforce_csrf_checks=True)
    client.force_login(owner)
    client.get(registration.authorize_url())
    token = client.cookies["csrftoken"].value
    form = {**ALLOW_READING, "csrfmiddlewaretoken": token}

    foreign = client.post(registration.authorize_url(), form, headers={"origin": "https://evil.example"})
    own = client.post(registration.authorize_url(), form, headers={"origin": f"http://{HOST}"})

    assert foreign.status_code == 403
    assert own.status_code == 302


def test_fields_added_to_the_form_change_nothing(browser: Browser, registration: Registration) -> None:
    other = Registration.of_new_app(client_name="Other")
    form = {
        **ALLOW_READING,
        "client_id": other.client_id,
        "redirect_uri": "https://evil.example/callback",
        "code_challenge": "",
        "state": "forged",
    }

    response = browser.client.post(registration.authorize_url(scope="memory:read memory:write"), form)

    assert response["Location"].startswith("http://127.0.0.1:33418/callback?")
    assert parameters_of(response["Location"])["state"] == "xyz"
    grant = Grant.objects.get()
    assert (grant.application.client_id, grant.scope) == (registration.client_id, "memory:read")
    assert (grant.code_challenge, grant.code_challenge_method) == (CHALLENGE, "S256")


@pytest.mark.parametrize(
    "change",
    [{"scope": ["memory:read", "memory:admin"]}, {"scope": "everything"}, {"memories": "some"}, {"memories": "tagged"}],
)
def test_a_choice_that_was_not_offered_grants_nothing(
    browser: Browser, registration: Registration, change: dict[str, object]
) -> None:
    url = registration.authorize_url(scope="memory:read memory:write")

    response = browser.client.post(url, {**ALLOW_READING, **change})

    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()
    assert not Grant.objects.exists()
    assert not Connection.objects.exists()


@pytest.mark.parametrize("state", ["a b&c=d#e", "x\r\nLocation: https://evil.example/", "é\u2028<script>", "s" * 4000])
def test_the_state_comes_back_as_it_was_and_nothing_else(
    browser: Browser, registration: Registration, state: str
) -> None:
    response = browser.client.post(registration.authorize_url(state=state), {"decision": "deny"})

    assert parameters_of(response["Location"])["state"] == state
    assert response["Location"].startswith("http://127.0.0.1:33418/callback?")
    assert response["Location"].isascii()
    assert "\n" not in response["Location"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "DELETE"])
def test_nothing_but_a_post_decides(browser: Browser, registration: Registration, method: str) -> None:
    browser.client.generic(method, f"{registration.authorize_url()}&decision=allow&scope=memory:read")
    browser.client.get(registration.authorize_url(), headers={"x-http-method-override": "POST"})

    assert not Grant.objects.exists()


def test_a_request_cannot_be_handed_over_by_reference_or_in_a_token(
    browser: Browser, registration: Registration
) -> None:
    page = browser.client.get(
        registration.authorize_url(request_uri="https://evil.example/request", request="e30.e30.", registration="{}")
    )

    assert page.status_code in {200, 400}
    assert "evil.example" not in page.content.decode()


def test_parameters_that_only_openid_connect_knows_are_ignored(browser: Browser, registration: Registration) -> None:
    url = registration.authorize_url(nonce="n" * 1000, claims="{", response_mode="fragment", max_age="x")

    assert "code" in browser.decide(url)


def test_html_in_an_apps_name_is_shown_as_text(browser: Browser) -> None:
    app = Registration.of_new_app(client_name="<script>alert(1)</script>")

    page = browser.client.get(app.authorize_url()).content.decode()

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_an_app_without_a_name_is_called_so(browser: Browser, registration: Registration) -> None:
    Application.objects.update(name="")
    page = browser.client.get(registration.authorize_url()).content.decode()
    assert "<h1>An app without a name requests access to your memories</h1>" in page
    assert f"Connect {Application.objects.get().client_id}" not in page
    assert "chose this name" not in page


def test_a_self_registered_app_is_marked_as_unverified(browser: Browser, registration: Registration) -> None:
    url = registration.authorize_url()
    assert "Unverified." in browser.client.get(url).content.decode()

    Application.objects.update(registration_source=Application.RegistrationSource.MANUAL)

    assert "Unverified." not in browser.client.get(url).content.decode()


@pytest.mark.parametrize("page", ["consent", "login", "refused"])
def test_pages_cannot_be_framed_cached_or_scripted(browser: Browser, registration: Registration, page: str) -> None:
    paths = {"consent": registration.authorize_url(), "login": "/login/", "refused": "/oauth/authorize"}

    response = browser.client.get(paths[page], headers={"origin": "https://page.example"})

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert "form-action" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert "no-store" in response["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in response
    assert b"<script" not in response.content
    assert b"style=" not in response.content


def test_a_paused_app_gets_no_consent_page_and_no_code(browser: Browser, registration: Registration) -> None:
    browser.decide(registration.authorize_url())
    Connection.objects.update(paused_at="2026-01-01T00:00:00Z")
    Grant.objects.all().delete()

    for response in (
        browser.client.get(registration.authorize_url()),
        browser.client.post(registration.authorize_url(), ALLOW_READING),
    ):
        assert response.status_code == 403
        assert "You paused" in response.content.decode()
    assert not Grant.objects.exists()


def test_only_get_and_post_are_answered(registration: Registration) -> None:
    assert Client().put(registration.authorize_url()).status_code == 405
