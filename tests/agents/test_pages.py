"""Tests of the owner's pages of agents."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.admin.shipped_words import LINES, NAMES
from agents.admin.words import SHIPPED_TEXTS
from agents.argument_lines import format_argument_lines, parse_argument_lines
from agents.changes import MAX_AGENTS, Outdated, change_agent, create_agent
from agents.definitions import read_definition
from agents.models import Agent
from agents.selectors import get_agent
from agents.shipped import shipped_agents
from agents.toml_files import parse_file
from mcpapi.models import OwnPrompt
from memories.errors import MemoriesError
from oauthserver.models import User
from tests.agents.support import REVIEWER, make_agent, write_file
from tests.support.concurrency import in_threads
from tests.support.factories import HOST, make_user

PAGES = "/admin/agents/"
TYPED = {
    "name": "reviewer",
    "title": "Reviewer",
    "description": "Reviews an incident.",
    "soul": "You review incidents of {service} calmly.",
    "tools": "recall, search_documents",
    "arguments": "service*: The service.\r\nseverity [P1|P2] = P2: How bad.",
    "messages": "[system]\r\nBe brief.\r\n[user]\r\n{severity} in {service}.\r\n{memories:service}\r\n[assistant]\r\n"
    "Understood.",
    "config": '{"temperature": 0.2, "model": "any"}',
}


@pytest.fixture
def pages(owner: User) -> Client:
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client


def test_what_is_typed_is_the_agent(pages: Client, owner: User) -> None:
    response = pages.post(f"{PAGES}add/", TYPED)
    assert (response.status_code, response["Location"]) == (302, f"{PAGES}agent/reviewer/")
    assert get_agent(owner.pk, "reviewer").definition == read_definition(REVIEWER)
    page = pages.get(f"{PAGES}agent/reviewer/").content.decode()
    assert "You review incidents of [service] calmly." in page


def test_the_form_shows_what_was_typed_and_saves_it_again(pages: Client, owner: User) -> None:
    pages.post(f"{PAGES}add/", TYPED)
    form = pages.get(f"{PAGES}agent/reviewer/change/").context["form"]
    typed = {name: form[name].value() for name in form.fields}
    assert pages.post(f"{PAGES}agent/reviewer/change/", {**typed, "title": "Another"}).status_code == 302
    assert get_agent(owner.pk, "reviewer").definition == read_definition({**REVIEWER, "title": "Another"})


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"name": "A Name"}, "name", "Must have at most 64 characters"),
        ({"name": "weekly-review"}, "name", "is a built-in prompt"),
        ({"name": "taken"}, "name", "is a prompt of your own"),
        ({"soul": "{weather}"}, "soul", "{weather} is not an argument"),
        ({"soul": "{memories:{service}}"}, "soul", "cannot contain another one"),
        ({"arguments": "Service"}, "arguments", "must have the form"),
        ({"arguments": "service [integer] = x"}, "arguments", "must be a whole number"),
        ({"messages": "{nothing}"}, "messages", "{nothing} is not an argument"),
        ({"config": "{"}, "config", "Is not JSON: line 1"),
        ({"config": "[]"}, "config", "Must be an object"),
        ({"tools": "a/b"}, "tools", "Must be a list of names"),
        ({"soul": "sk-abcdefghijklmnopqrstuvwx"}, "soul", "Secrets are never stored"),
    ],
)
def test_what_is_wrong_is_shown_at_its_field(
    pages: Client, owner: User, change: dict[str, str], field: str, said: str
) -> None:
    OwnPrompt.objects.create(owner=owner, name="taken", messages=[{"role": "user", "text": "x"}])
    response = pages.post(f"{PAGES}add/", {**TYPED, **change})
    assert response.status_code == 200
    assert said in " ".join(response.context["form"].errors[field])
    assert not Agent.objects.exists()


@pytest.mark.parametrize(
    ("title", "name"),
    [("Incident Reviewer", "incident-reviewer"), ("Café_Planer", "cafe-planer"), ("x" * 80, "x" * 64)],
)
def test_the_short_name_is_by_default_made_from_the_name(pages: Client, owner: User, title: str, name: str) -> None:
    assert pages.post(f"{PAGES}add/", {**TYPED, "title": title, "name": ""}).status_code == 302
    assert get_agent(owner.pk, name).definition.title == title


@pytest.mark.parametrize("title", ["", "旅行"])
def test_a_short_name_that_cannot_be_made_is_asked_for(pages: Client, title: str) -> None:
    errors = pages.post(f"{PAGES}add/", {**TYPED, "title": title, "name": ""}).context["form"].errors
    assert errors["name"] == ["Enter a short name: it cannot be made from the name."]
    assert not Agent.objects.exists()


def test_what_is_wrong_with_the_name_and_with_another_field_is_shown_together(pages: Client) -> None:
    errors = pages.post(f"{PAGES}add/", {**TYPED, "name": "A Name", "config": "{"}).context["form"].errors
    assert set(errors) == {"name", "config"}


def test_two_editors_do_not_overwrite_each_other(pages: Client, owner: User) -> None:
    make_agent(owner)
    forms = [pages.get(f"{PAGES}agent/reviewer/change/").context["form"] for _ in range(2)]
    first, second = ({name: form[name].value() for name in form.fields} for form in forms)
    assert pages.post(f"{PAGES}agent/reviewer/change/", {**first, "title": "First"}).status_code == 302
    response = pages.post(f"{PAGES}agent/reviewer/change/", {**second, "title": "Second"})
    assert "It was changed in another window" in response.content.decode()
    assert response.context["form"]["title"].value() == "Second"
    assert get_agent(owner.pk, "reviewer").title == "First"


@pytest.mark.django_db(transaction=True)
def test_of_two_simultaneous_changes_one_wins() -> None:
    owner = make_user()
    make_agent(owner)

    def change(title: str) -> str:
        try:
            change_agent(owner.pk, "reviewer", 1, read_definition({**REVIEWER, "title": title}))
        except Outdated:
            return "outdated"
        return title

    outcomes = in_threads(2, lambda number: change(("First", "Second")[number]))
    assert sorted(outcomes)[-1] == "outdated"
    assert get_agent(owner.pk, "reviewer").title in outcomes


def test_an_agent_can_be_disabled_copied_downloaded_and_deleted(pages: Client, owner: User) -> None:
    assert pages.post(f"{PAGES}agent/librarian/switch/", {"enabled": "0"}).status_code == 302
    assert not get_agent(owner.pk, "librarian", include_disabled=True).is_enabled
    assert "turned off" in pages.get(PAGES).content.decode()
    form = pages.get(f"{PAGES}add/?copy=librarian").context["form"]
    typed = {name: form[name].value() or "" for name in form.fields}
    assert pages.post(f"{PAGES}add/", typed).status_code == 302
    copied = get_agent(owner.pk, "librarian")
    assert (copied.source, copied.definition) == ("page", shipped_agents()["librarian"])
    downloaded = pages.get(f"{PAGES}agent/librarian/download/")
    assert downloaded["Content-Disposition"] == 'attachment; filename="librarian.toml"'
    assert pages.post(f"{PAGES}agent/librarian/delete/").status_code == 302
    assert not get_agent(owner.pk, "librarian", include_disabled=True).is_enabled
    assert (
        pages.post(f"{PAGES}import/", {"name": "archivist", "content": downloaded.content.decode()}).status_code == 302
    )
    assert get_agent(owner.pk, "archivist").definition == copied.definition


def test_the_page_of_an_agent_is_in_the_owners_words(pages: Client, owner: User) -> None:
    definition = {**REVIEWER, "tools": ["recall", "search_memory", "search_documents", "fly"]}
    create_agent(owner.pk, "reviewer", read_definition(definition))
    context = pages.get(f"{PAGES}agent/reviewer/").context
    assert context["messages_shown"] == [
        ("In the background", "Be brief."),
        ("You say", "[severity] in [service].\n[your memories about service]"),
        ("The assistant says", "Understood."),
    ]
    assert (context["tools"], context["unknown_tools"]) == (["Look up memories", "Look up documents"], ["fly"])


def test_the_shipped_agents_are_in_the_language_of_the_page_and_apps_get_them_in_english(
    pages: Client, owner: User
) -> None:
    german = {"accept-language": "de"}
    assert "Bibliothekar" in pages.get(PAGES, headers=german).content.decode()
    page = pages.get(f"{PAGES}agent/librarian/", headers=german).content.decode()
    assert "Beantwortet Fragen aus deinen Erinnerungen" in page
    assert "Was du wissen möchtest." in page
    assert "Du bist der Bibliothekar des Nutzers." in page
    assert "[Frage]" in page
    assert "[deine Erinnerungen zu „Frage“]" in page
    assert "<b>Frage</b>" in page
    assert "You are" not in page
    assert get_agent(owner.pk, "librarian").title == "Librarian"
    make_agent(owner, "librarian", title="Tidier")
    assert "Aufräumer" not in pages.get(f"{PAGES}agent/librarian/", headers=german).content.decode()


def test_every_text_of_a_shipped_agent_can_be_translated() -> None:
    texts = {
        text
        for definition in shipped_agents().values()
        for text in (definition.title, definition.description, *(each.description for each in definition.arguments))
    }
    assert texts == set(SHIPPED_TEXTS)
    definitions = shipped_agents().values()
    prose = [text for each in definitions for text in (each.soul, *(message.content for message in each.messages))]
    lines = {line.removeprefix("- ") for text in prose for line in text.split("\n")}
    written = {line for line in lines if line and not (line.startswith("{") and line.endswith("}"))}
    assert written < set(LINES)
    assert {argument.name for each in definitions for argument in each.arguments} == set(NAMES)


@pytest.mark.parametrize(("values", "is_open"), [({}, False), ({"tools": "recall"}, True)])
def test_the_fields_that_few_agents_need_are_shown_if_one_is_filled(
    pages: Client, owner: User, values: dict[str, str], is_open: bool
) -> None:
    pages.post(f"{PAGES}add/", {"name": "helper", "description": "Helps.", "soul": "You help.", **values})
    form = pages.get(f"{PAGES}agent/helper/change/").context["form"]
    assert form.is_more_open is is_open
    assert [field.name for field in (*form.first_fields, *form.more_fields)] == [
        *("title", "description", "soul", "version"),
        *("arguments", "messages", "tools", "config"),
    ]


def test_the_error_of_an_imported_file_names_its_line(pages: Client) -> None:
    response = pages.post(f"{PAGES}import/", {"name": "archivist", "content": 'description = "x"\nsoul = '})
    assert response.context["form"].errors["content"] == ["Line 2: Invalid value."]


def test_the_page_shows_the_line_of_a_broken_file(pages: Client) -> None:
    write_file("reviewer.toml", 'description = "<b>"\nsoul = \n')
    page = pages.get(PAGES).content.decode()
    assert "Line 2: Invalid value." in page
    assert "It is not used until it is fixed" in page


def test_the_pages_show_the_line_of_a_broken_lua_file(pages: Client) -> None:
    path = write_file("reviewer.lua", "agent = { description = '<b>', soul = 'y' }")
    assert "from a Lua file" in pages.get(PAGES).content.decode()
    path.write_text("agent = {\n  soul = ,\n}")
    for page in (PAGES, f"{PAGES}agent/reviewer/"):
        content = pages.get(page).content.decode()
        assert "<bdi>reviewer.lua</bdi> has a problem" in content
        assert "<bdi>Line 2: unexpected symbol near &#x27;,&#x27;</bdi>" in content
    assert "Change <code>reviewer.lua</code>" in content


def test_a_file_with_the_name_of_a_prompt_is_pointed_out(pages: Client) -> None:
    write_file("weekly-review.toml", 'description = "x"\nsoul = "y"\n')
    write_file("fine.toml", 'description = "x"\nsoul = "y"\n')
    said = "is also a built-in prompt. Apps list only one of them: rename the file."
    assert pages.get(PAGES).content.decode().count(said) == 1
    assert said in pages.get(f"{PAGES}agent/weekly-review/").content.decode()


def test_of_two_files_with_one_name_the_page_says_which_is_used(pages: Client, owner: User) -> None:
    write_file("reviewer.lua", "agent = { description = 'x', soul = 'y' }")
    assert get_agent(owner.pk, "reviewer").form == "lua"
    write_file("reviewer.toml", 'description = "x"\nsoul = "y"\n')
    page = pages.get(PAGES).content.decode()
    assert "reviewer.toml has the same name and is used instead." in page
    assert "It is not used until it is fixed" in page
    assert "from a TOML file" in page


def test_an_agent_of_a_lua_file_is_downloaded_as_toml(pages: Client, owner: User) -> None:
    write_file("reviewer.lua", "return { description = 'x', soul = 'a' .. 1, tools = { 'recall' } }")
    content = pages.get(f"{PAGES}agent/reviewer/download/").content
    assert parse_file("reviewer.toml", content).definition == get_agent(owner.pk, "reviewer").definition


def test_an_agent_of_a_file_is_changed_in_the_file(pages: Client) -> None:
    write_file("reviewer.toml", 'description = "<script>x</script>"\nsoul = "y"\n')
    page = pages.get(f"{PAGES}agent/reviewer/").content.decode()
    assert "<script>x" not in page
    assert "change/" not in page
    assert pages.get(f"{PAGES}agent/reviewer/change/").status_code == 404
    pages.post(f"{PAGES}agent/reviewer/switch/", {"enabled": "0"})
    assert "the file reviewer.toml decides" in pages.get(PAGES).content.decode()


@pytest.mark.parametrize("path", ["agent/theirs/", "agent/theirs/change/", "agent/theirs/download/"])
def test_the_pages_of_another_owner_do_not_exist(pages: Client, path: str) -> None:
    make_agent(make_user(), "theirs")
    assert pages.get(f"{PAGES}{path}").status_code == 404


def test_deleting_an_agent_asks_first_and_only_for_those_of_pages(pages: Client, owner: User) -> None:
    make_agent(owner)
    name = Agent.objects.get(owner=owner).name
    asked = pages.get(f"{PAGES}agent/{name}/delete/").content.decode()
    assert "Its memories stay." in asked
    assert Agent.objects.filter(owner=owner).exists()
    assert pages.get(f"{PAGES}agent/librarian/delete/").status_code == 404
    assert pages.post(f"{PAGES}agent/{name}/delete/").status_code == 302
    assert not Agent.objects.filter(owner=owner).exists()


@pytest.mark.parametrize("action", ["switch", "delete"])
def test_another_owners_agents_cannot_be_changed(pages: Client, action: str) -> None:
    other = make_user()
    make_agent(other, "theirs")
    assert pages.post(f"{PAGES}agent/theirs/{action}/").status_code == 404
    assert get_agent(other.pk, "theirs").is_enabled
    assert pages.get(f"{PAGES}agent/theirs/{action}/").status_code == (405 if action == "switch" else 404)


def test_there_is_a_limit_of_agents(owner: User) -> None:
    make_agent(owner)
    row = Agent.objects.get()
    Agent.objects.bulk_create(
        Agent(owner=owner, source="page", name=f"agent-{number}", definition=row.definition)
        for number in range(MAX_AGENTS - 1)
    )
    with pytest.raises(MemoriesError, match="which is the maximum"):
        make_agent(owner, "another")


@pytest.mark.parametrize(
    "declared",
    [
        {"name": "a"},
        {"name": "a", "required": True, "description": "x: y = z [w]"},
        {"name": "a", "choices": ["integer"]},
        {"name": "a", "choices": ["x y", "ü"], "default": "x y", "description": "="},
        {"name": "a", "type": "number", "default": -1.5},
        {"name": "a", "type": "boolean", "default": False},
        {"name": "a", "default": 'with "quotes" and \\ and : colon', "description": "d"},
    ],
)
def test_arguments_round_trip_through_their_lines(declared: dict[str, Any]) -> None:
    arguments = read_definition({"description": "x", "soul": "y", "arguments": [declared]}).arguments
    assert parse_argument_lines(format_argument_lines(arguments)) == arguments
