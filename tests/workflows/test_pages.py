"""Tests of the owner's pages of workflows."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from mcpapi.models import Approval, OwnPrompt
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.customtools.support import make_tool
from tests.support.factories import HOST, Assistant, make_memory, make_user
from tests.workflows.support import STORE, make_workflow, steps_workflow
from workflows.admin.forms import EXAMPLE
from workflows.models import Run, RunStep, Workflow

ROOT = Path(__file__).resolve().parents[2]
PAGES = "/admin/workflows/"
PAGE = f"{PAGES}workflow/store/"


@pytest.fixture
def pages(owner: User) -> Client:
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client


def test_the_example_of_the_form_is_a_workflow_that_runs(pages: Client, assistant: Assistant) -> None:
    shown = pages.get(f"{PAGES}add/").context["form"]["definition"].value()
    assert shown == EXAMPLE
    example = re.search("```json\n(.*?)```", (ROOT / "docs" / "workflows.md").read_text(), re.DOTALL)
    assert example
    assert json.loads(example[1])["description"] == json.loads(EXAMPLE)["description"]
    assert pages.post(f"{PAGES}add/", {"name": "look-back", "definition": shown}).status_code == 302
    assert assistant.call("run_workflow", id="look-back", arguments={"topic": "tea"})["state"] == "done"


def test_the_page_draws_the_steps(pages: Client, owner: User) -> None:
    make_workflow(owner)
    steps_workflow(owner, {"instruction": "Ask <b>me</b>."}, {"workflow": "store", "arguments": {"fact": "x"}})
    page = pages.get(PAGE).content.decode()
    assert '<li id="step-second">' in page
    assert "Remember a fact, with the tool <code>remember</code>" in page
    assert "Only if:</span> <bdi>{steps.first.message} is Ok</bdi>" in page
    assert 'Uses the result of</span> <a href="#step-first">first</a>' in page
    assert "Expected:</span> <bdi>{result.ok} is true</bdi>" in page
    other = pages.get(f"{PAGES}workflow/flow/").content.decode()
    assert "Ask &lt;b&gt;me&lt;/b&gt;." in other
    assert "runs the workflow <code>store</code>" in other
    for shown in (page, other):
        assert not re.search(r"\sstyle=", shown.split('<ol class="steps flow"')[1].split("</ol>")[0])


CONDITION = {
    "all": [
        {"value": "{tea}", "is_empty": False},
        {"any": [{"value": "{tea}", "contains": "black"}, {"not": {"value": "{size}", "less_than": 2}}]},
        {"value": "{size}", "greater_than": 1},
    ]
}


def test_conditions_are_in_words_and_in_the_language_of_the_page(pages: Client, owner: User) -> None:
    arguments = [{"name": "tea"}, {"name": "size", "type": "integer"}]
    definition = {"description": "x", "arguments": arguments, "steps": [{"id": "a", "tool": "ping", "when": CONDITION}]}
    make_workflow(owner, "flow", definition)
    page = pages.get(f"{PAGES}workflow/flow/").content.decode()
    words = "{tea} is not empty and ({tea} contains black or not ({size} is less than 2)) and {size} is greater than 1"
    assert f"Only if:</span> <bdi>{words}</bdi>" in page
    assert '<b>tea</b> <span class="sm quiet">text</span>' in page
    assert '<b>size</b> <span class="sm quiet">whole number</span>' in page
    page = pages.get(f"{PAGES}workflow/flow/", headers={"accept-language": "de"}).content.decode()
    words = "{tea} ist nicht leer und ({tea} enthält black oder nicht ({size} ist kleiner als 2)) und"
    assert f"Nur wenn:</span> <bdi>{words} {{size}} ist größer als 1</bdi>" in page
    assert '<b>size</b> <span class="sm quiet">ganze Zahl</span>' in page


def test_the_page_names_tools_that_do_not_exist(pages: Client, owner: User) -> None:
    make_tool(owner, "return 1")
    make_tool(make_user(), "return 1", name="of_another")
    steps_workflow(owner, {"tool": "teleport"}, {"tool": "of_another"}, {"tool": "attempt"}, {"tool": "ping"})
    assert pages.get(f"{PAGES}workflow/flow/").context["unknown_tools"] == ["of_another", "teleport"]
    assert "of_another, teleport. Steps that call them fail." in pages.get(f"{PAGES}workflow/flow/").content.decode()
    make_workflow(owner)
    assert "Unknown tools" not in pages.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        (("A Name", json.dumps(STORE)), "name", "The name must have at most 64 characters"),
        (("taken", json.dumps(STORE)), "name", "taken is a prompt of your own"),
        (("agent", json.dumps(STORE)), "name", "agent is an agent"),
        (("store", json.dumps(STORE)), "name", "The name is taken: you already have a workflow store."),
        (("x", '{"a": }'), "definition", "This is not JSON: unexpected character"),
        (("x", json.dumps({**STORE, "steps": []})), "definition", "steps: violates the rule"),
        (
            ("x", json.dumps({**STORE, "steps": [{"id": "a", "workflow": "x"}], "output": 1})),
            "definition",
            "in a circle",
        ),
    ],
)
def test_what_is_wrong_is_shown_at_its_field(
    pages: Client, owner: User, typed: tuple[str, str], field: str, said: str
) -> None:
    make_workflow(owner)
    make_agent(owner, "agent")
    OwnPrompt.objects.create(owner=owner, name="taken", messages=[{"role": "user", "text": "x"}])
    response = pages.post(f"{PAGES}add/", {"name": typed[0], "definition": typed[1]})
    assert response.status_code == 200
    assert said in " ".join(response.context["form"].errors[field])
    assert Workflow.objects.count() == 1


def test_what_was_typed_for_a_deleted_workflow_is_not_lost(pages: Client, owner: User) -> None:
    typed = json.dumps({**STORE, "description": "Typed <b>just</b> now."})
    response = pages.post(f"{PAGES}workflow/gone/change/", {"definition": typed, "version": "1"})
    page = html.unescape(response.content.decode())
    assert "This workflow was deleted in the meantime." in page
    assert "Typed <b>just</b> now." in page
    assert f'action="{PAGES}add/"' in page
    assert response.context["form"]["name"].value() == "gone"
    assert pages.get(f"{PAGES}workflow/gone/change/").status_code == 404


def test_what_is_wrong_with_the_name_and_the_definition_is_shown_together(pages: Client) -> None:
    errors = pages.post(f"{PAGES}add/", {"name": "A Name", "definition": "{"}).context["form"].errors
    assert "The name must have at most 64 characters" in errors["name"][0]
    assert "This is not JSON" in errors["definition"][0]


def test_what_is_wrong_with_the_definition_is_a_sentence_in_the_language_of_the_page(pages: Client) -> None:
    form = {"name": "look-back", "definition": '{"steps": []}'}
    page = pages.post(f"{PAGES}add/", form).content.decode()
    assert "This needs the key description." in page
    assert "definition: needs" not in page
    german = pages.post(f"{PAGES}add/", form, headers={"accept-language": "de"}).content.decode()
    assert "Das braucht den Schlüssel description." in german
    form["definition"] = '{"description": "x", "steps": [{"id": "a", "tool": 1}]}'
    assert "steps.0.tool: must be of the type string." in pages.post(f"{PAGES}add/", form).content.decode()


def test_two_editors_do_not_overwrite_each_other(pages: Client, owner: User) -> None:
    make_workflow(owner)
    form = pages.get(f"{PAGE}change/").context["form"]
    typed = {"version": form["version"].value(), "definition": json.dumps({**STORE, "title": "First"})}
    assert pages.post(f"{PAGE}change/", typed).status_code == 302
    response = pages.post(f"{PAGE}change/", {**typed, "definition": json.dumps({**STORE, "title": "Second"})})
    assert "It was changed in another window" in response.content.decode()
    assert Workflow.objects.get().definition["title"] == "First"


def test_an_older_version_can_be_restored(pages: Client, owner: User) -> None:
    make_workflow(owner)
    pages.post(f"{PAGE}change/", {"version": 1, "definition": json.dumps({**STORE, "title": "New"})})
    assert "not the current one" in pages.get(f"{PAGE}?version=1").content.decode()
    form = pages.get(f"{PAGE}change/?version=1").context["form"]
    typed = {name: form[name].value() for name in form.fields}
    assert pages.post(f"{PAGE}change/", typed).status_code == 302
    row = Workflow.objects.get()
    assert (row.version, row.definition) == (3, STORE)
    for number in ("9", "x", "-1", "9" * 30):
        assert pages.get(f"{PAGE}?version={number}").status_code == 404


def test_a_download_can_be_added_again(pages: Client, owner: User) -> None:
    make_workflow(owner)
    content = pages.get(f"{PAGE}download/").content.decode()
    pages.post(f"{PAGES}add/", {"name": "again", "definition": content})
    assert Workflow.objects.get(name="again").definition == STORE
    assert "Runs that have begun can be continued." in pages.get(f"{PAGES}workflow/again/delete/").content.decode()
    assert Workflow.objects.filter(name="again").exists()
    assert pages.post(f"{PAGES}workflow/again/delete/").status_code == 302
    assert not Workflow.objects.filter(name="again").exists()


def test_a_workflow_that_another_one_runs_is_not_deleted(pages: Client, owner: User) -> None:
    make_workflow(owner)
    steps_workflow(owner, {"workflow": "store", "arguments": {"fact": "x"}})
    page = pages.post(f"{PAGE}delete/", follow=True).content.decode()
    assert "the workflow flow runs it" in page
    assert Workflow.objects.count() == 2


def test_the_page_of_a_run_shows_each_step(pages: Client, owner: User, assistant: Assistant) -> None:
    make_workflow(owner)
    assistant.call("run_workflow", id="store", arguments={"fact": "Tea is green"})
    run = Run.objects.get()
    assert str(run.pk) in pages.get(PAGES).content.decode()
    page = pages.get(f"{PAGES}run/{run.pk}/").content.decode()
    assert page.count('<li class="done">') == 2
    assert "<b>Done</b>" in page
    assert page.count("Tea is green</bdi></a>") == 2
    assert run.arguments is None


def test_the_page_of_a_run_calls_steps_by_their_titles_or_by_their_ids_without_one(
    pages: Client, owner: User, assistant: Assistant
) -> None:
    steps_workflow(owner, {"tool": "ping", "title": "Wake <it>"}, {"tool": "ping"}, name="inner")
    steps_workflow(owner, {"workflow": "inner", "id": "first", "title": "Begin"})
    assistant.call("run_workflow", id="flow")
    page = pages.get(f"{PAGES}run/{Run.objects.get().pk}/").content.decode()
    assert "<b><bdi>Begin / Wake &lt;it&gt;</bdi></b>" in page
    assert "<b><bdi>Begin / b</bdi></b>" in page


def test_the_page_of_a_run_says_in_the_language_of_the_page_why_a_step_was_skipped(
    pages: Client, owner: User, assistant: Assistant
) -> None:
    condition = {"value": "{steps.a.ok}", "not_equals": True}
    steps_workflow(owner, {"tool": "ping"}, {"tool": "ping", "when": condition})
    assert assistant.call("run_workflow", id="flow")["steps"][1]["message"] == "Not so: {steps.a.ok} is not true"
    path = f"{PAGES}run/{Run.objects.get().pk}/"
    assert "Not so: {steps.a.ok} is not true" in pages.get(path).content.decode()
    german = pages.get(path, headers={"accept-language": "de"}).content.decode()
    assert "Trifft nicht zu: {steps.a.ok} ist nicht true" in german


def test_the_reason_of_a_skipped_step_of_an_inner_workflow_is_in_the_language_of_the_page(
    pages: Client, owner: User, assistant: Assistant
) -> None:
    skipped = {"tool": "ping", "when": {"value": "{a}", "equals": "never"}}
    steps_workflow(owner, skipped, name="inner", arguments=[{"name": "a", "description": "A.", "required": True}])
    steps_workflow(owner, {"workflow": "inner", "arguments": {"a": "now"}}, name="outer")
    assistant.call("run_workflow", id="outer")
    path = f"{PAGES}run/{Run.objects.get().pk}/"
    assert "Not so: {a} is never" in pages.get(path).content.decode()
    assert "Trifft nicht zu: {a} ist never" in pages.get(path, headers={"accept-language": "de"}).content.decode()


def test_the_pages_of_another_owner_do_not_exist(pages: Client) -> None:
    other = make_user()
    make_workflow(other, "theirs")
    Assistant.of(other).call("run_workflow", id="theirs", arguments={"fact": "x"})
    for path in (
        "workflow/theirs/",
        "workflow/theirs/change/",
        "workflow/theirs/download/",
        f"run/{Run.objects.get().pk}/",
    ):
        assert pages.get(f"{PAGES}{path}").status_code == 404
    assert pages.get(f"{PAGES}workflow/theirs/delete/").status_code == 404
    assert pages.post(f"{PAGES}workflow/theirs/delete/").status_code == 404


def test_the_schema_is_public(client: Client) -> None:
    response = client.get("/schemas/workflow.json", headers={"host": HOST})
    assert (response.status_code, response["Content-Type"]) == (200, "application/schema+json")
    assert response.json()["title"] == "OwnSona workflow"


def test_the_page_of_a_run_tells_the_owner_and_not_the_app_what_to_do(
    pages: Client, owner: User, assistant: Assistant
) -> None:
    run = Run.objects.create(
        owner=owner, workflow="flow", version=1, permission="", client_name="Claude", state="waiting",
        message="The step a waits: resume this run with its run_id later.",
    )  # fmt: skip
    step = RunStep.objects.create(
        run=run, path="a", tool="forget_batch", state="waiting", error_code="APPROVAL_TIMED_OUT", message="Repeat it."
    )
    path = f"{PAGES}run/{run.pk}/"
    page = unescape(pages.get(path).content.decode())
    assert "The step “a” needs your approval. Once you have decided, tell Claude to go on." in page
    assert 'href="/admin/mcpapi/approval/">Approvals</a>' in page
    assert "run_id" not in page
    assert "Repeat it." not in page
    run.state, step.state, step.error_code = "unknown", "unknown", ""
    run.save()
    step.save()
    german = unescape(pages.get(path, headers={"accept-language": "de"}).content.decode())
    assert "OwnSona wurde im Schritt „a“ unterbrochen" in german
    assert "braucht eine Entscheidung</span>" in pages.get(PAGES, headers={"accept-language": "de"}).content.decode()


@pytest.mark.parametrize(
    ("state", "minutes", "said"),
    [
        ("asked", 5, "The step “a” needs your approval. Once you have decided, tell Claude to go on."),
        ("asked", -5, "The request to approve the step “a” has expired. If Claude goes on, it asks you again."),
        ("approved", 5, "You approved the step “a”. Tell Claude to go on."),
        ("approved", -5, "The request to approve the step “a” has expired."),
        ("rejected", 5, "You rejected the step “a”, and it was not carried out."),
        ("rejected", -5, "You rejected the step “a”, and it was not carried out."),
    ],
)
def test_the_page_of_a_run_knows_what_was_decided(
    pages: Client, owner: User, state: str, minutes: int, said: str
) -> None:
    steps_workflow(owner, {"tool": "forget_batch", "arguments": {"ids": []}})
    run = Run.objects.create(
        owner=owner, workflow="flow", version=1, permission="connection:1", client_name="Claude", state="waiting"
    )
    now = timezone.now()
    RunStep.objects.create(
        run=run, path="a", tool="forget_batch", state="waiting", error_code="APPROVAL_TIMED_OUT", ended_at=now
    )
    for tool, ago, decision in (("forget_batch", 9, "used"), ("forget_batch", 3, state), ("forget", 2, "used")):
        Approval.objects.create(
            owner=owner, permission="connection:1", client_name="Claude", tool=tool, risk="bulk_forget", summary="",
            memory_ids=[], digest=b"", state=decision, asked_at=now - timedelta(minutes=ago),
            expires_at=now + timedelta(minutes=minutes),
        )  # fmt: skip
    page = unescape(pages.get(f"{PAGES}run/{run.pk}/").content.decode())
    assert said in page
    assert ("<b>Rejected</b>" in page) == (state == "rejected")
    assert ("rejected</span>" in page) == (state == "rejected")
    for path in (PAGES, f"{PAGES}workflow/flow/"):
        shown = pages.get(path).content.decode()
        assert ("rejected</span>" in shown, "waiting</span>" in shown) == (state == "rejected", state != "rejected")
    assert "Forget many memories" in page
    assert ('href="/admin/mcpapi/approval/">Approvals</a>' in page) == (state == "asked" and minutes > 0)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('{"steps": }', "unerwartetes Zeichen, hier fehlt ein JSON-Wert in Zeile 1, Spalte 11."),
        ('{"a" 1}', "unerwartetes Zeichen, nach dem Schlüssel fehlt ':' in Zeile 1, Spalte 6."),
        ("[1 2]", "unerwartetes Zeichen, hier fehlt ',' oder ']' in Zeile 1, Spalte 4."),
        (r'"\x"', "ungültige Zeichenfolge nach \\ in einem Text in Zeile 1, Spalte 2."),
    ],
)
def test_errors_in_json_are_in_the_language_of_the_page(pages: Client, typed: str, said: str) -> None:
    posted = {"name": "flow", "definition": typed}
    page = pages.post(f"{PAGES}add/", posted, headers={"accept-language": "de"}).content.decode()
    assert f"Das ist kein JSON: {said}" in unescape(page)


def test_the_decisions_about_all_runs_of_a_list_take_two_queries(
    pages: Client, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_workflow(owner)
    with CaptureQueriesContext(connection) as without_runs:
        pages.get(PAGES)
    for number in range(4):
        run = Run.objects.create(
            owner=owner, workflow="store", version=1, permission=f"c:{number}", client_name="C", state="waiting"
        )
        RunStep.objects.create(run=run, path="a", tool="forget", state="waiting", error_code="APPROVAL_TIMED_OUT")
    with django_assert_num_queries(len(without_runs) + 2):
        pages.get(PAGES)


def test_the_page_of_a_run_names_the_memories_of_its_steps(pages: Client, owner: User) -> None:
    run = Run.objects.create(owner=owner, workflow="flow", version=1, permission="", client_name="C", state="done")
    memories = [make_memory(owner, f"<b>{number}</b> " + "long " * 20).pk for number in range(7)]
    RunStep.objects.create(run=run, path="a", tool="recall", state="done", memory_ids=memories)
    page = pages.get(f"{PAGES}run/{run.pk}/").content.decode()
    assert len(re.findall(r'href="/admin/memories/memory/\d+/change/"', page)) == 5
    assert "&lt;b&gt;0&lt;/b&gt; long" in page
    assert "…</bdi>" in page
    assert "and 2 more" in page
