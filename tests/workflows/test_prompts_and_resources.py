"""Tests of workflows as MCP prompts and resources, and of their notifications."""

from __future__ import annotations

import json

import pytest

from oauthserver.models import User
from tests.support.factories import Assistant, make_user
from tests.support.notifications import listening
from tests.workflows.support import STORE, make_workflow, steps_workflow
from workflows.changes import change_workflow, delete_workflow
from workflows.definitions import read_definition
from workflows.events import CHANNEL, WorkflowChange


def test_a_workflow_is_a_prompt_with_its_steps(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    prompt = next(each for each in assistant.result("prompts/list")["prompts"] if each["name"] == "store")
    assert [argument["name"] for argument in prompt["arguments"]] == ["fact", "importance", "tags"]
    (message,) = assistant.result("prompts/get", name="store", arguments={"fact": "Tea is green"})["messages"]
    text = message["content"]["text"]
    assert 'run_workflow with id "store"' in text
    assert '1. [first]\n   Call the tool remember with {"text":"Tea is green","importance":0.5' in text
    assert "It follows from memory {steps.first.memory_id}: Tea is green" in text
    assert "Only if {steps.first.message} is Ok." in text
    error = assistant.rpc_error("prompts/get", name="store", arguments={"fact": "x", "importance": "high"})
    assert "importance: must be a number" in error["message"]


def test_instructions_are_for_the_assistant(assistant: Assistant, owner: User) -> None:
    steps_workflow(
        owner,
        {"instruction": "Ask about {topic} and {{braces}}."},
        {"tool": "ping", "on_error": "continue"},
        arguments=[{"name": "topic"}],
    )
    (message,) = assistant.result("prompts/get", name="flow", arguments={"topic": "tea {x}"})["messages"]
    text = message["content"]["text"]
    assert "1. [a]\n   Ask about tea {x} and {braces}." in text
    assert "If it fails, continue." in text
    assert "run_workflow" not in text


def test_workflows_are_resources(assistant: Assistant, owner: User) -> None:
    make_workflow(owner)
    make_workflow(make_user(), "theirs")
    uris = [resource["uri"] for resource in assistant.result("resources/list")["resources"]]
    assert [uri for uri in uris if "workflows" in uri] == ["ownsona://workflows/", "ownsona://workflows/store"]
    (listing,) = assistant.result("resources/read", uri="ownsona://workflows/")["contents"]
    assert [workflow["id"] for workflow in json.loads(listing["text"])["workflows"]] == ["store"]
    (content,) = assistant.result("resources/read", uri="ownsona://workflows/store")["contents"]
    assert json.loads(content["text"]) == {"id": "store", "version": 1, **STORE}
    for uri in ("ownsona://workflows/theirs", "ownsona://workflows/a%00b", "ownsona://workflows/A"):
        assert assistant.rpc_error("resources/read", uri=uri)["data"]["reason"] == "resource_not_found"


@pytest.mark.django_db(transaction=True)
def test_each_change_is_published() -> None:
    owner = make_user()
    with listening(CHANNEL) as heard:
        make_workflow(owner)
        assert heard() == [f"{owner.pk} store"]
        change_workflow(owner.pk, "store", 1, read_definition({**STORE, "title": "Another"}))
        assert heard() == [f"{owner.pk} store"]
        delete_workflow(owner.pk, "store")
        assert heard() == [f"{owner.pk} store"]
    assert WorkflowChange.read("7 store") == WorkflowChange(7, "store")
