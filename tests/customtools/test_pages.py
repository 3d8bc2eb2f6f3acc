"""Tests of the pages of custom tools, their hosts, secrets and log."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from customtools import storing
from customtools.describing import describe
from customtools.models import AllowedHost, CustomTool, ToolLogLine, ToolSecret
from customtools.running.log import KEPT_LINES, add_line, tool_log
from customtools.running.secrets import CallSecrets
from customtools.sandbox import script
from customtools.sandbox.lua_messages import PRELUDE_MESSAGES
from mcpapi.admin.custom_tools.examples import ARGUMENTS, EXAMPLES
from mcpapi.tools.custom.arguments import validator_of
from oauthserver.models import User
from tests.customtools.support import allow, make_http_tool, make_secret, make_tool
from tests.customtools.test_files import GREET
from tests.support.factories import HOST, Assistant, make_user

LIST = "/admin/custom-tools/"
ADD = f"{LIST}add/?kind=lua"
HOSTS, SECRETS = "/admin/customtools/allowedhost/", "/admin/customtools/toolsecret/"


@pytest.fixture
def pages(owner: User) -> Client:
    """The owner's browser, logged in."""
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client


def typed(source: str = GREET, version: int = 0, **changes: str) -> dict[str, str]:
    return {"source": source, "is_enabled": "on", "arguments": "{}", "version": str(version), **changes}


def added(pages: Client, source: str = GREET) -> CustomTool:
    assert pages.post(ADD, typed(source)).status_code == 302
    return CustomTool.objects.latest("pk")


def problems(response: object) -> str:
    form = response.context["form"]  # type: ignore[attr-defined]
    return " ".join(message for messages in form.errors.values() for message in messages)


def test_a_saved_tool_is_called_by_apps(pages: Client, assistant: Assistant) -> None:
    tool = added(pages)
    assert (tool.name, tool.version) == ("greet", 1)
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Hello, Ada"}
    shown = pages.get(LIST).content.decode()
    assert "greet" in shown
    assert "disabled" not in shown


def test_a_change_is_used_at_the_next_call(pages: Client, assistant: Assistant) -> None:
    tool = added(pages)
    assistant.call("greet", name="Ada")
    page = f"{LIST}{tool.pk}/"
    assert pages.get(page).context["form"]["source"].value() == GREET
    changed = GREET.replace("Hello", "Goodbye")
    assert pages.post(page, typed(changed, 1)).status_code == 302
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Goodbye, Ada"}
    assert CustomTool.objects.get().version == 2


def test_a_disabled_tool_is_not_listed_and_not_called(pages: Client, assistant: Assistant) -> None:
    tool = added(pages)
    pages.post(f"{LIST}{tool.pk}/", {"source": GREET, "arguments": "{}", "version": "1"})
    assert "greet" not in {each["name"] for each in assistant.result("tools/list")["tools"]}
    assert assistant.rpc_error("tools/call", name="greet")["code"] == -32602


def test_a_deleted_tool_is_gone(pages: Client, assistant: Assistant) -> None:
    tool = added(pages)
    assert "Your apps can no longer call it." in pages.get(f"{LIST}{tool.pk}/delete/").content.decode()
    assert CustomTool.objects.exists()
    assert pages.post(f"{LIST}{tool.pk}/delete/").status_code == 302
    assert assistant.rpc_error("tools/call", name="greet")["code"] == -32602
    assert pages.get(f"{LIST}{tool.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "required"),
        ("tool = {", "Line 1"),
        (GREET.replace('"greet"', '"recall"'), "recall is a built-in tool"),
        (GREET.replace('"greet"', '"search"'), "search is a built-in tool"),
        (GREET.replace('"greet"', '"list"'), "list is a built-in tool"),
        (GREET.replace("description", "about", 1), "about: is not known"),
        (GREET.replace("parameters = {", "risk = 'high', parameters = {"), "risk: must be one of none, risky"),
        (GREET.replace("parameters = {", "scope = 'root', parameters = {"), "scope: must be one of memory:read"),
        (GREET.replace("parameters = {", "timeout_seconds = 61, parameters = {"), "from 1 to 60"),
        (GREET.replace("required =", "oneOf ="), "parameters.oneOf: cannot be used"),
        (GREET.replace('type = "string"', 'type = "string", pattern = "(a+)+$"'), "pattern: cannot be used"),
        (GREET + f"\n-- {'x' * 100_001}", "at most 100000"),
        (GREET + "\n-- ghp_" + "a1B2" * 9, "Save it on the page Secrets of tools"),
    ],
)
def test_a_wrong_definition_says_what_to_fix_and_saves_nothing(pages: Client, source: str, said: str) -> None:
    tool = added(pages, GREET.replace('"greet"', '"before"'))
    page = f"{LIST}{tool.pk}/"
    for response in (pages.post(ADD, typed(source)), pages.post(page, typed(source, 1))):
        assert response.status_code == 200
        assert said in problems(response)
    stored = CustomTool.objects.get()
    assert (stored.name, stored.version) == ("before", 1)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (GREET.replace('"greet"', '"recall"'), "recall ist ein eingebautes Werkzeug. Wähle einen anderen Namen."),
        (GREET.replace("description", "about", 1), "about: ist unbekannt. Ein Werkzeug deklariert"),
        (
            GREET.replace("parameters = {", "risk = 'high', parameters = {"),
            "risk: muss eines von diesen sein: none, risky.",
        ),
        (GREET.replace("required =", "oneOf ="), "parameters.oneOf: ist beim Typ object nicht möglich."),
        (
            GREET.replace('type = "string"', f'type = "string", title = "{"x" * 1001}"'),
            "muss ein Text mit höchstens 1.000 Zeichen sein.",
        ),
        (GREET + "\n-- ghp_" + "a1B2" * 9, "Lege es bei den Geheimnissen der Werkzeuge ab"),
    ],
)
def test_a_wrong_definition_is_explained_in_the_language_of_the_page(pages: Client, source: str, said: str) -> None:
    page = pages.post(ADD, typed(source), headers={"accept-language": "de"})
    assert said in unescape(page.content.decode())


