"""Tests of arguments as models really send them: every tool understands any value with only one possible meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, ValidationError
from pytest_django import Settings

from mcpapi.rest.tool_list import BUILTINS
from mcpapi.tools import TOOLS, UNLISTED, lenient
from mcpapi.tools.base import Tool
from mcpapi.tools.schema import input_schema
from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

Schema = dict[str, Any]
ALL_TOOLS = {
    **{tool.name: tool for tool in (*TOOLS, *UNLISTED)},
    **{f"rest-{name}": BUILTINS[name] for name in BUILTINS},
}
TEXTS_THAT_MAY_BE_NUMBERS = {("fetch", "id")}
LISTS_OF_TEXTS = {("split_memory", "texts")}
"""Lists whose texts may have commas in them."""
TIME = "2026-05-17T14:00:00+00:00"
BERLIN = ZoneInfo("Europe/Berlin")


def every_argument() -> list[Any]:
    return list(_every_argument())


def _every_argument() -> Iterator[Any]:
    for label, tool in ALL_TOOLS.items():
        for name, schema in tool.definition()["inputSchema"]["properties"].items():
            yield pytest.param(tool, name, schema, id=f"{label}-{name}")


def kind_of(schema: Schema) -> str:
    """Return the type that a published schema names, as precisely as these tests need it."""
    if "anyOf" in schema:
        return next(kind for kind in map(kind_of, schema["anyOf"]) if kind != "choice")
    if "enum" in schema or "const" in schema:
        return "choice"
    if schema.get("format") == "date-time":
        return "time"
    return f"list of {kind_of(schema['items'])}" if schema["type"] == "array" else str(schema["type"])


def example_of(schema: Schema) -> Any:
    """Return the smallest object that satisfies `schema`."""
    if "enum" in schema:
        return schema["enum"][0]
    small = {"string": "x y", "integer": 1, "list of integer": [1], "list of string": ["x y", "y z"]}
    required = {name: schema["properties"][name] for name in schema["required"]}
    if required.get("id", {}).get("format") == "uuid":
        return {"id": "00000000-0000-4000-8000-000000000000"}
    return {
        name: [example_of(known["items"])]
        if kind_of(known) == "list of object"
        else example_of(known)
        if kind_of(known) == "choice"
        else small[kind_of(known)]
        for name, known in required.items()
    }


def variants(schema: Schema) -> list[tuple[Any, list[Any]]]:
    """Return values in the schema's type, each with others of equal meaning. Fail for a type that is new here."""
    one = example_of(schema["items"]) if kind_of(schema) == "list of object" else {}
    known: dict[str, list[tuple[Any, list[Any]]]] = {
        "integer": [(1, ["1", " 1 ", 1.0, "1.0", "+1"]), (7, ["7", 7.0])],
        "number": [(0.75, ["0.75", " 0.75", "7.5e-1"]), (1, ["1", "1.0", 1.0])],
        "boolean": [(True, ["true", "True", " TRUE "]), (False, ["false", "False"])],
        "list of string": [
            (["pets"], ["pets", " pets ", '["pets"]']),
            (["pets", "home"], ["pets, home", "pets,home,", "pets; home", "pets;home;", "pets\nhome"]),
            (["pets", "home"], ['["pets", "home"]']),
        ],
        "list of integer": [([1], [1, 1.0, "1", "[1]", ["1"]]), ([1, 2], ["1, 2", "[1, 2]", '["1", 2]', ["1", 2.0]])],
        "list of object": [([one], [one, json.dumps(one), json.dumps([one])]), ([one] * 2, [json.dumps([one] * 2)])],
        "object": [({"tags": ["pets"]}, ['{"tags": ["pets"]}'])],
        "time": [
            (TIME, ["2026-05-17T14:00:00Z", "2026-05-17 16:00:00+02:00", "2026-05-17T14:00:00", "2026-05-17T14:00"])
        ],
        "string": [],
        "choice": [],
    }
    return known[kind_of(schema)]


def read(tool: Tool, name: str, value: object) -> Any:
    """Return the value that the tool reads from an argument. The required arguments are valid."""
    return getattr(tool.args.model_validate({**_required(tool.args), name: value}), name)


@cache
def _required(args: type[BaseModel]) -> Any:
    return example_of(input_schema(args))


