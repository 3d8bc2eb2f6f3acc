"""Tests of the folder with the files of agents."""

from __future__ import annotations

import os

import pytest
from pytest_django import DjangoAssertNumQueries

from agents import lua_files
from agents.changes import switch_agent
from agents.files import agents_folder, store_files
from agents.models import Agent
from agents.selectors import get_agent, list_agents
from agents.shipped import shipped_agents
from memories.errors import InvalidInput, NotFound
from oauthserver.models import User
from tests.agents.support import make_agent, write_file
from tests.support.factories import make_user

VALID = 'description = "Reviews."\nsoul = "You review."\n'
LUA = 'agent = { description = "Reviews.", soul = "You review." }\n'
BROKEN = 'description = "Reviews."\nsoul = \n'


def names(owner: User) -> set[str]:
    return {agent.name for agent in list_agents(owner.pk)} - shipped_agents().keys()


def test_a_file_is_an_agent_until_it_is_deleted(owner: User) -> None:
    path = write_file("reviewer.toml", VALID)
    agent = get_agent(owner.pk, "reviewer")
    assert (agent.definition.soul, agent.form) == ("You review.", "toml")
    path.write_text(VALID.replace("You review.", "You review slowly."))
    assert get_agent(owner.pk, "reviewer").definition.soul == "You review slowly."
    path.unlink()
    assert names(owner) == set()
    with pytest.raises(NotFound):
        get_agent(owner.pk, "reviewer")


def test_a_broken_file_keeps_its_last_definition_and_names_the_line(owner: User) -> None:
    path = write_file("reviewer.toml", VALID)
    assert names(owner) == {"reviewer"}
    path.write_text(BROKEN)
    assert get_agent(owner.pk, "reviewer").definition.soul == "You review."
    row = Agent.objects.get()
    assert (row.problem, row.problem_line) == ("Invalid value.", 2)
    path.write_text(VALID)
    assert names(owner) == {"reviewer"}
    assert Agent.objects.get().problem == ""


def test_a_file_that_was_never_valid_is_no_agent(owner: User) -> None:
    write_file("reviewer.toml", BROKEN)
    write_file("librarian.toml", BROKEN)
    assert names(owner) == set()
    assert get_agent(owner.pk, "librarian").definition == shipped_agents()["librarian"]


def test_a_file_replaces_a_page_and_a_page_a_shipped_agent(owner: User) -> None:
    make_agent(owner, "librarian", soul="From the page.", messages=[])
    assert get_agent(owner.pk, "librarian").definition.soul == "From the page."
    path = write_file("librarian.toml", VALID)
    assert get_agent(owner.pk, "librarian").definition.soul == "You review."
    path.unlink()
    assert get_agent(owner.pk, "librarian").definition.soul == "From the page."


def test_a_file_can_disable_an_agent(owner: User) -> None:
    write_file("librarian.toml", f"enabled = false\n{VALID}")
    assert "librarian" not in {agent.name for agent in list_agents(owner.pk)}
    with pytest.raises(InvalidInput, match=r"the file librarian\.toml decides"):
        switch_agent(owner.pk, "librarian", is_enabled=True)


def test_files_belong_to_the_owner_of_the_server(owner: User) -> None:
    write_file("reviewer.toml", VALID)
    assert names(make_user()) == set()
    assert names(owner) == {"reviewer"}


@pytest.mark.parametrize("name", ["a/../x.toml", "a b.toml", "Ä.toml", "x'; DROP TABLE.toml", "-.toml"])
def test_a_file_with_a_hostile_name_is_named_as_a_problem(owner: User, name: str) -> None:
    if "/" in name:
        agents_folder().mkdir()
    write_file(name.replace("/", "_"), VALID)
    assert names(owner) == set()
    assert Agent.objects.get().problem.startswith("name: must have at most 64 characters")


def test_a_name_that_is_not_unicode_breaks_nothing(owner: User) -> None:
    agents_folder().mkdir()
    with open(os.path.join(os.fsencode(agents_folder()), b"\xff.toml"), "wb") as file:
        file.write(VALID.encode())
    assert names(owner) == set()
    assert Agent.objects.get().name == "?"


def test_what_is_no_regular_file_is_not_read(owner: User) -> None:
    agents_folder().mkdir()
    os.mkfifo(agents_folder() / "pipe.toml")
    (agents_folder() / "folder.toml").mkdir()
    (agents_folder() / "link.toml").symlink_to(agents_folder() / "nowhere")
    write_file("reviewer.toml", VALID)
    write_file("notes.txt", "x")
    store_files()
    assert {row.name: row.problem for row in Agent.objects.all()} == {
        "pipe": "It is not a regular file.",
        "folder": "It cannot be read: Is a directory.",
        "link": "It cannot be read: No such file or directory.",
        "reviewer": "",
    }


