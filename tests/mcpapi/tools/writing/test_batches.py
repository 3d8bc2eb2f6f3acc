"""Tests of the tools that take many items: one bad item fails alone."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memories.models import Memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"


def test_remember_batch_answers_by_position(assistant: Assistant, owner: User) -> None:
    known = make_memory(owner, "I like tea")
    payload = assistant.call(
        "remember_batch",
        items=[
            {"text": "I like coffee", "source_provider": "notes"},
            {"text": "i like TEA"},
            {"text": ""},
            {"text": f"the key is {SECRET}"},
            {"text": "I LIKE coffee"},
            {"text": "I like milk", "colour": "white"},
            "just a string",
            {"text": "I like juice", "tags": ["Coding"], "expires_at": None},
        ],
        source_provider="import",
    )
    results = payload["results"]
    assert [result["input_index"] for result in results] == list(range(8))
    assert [result["ok"] for result in results] == [True, True, False, False, True, False, False, True]
    assert results[1]["memory_id"] == known.pk
    assert results[4] == {
        "input_index": 4, "ok": True, "memory_id": results[0]["memory_id"], "message": "Already remembered",
    }  # fmt: skip
    assert [results[index]["error"]["code"] for index in (2, 3, 5, 6)] == [
        "INVALID_INPUT", "SECRET_REJECTED", "INVALID_INPUT", "INVALID_INPUT",
    ]  # fmt: skip
    assert SECRET not in str(payload)
    assert "colour" in results[5]["error"]["message"]
    assert payload["summary"] == {
        "total": 8, "succeeded": 4, "failed": 4, "inserted": 2, "duplicates": 2, "errors": 4,
    }  # fmt: skip
    providers = {memory.text: memory.source_provider for memory in Memory.objects.all()}
    assert (providers["I like coffee"], providers["I like juice"]) == ("notes", "import")


def test_remember_batch_sees_what_is_near_within_the_call(assistant: Assistant) -> None:
    first = "We meet the whole team at the office every single Monday morning"
    items = [{"text": first}, {"text": f"{first} now"}]
    reported = assistant.call("remember_batch", items=items)["results"]
    assert [memory["id"] for memory in reported[1]["near_duplicates"]] == [reported[0]["memory_id"]]

    Memory.objects.all().delete()
    skipped = assistant.call("remember_batch", items=items, dedup_policy="skip_if_near")["results"]
    assert skipped[1]["memory_id"] == skipped[0]["memory_id"]
    assert skipped[1]["message"] == "Already remembered"
    assert Memory.objects.count() == 1


def test_a_batch_must_have_items_and_not_too_many(assistant: Assistant) -> None:
    assert assistant.error_of("remember_batch", items=[])["code"] == "INVALID_INPUT"
    too_many = [{"text": f"fact {number}"} for number in range(201)]
    error = assistant.error_of("remember_batch", items=too_many)
    assert error["code"] == "LIMIT_EXCEEDED"
    assert "200" in error["message"]
    assert Memory.objects.count() == 0
    assert assistant.error_of("update_memory_batch", items=[])["code"] == "INVALID_INPUT"
    assert assistant.error_of("forget_batch", ids=[])["code"] == "INVALID_INPUT"


def test_update_memory_batch_answers_by_position(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "I like tea")
    items = [
        {"id": memory.pk, "importance": 0.9},
        {"id": 2**40, "importance": 0.9},
        {"id": memory.pk},
        {"importance": 1},
    ]
    dry = assistant.call("update_memory_batch", items=items, dry_run=True)
    assert dry["results"][0]["message"] == "Would update"
    payload = assistant.call("update_memory_batch", items=items)
    assert payload["dry_run"] is False
    assert [(result["id"], result["ok"]) for result in payload["results"]] == [
        (memory.pk, True), (2**40, False), (memory.pk, False), (None, False),
    ]  # fmt: skip
    assert payload["results"][0]["changed_fields"] == ["importance"]
    assert [result["error"]["code"] for result in payload["results"][1:]] == [
        "NOT_FOUND", "INVALID_INPUT", "INVALID_INPUT",
    ]  # fmt: skip
    assert payload["summary"] == {"total": 4, "updated": 1, "errors": 3}


def test_update_memory_batch_confirms_what_it_rewrites(assistant: Assistant, owner: User) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    memories = [make_memory(owner, f"I drink {drink}", last_confirmed_at=long_ago) for drink in ("tea", "milk")]
    items = [{"id": memories[0].pk, "text": "I drink mate"}, {"id": memories[1].pk, "importance": 1}]
    results = assistant.call("update_memory_batch", items=items)["results"]
    assert [result["changed_fields"] for result in results] == [["text", "last_confirmed_at"], ["importance"]]
    confirmed = Memory.objects.filter(last_confirmed_at__gt=long_ago)
    assert list(confirmed.values_list("pk", flat=True)) == [memories[0].pk]


def test_forget_batch_is_soft_and_answers_by_position(assistant: Assistant, owner: User) -> None:
    first, second = make_memory(owner, "I like tea"), make_memory(owner, "I like coffee")
    assistant.call("forget", id=second.pk)
    ids = [first.pk, second.pk, 2**40]
    dry = assistant.call("forget_batch", ids=ids, dry_run=True)
    assert dry["summary"] == {"total": 3, "deleted": 1, "already_deleted": 1, "errors": 1}
    assert Memory.objects.get(pk=first.pk).deleted_at is None
    payload = assistant.call("forget_batch", ids=ids, reason="cleaning up")
    assert [result["ok"] for result in payload["results"]] == [True, True, False]
    assert [result.get("already_deleted") for result in payload["results"]] == [False, True, None]
    assert payload["results"][2]["error"]["code"] == "NOT_FOUND"
    assert Memory.objects.get(pk=first.pk).forget_reason == "cleaning up"