@pytest.mark.parametrize(("tool", "name", "schema"), every_argument())
def test_what_means_the_same_is_read_the_same(settings: Settings, tool: Tool, name: str, schema: Schema) -> None:
    settings.OWNER_TIME_ZONE = UTC
    if (tool.name, name) in LISTS_OF_TEXTS:
        assert read(tool, name, '["pets, home", "x"]') == ["pets, home", "x"]
        return
    for wanted, others in variants(schema):
        expected = read(tool, name, wanted)
        for sent in others:
            assert read(tool, name, sent) == expected, sent


@pytest.mark.parametrize(("tool", "name", "schema"), every_argument())
def test_what_may_mean_something_else_is_refused_by_name(tool: Tool, name: str, schema: Schema) -> None:
    refused: dict[str, list[Any]] = {
        "integer": ["", "one", "1.5", 1.5, True, "0x1", "1_000", "1,000", [1], {}, "9" * 400, "١"],
        "number": ["", "half", "0,5", "nan", "inf", "1e999", True, [0.5], "٠.٥"],
        "boolean": ["", "yes", "1", 1, 0, "on", ["true"]],
        "list of string": ["", " ", "[pets]", '["pets"', '{"tags": []}', 5, True, {}, [5], [None]],
        "list of integer": ["", "one", "1; 2", "[1", True, {}, [True], [None]],
        "list of object": ["", "a fact", 5, True, "[1", "5"],
        "object": ["", "tags", 5, True, [], "[]", '{"tags"'],
        "time": [
            "",
            "today",
            1779026400,
            "1779026400",
            "1779026400000",
            "20260517",
            "2026-05",
            "2026-13-01",
            "17.05.2026",
        ],
        "string": [] if (tool.name, name) in TEXTS_THAT_MAY_BE_NUMBERS else [5, 5.5, True, ["x"], {"x": 1}],
        "choice": [5, True, ["x"]],
    }
    if (tool.name, name) in LISTS_OF_TEXTS:
        refused["list of string"].append("pets, home")
    for sent in refused[kind_of(schema)]:
        with pytest.raises(ValidationError) as error:
            read(tool, name, sent)
        assert error.value.errors()[0]["loc"][0] == name, sent


# --- Dates


@pytest.mark.parametrize(
    ("sent", "begins", "ends"),
    [
        ("2026-12-24", "2026-12-23T23:00:00+00:00", "2026-12-24T22:59:59.999999+00:00"),
        ("2026-07-01", "2026-06-30T22:00:00+00:00", "2026-07-01T21:59:59.999999+00:00"),
        # The clocks are set back on that day, so it has 25 hours.
        ("2026-10-25", "2026-10-24T22:00:00+00:00", "2026-10-25T22:59:59.999999+00:00"),
        ("2026-12-24T18:00", "2026-12-24T17:00:00+00:00", "2026-12-24T17:00:00+00:00"),
        ("2026-12-24T18:00Z", "2026-12-24T18:00:00+00:00", "2026-12-24T18:00:00+00:00"),
    ],
)
def test_a_date_is_a_day_in_the_owners_time_zone(settings: Settings, sent: str, begins: str, ends: str) -> None:
    settings.OWNER_TIME_ZONE = BERLIN
    moments = [lenient.as_time(sent), lenient.as_time(sent, ends_day=True)]
    assert [moment.astimezone(UTC).isoformat() for moment in moments if moment] == [begins, ends]