def test_a_test_run_that_fails_is_explained_in_the_language_of_the_page(pages: Client) -> None:
    response = pages.post(ADD, typed(GREET, test="1"), headers={"accept-language": "de"})
    page = unescape(response.content.decode())
    assert "Der Testlauf ist fehlgeschlagen" in page
    assert "name: ist erforderlich." in page


def test_of_two_simultaneous_editors_the_second_is_told(pages: Client) -> None:
    tool = added(pages)
    page = f"{LIST}{tool.pk}/"
    first, second = GREET.replace("Hello", "First"), GREET.replace("Hello", "Second")
    assert pages.post(page, typed(first, 1)).status_code == 302
    response = pages.post(page, typed(second, 1))
    assert problems(response) == storing.CHANGED_MEANWHILE
    assert response.context["form"]["source"].value() == second
    assert CustomTool.objects.get().source == first


def test_two_tools_cannot_have_the_same_name(pages: Client) -> None:
    added(pages)
    assert "you already have a tool named greet" in problems(pages.post(ADD, typed()))
    assert CustomTool.objects.count() == 1


def test_there_is_a_largest_number_of_tools(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "MAX_TOOLS", 1)
    added(pages)
    response = pages.post(ADD, typed(GREET.replace('"greet"', '"other"')))
    assert "You have 1 custom tools, which is the maximum" in problems(response)


def test_a_test_run_shows_the_result_and_saves_nothing(pages: Client) -> None:
    response = pages.post(ADD, typed(arguments='{"name": "Ada"}', test="1"))
    assert response.status_code == 200
    assert response.context["outcome"].is_fine
    assert "Hello, Ada" in response.content.decode()
    assert not CustomTool.objects.exists()


def test_the_arguments_of_a_test_run_are_still_there_after_saving(pages: Client, owner: User) -> None:
    assert pages.post(ADD, typed(arguments='{"name": "Ada"}')).status_code == 302
    tool, other = CustomTool.objects.get(), make_tool(owner, "return params")
    assert pages.get(f"{LIST}{tool.pk}/").context["form"]["arguments"].value() == '{"name": "Ada"}'
    assert pages.get(f"{LIST}{other.pk}/").context["form"]["arguments"].value() == "{}"


def test_what_an_http_tool_needs_and_the_owner_has_not_set_up_is_named(pages: Client, owner: User) -> None:
    headers = {"Authorization": "Bearer {{secret:home_token}}", "X-Key": "{{secret:other_key}}"}
    tool = make_http_tool(owner, {"url": "http://192.168.1.20:8123/api", "headers": headers})
    page = f"{LIST}{tool.pk}/"
    stored = {"source": tool.source, "is_enabled": "on", "arguments": "{}", "version": "1"}
    saved = " ".join(pages.post(page, stored, follow=True).content.decode().split())
    assert "<code>http://192.168.1.20:8123</code> is not among" in saved
    assert "It needs secrets that are not among" in saved
    assert "<code>home_token, other_key</code>" in saved
    tested = pages.post(page, {**stored, "source": "return 1", "test": "1", "version": "2"}).content.decode()
    assert "Test run" in tested
    assert "is not among" not in tested
    assert "its server is not allowed" in pages.get(LIST).content.decode()
    make_secret(make_user("other"), "home_token", "x")
    allow(owner, "http://192.168.1.20:8123")
    make_secret(owner, "other_key", "x")
    assert "<code>home_token</code>" in pages.get(page).content.decode()
    assert "a secret is missing" in pages.get(LIST).content.decode()
    make_secret(owner, "home_token", "x")
    assert "It needs a secret" not in pages.get(page).content.decode()
    assert "missing" not in pages.get(LIST).content.decode()


