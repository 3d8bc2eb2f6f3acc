"""Tests of the choices on the consent page, of its defaults, and of the scopes that are granted."""

from __future__ import annotations

from mcpapi.tools import TOOLS
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection as Kept
from oauthserver.models import User
from oauthserver.resource_server.bearer import authenticate
from tests.support.factories import make_memory, make_user
from tests.support.oauth.flow import ALL_SCOPES, ALLOW_READING, Browser, Connection, Registration, call, ticked


def page(browser: Browser, registration: Registration, scope: str | None = ALL_SCOPES) -> str:
    response = browser.client.get(registration.authorize_url(scope=scope))
    assert response.status_code == 200
    return str(response.content.decode())


def test_earlier_choices_come_ticked(browser: Browser, registration: Registration) -> None:
    assert ticked(page(browser, registration)) == {*ALL_SCOPES.split(), "all"}

    Connection.of(browser, registration, scopes="memory:read")

    assert ticked(page(browser, registration)) == {"memory:read", "all"}
    assert "You allowed this app before" in page(browser, registration)


def test_a_scope_that_is_asked_for_later_does_not_take_the_others_away(
    browser: Browser, registration: Registration
) -> None:
    first = Connection.of(browser, registration, scopes="memory:read")
    code = browser.decide(registration.authorize_url(scope="memory:admin"), scopes="memory:admin")["code"]
    assert registration.exchange(code).json()["scope"] == "memory:admin"

    assert Kept.objects.get().scopes == ["memory:read", "memory:admin"]
    assert "It keeps what you allowed before: delete permanently, and export everything." in page(
        browser, registration, "memory:read"
    )
    assert authenticate(call(first.access_token)).scopes == {"memory:read"}


def test_the_page_says_that_a_permission_also_covers_documents(browser: Browser, registration: Registration) -> None:
    text = page(browser, registration)
    for said in ("Read your memories and documents", "what your documents say", "add documents, and forget both"):
        assert said in text


def test_what_is_asked_for_the_first_time_is_marked_as_new(browser: Browser, registration: Registration) -> None:
    assert 'class="new"' not in page(browser, registration)

    browser.decide(registration.authorize_url(scope="memory:read"), scopes="memory:read")

    assert 'class="new"' not in page(browser, registration, "memory:read")
    assert page(browser, registration).count('class="new"') == 2


def test_a_permission_that_is_taken_back_is_gone_from_older_tokens_too(
    browser: Browser, registration: Registration
) -> None:
    first = Connection.of(browser, registration)
    browser.decide(registration.authorize_url(), scopes="memory:read")

    assert authenticate(call(first.access_token)).scopes == {"memory:read"}


def test_an_app_that_comes_back_after_it_was_cut_off_has_no_old_permissions(
    browser: Browser, registration: Registration
) -> None:
    Connection.of(browser, registration)
    disconnect(Kept.objects.get())

    assert ticked(page(browser, registration)) == {*ALL_SCOPES.split(), "all"}
    browser.decide(registration.authorize_url(scope="memory:read"), scopes="memory:read")
    assert Kept.objects.get().scopes == ["memory:read"]


def test_an_app_may_see_only_memories_with_some_tags(owner: User, browser: Browser, registration: Registration) -> None:
    make_memory(owner, "The cat is called Mimi.", tags=["pets"])
    make_memory(make_user(), "Somebody else's secret.", tags=["foreign"])
    offered = page(browser, registration)
    assert 'value="pets"' in offered
    assert "foreign" not in offered

    url = registration.authorize_url()
    form = {**ALLOW_READING, "memories": "tagged", "tag": "pets", "typed_tags": "Job, two words"}
    assert browser.client.post(url, form).status_code == 302

    kept = Kept.objects.get()
    assert kept.tags == ["pets", "work", "two-words"]
    assert ticked(page(browser, registration)) == {"memory:read", "tagged", "pets", "work", "two-words"}


def test_the_tags_of_an_app_come_with_every_call(browser: Browser, registration: Registration) -> None:
    answer = browser.decide(registration.authorize_url(), tags=["work", "home"])
    token = registration.exchange(answer["code"]).json()["access_token"]

    assert authenticate(call(token)).tags == ("work", "home")


def test_choosing_some_memories_takes_a_tag(browser: Browser, registration: Registration) -> None:
    for typed in ("", " , ", "!", "?, -"):
        form = {**ALLOW_READING, "memories": "tagged", "typed_tags": typed}
        response = browser.client.post(registration.authorize_url(), form)
        assert response.status_code == 200
        page = response.content.decode()
        tags = page.index('class="tags"')
        assert page.count("Choose at least one tag, or all memories.") == 1
        assert page.index("Choose at least one tag, or all memories.") > tags, "the error is beside the tags"
        assert page.index("autofocus") > tags
    assert not Kept.objects.exists()


def test_tags_are_other_ones_only_beside_those_to_choose_from(
    owner: User, browser: Browser, registration: Registration
) -> None:
    url = registration.authorize_url()
    assert "Other tags, separated" not in browser.client.get(url).content.decode()
    make_memory(owner, "The cat is called Mimi.", tags=["pets"])
    assert "Other tags, separated" in browser.client.get(url).content.decode()


def test_typed_tags_count_only_when_some_memories_are_chosen(browser: Browser, registration: Registration) -> None:
    browser.client.post(registration.authorize_url(), {**ALLOW_READING, "typed_tags": "work"})

    assert Kept.objects.get().tags == []


def test_a_wrong_tag_is_named_and_nothing_is_granted(browser: Browser, registration: Registration) -> None:
    for typed in ("x" * 2000, "a\0b"):
        form = {**ALLOW_READING, "memories": "tagged", "typed_tags": typed}
        response = browser.client.post(registration.authorize_url(), form)
        assert response.status_code == 200
        assert 'role="alert"' in response.content.decode()
    assert not Kept.objects.exists()


def test_the_page_promises_only_what_there_is(browser: Browser, registration: Registration) -> None:
    shown = page(browser, registration)
    assert "You can restore what it forgets." in shown
    assert "undo" not in shown.lower() or "undo" in {tool.name for tool in TOOLS}
