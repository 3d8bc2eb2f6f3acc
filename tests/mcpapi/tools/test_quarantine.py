"""Tests of quarantined memories: no app can read them, and only the app that inferred one can correct or forget it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from common.scopes import READ
from documents.models import Document
from mcpapi.tools import TOOLS
from memories.access import View
from memories.models import Memory, TagSynonym
from memories.writing.lifecycle import forget_memory
from memories.writing.quarantine import inbox
from oauthserver.models import Connection, User
from tests.mcpapi.tools.conftest import CheckedAssistant
from tests.support.factories import Assistant, infer, make_app, make_expired, make_user, quarantined
from tests.support.mcp.two_worlds import (
    CALLS,
    FIRST_HIDDEN,
    FIRST_NEW,
    FIRST_SHOWN,
    HIDDEN_DOCUMENT,
    HIDDEN_TEXT,
    MEETING,
    answers,
    hidden_rows,
    make_document_with_id,
    make_four,
    number_from,
    without_times,
)

pytestmark = pytest.mark.django_db

WAITS = "Awaits review by the user: do not rely on it yet"
KNOWN_TEXTS = ("The kettle stands in the kitchen", f"{MEETING} at nine", "The kettle is old", "The tea is hot")
WAITING_TEXTS = (MEETING, f"{MEETING} now", "The kettle is broken", "The kettle is hot")
READING = [tool.name for tool in TOOLS if tool.scope == READ or tool.name == "export_memories"]


def make_waiting(user: User, client: str) -> None:
    """Make a quarantined document of an app, and four inferences: one was taken back, and one has expired."""
    actor = quarantined(user, client=client)
    made = [infer(actor, text, tags=("home", "hushed")).memory_id for text in WAITING_TEXTS]
    forget_memory(actor, made[2], reason="A mistake")
    make_expired(Memory.objects.get(pk=made[3]))
    make_document_with_id(user, HIDDEN_DOCUMENT, HIDDEN_TEXT, "home", quarantined_from=client)


def assistant_among(*, waiting: bool, from_itself: bool = False, tags: tuple[str, ...] = ()) -> Assistant:
    """Return an app whose owner has memories, and on request quarantined ones."""
    Memory.objects.all().delete()
    Document.objects.all().delete()
    user, app = make_user(), make_app()
    make_four(user, "home", "Claude", FIRST_SHOWN, KNOWN_TEXTS)
    if waiting:
        number_from(FIRST_HIDDEN)
        make_waiting(user, app.client_id if from_itself else "guesser")
    number_from(FIRST_NEW)
    return Assistant.of(user, app=app, tags=tags)


def test_no_app_is_told_of_what_waits_or_changes_it() -> None:
    tools = [tool.name for tool in TOOLS]
    expected = answers(assistant_among(waiting=False), tools)
    other = assistant_among(waiting=True)
    assert [len(rows) for rows in hidden_rows()] == [4, 4, 5, 1, 1]
    assert answers(other, tools) == expected


def test_the_app_that_inferred_it_cannot_read_it_either() -> None:
    expected = answers(assistant_among(waiting=False), READING)
    assert answers(assistant_among(waiting=True, from_itself=True), READING) == expected


def test_neither_is_an_app_that_is_limited_to_a_tag_of_what_waits() -> None:
    tools = ["recall", "memory_stats", "list_tags", "text_search", "remember"]
    expected = answers(assistant_among(waiting=False, tags=("home",)), tools)
    assert answers(assistant_among(waiting=True, tags=("home",)), tools) == expected


def documents(assistant: Assistant) -> list[Any]:
    """Return everything that resources and completion show."""
    uris = [
        "ownsona://memory/",
        "ownsona://stats",
        "ownsona://briefing",
        "ownsona://tags/home",
        "ownsona://tags/drinks",
    ]
    first = assistant.result("resources/list")
    # A cursor contains the time.
    following = assistant.result("resources/list", cursor=first.pop("nextCursor"))
    shown = [first, following, *(assistant.result("resources/read", uri=uri) for uri in uris)]
    refused = [
        assistant.rpc_error("resources/read", uri=uri)
        for uri in ("ownsona://tags/hushed", *(f"ownsona://memory/{FIRST_HIDDEN + number}" for number in range(4)))
    ]
    completed = [
        assistant.result(
            "completion/complete",
            ref={"type": "ref/resource", "uri": uri},
            argument={"name": name, "value": value},
        )
        for uri, name, value in (
            ("ownsona://memory/{id}", "id", ""),
            ("ownsona://memory/{id}", "id", "5"),
            ("ownsona://tags/{tag}", "tag", "h"),
        )
    ]
    return without_times([shown, refused, completed])


@pytest.mark.parametrize("from_itself", [False, True])
def test_resources_and_completion_know_nothing_of_what_waits(from_itself: bool) -> None:
    expected = documents(assistant_among(waiting=False))
    assert documents(assistant_among(waiting=True, from_itself=from_itself)) == expected
    assert json.dumps(expected).count("kettle") >= 2


# --- The app that infers


@pytest.fixture
def guesser(owner: User) -> CheckedAssistant:
    """An assistant whose inferences are quarantined."""
    assistant = CheckedAssistant.of(owner)
    Connection.objects.filter(user=owner).update(quarantine=True)
    return assistant


def test_an_inference_is_answered_with_its_number_and_a_warning(guesser: CheckedAssistant, owner: User) -> None:
    told = guesser.call("remember", text="Robin may like jazz", capture_mode="inferred")
    assert told == {"ok": True, "memory_id": told["memory_id"], "message": WAITS, "quarantined": True}
    assert guesser.call("remember", text="robin may like JAZZ", capture_mode="inferred") == told
    assert guesser.call("remember", text="Robin plays the piano")["message"] == "Ok"
    assert [memory.pk for memory in inbox(View.whole(owner.pk))] == [told["memory_id"]]


def test_in_a_batch_each_item_says_whether_it_waits(guesser: CheckedAssistant) -> None:
    items = [{"text": "Robin may like jazz", "capture_mode": "inferred"}, {"text": "Robin plays the piano"}]
    told = guesser.call("remember_batch", items=items)
    assert [(item["message"], item.get("quarantined")) for item in told["results"]] == [(WAITS, True), ("Ok", None)]
    assert told["summary"]["inserted"] == 2


def test_the_app_corrects_its_inference_and_takes_it_back_but_cannot_accept_it(
    guesser: CheckedAssistant, owner: User
) -> None:
    memory_id = guesser.call("remember", text="Robin may like jazz", capture_mode="inferred")["memory_id"]
    assert guesser.call("update_memory", id=memory_id, text="Robin may like swing")["changed_fields"] == [
        "text",
        "last_confirmed_at",
    ]
    assert guesser.call("confirm", id=memory_id)["message"] == "Confirmed"
    assert guesser.error_of("get_memory", id=memory_id)["code"] == "NOT_FOUND"
    assert [memory.text for memory in inbox(View.whole(owner.pk))] == ["Robin may like swing"]
    assert guesser.call("forget", id=memory_id)["message"] == "Forgotten"
    assert not inbox(View.whole(owner.pk)).exists()
    assert guesser.call("list_memories", include_deleted=True)["memories"] == []


def test_after_the_quarantine_ends_what_waits_still_waits(guesser: CheckedAssistant, owner: User) -> None:
    memory_id = guesser.call("remember", text="Robin may like jazz", capture_mode="inferred")["memory_id"]
    Connection.objects.filter(user=owner).update(quarantine=False)
    assert guesser.error_of("get_memory", id=memory_id)["code"] == "NOT_FOUND"
    said_again = guesser.call("remember", text="Robin may like jazz", capture_mode="inferred")
    assert (said_again["message"], said_again["memory_id"] > memory_id) == ("Ok", True)
    assert not inbox(View.whole(owner.pk)).exists()


# --- The app whose inferences are refused


def refuse(owner: User, *tags: str) -> None:
    assert Connection.objects.filter(user=owner).update(refused_inferences=list(tags)) == 1


def test_an_inference_about_a_refused_tag_is_not_stored_and_the_app_reads_why(
    guesser: CheckedAssistant, owner: User
) -> None:
    refuse(owner, "health")
    error = guesser.error_of("remember", text="Robin may be ill", tags=["Health"], capture_mode="inferred")
    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith("capture_mode: must be explicit.")
    assert "its own conclusions about health" in error["message"]
    assert not Memory.objects.filter(owner=owner).exists()
    assert guesser.call("remember", text="Robin is ill", tags=["health"])["message"] == "Ok"
    assert guesser.call("remember", text="Robin may like jazz", capture_mode="inferred")["quarantined"]


def test_an_app_that_stores_only_what_it_is_told_infers_nothing(guesser: CheckedAssistant, owner: User) -> None:
    refuse(owner, "*")
    items = [{"text": "Robin may like jazz", "capture_mode": "inferred"}, {"text": "Robin plays the piano"}]
    told = guesser.call("remember_batch", items=items)
    assert [item["ok"] for item in told["results"]] == [False, True]
    assert "own conclusions. Store only" in told["results"][0]["error"]["message"]
    assert [memory.text for memory in Memory.objects.filter(owner=owner)] == ["Robin plays the piano"]


def test_a_synonym_of_a_refused_tag_is_refused_too(guesser: CheckedAssistant, owner: User) -> None:
    TagSynonym.objects.create(owner=owner, variant="wellness", canonical="health")
    refuse(owner, "health")
    error = guesser.error_of("remember", text="Robin may be ill", tags=["wellness"], capture_mode="inferred")
    assert "about health" in error["message"]


def test_the_view_of_a_limited_app_adds_its_tag_to_what_is_refused(guesser: CheckedAssistant, owner: User) -> None:
    refuse(owner, "work")
    Connection.objects.filter(user=owner).update(tags=["work"])
    guesser.error_of("remember", text="Robin may work late", capture_mode="inferred")
    assert guesser.call("remember", text="Robin works late")["message"] == "Ok"


def test_every_tool_is_asked() -> None:
    assert set(CALLS) >= {tool.name for tool in TOOLS}