def test_a_test_run_begins_with_the_arguments_of_the_tool(pages: Client) -> None:
    tool = added(pages)
    arguments = pages.get(f"{LIST}{tool.pk}/").context["form"]["arguments"].value()
    assert json.loads(arguments) == {"name": "…"}
    page = pages.post(f"{LIST}{tool.pk}/", typed(version=tool.version, arguments=arguments, test="1"))
    assert page.context["outcome"].is_fine


@pytest.mark.parametrize(
    ("source", "arguments", "said"),
    [
        (GREET, "[", "arguments: must be a JSON object"),
        (GREET, "{}", "name: is required"),
        (GREET.replace("return {", "error('boom') return {"), '{"name": "x"}', "line 13: boom"),
        ("tool = {", "{}", "source: line 1"),
        (GREET.replace("return {", "context.secret('nothing') return {"), '{"name": "x"}', "no secret named nothing"),
    ],
)
def test_a_test_run_shows_the_problem(pages: Client, source: str, arguments: str, said: str) -> None:
    outcome = pages.post(ADD, typed(source, arguments=arguments, test="1")).context["outcome"]
    assert not outcome.is_fine
    assert said in outcome.text


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_examples_can_be_saved(pages: Client, kind: str) -> None:
    page = f"{LIST}add/?kind={kind}"
    source = pages.get(page).context["form"]["source"].value()
    assert pages.post(page, typed(source)).status_code == 302
    assert CustomTool.objects.get().kind == kind


def test_the_example_counts_days(pages: Client, assistant: Assistant) -> None:
    added(pages, EXAMPLES["lua"])
    assert assistant.call("days_until", date="2000-01-01")["result"]["days"] < 0
    failed = assistant.call("days_until", date="tomorrow")
    assert failed["error"]["message"].endswith("date: must be a date such as 2030-12-24")


def test_deleting_selected_servers_says_what_goes_and_what_stays(pages: Client, owner: User) -> None:
    host = AllowedHost.objects.create(owner=owner, origin="https://api.example.com")
    page = pages.post(HOSTS, {"action": "delete_selected", "_selected_action": [host.pk]}).content.decode()
    assert "<h1>Delete this one?</h1>" in page
    assert page.count("<h1") == 1
    assert "multiple objects" not in page
    assert "https://api.example.com" in page
    assert "The tools themselves stay." in page


def test_an_unknown_kind_is_no_page(pages: Client) -> None:
    assert pages.get(f"{LIST}add/?kind=python").status_code == 404


def test_a_tool_of_a_file_can_only_be_switched_off(pages: Client, tools_folder: Path, assistant: Assistant) -> None:
    (tools_folder / "greet.lua").write_text(GREET)
    assert "greet.lua" in pages.get(LIST).content.decode()
    tool = CustomTool.objects.get()
    page = f"{LIST}{tool.pk}/"
    assert "readonly" in pages.get(page).content.decode()
    pages.post(page, {"source": "other", "arguments": "{}", "version": str(tool.version)})
    changed = CustomTool.objects.get()
    assert (changed.source, changed.is_enabled) == (GREET, False)
    assert "greet" not in {each["name"] for each in assistant.result("tools/list")["tools"]}
    pages.post(f"{LIST}{tool.pk}/delete/")
    assert CustomTool.objects.exists()


def test_the_page_shows_the_problem_of_a_file_with_its_line(pages: Client, tools_folder: Path) -> None:
    path = tools_folder / "greet.lua"
    path.write_text(GREET)
    pages.get(LIST)
    path.write_text(f"{GREET}\nreturn =")
    shown = pages.get(LIST).content.decode()
    assert "source: line 16: unexpected symbol" in shown
    assert "The last valid definition is still used." in shown


