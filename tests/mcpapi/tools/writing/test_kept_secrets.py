"""Tests that an app never gets a secret that the owner keeps, whatever it calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from mcpapi.catalog import catalog
from mcpapi.observability.audit import audit_lines
from memories.models import HiddenValue
from memories.validation.secrets.kinds import Kind
from memories.writing.hidden_values import decrypted, keep_kinds
from oauthserver.models import User
from tests.support.factories import HOST, Assistant

SECRETS = {
    "The alarm code at home is 471183": ("471183", "an alarm or door code"),
    "Meine PIN lautet 882341.": ("882341", "a PIN"),
    "le mot de passe du wifi est Hérisson77": ("Hérisson77", "a password"),
    "My wallet's recovery phrase is tiger lamp ocean drift maple stone": ("ocean drift", "a recovery code or phrase"),
}


@pytest.fixture
def keeping(owner: User) -> User:
    """An owner who keeps all kinds."""
    keep_kinds(owner.pk, list(Kind))
    return owner


def database_dump() -> str:
    """Return every row of every table as text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        rows = []
        for table in tables:
            cursor.execute(f"SELECT each::text FROM {table} AS each")
            rows += [row for (row,) in cursor.fetchall()]
    return "\n".join(rows)


def test_the_answer_says_what_was_hidden(assistant: Assistant, keeping: User) -> None:
    for text, (value, kind) in SECRETS.items():
        answer = assistant.call("remember", text=text)
        assert answer["hidden"] == [kind]
        assert "never returned to apps" in answer["notice"]
        assert f"/memory/{answer['memory_id']}/" in answer["notice"]
        assert value not in json.dumps(answer, ensure_ascii=False)
    memory_id = assistant.call("remember", text="I like tea")["memory_id"]
    text = "The alarm code at home is 112299"
    would = assistant.call("update_memory", id=memory_id, text=text, dry_run=True)
    assert "would be stored" in would["notice"]
    assert assistant.call("update_memory", id=memory_id, text=text)["hidden"] == ["an alarm or door code"]
    batch = assistant.call("remember_batch", items=[{"text": "The door code is 223311"}])["results"]
    batch += assistant.call("update_memory_batch", items=[{"id": memory_id, "text": "The door code is 334411"}])[
        "results"
    ]
    assert [each["hidden"] for each in batch] == [["an alarm or door code"]] * 2
    ids = [assistant.call("remember", text=text)["memory_id"] for text in ("I like mint", "I like mint tea")]
    merged = assistant.call("merge_memories", ids=ids, text="I like mint, the door code is 556611")
    split = assistant.call("split_memory", id=merged["memory_id"], texts=["I like mint", "The door code is 667711"])
    assert (merged["hidden"], split["hidden"]) == (["an alarm or door code"], ["an alarm or door code"])


def test_no_value_is_in_the_database_or_in_any_answer(
    assistant: Assistant, keeping: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.AUDIT_QUERIES = True
    caplog.set_level("DEBUG")
    ids = [assistant.call("remember", text=text)["memory_id"] for text in SECRETS]
    values = [value for value, _ in SECRETS.values()]
    stored = [decrypted(row) for row in HiddenValue.objects.order_by("pk")]
    assert all(value in kept for value, kept in zip(values, stored, strict=True))

    answers = _everything_an_app_can_ask(assistant, ids)
    audit_lines.flush()
    everything = [*answers, caplog.text, database_dump()]
    for value in values:
        assert not [text[:300] for text in everything if value in text]
    # The test would find what it looks for.
    assert "[hidden: code #1]" in everything[-1]
    assert any("[hidden: code #1]" in answer for answer in answers)


def _everything_an_app_can_ask(assistant: Assistant, ids: list[int]) -> list[str]:
    """Return the answers to calls of every tool that reads, to resources, and over REST."""
    arguments: dict[str, dict[str, Any]] = {
        "recall": {"query": "alarm code at home", "precision": "all", "full_text": True},
        "search_memory": {"query": "Wi-Fi password", "mode": "keyword"},
        "search": {"query": "PIN"},
        "fetch": {"id": str(ids[0])},
        "text_search": {"text": "hidden"},
        "build_context_prompt": {"user_prompt": "What is the alarm code at home?"},
        "get_memory": {"id": ids[0]},
        "memory_history": {"id": ids[0]},
        "export_memories": {},
        "find_near_duplicates": {"threshold": 0.5},
        "update_memory": {"id": ids[0], "tags": ["home"]},
        "forget": {"id": ids[1], "reason": "It has changed."},
        "tidy_next": {},
    }
    read_only = [tool.name for tool in catalog().tools if tool.definition()["annotations"].get("readOnlyHint")]
    named = [
        name
        for name in dict.fromkeys([*arguments, *read_only])
        if name in arguments or not catalog().tools_by_name[name].definition()["inputSchema"].get("required")
    ]
    uris = ("ownsona://memory/", *(f"ownsona://memory/{pk}" for pk in (ids[0], *ids[2:])), "ownsona://briefing")
    given = [assistant.call(name, **arguments.get(name, {})) for name in named]
    given += [assistant.result("resources/read", uri=uri) for uri in uris]
    answers = [json.dumps(each, ensure_ascii=False) for each in given]
    for path, body in (("search", {"query": "alarm code"}), ("get", {"id": ids[0]}), ("recall", {"query": "PIN"})):
        response = assistant.client.post(
            f"/tools/{path}",
            body,
            content_type="application/json",
            headers={"authorization": f"Bearer {assistant.token}", "host": HOST},
        )
        answers.append(response.content.decode())
    return answers


def test_a_failed_call_does_not_repeat_the_value(assistant: Assistant, keeping: User) -> None:
    failures = [
        assistant.error_of("remember", text="The alarm code is 471183", tags=["code471183"]),
        assistant.error_of("remember", text="The alarm code is 471183", expires_at="2001-01-01T00:00:00Z"),
        assistant.error_of("update_memory", id=999_999, text="The alarm code is 471183"),
        assistant.error_of("remember", text="The alarm code is 471183", session_id="471183"),
    ]
    assert not [failure for failure in failures if "471183" in json.dumps(failure)]
    assert "471183" not in database_dump()


def test_an_owner_does_not_see_what_another_keeps(assistant: Assistant, keeping: User) -> None:
    memory_id = assistant.call("remember", text="The alarm code at home is 471183")["memory_id"]
    other = Assistant.of(User.objects.create_user("other"))
    assert other.error_of("remember", text="The alarm code at home is 471183")["code"] == "SECRET_REJECTED"
    assert other.error_of("get_memory", id=memory_id)["code"] == "NOT_FOUND"