def test_a_link_to_nothing_and_hidden_files_leave_the_others_alone(owner: User) -> None:
    write_file("reviewer.toml", VALID)
    (agents_folder() / "link.toml").symlink_to(agents_folder() / "nowhere")
    # As editors make them.
    (agents_folder() / ".#reviewer.toml").symlink_to("robin@host.123")
    write_file(".reviewer.lua", LUA)
    assert names(owner) == {"reviewer"}
    write_file("second.toml", VALID)
    assert names(owner) == {"reviewer", "second"}
    assert {row.name for row in Agent.objects.exclude(problem="")} == {"link"}


def test_agents_cost_one_query_while_no_file_changes(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        list_agents(owner.pk)
    with django_assert_num_queries(1):
        get_agent(owner.pk, "librarian")


@pytest.mark.django_db(transaction=True)
def test_files_are_read_once_until_they_change(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    owner = User.objects.create_superuser("boss")
    path = write_file("reviewer.toml", VALID)
    assert names(owner) == {"reviewer"}
    with django_assert_num_queries(1):
        assert names(owner) == {"reviewer"}
    path.write_text(BROKEN)
    assert names(owner) == {"reviewer"}
    assert Agent.objects.get().problem_line == 2


def test_files_follow_the_owner_of_the_server(owner: User) -> None:
    write_file("reviewer.toml", VALID)
    store_files()
    successor = User.objects.create_superuser("successor")
    User.objects.filter(pk=owner.pk).update(is_superuser=False)
    store_files()
    assert list(Agent.objects.values_list("owner_id", "name")) == [(successor.pk, "reviewer")]


def test_without_an_owner_files_are_not_read(db: None) -> None:
    write_file("reviewer.toml", VALID)
    store_files()
    assert not Agent.objects.exists()


# --- Lua


def test_a_lua_file_is_an_agent_until_it_is_deleted(owner: User) -> None:
    path = write_file("reviewer.lua", LUA)
    agent = get_agent(owner.pk, "reviewer")
    assert (agent.definition.soul, agent.form, agent.source) == ("You review.", "lua", Agent.Source.LUA)
    path.write_text(LUA.replace("You review.", "You review slowly."))
    assert get_agent(owner.pk, "reviewer").definition.soul == "You review slowly."
    path.unlink()
    with pytest.raises(NotFound):
        get_agent(owner.pk, "reviewer")


@pytest.mark.parametrize(
    ("broken", "problem", "line"),
    [
        ("agent = {\n  soul = ,\n}", "unexpected symbol near ','", 2),
        ("agent = { description = nothing.at_all }", "attempt to index a nil value (global 'nothing')", 1),
        ("while true do end", "The script used more than 2 seconds of processor time.", 1),
    ],
)
def test_a_broken_lua_file_keeps_its_last_definition(owner: User, broken: str, problem: str, line: int) -> None:
    path = write_file("reviewer.lua", LUA)
    assert names(owner) == {"reviewer"}
    path.write_text(broken)
    assert get_agent(owner.pk, "reviewer").definition.soul == "You review."
    row = Agent.objects.get()
    assert (row.problem, row.problem_line) == (problem, line)
    path.write_text(LUA)
    assert names(owner) == {"reviewer"}
    assert Agent.objects.get().problem == ""


def test_of_two_files_with_one_name_the_toml_file_is_used(owner: User) -> None:
    write_file("reviewer.lua", LUA.replace("You review.", "From Lua."))
    assert get_agent(owner.pk, "reviewer").definition.soul == "From Lua."
    toml = write_file("reviewer.toml", VALID)
    assert get_agent(owner.pk, "reviewer").definition.soul == "You review."
    row = Agent.objects.get(source=Agent.Source.LUA)
    assert row.problem == "reviewer.toml has the same name and is used instead. Delete or rename one of them."
    toml.unlink()
    assert get_agent(owner.pk, "reviewer").definition.soul == "From Lua."
    assert Agent.objects.get().problem == ""


def test_a_lua_file_can_disable_an_agent(owner: User) -> None:
    write_file("librarian.lua", "agent = { enabled = false, description = 'x', soul = 'y' }")
    assert "librarian" not in {agent.name for agent in list_agents(owner.pk)}
    with pytest.raises(InvalidInput, match=r"the file librarian\.lua decides"):
        switch_agent(owner.pk, "librarian", is_enabled=True)


def test_a_script_runs_only_when_its_file_has_changed(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file("reviewer.lua", LUA)
    assert names(owner) == {"reviewer"}

    def run_again(*_: object) -> None:
        raise AssertionError("The script ran again.")

    monkeypatch.setattr(lua_files, "declared_table", run_again)
    store_files()
    assert names(owner) == {"reviewer"}