def test_a_file_takes_precedence_over_the_page(pages: Client, tools_folder: Path, assistant: Assistant) -> None:
    added(pages)
    (tools_folder / "greet.lua").write_text(GREET.replace("Hello", "From a file"))
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "From a file, Ada"}
    assert [each["name"] for each in assistant.result("tools/list")["tools"]].count("greet") == 1
    assert "replaced by a file" in pages.get(LIST).content.decode()
    (tools_folder / "greet.lua").unlink()
    assert assistant.call("greet", name="Ada")["result"] == {"greeting": "Hello, Ada"}


def test_nobody_sees_or_changes_the_tools_of_another_owner(pages: Client) -> None:
    tool = added(pages)
    stranger = Client(headers={"host": HOST})
    stranger.force_login(make_user())
    assert "greet" not in stranger.get(LIST).content.decode()
    assert stranger.get(f"{LIST}{tool.pk}/").status_code == 404
    assert stranger.post(f"{LIST}{tool.pk}/", typed("x", 1)).status_code == 404
    assert stranger.get(f"{LIST}{tool.pk}/delete/").status_code == 404
    assert stranger.post(f"{LIST}{tool.pk}/delete/").status_code == 404
    assert CustomTool.objects.get().version == 1


# --- Hosts, secrets, log


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("https://API.example.com/", "https://api.example.com"),
        ("https://api.example.com:443", "https://api.example.com"),
        ("http://api.example.com:8123", "http://api.example.com:8123"),
        (" https://bücher.example ", "https://xn--bcher-kva.example"),
    ],
)
def test_an_allowed_host_is_stored_in_its_usual_form(pages: Client, given: str, stored: str) -> None:
    assert pages.post(f"{HOSTS}add/", {"origin": given}).status_code == 302
    assert AllowedHost.objects.get().origin == stored
    assert pages.post(f"{HOSTS}add/", {"origin": given}).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        "",
        "api.example.com",
        "ftp://example.com",
        "https://",
        "https://a:b@example.com",
        "https://example.com/path",
        "https://example.com?x",
        "https://exa mple.com",
        "http://127.0.0.1:8123",
        "http://localhost",
        "http://[::1]",
    ],
)
def test_an_invalid_host_is_refused(pages: Client, given: str) -> None:
    assert pages.post(f"{HOSTS}add/", {"origin": given}).status_code == 200
    assert not AllowedHost.objects.exists()


def test_a_private_host_is_allowed_when_it_is_declared_and_only_by_who_runs_the_server(
    pages: Client, owner: User
) -> None:
    declared = {"origin": "http://127.0.0.1:8123", "is_private": "on"}
    User.objects.filter(pk=owner.pk).update(is_superuser=False)
    assert "Only accounts that run this server" in pages.post(f"{HOSTS}add/", declared).content.decode()
    assert not AllowedHost.objects.exists()
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    assert pages.post(f"{HOSTS}add/", declared).status_code == 302
    assert AllowedHost.objects.get().is_private


def test_a_secret_is_stored_encrypted_and_never_shown(pages: Client, owner: User) -> None:
    assert pages.post(f"{SECRETS}add/", {"name": "home_token", "value": "s3cret-value"}).status_code == 302
    secret = ToolSecret.objects.get()
    assert "s3cret-value" not in secret.encrypted_value
    assert CallSecrets(owner.pk).value("home_token") == "s3cret-value"
    for page in (SECRETS, f"{SECRETS}{secret.pk}/change/"):
        assert "s3cret-value" not in pages.get(page).content.decode()
    pages.post(f"{SECRETS}{secret.pk}/change/", {"name": "home_token", "value": "another-one"})
    assert CallSecrets(owner.pk).value("home_token") == "another-one"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", "long-enough"),
        ("Home", "long-enough"),
        ("home token", "long-enough"),
        ("home", "short"),
        ("home", "a\nb\nc\nd"),
    ],
)
def test_an_invalid_secret_is_refused(pages: Client, name: str, value: str) -> None:
    assert pages.post(f"{SECRETS}add/", {"name": name, "value": value}).status_code == 200
    assert not ToolSecret.objects.exists()