def test_a_date_ends_what_it_ends_and_begins_what_it_begins(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = BERLIN
    ends = {"expires_at", "until", "valid_until"}
    begins = {"last_confirmed_at", "not_confirmed_since", "since", "valid_from", "as_of"}
    seen = set()
    for tool in ALL_TOOLS.values():
        for name, schema in tool.definition()["inputSchema"]["properties"].items():
            if kind_of(schema) == "time":
                hour = read(tool, name, "2026-12-24").hour
                assert hour == (23 if name in ends else 0), (tool.name, name)
                seen.add(name)
    assert seen == ends | begins


# --- As a client sees it


def test_remember_takes_a_date_and_a_single_tag(assistant: Assistant, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = BERLIN
    payload = assistant.call("remember", text="The tree is up", tags="pets", importance="0.75", expires_at="2099-12-24")
    memory = Memory.objects.get(pk=payload["memory_id"])
    assert (memory.tags, memory.importance) == (["pets"], 0.75)
    assert memory.expires_at == datetime(2099, 12, 24, 22, 59, 59, 999999, UTC)


def test_a_date_of_today_is_no_past_expiry(assistant: Assistant, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = BERLIN
    today = datetime.now(BERLIN).date().isoformat()
    assert assistant.call("remember", text="Only today", expires_at=today)["ok"]


def test_a_search_between_dates_has_both_days_in_it(assistant: Assistant, owner: User, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = BERLIN
    for day, text in enumerate(("the kettle is old", "the kettle is hot", "the kettle is new"), start=4):
        make_memory(owner, text, created_at=datetime(2026, 5, day, 12, tzinfo=UTC))
    found = assistant.call("recall", query="kettle", mode="keyword", since="2026-05-04", until="2026-05-05", limit="9")
    assert {match["text"] for match in found["matches"]} == {"the kettle is old", "the kettle is hot"}


def test_a_batch_takes_one_object_and_json_in_a_string(assistant: Assistant) -> None:
    one = assistant.call("remember_batch", items={"text": "I like tea", "tags": "drinks"})
    assert one["summary"]["inserted"] == 1
    encoded = assistant.call("remember_batch", items=json.dumps([{"text": "I like mate"}, {"text": "I like milk"}]))
    assert encoded["summary"]["inserted"] == 2
    mixed = assistant.call("remember_batch", items=['{"text": "I like juice"}', "I like water"])
    assert [result["ok"] for result in mixed["results"]] == [True, False]
    changed = assistant.call(
        "update_memory_batch", items={"id": str(one["results"][0]["memory_id"]), "importance": "1"}
    )
    assert changed["results"][0]["changed_fields"] == ["importance"]


def test_an_item_that_fails_has_its_id_however_it_was_sent(assistant: Assistant) -> None:
    items = [{"id": "12", "importance": 2}, json.dumps({"id": 13, "importance": 2}), {"id": "twelve"}]
    results = assistant.call("update_memory_batch", items=items)["results"]
    assert [result["id"] for result in results] == [12, 13, None]


def test_forget_batch_takes_one_id(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    assert assistant.call("forget_batch", ids=str(memory.pk), dry_run="true")["summary"]["deleted"] == 1
    assert Memory.objects.filter(pk=memory.pk, deleted_at=None).exists()
    assert assistant.call("forget_batch", ids=memory.pk, dry_run="false")["summary"]["deleted"] == 1


def test_fetch_takes_a_number(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    assert assistant.call("fetch", id=memory.pk)["id"] == str(memory.pk)


def test_a_long_string_is_not_taken_apart() -> None:
    long = "ab," * lenient.MAX_SPLIT_CHARS
    assert lenient.as_tags(long) is long
    assert lenient.as_ids(long) is long
    encoded = "[" + "[]," * lenient.MAX_ENCODED_CHARS + "[]]"
    assert lenient.as_objects(encoded) is encoded


@pytest.mark.parametrize("encoded", ["[" + "[]," * 100_000 + "[]]", "[" * 100 + "]" * 100], ids=["dense", "deep"])
def test_dense_or_deep_json_in_a_string_is_not_parsed(encoded: str) -> None:
    assert lenient.as_objects(encoded) is encoded


def test_commas_and_brackets_within_a_text_in_a_string_do_not_count() -> None:
    encoded = json.dumps([{"text": "[]," * 30_000}])
    assert lenient.as_objects(encoded) == json.loads(encoded)


def test_an_id_may_be_written_as_on_the_pages(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "The tea is in the drawer")
    for sent in (f"#{memory.pk}", f" #{memory.pk} "):
        assert assistant.call("get_memory", id=sent)["memory"]["id"] == memory.pk
    assert assistant.call("fetch", id=f"#{memory.pk}")["id"] == str(memory.pk)
    assert assistant.call("confirm", id=f"#{memory.pk}")["ok"]
    for sent in ("#", "##1", "# 1", "#-1", "#1.0", "#one"):
        assert assistant.call("get_memory", id=sent)["error"]["code"] == "INVALID_INPUT", sent


def test_tags_in_one_text_are_separated_by_semicolons_too(assistant: Assistant) -> None:
    stored = assistant.call("remember", text="The tea is in the drawer", tags="work; travel")["memory_id"]
    assert assistant.call("get_memory", id=stored)["memory"]["tags"] == ["work", "travel"]