def test_the_log_keeps_the_newest_lines_of_each_owner(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_user()
    add_line(other.pk, "greet", ToolLogLine.Level.INFO, "other")
    for number in range(KEPT_LINES + 10):
        add_line(owner.pk, "greet", ToolLogLine.Level.INFO, f"line {number}")
    tool_log.flush()
    kept = set(ToolLogLine.objects.filter(owner=owner).values_list("text", flat=True))
    assert len(kept) <= KEPT_LINES + 1
    assert f"line {KEPT_LINES + 9}" in kept
    assert "line 0" not in kept
    assert ToolLogLine.objects.filter(owner=other).count() == 1


def test_the_log_names_a_test_run_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    for client in ("Test run", "Notebook"):
        add_line(owner.pk, "tool", ToolLogLine.Level.INFO, "Told.", client)
    tool_log.flush()
    page = pages.get("/admin/customtools/toollogline/", headers={"accept-language": "de"}).content.decode()
    assert "<span>Testlauf</span>" in page
    assert "<span>Notebook</span>" in page


def test_the_log_never_contains_what_looks_like_a_secret(owner: User) -> None:
    add_line(owner.pk, "greet", ToolLogLine.Level.INFO, "the key is ghp_" + "a1B2" * 9)
    tool_log.flush()
    assert ToolLogLine.objects.get().text == "(looks like a secret)"


@pytest.mark.parametrize("kind", CustomTool.Kind.values)
def test_the_arguments_of_the_test_run_fit_the_example(owner: User, kind: str) -> None:
    declaration = describe(owner.pk, kind, EXAMPLES[kind])
    arguments = json.loads(ARGUMENTS[kind])
    assert validator_of(declaration.parameters).validate_python(arguments) == arguments


def test_a_wrong_host_is_explained_in_the_language_of_the_page(pages: Client) -> None:
    page = pages.post(f"{HOSTS}add/", {"origin": "foo bar"}).content.decode()
    assert "The address must " in page
    german = pages.post(f"{HOSTS}add/", {"origin": "foo bar"}, headers={"accept-language": "de"}).content.decode()
    assert "Die Adresse darf nur das Schema, den Server und den Port enthalten" in german
    assert "must be" not in german


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('local found = context.recall("x", 5)', "Zeile 3: die Optionen müssen eine Tabelle sein"),
        ("context.recall({})", "Zeile 3: context.recall: query: muss ein Text sein"),
        ('context.recall("x", { limit = 99 })', "Zeile 3: context.recall: limit: darf höchstens 50 sein"),
        ('context.http.get("a b")', "Zeile 3: http: url muss eine URL ohne Leerzeichen sein."),
        ('context.http.get("https://a.example", { verb = 1 })', "Zeile 3: http: verb ist keine Option. Die Optionen"),
        ('context.remember("x")', "Zeile 3: context.remember braucht den Scope memory:write, aber das Skript dekl"),
        ('context.secret("key")', "Zeile 3: Es gibt kein Geheimnis namens key."),
        ('context.json.decode("{")', "Zeile 3: json.decode: Der Text ist kein JSON"),
        ("context.json.encode(print)", "Zeile 3: die Argumente: "),
        ("params.place.name = 1", "Zeile 3: ein Wert vom Typ nil hat keine Felder (field 'place')"),
        ("context.recal()", "Zeile 3: ein Wert vom Typ nil kann nicht aufgerufen werden (field 'recal')"),
        ("string.rep()", "Zeile 3: falsches Argument 1 für 'rep' (string erwartet, aber nichts erhalten)"),
        ('error("No such day")', "Zeile 3: No such day"),
    ],
)
def test_errors_of_a_running_script_are_in_the_language_of_the_page(
    pages: Client, assistant: Assistant, owner: User, body: str, words: str
) -> None:
    make_tool(owner, f"{body}\nreturn 1")
    assistant.error_of("attempt")
    tool_log.flush()
    page = pages.get("/admin/customtools/toollogline/", headers={"accept-language": "de"}).content.decode()
    assert words in unescape(page)


def test_pages_know_each_error_that_the_prelude_raises() -> None:
    source = Path(script.__file__).with_name("prelude.lua").read_text()
    raised = re.findall(r'error\("([^"]+)"(?: \.\. name \.\. "([^"]+)")?', source)
    assert len(raised) == 5
    for start, end in raised:
        assert (f"{start}%(name)s{end}" if end else start) in PRELUDE_MESSAGES


@pytest.mark.parametrize(
    ("kind", "source", "words"),
    [
        ("http", '{"name": }', "Zeile 1: ist kein JSON: hier fehlt ein Wert."),
        ("http", '{"name": "a"', "Zeile 1: ist kein JSON: hier fehlt ein Komma."),
        ("lua", "tool = { name = ", "Zeile 1: unerwartetes Zeichen bei <eof>"),
        ("lua", "function f()\n x = 1\n", "Zeile 3: 'end' fehlt (zu 'function' in Zeile 1) bei <eof>"),
    ],
)
def test_errors_of_parsers_are_in_the_language_of_the_page(pages: Client, kind: str, source: str, words: str) -> None:
    page = pages.post(f"{LIST}add/?kind={kind}", typed(source), headers={"accept-language": "de"}).content.decode()
    assert words in unescape(page)
